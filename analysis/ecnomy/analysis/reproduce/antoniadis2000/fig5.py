# SPDX-License-Identifier: Apache-2.0
"""Figure 5: throughput of two flows by their ratio r of willingness to pay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.antoniadis2000.ratios import (
    Ratios,
    controls_of,
    ratios,
)
from ecnomy.analysis.reproduce.curve_style import band, theory_line
from ecnomy.analysis.reproduce.judge import Sample, Samples
from ecnomy.analysis.reproduce.ranks import rank_correlation
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures", "states_of"]


def figures(studies: Studies) -> Samples:
    """Return throughput ratios / r, quantiles of ratios over pairs of start times, and controls."""
    measured = ratios(studies["fig5"], "goodput_bps")
    controls = {
        name: ratios(runs, "goodput_bps") for name, runs in controls_of(studies["controls"]).items()
    }
    samples: dict[str, Sample] = {"rank_correlation": rank_correlation(measured)}
    for r, ratio in measured.items():
        size = "large" if r >= 6 else "small"
        samples[f"ratio_over_r.{size}.r={r:g}"] = ratio / r
        for quantile in (0, 10, 50, 90, 100):
            samples[f"quantile_{quantile}.r={r:g}"] = float(np.percentile(ratio, quantile))
    samples["excess.r=8_minus_r=2"] = measured[8] / 8 - measured[2] / 2
    for name, own in controls.items():
        samples[f"control.{name}.rank_correlation"] = rank_correlation(own)
        samples |= {f"control.{name}.ratio_over_r.r={r:g}": ratio / r for r, ratio in own.items()}
    for r, ratio in controls.get("no_jitter", {}).items():
        states = states_of(ratio, r).items()
        samples |= {f"control.no_jitter.{name}.r={r:g}": value for name, value in states}
    for r, ratio in controls["red"].items():
        if r >= 6:
            samples[f"vq_minus_red.r={r:g}"] = controls["as_is"][r] - ratio
            samples[f"ten.vq_minus_red.r={r:g}"] = controls["ten"][r] - controls["red.ten"][r]
    return samples


def states_of(ratio: Floats, r: float) -> dict[str, float]:
    """Return the share of ratios above r, and the medians above and below r.

    Pairs of start times lead to ratios in two states, and a mean would describe neither.
    """
    above = ratio > r
    states = {"share_above_r": float(above.mean())}
    for name, own in (("median_above_r", ratio[above]), ("median_below_r", ratio[~above])):
        if own.size:
            states[name] = float(np.median(own))
    return states


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the mean ratio with its range over pairs of start times, and ten flows next to it."""
    figure.set_size_inches(9.5, 4.5)
    left, right = figure.subplots(1, 2)
    measured = ratios(studies["fig5"], "goodput_bps")
    controls = controls_of(studies["controls"])
    ends = [1, max(measured)]
    low, high = (_percentiles(measured, q) for q in (10, 90))
    left.fill_between(list(measured), low, high, color="0.85", label="10th to 90th percentile")
    band(left, list(measured), list(measured.values()), 0, "mean, virtual buffer")
    shown = {"ten": "virtual buffer", "red.ten": "RED"}
    for index, (name, label) in enumerate(shown.items()):
        own = ratios(controls[name], "goodput_bps")
        band(right, list(own), list(own.values()), index, label)
    for axis, title in ((left, "two flows"), (right, "control: five and five flows")):
        theory_line(axis, ends, ends, "equal ratios")
        axis.set(xlabel="ratio of willingness to pay, heavy / light", title=title)
        axis.set_ylim(bottom=0)
        axis.legend(loc="upper left")
    left.set_ylabel("ratio of throughput, heavy / light")


def _percentiles(measured: Ratios, percent: float) -> list[float]:
    return [float(np.percentile(ratio, percent)) for ratio in measured.values()]
