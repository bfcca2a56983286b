# SPDX-License-Identifier: Apache-2.0
"""Figure 6: marks of two flows against their throughput."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ecnomy.analysis.reproduce.antoniadis2000.ratios import controls_of, ratios
from ecnomy.analysis.reproduce.curve_style import band, theory_line
from ecnomy.analysis.reproduce.judge import Sample, Samples
from ecnomy.analysis.reproduce.ranks import rank_correlation
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]


def figures(studies: Studies) -> Samples:
    """Return ratios of marking probability, heavy / light, and of burstiness, light / heavy."""
    throughput = ratios(studies["fig5"], "goodput_bps")
    marking = ratios(studies["fig5"], "marking_rate")
    samples: dict[str, Sample] = {"rank_correlation": rank_correlation(marking)}
    for r, ratio in marking.items():
        size = "from_4" if throughput[r].mean() >= 4 else "below_4"
        samples[f"probability.{size}.r={r:g}"] = ratio
    for column in ("sent_cv", "sent_cv_over_poisson"):
        for r, ratio in ratios(studies["bursts"], column).items():
            samples[f"{column}.light_over_heavy.r={r:g}"] = 1 / ratio
    for name, runs in controls_of(studies["controls"]).items():
        for r, ratio in ratios(runs, "marking_rate").items():
            samples[f"control.{name}.probability.r={r:g}"] = ratio
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the ratio of marks against the ratio of throughputs, for two flows and for ten."""
    axis = figure.subplots()
    controls = controls_of(studies["controls"])
    shown = {
        "two flows": studies["fig5"],
        "control: five and five flows": controls["ten"],
        "control: five and five flows, RED": controls["red.ten"],
    }
    most = 1.0
    for index, (label, runs) in enumerate(shown.items()):
        throughput, marks = ratios(runs, "goodput_bps"), ratios(runs, "marks_per_s")
        means = [float(ratio.mean()) for ratio in throughput.values()]
        order = np.argsort(means)
        samples = list(marks.values())
        band(axis, [means[i] for i in order], [samples[i] for i in order], index, label)
        most = max(most, *means)
    theory_line(axis, [1, most], [1, most], "equal ratios")
    axis.set(xlabel="ratio of throughput, heavy / light")
    axis.set(ylabel="ratio of marks received, heavy / light")
    axis.legend(loc="lower right")
