# SPDX-License-Identifier: Apache-2.0
"""Figure 8: marking probability against utilisation, for both forms of willingness to pay."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.siris2002.controls import curve_controls
from ecnomy.analysis.reproduce.siris2002.curves import (
    COUNT,
    MarkingCurve,
    axes_of_curves,
    curve_of,
    draw_curve,
    label_flows,
    load_at,
    onset,
    pseudo_values,
    r_squared,
    slope,
    slope_between,
)
from ecnomy.analysis.reproduce.siris2002.laws import LABELS, LAWS, MARKING
from ecnomy.analysis.reproduce.studies import Runs, Studies
from ecnomy.analysis.theory.marking import load_based_probability

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

FORM: Final = "sources.light.transport.form"
_FORMS: Final = {"proportional-increase": "increase", "inverse-decrease": "decrease"}
_TITLES: Final = {"increase": "proportional increase", "decrease": "inverse decrease"}
_LEVELS: Final = (0.05, 0.1, 0.15)
_LABELS: Final = {**LABELS, "slow_red": "RED, weight 0.002"}


def _laws(runs: Runs) -> dict[str, Runs]:
    """Return the runs by law, with RED at the smaller averaging weight as a separate law."""
    runs_by_law = {}
    for value in runs.values(MARKING):
        law = msgspec.json.decode(value)
        slow = law["law"] == "red" and float(law["weight"]) < 0.01
        runs_by_law["slow_red" if slow else LAWS[law["law"]]] = runs.at({MARKING: value})
    return runs_by_law


def _curves(studies: Studies) -> dict[str, dict[str, MarkingCurve]]:
    return {
        _FORMS[value]: {law: curve_of(own) for law, own in _laws(runs).items()}
        for value in studies["fig8"].values(FORM)
        for runs in [studies["fig8"].at({FORM: value})]
    }


def figures(studies: Studies) -> Samples:
    """Return the lines through the curves, RED's bend, and the shifts between both forms."""
    curves = _curves(studies)
    samples: dict[str, Floats] = {}
    for form, each in curves.items():
        for law, curve in each.items():
            samples[f"r_squared.{law}.{form}"] = pseudo_values(r_squared, curve)
            samples[f"slope.{law}.{form}"] = pseudo_values(slope, curve)
            samples[f"onset.{law}.{form}"] = pseudo_values(onset, curve)
            if "red" in law:
                samples[f"bend.{law}.{form}"] = pseudo_values(_bend, curve)
                steep = pseudo_values(_steep_over_slope, curve, each["lb"])
                samples[f"steepness_at_0.9_over_lb.{law}.{form}"] = steep
                below = pseudo_values(_farthest_below, curve, each["vq"], each["lb"])
                samples[f"farthest_below_0.8.{law}.{form}"] = below
    for law, before in curves["increase"].items():
        for level in _LEVELS:
            shift = pseudo_values(_shift(level), before, curves["decrease"][law])
            samples[f"shift.{law}.p={level:g}"] = shift
    samples |= _smoothness(studies)
    return samples | curve_controls(studies["curve-controls"])


def _bend(load: Floats, p: Floats) -> float:
    """Return the slope at loads of at least 0.85 divided by the slope up to 0.80."""
    return slope_between(0.85, np.inf)(load, p) / slope_between(0, 0.80)(load, p)


def _steep_over_slope(load: Floats, p: Floats, other_load: Floats, other_p: Floats) -> float:
    """Return the slope of one curve near load 0.9 divided by the slope of another curve's line."""
    return slope_between(0.85, 0.95)(load, p) / slope(other_load, other_p)


def _farthest_below(load: Floats, p: Floats, *others: Floats) -> float:
    """Return the largest difference of p from other curves at equal loads below 0.8."""
    apart = [float("nan")]
    for other_load, other_p in zip(others[::2], others[1::2], strict=True):
        order = np.argsort(other_load)
        at, values = other_load[order], other_p[order]
        common = (load < 0.8) & (load >= at[0]) & (load <= at[-1])
        apart += np.abs(p - np.interp(load, at, values))[common].tolist()
    return float(np.nanmax(apart)) if len(apart) > 1 else float("nan")


def _shift(level: float) -> Callable[[Floats, Floats, Floats, Floats], float]:
    def statistic(load: Floats, p: Floats, other_load: Floats, other_p: Floats) -> float:
        return load_at(level)(other_load, other_p) - load_at(level)(load, p)

    return statistic


def _smoothness(studies: Studies) -> dict[str, Floats]:
    """Return variations of arrivals and windows, inverse decrease / proportional increase."""
    samples: dict[str, Floats] = {}
    increase, decrease = (_laws(studies["fig8"].at({FORM: form})) for form in _FORMS)
    columns = {
        "arrivals_variance": "arrivals_variance",
        "light_cwnd_cv": "light.cwnd_cv",
        "heavy_cwnd_cv": "heavy.cwnd_cv",
    }
    for law, runs in increase.items():
        for n in sorted(runs.values(COUNT)):
            after, before = decrease[law].at({COUNT: n}), runs.at({COUNT: n})
            for name, column in columns.items():
                ratio = after.sample(column) / before.sample(column)
                samples[f"{name}.decrease_over_increase.{law}.flows={2 * n:g}"] = ratio
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the curves for (a) proportional increase and (b) inversely proportional decrease."""
    axes = figure.subplots(1, 2, sharey=True)
    for axis, name, (form, each) in zip(axes, "ab", _curves(studies).items(), strict=True):
        for index, (law, curve) in enumerate(each.items()):
            draw_curve(axis, curve, index, _LABELS[law])
        label_flows(axis, each["red"], (2, 4, 8, 12, 20, 40))
        loads = np.linspace(0.55, 1, 50)
        marked = [load_based_probability(load, 0.6, 0.71) for load in loads]
        axis.plot(loads, marked, "k--", linewidth=0.9, label="load-based, its rule")
        axes_of_curves(axis, f"({name}) {_TITLES[form]}")
    axes[1].set(ylabel="")
