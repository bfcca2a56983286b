# SPDX-License-Identifier: Apache-2.0
"""`ecnomy calibrate`: searches for the parameter value at which an outcome meets a target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ecnomy.analysis.support.first_use import on_first_use

if TYPE_CHECKING:
    from ecnomy.analysis.calibrate.calibration import calibrated, planned_sweep, search_results
    from ecnomy.analysis.calibrate.search import SearchResult

__all__ = ["SearchResult", "calibrated", "planned_sweep", "search_results"]

__getattr__ = on_first_use(
    __name__,
    {
        "SearchResult": "search",
        "planned_sweep": "calibration",
        "calibrated": "calibration",
        "search_results": "calibration",
    },
)
