# SPDX-License-Identifier: Apache-2.0
"""Section VI-B: compares the congestion measure of each law with the performance of its link."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.athuraliya2000.fig14 import TARGET_PACKETS, at_capacities, curves
from ecnomy.analysis.reproduce.athuraliya2000.forms import of_form
from ecnomy.analysis.reproduce.athuraliya2000.laws import COUNT
from ecnomy.analysis.reproduce.curve_style import band, theory_line
from ecnomy.analysis.reproduce.judge import Sample, Samples
from ecnomy.analysis.reproduce.ranks import rank_correlation
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

PHI: Final = 1.001  # as set in the sweep


def figures(studies: Studies) -> Samples:
    """Return trends of loss, queue and price with load, by capacity, and marks of new flows."""
    samples: dict[str, Sample] = {}
    for rate, runs in at_capacities(studies).items():
        samples |= of_form(rate, _by_load(runs))
    return samples | _newcomers(studies["newcomer"])


def _by_load(runs: Runs) -> dict[str, Sample]:
    loss, queue = curves(runs, "bottleneck.loss"), curves(runs, "bottleneck.mean_queue_packets")
    samples: dict[str, Sample] = {
        "rank.tail_loss": rank_correlation(loss["tail"]),
        "rank.red_queue": rank_correlation(queue["red"]),
        "rank.rem_price": rank_correlation(_prices(runs)),
    }
    samples |= {f"rem_queue_off_target.n={n}": v - TARGET_PACKETS for n, v in queue["rem"].items()}
    return samples


def _newcomers(runs: Runs) -> dict[str, Sample]:
    samples: dict[str, Sample] = {}
    for count in sorted(runs.values(COUNT)):
        own = runs.at({COUNT: count})
        marked = own.sample("newcomer.marking_rate") / own.sample("reno.marking_rate")
        samples[f"newcomer_over_others.n={int(count) + 5}"] = marked
    return samples


def _prices(runs: Runs) -> dict[int, np.ndarray]:
    """Return REM's price -ln(1 - m) / ln phi, where m is the share of packets marked."""
    marked = curves(runs, "bottleneck.marked")["rem"]
    return {n: -np.log1p(-m) / math.log(PHI) for n, m in marked.items()}


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the loss of drop-tail, the queues of RED and REM, and the price of REM."""
    rate, runs = next(iter(at_capacities(studies).items()))
    figure.set_size_inches(11, 4)
    left, middle, right = figure.subplots(1, 3)
    loss, queue = curves(runs, "bottleneck.loss"), curves(runs, "bottleneck.mean_queue_packets")
    samples = [100 * sample for sample in loss["tail"].values()]
    band(left, list(loss["tail"]), samples, 0, "drop-tail")
    for index, law, label in ((1, "red", "RED"), (2, "rem", "REM")):
        band(middle, list(queue[law]), list(queue[law].values()), index, label)
    theory_line(middle, [0, 100], [TARGET_PACKETS] * 2, "target of REM")
    prices = _prices(runs)
    band(right, list(prices), list(prices.values()), 2, "REM")
    left.set(
        ylabel="loss, % of arrivals",
        title=f"drop-tail measures loss ({rate.removesuffix('Mbps')} Mbps)",
    )
    middle.set(ylabel="mean backlog, packets", title="RED measures its queue")
    right.set(ylabel="price, -ln(1 - m) / ln φ", title="REM has a price")
    for axis in (left, middle, right):
        axis.set_xlabel("number of sources")
        axis.set_ylim(bottom=0)
        axis.legend()
