# SPDX-License-Identifier: Apache-2.0
"""Searching the value of a parameter at which a figure of the runs meets a target: `ecnomy
calibrate`."""

from __future__ import annotations

from ecnomy.analysis.calibrate.calibration import asked_of, calibrated, found_in
from ecnomy.analysis.calibrate.search import Found

__all__ = ["Found", "asked_of", "calibrated", "found_in"]
