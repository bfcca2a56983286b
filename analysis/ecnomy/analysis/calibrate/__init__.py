# SPDX-License-Identifier: Apache-2.0
"""Searching a parameter's value at which a figure of the runs is a target: `ecnomy calibrate`."""

from __future__ import annotations

from ecnomy.analysis.calibrate.calibration import asked_of, calibrated, found_in
from ecnomy.analysis.calibrate.search import Found

__all__ = ["Found", "asked_of", "calibrated", "found_in"]
