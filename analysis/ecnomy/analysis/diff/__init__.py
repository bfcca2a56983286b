# SPDX-License-Identifier: Apache-2.0
"""Compares two runs, or two groups of runs: differences, their sizes and their intervals.

groups      the compared runs: results folders, folders of such folders, runs of a sweep
settings    the differences between the scenarios
outcomes    the outcomes of a run, with the column names of a sweep
difference  the whole comparison
table, diff_plot, command     `ecnomy diff`

    from ecnomy.analysis.diff import diff
    comparison = diff("results/red", "results/vq")   # each a folder of runs under several seeds
    comparison.frame()                               # outcomes that differ come first
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ecnomy.analysis.support.first_use import on_first_use

if TYPE_CHECKING:
    from ecnomy.analysis.diff.difference import Diff, OutcomeDifference, diff

__all__ = ["Diff", "OutcomeDifference", "diff"]

__getattr__ = on_first_use(
    __name__,
    {
        "Diff": "difference",
        "OutcomeDifference": "difference",
        "diff": "difference",
    },
)
