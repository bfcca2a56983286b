# SPDX-License-Identifier: Apache-2.0
"""Figure 3: compares heavy flows with light flows, by their ratio r of willingness to pay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ecnomy.analysis.reproduce.curve_style import band, theory_line
from ecnomy.analysis.reproduce.judge import Sample, Samples
from ecnomy.analysis.reproduce.ranks import rank_correlation
from ecnomy.analysis.reproduce.siris2002.controls import ratio_controls
from ecnomy.analysis.reproduce.siris2002.laws import LABELS, WEIGHT, by_law
from ecnomy.analysis.reproduce.studies import Runs, Studies
from ecnomy.analysis.statistics.intervals import Interval, bootstrap

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

Ratios = dict[float, np.ndarray]


def figures(studies: Studies) -> Samples:
    """Return ratios of throughputs, marks and windows, and comparisons of laws, per seed."""
    laws = by_law(studies["fig3"])
    ratios = {law: _ratios(runs, "goodput_bps") for law, runs in laws.items()}
    samples: dict[str, Sample] = {}
    for law, runs in laws.items():
        samples[f"rank_correlation.{law}"] = rank_correlation(ratios[law])
        windows, marks = _ratios(runs, "mean_cwnd"), _ratios(runs, "marks_per_s")
        for r, ratio in ratios[law].items():
            samples[f"windows_over_r.{law}.r={r:g}"] = windows[r] / r
            reach = "from_6" if r >= 6 else "below_6"
            samples[f"marks_over_throughput.{law}.{reach}.r={r:g}"] = marks[r] / ratio
            if law != "vq":
                size = "small" if r <= 6 else "large"
                samples[f"ratio_over_r.{size}.{law}.r={r:g}"] = ratio / r
                if r >= 4:
                    samples[f"from_4.ratio_over_r.{law}.r={r:g}"] = ratio / r
            elif r >= 6:
                samples[f"vq.ratio_over_r.r={r:g}"] = ratio / r
    samples |= _across(ratios)
    samples |= _bursts(laws)
    if "ratio-controls" in studies.names:
        samples |= ratio_controls(studies["ratio-controls"], "proportional-increase")
    return samples


def _ratios(runs: Runs, column: str) -> Ratios:
    return {
        r: own.sample(f"heavy.{column}") / own.sample(f"light.{column}")
        for r in sorted(runs.values(WEIGHT))
        for own in [runs.at({WEIGHT: r})]
    }


def _across(ratios: dict[str, Ratios]) -> dict[str, Sample]:
    samples: dict[str, Sample] = {}
    for r in ratios["red"]:
        samples[f"red_over_lb.r={r:g}"] = ratios["red"][r] / ratios["lb"][r]
    most = max(ratios["vq"])
    for law in ("red", "lb"):
        for r, ratio in ratios["vq"].items():
            if 6 <= r < most:  # only the means are compared here
                samples[f"mean.vq_minus.{law}.r={r:g}"] = float((ratio - ratios[law][r]).mean())
        samples[f"vq_minus.{law}.r={most:g}"] = ratios["vq"][most] - ratios[law][most]
        samples[f"half_width.vq_over_{law}"] = _half_widths(ratios["vq"], ratios[law])
    return samples


def _half_widths(one: Ratios, other: Ratios) -> Interval:
    """Return the ratio of two laws' half-widths at large r, each divided by r, with an interval."""
    large = [r for r in one if r >= 6]
    relative = [curve[r] / r for curve in (one, other) for r in large]

    def ratio(rows: list[np.ndarray]) -> np.ndarray:
        spread = [row.std(axis=-1, ddof=1) for row in rows]
        return np.asarray(sum(spread[: len(large)]) / sum(spread[len(large) :]))

    return bootstrap(ratio, relative)


def _bursts(laws: dict[str, Runs]) -> dict[str, np.ndarray | float]:
    samples: dict[str, np.ndarray | float] = {}
    at_most = {law: runs.at({WEIGHT: max(runs.values(WEIGHT))}) for law, runs in laws.items()}
    for law, runs in at_most.items():
        cv = runs.sample("light.sent_cv") / runs.sample("heavy.sent_cv")
        samples[f"burstiness.light_over_heavy.{law}"] = cv
        p = runs.sample("light.marking_rate") / runs.sample("heavy.marking_rate")
        samples[f"probability.{law}.light_over_heavy"] = p
    marks = {law: runs.sample("bottleneck.marks_dispersion") for law, runs in at_most.items()}
    samples["dispersion.vq_over_red"] = marks["vq"] / marks["red"]
    samples["dispersion.vq_over_lb"] = marks["vq"] / marks["lb"]
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw ratios of (a) throughput against willingness to pay and (b) marks against throughput."""
    left, right = figure.subplots(1, 2)
    for index, (law, runs) in enumerate(by_law(studies["fig3"]).items()):
        throughput, marks = _ratios(runs, "goodput_bps"), _ratios(runs, "marks_per_s")
        band(left, list(throughput), list(throughput.values()), index, LABELS[law])
        means = [float(ratio.mean()) for ratio in throughput.values()]
        band(right, means, list(marks.values()), index, LABELS[law])
    ends = [1, max(throughput)]
    theory_line(left, ends, ends, "equal ratios")
    theory_line(right, ends, ends, "equal ratios")
    left.set(xlabel="ratio of willingness to pay, heavy / light", ylabel="ratio of throughput")
    right.set(xlabel="ratio of throughput, heavy / light", ylabel="ratio of marks received")
    left.set_title("(a)")
    right.set_title("(b)")
    left.legend()
