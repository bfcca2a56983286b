# SPDX-License-Identifier: Apache-2.0
"""How windows and backlog vary in a stationary run, and REM's price, from recorded series."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ecnomy.analysis.reproduce.athuraliya2000.series import Recorded, cv

__all__ = ["stationary"]


def stationary(results: Path) -> dict[str, float]:
    """Over the measured window, sampled as the series are.

    Returns:
        `<source>.window` and `.window_cv`, mean and coefficient of variation of cwnd, for sources
        of one flow; `bottleneck.backlog_std` and `.backlog_max`, packets;
        `bottleneck.probability`, the mean of the law's.
    """
    recorded = Recorded(results)
    start, end = recorded.measured_s
    found: dict[str, float] = {}
    for source in recorded.run.plan.sources:
        if source.count == 1:
            at, window = recorded.windows(source.name)
            own = window[(at > start) & (at <= end)]
            found[f"{source.name}.window"] = float(own.mean())
            found[f"{source.name}.window_cv"] = cv(own)
    at, backlog = recorded.backlog("bottleneck")
    own = backlog[(at > start) & (at <= end)]
    found["bottleneck.backlog_std"] = float(own.std())
    found["bottleneck.backlog_max"] = float(own.max())
    at, marking = recorded.marking("bottleneck")
    found["bottleneck.probability"] = float(np.mean(marking[(at > start) & (at <= end)]))
    return found
