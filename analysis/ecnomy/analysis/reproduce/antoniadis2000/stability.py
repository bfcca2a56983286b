# SPDX-License-Identifier: Apache-2.0
"""Eq. 2: the largest gain with a stable window, and the behaviour of windows at larger gains."""

from __future__ import annotations

from typing import Final

import numpy as np

from ecnomy.analysis.reproduce.antoniadis2000.fig7 import by_gain
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

__all__ = ["figures", "gain_bound"]

_PIPE_PACKETS: Final = 1.5e6 * 0.2 / 8000 + 10  # pipe of figure 7: rate x round trip, plus B


def gain_bound(queue_over_variance: float) -> float:
    """Return the largest gain that satisfies Eq. 2, gain (1 + 2 Q / sigma^2) <= 1 / e."""
    return float(np.exp(-1) / (1 + 2 * queue_over_variance))


def figures(studies: Studies) -> Samples:
    """Return the bound of Eq. 2, and settling times and shares at gains up to and beyond it."""
    own = by_gain(studies["fig7"], least=0.0)
    settled = {gain: runs.sample("settled_s") for gain, runs in own.items()}
    least = min(own)
    samples: dict[str, np.ndarray | float] = {"bound.Q_over_variance=10": gain_bound(10)}
    samples["settled_s.bound_minus_0.05"] = settled[least] - settled[0.05]
    for gain in (0.5, 1.0):
        for column in ("least_share", "most_share"):
            samples[f"{column}.gain={gain:g}"] = own[gain].sample(column)
        samples[f"largest_over_pipe.gain={gain:g}"] = (
            own[gain].sample("largest_cwnd") / _PIPE_PACKETS
        )
    return samples
