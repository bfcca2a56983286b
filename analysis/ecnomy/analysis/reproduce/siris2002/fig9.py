# SPDX-License-Identifier: Apache-2.0
"""Figure 9: parameters for which the curves of the three marking laws coincide."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.siris2002.controls import curve_controls
from ecnomy.analysis.reproduce.siris2002.curves import (
    MarkingCurve,
    axes_of_curves,
    curve_of,
    draw_curve,
    label_flows,
    pseudo_values,
    r_squared,
)
from ecnomy.analysis.reproduce.siris2002.laws import LABELS, by_law
from ecnomy.analysis.reproduce.studies import Studies
from ecnomy.analysis.theory.marking import load_based_probability

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]


def _curves(studies: Studies) -> dict[str, MarkingCurve]:
    return {law: curve_of(runs) for law, runs in by_law(studies["fig9"]).items()}


def figures(studies: Studies) -> Samples:
    """Return the distance of each pair of curves, and the straightness of each curve."""
    curves = _curves(studies)
    samples: dict[str, Floats] = {}
    for law, curve in curves.items():
        samples[f"r_squared.{law}"] = pseudo_values(r_squared, curve)
    for a, b in itertools.combinations(curves, 2):
        samples[f"farthest.{a}_{b}"] = pseudo_values(_farthest, curves[a], curves[b])
    return samples | curve_controls(studies["curve-controls"])


def _farthest(load: Floats, p: Floats, other_load: Floats, other_p: Floats) -> float:
    """Return the largest difference of p at equal loads from 0.75 to 0.95, or NaN without any."""
    one, other = np.argsort(load), np.argsort(other_load)
    low = max(0.75, load.min(), other_load.min())
    high = min(0.95, load.max(), other_load.max())
    if low >= high:
        return float("nan")
    at = np.linspace(low, high, 41)
    apart = np.interp(at, load[one], p[one]) - np.interp(at, other_load[other], other_p[other])
    return float(np.abs(apart).max())


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the curves of the three marking laws."""
    figure.set_size_inches(6, 4.5)
    axis = figure.subplots()
    curves = _curves(studies)
    for index, (law, curve) in enumerate(curves.items()):
        draw_curve(axis, curve, index, LABELS[law])
    label_flows(axis, curves["red"], (2, 4, 8, 12, 20, 40))
    loads = np.linspace(0.65, 1, 50)
    marked = [load_based_probability(load, 0.7, 2) for load in loads]
    axis.plot(loads, marked, "k--", linewidth=0.9, label="load-based, its rule")
    axes_of_curves(axis)
