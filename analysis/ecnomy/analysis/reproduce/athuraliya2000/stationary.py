# SPDX-License-Identifier: Apache-2.0
"""Variation of windows and backlog in a stationary run, and the time in which marking settles."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.athuraliya2000.series import RecordedSeries, cv

__all__ = ["settled_s", "stationary"]

SMOOTH_S: Final = 0.1
NEAR: Final = 0.1


def stationary(results: Path) -> dict[str, float]:
    """Return statistics of the recorded samples over the measured window.

    Returns:
        `<source>.window` and `.window_cv`, the mean and coefficient of variation of the window, for
        sources with one flow; `bottleneck.backlog_std` and `.backlog_max`, packets;
        `bottleneck.probability`, the law's mean marking probability; and `bottleneck.settle_s`, the
        time from which the probability stays near this mean.
    """
    recorded = RecordedSeries(results)
    start, end = recorded.measured_s
    columns: dict[str, float] = {}
    for source in recorded.run.plan.sources:
        if source.count == 1:
            at, window = recorded.windows(source.name)
            own = window[(at > start) & (at <= end)]
            columns[f"{source.name}.window"] = float(own.mean())
            columns[f"{source.name}.window_cv"] = cv(own)
    at, backlog = recorded.backlog("bottleneck")
    own = backlog[(at > start) & (at <= end)]
    columns["bottleneck.backlog_std"] = float(own.std())
    columns["bottleneck.backlog_max"] = float(own.max())
    at, marking = recorded.marking("bottleneck")
    columns["bottleneck.probability"] = float(np.mean(marking[(at > start) & (at <= end)]))
    columns["bottleneck.settle_s"] = settled_s(at, marking, columns["bottleneck.probability"])
    return columns


def settled_s(at: Floats, values: Floats, level: float) -> float:
    """Return the time [s] from which a curve, smoothed over 0.1 s, stays within 10 % of a level.

    The result is the end of the curve if the curve does not stay there.
    """
    width = max(1, round(SMOOTH_S / float(np.median(np.diff(at)))))
    smooth = np.convolve(values, np.ones(width) / width, mode="valid")
    off = np.flatnonzero(np.abs(smooth / level - 1) > NEAR)
    last = -1 if off.size == 0 else int(off[-1])
    return float(at[min(last + width, len(at) - 1)])
