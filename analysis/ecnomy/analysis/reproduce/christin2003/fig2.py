# SPDX-License-Identifier: Apache-2.0
"""Figure 2: compares the interpolated projection with the exact one on experiment 1's traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.christin2003.multistage import LAW
from ecnomy.analysis.reproduce.judge import Samples, interval_of
from ecnomy.analysis.reproduce.operations import blocks, most_over_least, slope
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures", "replays"]

_NAMES: Final = {"flow-projection": "reference", "flow-projection-heuristic": "heuristic"}
_WAITING: Final = 300  # packets in the queue, for comparing numbers of flows
_FLOWS: Final = 10_000  # number of flows, for comparing lengths of the queue
_COLUMNS: Final = (
    *("decisions_agree", "overshoots.exact", "overshoots.interpolated", "end_error"),
    *("largest_error", "marked_p99", "marked_most", "replayed_over_made"),
)


def replays(studies: Studies) -> dict[str, Runs]:
    """Return the traced runs of experiment 1 by marking algorithm."""
    runs = studies["exp1-trace"]
    return {_NAMES[str(law)]: runs.at({LAW: law}) for law in runs.values(LAW)}


def figures(studies: Studies) -> Samples:
    """Return comparisons of the two projections over all arrivals, and operation counts."""
    samples: dict[str, np.ndarray | float] = dict(_operations())
    for name, runs in replays(studies).items():
        for column in _COLUMNS:
            samples[f"{column}.{name}"] = runs.sample(column)
    return samples


def _operations() -> dict[str, float]:
    """Return counts of executed basic blocks, and their growth with flows and with the queue."""
    heuristic, reference = "flow-projection-heuristic", "flow-projection"
    counts = {
        f"blocks.{count.law}.{count.load}.{count.flows}.{count.waiting}": count.mean
        for count in blocks()
        if count.law in (heuristic, reference)
    }
    return counts | {
        "operations.projection.most_over_least": most_over_least(heuristic, "projection"),
        "operations.marking.most_over_least": most_over_least(heuristic, "marking", _WAITING),
        "operations.marking.power_of_queue": slope(heuristic, "marking", _FLOWS),
        "control.operations.projection.most_over_least": most_over_least(reference, "projection"),
    }


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the shares of arrivals where each projection overshoots, and where both agree."""
    axis = figure.subplots()
    bars = {
        "exact projection overshoots": "overshoots.exact",
        "interpolated one overshoots": "overshoots.interpolated",
        "same decision": "decisions_agree",
    }
    hatches = ("", "///", "...")
    own = replays(studies)
    for index, (label, column) in enumerate(bars.items()):
        known = [interval_of(runs.sample(column)) for runs in own.values()]
        mean = [i.mean if i else np.nan for i in known]
        half = [i.half_width if i else np.nan for i in known]
        axis.bar(
            np.arange(len(own)) + 0.27 * index, mean, 0.25, yerr=half, capsize=4,
            hatch=hatches[index], edgecolor="black", linewidth=0.6, label=label,
        )  # fmt: skip
    axis.set_xticks(np.arange(len(own)) + 0.27, [f"queue under the {name}" for name in own])
    axis.set(ylabel="share of arrivals", ylim=(0, 1.2))
    axis.legend(ncols=3, loc="upper center", fontsize="small")
