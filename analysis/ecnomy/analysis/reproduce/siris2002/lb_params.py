# SPDX-License-Identifier: Apache-2.0
"""Section 5.4: the effects of slope, threshold and interval of load-based marking."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.siris2002.curves import (
    MarkingCurve,
    axes_of_curves,
    curve_of,
    differences,
    draw_curve,
    onset,
    pseudo_values,
    slope,
)
from ecnomy.analysis.reproduce.siris2002.laws import MARKING
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

Parameters = tuple[float, float, float]  # slope, threshold, interval in s


def _curves(studies: Studies) -> dict[Parameters, MarkingCurve]:
    runs = studies["lb-params"]
    curves = {}
    for value in runs.values(MARKING):
        law = msgspec.json.decode(value)
        interval_s = float(str(law["interval"]).split()[0])
        key = (float(law["slope"]), float(law["threshold"]), interval_s)
        curves[key] = curve_of(runs.at({MARKING: value}))
    return curves


def _steps(studies: Studies) -> dict[str, Runs]:
    runs = studies["lb-step"]
    name = f"{MARKING}.interval"
    return {f"{value:g}": runs.at({name: value}) for value in sorted(runs.values(name))}


def figures(studies: Studies) -> Samples:
    """Return measured slopes and onsets relative to those set, and responses to a load step."""
    samples: dict[str, Floats] = {}
    for (alpha, threshold, interval_s), curve in _curves(studies).items():
        name = f"slope={alpha:g}.threshold={threshold:g}.interval={interval_s:g}"
        samples[f"slope_over_set.{name}"] = pseudo_values(slope, curve) / alpha
        samples[f"onset_minus_set.{name}"] = pseudo_values(onset, curve) - threshold
    steps = _steps(studies)
    responses = {name: runs.sample("response_s") for name, runs in steps.items()}
    queues = {name: runs.sample("most_queued") for name, runs in steps.items()}
    samples |= {f"response_s.{name}": value for name, value in responses.items()}
    samples |= {f"most_queued.{name}": value for name, value in queues.items()}
    samples |= {f"response_grows.{name}": d for name, d in differences(responses).items()}
    return samples | {f"queue_grows.{name}": d for name, d in differences(queues).items()}


def draw(studies: Studies, figure: Figure) -> None:
    """Draw each curve with the marking rule that was set."""
    axis = figure.subplots()
    for index, ((alpha, threshold, interval_s), curve) in enumerate(_curves(studies).items()):
        label = f"slope {alpha:g}, threshold {threshold:g}, interval {interval_s:g} s"
        draw_curve(axis, curve, index, label)
        top = float(curve.load.mean(axis=1).max())
        rule = [0, alpha * (top - threshold)]
        axis.plot([threshold, top], rule, color="black", linewidth=0.5, linestyle=":")
    axes_of_curves(axis)
