# SPDX-License-Identifier: Apache-2.0
"""Section 2.1: the accuracy of the router's estimates of round-trip times and windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from ecnomy.analysis.reproduce.christin2003.fig1 import points
from ecnomy.analysis.reproduce.christin2003.laws import MARKING, algorithms
from ecnomy.analysis.reproduce.judge import Samples, interval_of
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_ALPHAS: Final = ("0.71", "0.9", "0.99")
_MANY: Final = 2000.0
_COLUMNS: Final = {
    "rtt_within_20": "rtt_within_20",
    "rtt_bias": "rtt_bias",
    "silent_share": "silent_share",
    "window_ratio": "window_ratio",
    "next_window_right": "next_window_right",
    "beyond_safeguard": "beyond_safeguard.K=0.5",
    "largest_window_ratio": "largest_window_ratio.K=0.5",
    "window_growth": "window_growth.K=0.5",
    "packets_beginning_a_round": "packets_beginning_a_round.K=2000",
    "mean_window": "mean_window",
}


def settings(studies: Studies) -> dict[str, Runs]:
    """Return the runs of one flow by round-trip time, of ten flows, and of experiment 1."""
    alone = points(studies["single"])
    by_rtt = {
        f"one.{name.partition('.')[0]}": runs
        for name, runs in alone.items()
        if name.endswith("each")
    }
    from ecnomy.analysis.reproduce.christin2003.multistage import LAW

    traced = studies["exp1-trace"].at({LAW: "flow-projection"})
    return {**by_rtt, "ten": studies["ten"], "exp1": traced}


def figures(studies: Studies) -> Samples:
    """Return errors of the estimates, and the effects of the safeguard and of extreme K."""
    samples: dict[str, np.ndarray] = {}
    for name, runs in settings(studies).items():
        for figure, column in _COLUMNS.items():
            samples[f"{figure}.{name}"] = runs.sample(column)
        errors = np.array([runs.sample(f"rtt_error.alpha={alpha}") for alpha in _ALPHAS]) * 100
        samples[f"rtt_error_spread.{name}"] = errors.max(axis=0) - errors.min(axis=0)
    samples["marks_share.reference"] = algorithms(studies)["reference"].sample("marks_share")
    drop_tail = algorithms(studies)["drop-tail"].sample("loss_share")
    for value in studies["exp1-params"].values(MARKING):
        if msgspec.json.decode(value)["gap_divisor"] == _MANY:
            runs = studies["exp1-params"].at({MARKING: value})
            samples["marks_share.K=2000"] = runs.sample("marks_share")
            samples["loss_over_drop_tail.K=2000"] = runs.sample("loss_share") / drop_tail
            samples["queue_kB.K=2000"] = runs.sample("queue_mean_bytes") / 1e3
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the shares of good estimates, of rounds after a silence, and of correct projections."""
    axis = figure.subplots()
    own = settings(studies)
    rows = {
        "round-trip time within 20 %": "rtt_within_20",
        "rounds after a silence": "silent_share",
        "next window as projected": "next_window_right",
    }
    hatches = ("", "///", "...")
    for index, (label, column) in enumerate(rows.items()):
        known = [interval_of(runs.sample(column)) for runs in own.values()]
        mean = [i.mean if i else np.nan for i in known]
        half = [i.half_width if i else np.nan for i in known]
        at = np.arange(len(own)) + 0.27 * index
        axis.bar(
            at, mean, 0.25, yerr=half, capsize=3, hatch=hatches[index],
            edgecolor="black", linewidth=0.6, label=label,
        )  # fmt: skip
    names = [name.replace(".", ",\n").replace("exp1", "experiment 1") for name in own]
    axis.set_xticks(np.arange(len(own)) + 0.27, names)
    axis.set(ylabel="share of rounds", ylim=(0, 1.25))
    axis.legend(ncols=3, loc="upper center", fontsize="small")
