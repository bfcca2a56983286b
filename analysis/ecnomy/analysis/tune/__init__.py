# SPDX-License-Identifier: Apache-2.0
"""`ecnomy tune`: searches for parameters with the best outcome, or with a target outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ecnomy.analysis.support.first_use import on_first_use

if TYPE_CHECKING:
    from ecnomy.analysis.tune.answer import Answer, Tried
    from ecnomy.analysis.tune.run_search import tuned

__all__ = ["Answer", "Tried", "tuned"]

__getattr__ = on_first_use(
    __name__,
    {
        "Answer": "answer",
        "Tried": "answer",
        "tuned": "run_search",
    },
)
