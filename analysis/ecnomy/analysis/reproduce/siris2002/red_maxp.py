# SPDX-License-Identifier: Apache-2.0
"""Section 5.4: the shape of RED's curve and the best max_p, for willingness to pay and for Reno."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.siris2002.curves import (
    MarkingCurve,
    axes_of_curves,
    curve_of,
    differences,
    draw_curve,
    pseudo_values,
    r_squared,
)
from ecnomy.analysis.reproduce.siris2002.laws import MARKING
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_MOST_WAIT_S: Final = 0.008


def _by_max_p(runs: Runs) -> dict[float, Runs]:
    runs_by_max_p = {}
    for value in runs.values(MARKING):
        most = float(msgspec.json.decode(value)["max_probability"])
        runs_by_max_p[most] = runs.at({MARKING: value})
    return runs_by_max_p


def _curves(studies: Studies) -> dict[float, MarkingCurve]:
    return {most: curve_of(runs) for most, runs in _by_max_p(studies["red-maxp"]).items()}


def figures(studies: Studies) -> Samples:
    """Return the bend and straightness of curves by max_p, and the best max_p of WTP and Reno."""
    curves = _curves(studies)
    bends = {f"{most:g}": pseudo_values(_bend, curve) for most, curve in curves.items()}
    samples: dict[str, Floats | float] = {f"bend.max_p={most}": b for most, b in bends.items()}
    samples |= {f"bend_rises.{name}": rise for name, rise in differences(bends).items()}
    for most, curve in curves.items():
        samples[f"r_squared.max_p={most:g}"] = pseudo_values(r_squared, curve)
    best = {}
    for name in ("wtp", "reno"):
        runs = _by_max_p(studies[f"red-maxp-{name}"])
        for most, own in runs.items():
            samples[f"wait_ms.{name}.max_p={most:g}"] = 1000 * own.sample("bottleneck.mean_wait_s")
            samples[f"load.{name}.max_p={most:g}"] = own.sample("bottleneck.utilization")
        best[name] = _best(runs)
        samples[f"best_max_p.{name}"] = best[name]
    samples["best_max_p.apart"] = abs(best["wtp"] - best["reno"])
    return samples


def _bend(load: Floats, p: Floats) -> float:
    """Return the slope above the middle of the loads divided by the slope below it."""
    middle = (load.min() + load.max()) / 2
    slopes = []
    for part in (load >= middle, load <= middle):
        if part.sum() < 2:
            return float("nan")
        slopes.append(float(np.polyfit(load[part], p[part], 1)[0]))
    return slopes[0] / slopes[1]


def _best(runs: dict[float, Runs]) -> float:
    """Return the max_p with the largest mean utilisation at a mean wait of at most 8 ms, or NaN."""
    allowed = {
        most: float(own.sample("bottleneck.utilization").mean())
        for most, own in runs.items()
        if own.sample("bottleneck.mean_wait_s").mean() <= _MOST_WAIT_S
    }
    return max(allowed, key=lambda most: allowed[most]) if allowed else float("nan")


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the curves of RED by max_p."""
    figure.set_size_inches(6, 4.5)
    axis = figure.subplots()
    for index, (most, curve) in enumerate(_curves(studies).items()):
        draw_curve(axis, curve, index, f"max_p = {most:g}")
    axes_of_curves(axis)
