# SPDX-License-Identifier: Apache-2.0
"""Section 5.2: the effect of round trips on the curve of marking probability."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.siris2002.curves import (
    MarkingCurve,
    axes_of_curves,
    curve_of,
    draw_curve,
    pseudo_values,
)
from ecnomy.analysis.reproduce.siris2002.laws import LABELS, by_law
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

DELAY: Final = "network.links.access.delay"
_SHARES: Final = (0.25, 0.5, 0.75)  # shares of the range of loads common to two curves


def _curves(studies: Studies) -> dict[str, dict[str, MarkingCurve]]:
    """Return the curves by law, and by round trip [ms] or `mixed`."""
    curves: dict[str, dict[str, MarkingCurve]] = {}
    for law, runs in by_law(studies["rtt-marking"]).items():
        delays = sorted(runs.values(DELAY))
        curves[law] = {f"{2 * ms:g}": curve_of(runs.at({DELAY: ms})) for ms in delays}
    for law, runs in by_law(studies["rtt-mixed"]).items():
        curves[law]["mixed"] = curve_of(runs, "sources.light-50.count", 8)
    return curves


def figures(studies: Studies) -> Samples:
    """Return ratios of p at equal loads: 400 ms / 100 ms, and mixed / equal round trips."""
    samples: dict[str, Floats] = {}
    for law, curves in _curves(studies).items():
        short, long, mixed = curves["100"], curves["400"], curves["mixed"]
        least, most = curves.get("50", short), long
        for share in _SHARES:
            over = _over(share)
            samples[f"p_400_over_100.{law}.{share:g}"] = pseudo_values(over, long, short)
            samples[f"mixed_over_least.{law}.{share:g}"] = pseudo_values(over, mixed, least)
            samples[f"mixed_over_most.{law}.{share:g}"] = pseudo_values(over, mixed, most)
    return samples


def _over(share: float) -> Callable[[Floats, Floats, Floats, Floats], float]:
    """Return a statistic: the ratio of p at this share of the common range of loads."""

    def statistic(load: Floats, p: Floats, other_load: Floats, other_p: Floats) -> float:
        low, high = max(load.min(), other_load.min()), min(load.max(), other_load.max())
        if low >= high:
            return float("nan")
        at = low + share * (high - low)
        one, other = np.argsort(load), np.argsort(other_load)
        above = np.interp(at, load[one], p[one])
        return float(above / np.interp(at, other_load[other], other_p[other]))

    return statistic


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the curves by round trip, with one panel per law."""
    axes = figure.subplots(1, 2, sharey=True)
    for axis, (law, curves) in zip(axes, _curves(studies).items(), strict=True):
        for index, (name, curve) in enumerate(curves.items()):
            label = "mixed" if name == "mixed" else f"{name} ms"
            draw_curve(axis, curve, index, label)
        axes_of_curves(axis, LABELS[law])
    axes[1].set(ylabel="")
