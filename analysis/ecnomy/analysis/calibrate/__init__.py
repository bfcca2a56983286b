# SPDX-License-Identifier: Apache-2.0
"""`ecnomy calibrate`: searches for the parameter value at which an outcome meets a target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ecnomy.analysis.support.first_use import on_first_use

if TYPE_CHECKING:
    from ecnomy.analysis.calibrate.calibration import calibrated, found_in, planned_sweep
    from ecnomy.analysis.calibrate.search import Found

__all__ = ["Found", "calibrated", "found_in", "planned_sweep"]

__getattr__ = on_first_use(
    __name__,
    {
        "Found": "search",
        "planned_sweep": "calibration",
        "calibrated": "calibration",
        "found_in": "calibration",
    },
)
