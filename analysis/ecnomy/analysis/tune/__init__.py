# SPDX-License-Identifier: Apache-2.0
"""`ecnomy tune`: searches for parameters with the best outcome, or with a target outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ecnomy.analysis.support.first_use import on_first_use

if TYPE_CHECKING:
    from ecnomy.analysis.tune.best_values import Tried, TuningAnswer
    from ecnomy.analysis.tune.run_search import tuned

__all__ = ["Tried", "TuningAnswer", "tuned"]

__getattr__ = on_first_use(
    __name__,
    {
        "TuningAnswer": "best_values",
        "Tried": "best_values",
        "tuned": "run_search",
    },
)
