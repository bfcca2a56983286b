# SPDX-License-Identifier: Apache-2.0
"""Figure 4: the tail of the file sizes that simulated readers request."""

from __future__ import annotations

from typing import Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.andreassen2002.guaranteed import SEEDS
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies
from ecnomy.markets.plan.truncated_pareto import lower_bound

__all__ = ["figures", "upper_slope"]

_SHAPE, _MEAN, _MOST = 1.2, 300e3, 5e6
_DRAWS: Final = 100_000
_POINTS: Final = 20
_KEY: Final = 4


def upper_slope(sizes: Floats, most: float) -> float:
    """Return the slope of a line fitted to log P(S > x) over log x, in the decade below `most`."""
    points = most * np.logspace(-1, 0, _POINTS, endpoint=False)
    larger = 1 - np.searchsorted(np.sort(sizes), points, side="right") / len(sizes)
    kept = larger > 0
    return float(np.polyfit(np.log(points[kept]), np.log(larger[kept]), 1)[0])


def figures(studies: Studies) -> Samples:
    """Return slopes over the upper decade, for simulated file sizes and for an unbounded Pareto."""
    least = lower_bound(_MEAN, _MOST, _SHAPE)
    slopes: dict[str, list[float]] = {"slope.readers": [], "slope.without_end": []}
    for seed in SEEDS:
        uniform = np.random.Generator(np.random.Philox(key=[seed, _KEY])).random(_DRAWS)
        whole = 1 - (least / _MOST) ** _SHAPE
        for name, below in (("readers", whole), ("without_end", 1.0)):
            sizes = least * (1 - uniform * below) ** (-1 / _SHAPE)
            slopes[f"slope.{name}"].append(upper_slope(sizes, _MOST))
    return {name: np.array(values) for name, values in slopes.items()}
