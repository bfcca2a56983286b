# SPDX-License-Identifier: Apache-2.0
"""Ratios of two groups of flows by r, their ratio of willingness to pay, per seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.curve_style import band, theory_line
from ecnomy.analysis.reproduce.siris2002.laws import LABELS
from ecnomy.analysis.reproduce.studies import Runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "DELAY",
    "FIRST",
    "LONG",
    "Ratios",
    "cases",
    "least_of",
    "long_over_short",
    "per_law",
    "ratios",
    "ratios_panel",
    "spread",
]

Ratios = dict[float, Floats]

LONG = "sources.long.transport.weight"
FIRST = "network.links.first.marking"
DELAY = "network.links.short-access.delay"
_CASES = {100.0: "a", 50.0: "b"}  # short round trip in ms


def ratios(runs: Runs, column: str, over: str, under: str, weight: str, unit: float = 1) -> Ratios:
    """Return the ratio of a column between two sources, `over` / `under`, by r = weight / unit."""
    return {
        value / unit: own.sample(f"{over}.{column}") / own.sample(f"{under}.{column}")
        for value in sorted(runs.values(weight))
        for own in [runs.at({weight: value})]
    }


def long_over_short(runs: Runs, column: str = "goodput_bps", unit: float = 1) -> Ratios:
    """Return the ratio of a column between long flows and short flows, by r."""
    return ratios(runs, column, "long", "short", LONG, unit)


def cases(runs: Runs) -> dict[str, Runs]:
    """Return the runs of cases (a) and (b), with short round trips of 200 ms and 100 ms."""
    return {_CASES[value]: runs.at({DELAY: value}) for value in runs.values(DELAY)}


def per_law(laws: Mapping[str, Runs], unit: float = 1) -> dict[str, Ratios]:
    """Return the throughput ratio, long over short, by law and r."""
    return {law: long_over_short(runs, unit=unit) for law, runs in laws.items()}


def spread(samples: Sequence[Floats]) -> Floats:
    """Return (largest - smallest) / mean over laws, per seed, with laws ranked by their means."""
    ordered = sorted(samples, key=lambda sample: float(sample.mean()))
    result: Floats = (ordered[-1] - ordered[0]) / np.mean(ordered, axis=0)
    return result


def least_of(*samples: Floats) -> Floats:
    """Return the sample with the smallest mean over seeds."""
    return min(samples, key=lambda sample: float(sample.mean()))


def ratios_panel(
    axis: Axes, curves: Mapping[str, Ratios], slope: float, theory: str, title: str
) -> None:
    """Draw throughput ratios against r, and the theoretical line slope x r."""
    for index, (law, values) in enumerate(curves.items()):
        band(axis, list(values), list(values.values()), index, LABELS[law])
    most = max(max(values) for values in curves.values())
    theory_line(axis, [1, most], [slope, slope * most], theory)
    axis.set(xlabel="ratio of willingness to pay, long / short")
    axis.set(ylabel="ratio of throughput, long / short")
    axis.set_title(title)
    axis.legend()
