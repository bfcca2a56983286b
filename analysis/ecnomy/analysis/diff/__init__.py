# SPDX-License-Identifier: Apache-2.0
"""Two runs, or two groups of runs, compared: the differences, their sizes and their certainty.

groups      what is compared: results folders, folders of them, runs of a sweep
settings    what differs between the scenarios
outcomes    the figures of a run, as a sweep has them; what they are called
difference  the comparison as a whole
table, picture, command     `ecnomy diff`

    from ecnomy.analysis.diff import diff
    found = diff("results/red", "results/vq")      # each a folder of runs under several seeds
    found.frame()                                  # a row per outcome, what differs first
"""

from __future__ import annotations

from ecnomy.analysis.diff.difference import Diff, Outcome, diff

__all__ = ["Diff", "Outcome", "diff"]
