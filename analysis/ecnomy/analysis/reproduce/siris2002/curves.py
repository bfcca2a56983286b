# SPDX-License-Identifier: Apache-2.0
"""Curves of marking probability against utilisation, with one long run per point and batch means.

A statistic of a whole curve (a slope, a load at some probability) is not a mean of batch values.
Its samples are the pseudo-values of the jackknife, n f(all) - (n - 1) f(all but batch i). Their
mean and standard deviation give the estimate and its interval (Tukey 1958). Batches of different
runs are independent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.studies import Runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "COUNT",
    "MarkingCurve",
    "axes_of_curves",
    "curve_of",
    "differences",
    "draw_curve",
    "label_flows",
    "line",
    "load_at",
    "onset",
    "pseudo_values",
    "r_squared",
    "slope",
    "slope_between",
]

COUNT: Final = "sources.light.count"
_MARKED: Final = 0.01  # points below this p are not on the line

Statistic = Callable[..., float]


class MarkingCurve(msgspec.Struct, frozen=True, eq=False):
    """Loads and marking probabilities of shape [point, batch], in ascending order of flows.

    Attributes:
        flows: number of flows at each point.
    """

    flows: tuple[int, ...]
    load: Floats
    p: Floats


def curve_of(runs: Runs, count: str = COUNT, groups: int = 2) -> MarkingCurve:
    """Return the curve of runs that differ only in `count`, the number of flows in each group."""
    counts = sorted(runs.values(count))
    own = [runs.at({count: n}) for n in counts]
    load, p = (np.array([each.sample(name) for each in own]) for name in ("load", "p"))
    return MarkingCurve(tuple(round(groups * n) for n in counts), load, p)


def pseudo_values(statistic: Statistic, *curves: MarkingCurve) -> Floats:
    """Return the jackknife's pseudo-values of statistic(load, p, load, p, ...) of mean curves.

    They are NaN if the statistic is not defined.
    """
    rows = [row for curve in curves for row in (curve.load, curve.p)]
    count = rows[0].shape[1]
    whole = statistic(*(row.mean(axis=1) for row in rows))
    values = []
    for left_out in range(count):
        kept = np.arange(count) != left_out
        part = statistic(*(row[:, kept].mean(axis=1) for row in rows))
        values.append(count * whole - (count - 1) * part)
    return np.array(values)


def line(load: Floats, p: Floats) -> tuple[float, float]:
    """Return slope and intercept of the line through points with p > 0.01; NaN for one or none."""
    marked = p > _MARKED
    if marked.sum() < 2:
        return float("nan"), float("nan")
    coefficients = np.polyfit(load[marked], p[marked], 1)
    return float(coefficients[0]), float(coefficients[1])


def slope(load: Floats, p: Floats) -> float:
    """Return the slope of the line through points with p > 0.01."""
    return line(load, p)[0]


def onset(load: Floats, p: Floats) -> float:
    """Return the load at which the line through points with p > 0.01 meets p = 0."""
    steep, at_zero = line(load, p)
    return -at_zero / steep


def r_squared(load: Floats, p: Floats) -> float:
    """Return R^2 of the line through points with p > 0.01, or NaN for fewer than three points."""
    marked = p > _MARKED
    if marked.sum() < 3:
        return float("nan")
    return float(np.corrcoef(load[marked], p[marked])[0, 1] ** 2)


def slope_between(low: float, high: float) -> Callable[[Floats, Floats], float]:
    """Return a statistic: the slope of the line through points with low <= load <= high."""

    def statistic(load: Floats, p: Floats) -> float:
        inside = (load >= low) & (load <= high)
        if inside.sum() < 2:
            return float("nan")
        return float(np.polyfit(load[inside], p[inside], 1)[0])

    return statistic


def load_at(level: float) -> Callable[[Floats, Floats], float]:
    """Return a statistic: the load at which p is `level`, interpolated between points, or NaN."""

    def statistic(load: Floats, p: Floats) -> float:
        order = np.argsort(p)
        if not p[order[0]] <= level <= p[order[-1]]:
            return float("nan")
        return float(np.interp(level, p[order], load[order]))

    return statistic


def draw_curve(axis: Axes, curve: MarkingCurve, index: int, label: str) -> None:
    """Draw the means of a curve, ordered by number of flows."""
    axis.plot(curve.load.mean(axis=1), curve.p.mean(axis=1), label=label, **look(index))


def label_flows(axis: Axes, curve: MarkingCurve, which: Sequence[int]) -> None:
    """Label those points of a curve whose number of flows is in `which` with this number."""
    for at, flows in enumerate(curve.flows):
        if flows in which:
            place = (float(curve.load[at].mean()), float(curve.p[at].mean()))
            axis.annotate(str(flows), place, (-4, 4), textcoords="offset points", fontsize=7)


def axes_of_curves(axis: Axes, title: str = "") -> None:
    """Set the labels, title and legend that all plots of curves have."""
    axis.set(xlabel="utilization", ylabel="marking probability")
    axis.set_ylim(bottom=0)
    axis.set_title(title)
    axis.legend()


def differences(values: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return each value minus the preceding one, under the name `<name>-<preceding name>`."""
    names = list(values)
    pairs = zip(names[1:], names[:-1], strict=True)
    return {f"{later}-{earlier}": values[later] - values[earlier] for later, earlier in pairs}
