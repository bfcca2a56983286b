# SPDX-License-Identifier: Apache-2.0
"""Table 1: throughput and marking of three groups with equal weights over two links with RED."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.judge import Samples, interval_of
from ecnomy.analysis.reproduce.siris2002.fig5 import SHORT_OVER_LONG
from ecnomy.analysis.reproduce.siris2002.laws import by_law
from ecnomy.analysis.reproduce.siris2002.ratios import FIRST, LONG, cases
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]


def _measured(studies: Studies) -> dict[str, dict[str, Floats]]:
    rows = {}
    for case, runs in cases(studies["fig7"]).items():
        own = by_law(runs, FIRST)["red"].at({LONG: 1.0})
        short, long = own.sample("short.marking_rate"), own.sample("long.marking_rate")
        rows[case] = {
            "ratio": own.sample("long.goodput_bps") / own.sample("short.goodput_bps"),
            "theory": SHORT_OVER_LONG[case] * short / long,
            "p12": own.sample("first.marking_probability"),
            "p23": own.sample("second.marking_probability"),
        }
    return rows


def figures(studies: Studies) -> Samples:
    """Return ratios and probabilities of the table's two rows, and ratios of probabilities."""
    rows = _measured(studies)
    samples: dict[str, Floats] = {}
    for case, row in rows.items():
        for name, sample in row.items():
            samples[f"{case}.{name}"] = sample
        samples[f"{case}.ratio_over_theory"] = row["ratio"] / row["theory"]
    samples["p12.a_over_b"] = rows["a"]["p12"] / rows["b"]["p12"]
    samples["b.p12_over_p23"] = rows["b"]["p12"] / rows["b"]["p23"]
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw throughput ratios next to their theory, and the marking probabilities of both links."""
    left, right = figure.subplots(1, 2)
    rows = _measured(studies)
    parts = (
        (left, ("ratio", "theory"), ("measured", "theory, from our own marking rates")),
        (right, ("p12", "p23"), ("first link", "second link")),
    )
    for axis, names, labels in parts:
        for index, (name, label) in enumerate(zip(names, labels, strict=True)):
            intervals = [interval_of(rows[case][name]) for case in "ab"]
            known = [(at, i) for at, i in enumerate(intervals) if i]
            at = [place + (index - 0.5) * 0.3 for place, _ in known]
            axis.bar(
                at,
                [i.mean for _, i in known],
                0.28,
                yerr=[i.half_width for _, i in known],
                label=label,
                color=("0.75", "0.4")[index],
                hatch=("", "//")[index],
                edgecolor="black",
                capsize=3,
            )
        axis.set_xticks([0, 1], ["200, 300, 100 ms", "100, 200, 100 ms"])
        axis.set(xlabel="round trips of short, long and cross flows")
        axis.set_ylim(0, 1.25 * axis.get_ylim()[1])
        axis.legend(loc="upper center")
    left.set(ylabel="ratio of throughput, long / short")
    right.set(ylabel="marking probability")
