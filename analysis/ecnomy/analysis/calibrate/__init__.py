# SPDX-License-Identifier: Apache-2.0
"""`ecnomy calibrate`: search for the parameter value at which a figure meets a target."""

from __future__ import annotations

from ecnomy.analysis.calibrate.calibration import asked_of, calibrated, found_in
from ecnomy.analysis.calibrate.search import Found

__all__ = ["Found", "asked_of", "calibrated", "found_in"]
