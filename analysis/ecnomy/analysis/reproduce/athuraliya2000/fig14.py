# SPDX-License-Identifier: Apache-2.0
"""Figures 14 to 16: n Reno sources over drop-tail, RED and REM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from ecnomy.analysis.reproduce.athuraliya2000.laws import (
    COUNT,
    LABELS,
    MARKING,
    by_law,
    slope,
)
from ecnomy.analysis.reproduce.judge import Sample, Samples
from ecnomy.analysis.reproduce.pictures import band, theory_line
from ecnomy.analysis.reproduce.ranks import rank_correlation
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

TARGET_PACKETS: Final = 20  # b0, as the sweep sets it
RATE: Final = "network.links.bottleneck.rate"
Curves = dict[str, dict[int, np.ndarray]]


def figures(studies: Studies) -> Samples:
    """Utilization, backlog, loss and marks over n, per seed."""
    runs = studies["fig14"]
    use, queue = (
        curves(runs, "bottleneck.utilization"),
        curves(runs, "bottleneck.mean_queue_packets"),
    )
    loss, p = curves(runs, "bottleneck.loss"), curves(runs, "bottleneck.marked")
    found: dict[str, Sample] = {}
    for law in use:
        found |= {f"utilization.{law}.n={n}": v for n, v in use[law].items() if n >= 10}
    means = {law: np.mean(list(use[law].values()), axis=0) for law in use}
    found |= {f"utilization.tail_minus.{law}": means["tail"] - means[law] for law in ("red", "rem")}
    found |= {f"backlog.rem.n={n}": v for n, v in queue["rem"].items()}
    found |= {f"backlog_off_target.n={n}": v - TARGET_PACKETS for n, v in queue["rem"].items()}
    rise = {law: slope(queue[law]) for law in ("red", "rem")}
    found["backlog_slope.rem_over_red"] = np.abs(rise["rem"]) / np.abs(rise["red"])
    for law in ("tail", "red"):
        found[f"backlog_rank.{law}"] = rank_correlation(queue[law])
        found[f"loss_rank.{law}"] = rank_correlation(loss[law])
        for n, v in loss["rem"].items():
            found[f"loss.rem_minus.{law}.n={n}"] = v - loss[law][n]
    found |= {f"loss.rem.n={n}": v for n, v in loss["rem"].items()}
    found |= {f"marked.red_over_rem.n={n}": p["red"][n] / v for n, v in p["rem"].items()}
    steady = curves(runs, "bottleneck.p_cv")
    found |= {f"p_cv.rem_minus_red.n={n}": v - steady["red"][n] for n, v in steady["rem"].items()}
    found |= _transients(studies["transient"]) | _rates(studies["fig14-rates"])
    return found | _controls(studies["fig14-control"])


def curves(runs: Runs, column: str) -> Curves:
    """Per law and number of sources, one value per seed."""
    return {
        law: {int(n): own.at({COUNT: n}).sample(column) for n in sorted(own.values(COUNT))}
        for law, own in by_law(runs).items()
    }


def _transients(runs: Runs) -> dict[str, np.ndarray | float]:
    """Utilization of the first seconds, with a target backlog less that without."""
    use = {
        msgspec.json.decode(value)["target_backlog"]: runs.at({MARKING: value})
        for value in runs.values(MARKING)
    }
    some, none = use["20 packets"], use["0 packets"]
    column = "bottleneck.utilization"
    return {
        f"transient.target_minus_none.n={int(n)}": some.at({COUNT: n}).sample(column)
        - none.at({COUNT: n}).sample(column)
        for n in sorted(some.values(COUNT))
    }


def _rates(runs: Runs) -> dict[str, np.ndarray | float]:
    """The same at other capacities: controls."""
    found: dict[str, np.ndarray | float] = {}
    columns = {"utilization": "utilization", "backlog": "mean_queue_packets", "loss": "loss"}
    for rate in runs.values(RATE):
        name = f"{float(rate):g}Mbps"
        for short, column in columns.items():
            for law, points in curves(runs.at({RATE: rate}), f"bottleneck.{column}").items():
                found |= {f"{name}.{short}.{law}.n={n}": v for n, v in points.items()}
    return found


def _controls(runs: Runs) -> dict[str, np.ndarray | float]:
    """REM with SACK, and with other gammas."""
    names = {0.01: "sack", 0.002: "slow", 0.05: "fast"}
    columns = {"utilization": "utilization", "backlog": "mean_queue_packets", "loss": "loss"}
    found: dict[str, np.ndarray | float] = {}
    for value in runs.values(MARKING):
        own = runs.at({MARKING: value})
        name = names[msgspec.json.decode(value)["gamma"]]
        for n in sorted(own.values(COUNT)):
            for short, column in (columns | {"marked": "marked"}).items():
                sample = own.at({COUNT: n}).sample(f"bottleneck.{column}")
                found[f"control.{name}.{short}.n={int(n)}"] = sample
    return found


def draw(studies: Studies, figure: Figure) -> None:
    """Utilization, backlog and loss against the number of sources."""
    figure.set_size_inches(11, 4)
    axes = figure.subplots(1, 3)
    shown = (
        ("bottleneck.utilization", 100, "utilization, %", "Fig. 14"),
        ("bottleneck.mean_queue_packets", 1, "mean backlog, packets", "Fig. 15"),
        ("bottleneck.loss", 100, "loss, % of arrivals", "Fig. 16"),
    )
    for axis, (column, factor, label, title) in zip(axes, shown, strict=True):
        for index, (law, points) in enumerate(curves(studies["fig14"], column).items()):
            samples = [factor * sample for sample in points.values()]
            band(axis, list(points), samples, index, LABELS[law])
        axis.set(xlabel="number of sources", ylabel=label, title=title)
    for axis in axes[1:]:
        axis.set_ylim(bottom=0)
    theory_line(axes[1], [0, 100], [TARGET_PACKETS] * 2, "target of REM")
    axes[1].legend()
