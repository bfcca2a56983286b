# SPDX-License-Identifier: Apache-2.0
"""Figure 4: like Figure 3, but with window decreases in inverse proportion to the weight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.curve_style import band, theory_line
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.siris2002.controls import ratio_controls
from ecnomy.analysis.reproduce.siris2002.laws import LABELS, WEIGHT, by_law
from ecnomy.analysis.reproduce.siris2002.ratios import Ratios, ratios
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]


def _heavy_over_light(runs: Runs, column: str) -> Ratios:
    return ratios(runs, column, "heavy", "light", WEIGHT)


def figures(studies: Studies) -> Samples:
    """Return ratios / r, differences from Figure 3, and the burstiness of flows, per seed."""
    laws = by_law(studies["fig4"])
    throughput = {law: _heavy_over_light(runs, "goodput_bps") for law, runs in laws.items()}
    samples: dict[str, Floats | float] = {}
    for law, runs in laws.items():
        marks = _heavy_over_light(runs, "marks_per_s")
        for r, ratio in throughput[law].items():
            samples[f"ratio_over_r.{law}.r={r:g}"] = ratio / r
            samples[f"marks_over_r.{law}.r={r:g}"] = marks[r] / r
            samples[f"marks_over_throughput.{law}.r={r:g}"] = marks[r] / ratio
            own = runs.at({WEIGHT: r})
            burst = own.sample("light.sent_cv") / own.sample("heavy.sent_cv")
            samples[f"burstiness.light_over_heavy.{law}.r={r:g}"] = burst
            # With independent arrivals, deviations are proportional to the root of the mean.
            samples[f"burstiness_over_poisson.{law}.r={r:g}"] = burst / np.sqrt(ratio)
    for r, ratio in throughput["vq"].items():
        samples[f"vq_over_red.r={r:g}"] = ratio / throughput["red"][r]
        samples[f"vq_over_lb.r={r:g}"] = ratio / throughput["lb"][r]
    most = max(throughput["vq"])
    before = _heavy_over_light(by_law(studies["fig3"])["vq"], "goodput_bps")[most]
    count = min(len(before), len(throughput["vq"][most]))
    samples["vq_excess.increase_minus_decrease"] = (
        before[:count] - throughput["vq"][most][:count]
    ) / most
    return samples | ratio_controls(studies["ratio-controls"], "inverse-decrease")


def draw(studies: Studies, figure: Figure) -> None:
    """Draw ratios of (a) throughput and (b) marks by weight, and (c) marks against throughput."""
    figure.set_size_inches(11, 4)
    *panels, last = figure.subplots(1, 3)
    for axis, column, what, name in zip(
        panels, ("goodput_bps", "marks_per_s"), ("throughput", "marks received"), "ab", strict=True
    ):
        for index, (law, runs) in enumerate(by_law(studies["fig4"]).items()):
            values = _heavy_over_light(runs, column)
            band(axis, list(values), list(values.values()), index, LABELS[law])
        ends = [1, max(values)]
        theory_line(axis, ends, ends, "equal ratios")
        axis.set(xlabel="ratio of willingness to pay, heavy / light", ylabel=f"ratio of {what}")
        axis.set_title(f"({name})")
        axis.legend()
    for index, (law, runs) in enumerate(by_law(studies["fig4"]).items()):
        throughput = _heavy_over_light(runs, "goodput_bps")
        marks = _heavy_over_light(runs, "marks_per_s")
        means = [float(ratio.mean()) for ratio in throughput.values()]
        band(last, means, list(marks.values()), index, LABELS[law])
    theory_line(last, ends, ends, "equal ratios")
    last.set(xlabel="ratio of throughput, heavy / light", ylabel="ratio of marks received")
    last.set_title("(c)")
