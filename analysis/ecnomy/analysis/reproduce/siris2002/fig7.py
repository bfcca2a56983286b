# SPDX-License-Identifier: Apache-2.0
"""Figure 7: three groups of flows, where both links mark packets of the long flows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.curve_style import theory_line
from ecnomy.analysis.reproduce.judge import Sample, Samples
from ecnomy.analysis.reproduce.ranks import rank_correlation
from ecnomy.analysis.reproduce.siris2002.fig5 import SHORT_OVER_LONG
from ecnomy.analysis.reproduce.siris2002.laws import by_law
from ecnomy.analysis.reproduce.siris2002.ratios import (
    FIRST,
    LONG,
    Ratios,
    cases,
    long_over_short,
    per_law,
    ratios_panel,
)
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures", "predicted"]


def predicted(runs: Runs, short_over_long: float) -> Ratios:
    """Return r T_short p_12 / (T_long (p_12 + p_23)), from the links' marking probabilities."""
    ratios = {}
    for r in sorted(runs.values(LONG)):
        own = runs.at({LONG: r})
        first = own.sample("first.marking_probability")
        second = own.sample("second.marking_probability")
        ratios[r] = r * short_over_long * first / (first + second)
    return ratios


def figures(studies: Studies) -> Samples:
    """Return rank correlations, and throughput ratios / predictions and / ratios of Figure 5."""
    samples: dict[str, Sample] = {}
    apart = cases(studies["fig5"])
    for case, runs in cases(studies["fig7"]).items():
        laws = by_law(runs, FIRST)
        curves, before = per_law(laws), per_law(by_law(apart[case], FIRST))
        for law, curve in curves.items():
            samples[f"{case}.rank_correlation.{law}"] = rank_correlation(curve)
            expected = predicted(laws[law], SHORT_OVER_LONG[case])
            for r, ratio in curve.items():
                samples[f"control.{case}.ratio.{law}.r={r:g}"] = ratio
                samples[f"control.{case}.prediction.{law}.r={r:g}"] = expected[r]
                samples[f"{case}.over_prediction.{law}.r={r:g}"] = ratio / expected[r]
                if r in before[law]:
                    count = min(len(ratio), len(before[law][r]))
                    less = ratio[:count] / before[law][r][:count]
                    samples[f"{case}.over_figure_5.{law}.r={r:g}"] = less
    return samples | _controls(studies["fig7-controls"])


def _controls(runs: Runs) -> dict[str, Floats]:
    """Return the ratios of case (b) with RED, at a tenth of the gain or with paced flows."""
    samples: dict[str, Floats] = {}
    for send in runs.values("sources.short.transport.send"):
        name = "paced" if send == "paced" else "small_gain"
        curve = long_over_short(runs.where(sources__short__transport__send=send))
        samples |= {f"control.{name}.ratio.r={r:g}": ratio for r, ratio in curve.items()}
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw throughput ratios for round trips of (a) 200 and 300 ms and (b) 100 and 200 ms."""
    axes = figure.subplots(1, 2)
    for axis, (case, runs) in zip(axes, cases(studies["fig7"]).items(), strict=True):
        slope = SHORT_OVER_LONG[case]
        laws = by_law(runs, FIRST)
        ratios_panel(axis, per_law(laws), slope, f"{slope:.2g} r, one link marks", f"({case})")
        own = predicted(laws["red"], slope)
        theory_line(axis, list(own), [v.mean() for v in own.values()], "RED's own probabilities")
        axis.lines[-1].set_linestyle(":")
        axis.legend()
