# SPDX-License-Identifier: Apache-2.0
"""Table 2: queueing delay of four marking algorithms at a load of 0.90."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.judge import Samples, interval_of
from ecnomy.analysis.reproduce.siris2002.controls import curve_controls
from ecnomy.analysis.reproduce.siris2002.curves import COUNT
from ecnomy.analysis.reproduce.siris2002.laws import LAWS, MARKING
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_LOAD: Final = 0.90
_NEAR: Final = 0.01  # rows farther from 0.90 do not count
_PARTS: Final = ("mean", "max", "std")
_LABELS: Final = {
    "red_5_15": "RED 5/15, 0.10",
    "red_3_9": "RED 3/9, 0.95",
    "vq": "virtual queue",
    "lb": "load-based",
}


def _rows(studies: Studies) -> dict[str, Runs]:
    """Return, for each algorithm, the runs whose mean load is nearest to 0.90."""
    runs = studies["table2"]
    rows = {}
    for value in runs.values(MARKING):
        law = msgspec.json.decode(value)
        name = LAWS[law["law"]]
        if name == "red":
            name = "red_3_9" if str(law["min_threshold"]).startswith("3") else "red_5_15"
        own = runs.at({MARKING: value})
        each = [own.at({COUNT: n}) for n in sorted(own.values(COUNT))]
        rows[name] = min(each, key=_off)
    return rows


def _off(runs: Runs) -> float:
    return abs(float(runs.sample("bottleneck.utilization").mean()) - _LOAD)


def figures(studies: Studies) -> Samples:
    """Return waits in milliseconds, and ratios between algorithms.

    Waits and ratios are NaN if the load is far from 0.90 for every number of flows. The quantities
    `any_load.*` use the nearest load even then.
    """
    rows = _rows(studies)
    samples: dict[str, Floats | float] = {}
    for name, runs in rows.items():
        samples[f"flows.{name}"] = float(2 * runs.values(COUNT)[0])
        samples[f"load.{name}"] = runs.sample("bottleneck.utilization")
    samples |= {f"any_load.{name}": each for name, each in _compared(rows, near_only=False).items()}
    return samples | _compared(rows, near_only=True) | curve_controls(studies["curve-controls"])


def _compared(rows: dict[str, Runs], *, near_only: bool) -> dict[str, Floats]:
    known = {
        name: np.nan if near_only and _off(runs) > _NEAR else 1.0 for name, runs in rows.items()
    }
    ms = {
        name: {part: known[name] * 1000 * runs.sample(f"wait.{part}_s") for part in _PARTS}
        for name, runs in rows.items()
    }
    samples = {f"{part}_ms.{name}": own[part] for name, own in ms.items() for part in _PARTS}
    for part in _PARTS:
        samples[f"order.{part}.lb_minus_red_3_9"] = ms["lb"][part] - ms["red_3_9"][part]
        samples[f"order.{part}.vq_minus_lb"] = ms["vq"][part] - ms["lb"][part]
        samples[f"{part}.red_5_15_over_red_3_9"] = ms["red_5_15"][part] / ms["red_3_9"][part]
    samples["max.red_3_9_over_lb"] = ms["red_3_9"]["max"] / ms["lb"]["max"]
    samples["max.lb_over_vq"] = ms["lb"]["max"] / ms["vq"]["max"]
    for column in ("marking_probability", "mean_queue_packets"):
        steep = rows["red_5_15"].sample(f"bottleneck.{column}")
        samples[f"red_5_15.{column}"] = known["red_5_15"] * steep
    return samples


def _point(runs: Runs) -> str:
    load = float(runs.sample("bottleneck.utilization").mean())
    return f"{2 * runs.values(COUNT)[0]:g} flows, load {load:.2f}"


def draw(studies: Studies, figure: Figure) -> None:
    """Draw means, maxima and standard deviations of waits for each algorithm."""
    axes = figure.subplots(1, 3)
    rows = _rows(studies)
    names = [name for name in _LABELS if name in rows]
    titles = {"mean": "mean", "max": "largest", "std": "standard deviation"}
    for axis, part in zip(axes, _PARTS, strict=True):
        intervals = [interval_of(1000 * rows[name].sample(f"wait.{part}_s")) for name in names]
        means = [i.mean if i else np.nan for i in intervals]
        errors = [i.half_width if i else 0.0 for i in intervals]
        axis.bar(names, means, yerr=errors, color="0.7", edgecolor="black", capsize=3)
        labels = [f"{_LABELS[name]}\n{_point(rows[name])}" for name in names]
        axis.set_xticks(range(len(names)), labels, rotation=40, ha="right", fontsize=8)
        axis.set(ylabel=f"{titles[part]} of waits, ms")
