# SPDX-License-Identifier: Apache-2.0
"""Figures 14 to 16: n Reno sources over drop-tail, RED and REM.

The paper does not state the capacity of the link, so names of quantities include the capacity used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from ecnomy.analysis.reproduce.athuraliya2000.forms import of_form
from ecnomy.analysis.reproduce.athuraliya2000.laws import (
    COUNT,
    LABELS,
    MARKING,
    by_law,
    by_rate,
    slope,
)
from ecnomy.analysis.reproduce.curve_style import band, theory_line
from ecnomy.analysis.reproduce.judge import Sample, Samples
from ecnomy.analysis.reproduce.ranks import rank_correlation
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["at_capacities", "curves", "draw", "figures"]

TARGET_PACKETS: Final = 20  # b0, as set in the sweep
COLUMNS: Final = {
    "utilization": "utilization",
    "backlog": "mean_queue_packets",
    "loss": "loss",
    "marked": "marked",
}
Curves = dict[str, dict[int, np.ndarray]]


def figures(studies: Studies) -> Samples:
    """Return the measures at each capacity, and those of the controls."""
    samples: dict[str, Sample] = {}
    for rate, runs in at_capacities(studies).items():
        samples |= of_form(rate, _figures(runs) | _given(runs))
    for rate, runs in by_rate(studies["fig14-rates"]).items():
        own = of_form(rate, _levels(runs) | _given(runs))
        samples |= {f"control.{name}": value for name, value in own.items()}
    return samples | _transients(studies["transient"]) | _controls(studies["fig14-control"])


def at_capacities(studies: Studies) -> dict[str, Runs]:
    """Return the runs by capacity, with the capacity of the study `fig14` first."""
    return by_rate(studies["fig14"]) | by_rate(studies["fig14-capacities"])


def _figures(runs: Runs) -> dict[str, Sample]:
    use, queue = (
        curves(runs, "bottleneck.utilization"),
        curves(runs, "bottleneck.mean_queue_packets"),
    )
    loss, p = curves(runs, "bottleneck.loss"), curves(runs, "bottleneck.marked")
    samples = _levels(runs)
    means = {law: np.mean(list(use[law].values()), axis=0) for law in use}
    samples |= {
        f"utilization.tail_minus.{law}": means["tail"] - means[law] for law in ("red", "rem")
    }
    samples |= {f"backlog_off_target.n={n}": v - TARGET_PACKETS for n, v in queue["rem"].items()}
    rise = {law: slope(queue[law]) for law in ("red", "rem")}
    samples["backlog_slope.rem_over_red"] = np.abs(rise["rem"]) / np.abs(rise["red"])
    for law in ("tail", "red"):
        samples[f"backlog_rank.{law}"] = rank_correlation(queue[law])
        samples[f"loss_rank.{law}"] = rank_correlation(loss[law])
        for n, v in loss["rem"].items():
            samples[f"loss.rem_minus.{law}.n={n}"] = v - loss[law][n]
    samples |= {f"marked.red_over_rem.n={n}": p["red"][n] / v for n, v in p["rem"].items()}
    steady = curves(runs, "bottleneck.p_cv")
    samples |= {f"p_cv.rem_minus_red.n={n}": v - steady["red"][n] for n, v in steady["rem"].items()}
    return samples


def _levels(runs: Runs) -> dict[str, Sample]:
    return {
        f"{name}.{law}.n={n}": value
        for name, column in COLUMNS.items()
        for law, points in curves(runs, f"bottleneck.{column}").items()
        for n, value in points.items()
    }


def _given(runs: Runs) -> dict[str, Sample]:
    """Return the link's bandwidth-delay product and buffer, and the product per source."""
    samples: dict[str, Sample] = {}
    for name in ("product_packets", "buffer_packets"):
        for n, given in curves(runs, f"bottleneck.{name}")["rem"].items():
            samples[f"given.{name}"] = float(given[0])
            if name == "product_packets":
                samples[f"given.window_packets.n={n}"] = float(given[0]) / n
    return samples


def curves(runs: Runs, column: str) -> Curves:
    """Return a column by law and number of sources, with one value per seed."""
    return {
        law: {int(n): own.at({COUNT: n}).sample(column) for n in sorted(own.values(COUNT))}
        for law, own in by_law(runs).items()
    }


def _transients(runs: Runs) -> dict[str, Sample]:
    """Return the utilisation in the first seconds with a target backlog minus that without one."""
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


def _controls(runs: Runs) -> dict[str, Sample]:
    names = {0.01: "sack", 0.002: "slow", 0.05: "fast"}
    samples: dict[str, Sample] = {}
    for value in runs.values(MARKING):
        own = runs.at({MARKING: value})
        name = names[msgspec.json.decode(value)["gamma"]]
        for n in sorted(own.values(COUNT)):
            for short, column in COLUMNS.items():
                sample = own.at({COUNT: n}).sample(f"bottleneck.{column}")
                samples[f"control.{name}.{short}.n={int(n)}"] = sample
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw utilisation, backlog and loss against the number of sources, one row per capacity."""
    rates = dict(sorted(at_capacities(studies).items()))
    figure.set_size_inches(11, 3.2 * len(rates) + 0.8)
    rows = figure.subplots(len(rates), 3, sharex=True, sharey="col", squeeze=False)
    shown = (
        ("bottleneck.utilization", 100, "utilization, %", "Fig. 14"),
        ("bottleneck.mean_queue_packets", 1, "mean backlog, packets", "Fig. 15"),
        ("bottleneck.loss", 100, "loss, % of arrivals", "Fig. 16"),
    )
    for axes, (rate, runs) in zip(rows, rates.items(), strict=True):
        for axis, (column, factor, label, title) in zip(axes, shown, strict=True):
            for index, (law, points) in enumerate(curves(runs, column).items()):
                samples = [factor * sample for sample in points.values()]
                band(axis, list(points), samples, index, LABELS[law])
            axis.set(ylabel=label, title=f"{title}, {rate.removesuffix('Mbps')} Mbps")
        theory_line(axes[1], [0, 100], [TARGET_PACKETS] * 2, "target of REM")
        for axis in axes[1:]:
            axis.set_ylim(bottom=0)
    for axis in rows[-1]:
        axis.set_xlabel("number of sources")
    rows[0][1].legend()
