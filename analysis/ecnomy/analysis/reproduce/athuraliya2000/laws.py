# SPDX-License-Identifier: Apache-2.0
"""Selects runs by marking law, named as in quantity names, and computes slopes of curves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.studies import Runs

__all__ = ["COUNT", "LABELS", "MARKING", "by_law", "by_rate", "slope"]

MARKING: Final = "network.links.bottleneck.marking"
RATE: Final = "network.links.bottleneck.rate"
COUNT: Final = "sources.reno.count"
LAWS: Final = {"drop-tail": "tail"}
LABELS: Final = {"tail": "drop-tail", "red": "RED", "rem": "REM"}


def by_law(runs: Runs, parameter: str = MARKING) -> dict[str, Runs]:
    """Return the runs by short name of the marking law, which `parameter` describes."""
    by_name = {}
    for value in runs.values(parameter):
        law = msgspec.json.decode(value)["law"]
        by_name[LAWS.get(law, law)] = runs.at({parameter: value})
    return by_name


def by_rate(runs: Runs) -> dict[str, Runs]:
    """Return the runs by link capacity, which the paper does not state for section VII."""
    return {f"{float(rate):g}Mbps": runs.at({RATE: rate}) for rate in runs.values(RATE)}


def slope(points: Mapping[int, Floats]) -> Floats:
    """Return the slope of the least-squares line through `points` (x -> y of each seed)."""
    x = np.asarray(list(points), dtype=np.float64)
    y = np.asarray(list(points.values()), dtype=np.float64)
    centred = x - x.mean()
    return np.asarray(centred @ (y - y.mean(axis=0)) / (centred @ centred), dtype=np.float64)
