# SPDX-License-Identifier: Apache-2.0
"""Controlled variants of experiment 1, which isolate causes of differences from the paper."""

from __future__ import annotations

from typing import Final

import numpy as np

from ecnomy.analysis.reproduce.christin2003 import fig2
from ecnomy.analysis.reproduce.christin2003.laws import by_options
from ecnomy.analysis.reproduce.studies import Studies

__all__ = ["CONTROLS", "controls"]

CONTROLS: Final = ("options", "equal-rtt", "access", "floor", "short", "greedy")
_COLUMNS: Final = {"loss": "loss_share", "queue_kB": "queue_mean_bytes", "marks": "marks_share"}
_UNITS: Final = {"queue_kB": 1e3}


def controls(studies: Studies) -> dict[str, np.ndarray | float]:
    """Return loss, queue and marks of the controls: `control.<variant>.<figure>.<algorithm>`.

    Comparisons of both projections on the same trace are `control.trace.<figure>`.
    """
    samples: dict[str, np.ndarray | float] = {}
    for name, value in fig2.figures(studies).items():
        samples[f"control.trace.{name}"] = np.asarray(value)
    for study in CONTROLS:
        for name, runs in by_options(studies[f"exp1-{study}"]).items():
            for figure, column in _COLUMNS.items():
                value = runs.sample(column) / _UNITS.get(figure, 1.0)
                samples[f"control.{study}.{figure}.{name}"] = value
    return samples
