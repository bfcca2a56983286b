# SPDX-License-Identifier: Apache-2.0
"""Section 5.1: the reference algorithm with other values of K and alpha."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from ecnomy.analysis.reproduce.christin2003.laws import MARKING
from ecnomy.analysis.reproduce.curve_style import band
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

Point = tuple[float, float]  # K, alpha


def _points(runs: Runs) -> dict[Point, Runs]:
    by_point: dict[Point, Runs] = {}
    for value in runs.values(MARKING):
        options: dict[str, Any] = msgspec.json.decode(value)
        if options["gap_divisor"] < 100:
            point = float(options["gap_divisor"]), float(options["rtt_memory"])
            by_point[point] = runs.at({MARKING: value})
    return by_point


def figures(studies: Studies) -> Samples:
    """Return losses, and queues and throughput divided by those of K = 10 and alpha = 0.9."""
    points = _points(studies["exp1-params"])
    default = points[10.0, 0.9]
    samples: dict[str, np.ndarray] = {}
    for (k, alpha), runs in points.items():
        at = f"K={k:g}.alpha={alpha:g}"
        samples[f"loss.{at}"] = runs.sample("loss_share")
        for name, column in (("queue", "queue_mean_bytes"), ("throughput", "throughput_bps")):
            samples[f"{name}_over_default.{at}"] = runs.sample(column) / default.sample(column)
        samples[f"marks.{at}"] = runs.sample("marks_share")
        samples[f"queue_kB.{at}"] = runs.sample("queue_mean_bytes") / 1e3
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the loss and the mean queue against K, with one curve per alpha."""
    left, right = figure.subplots(1, 2)
    points = _points(studies["exp1-params"])
    for index, alpha in enumerate(sorted({alpha for _, alpha in points})):
        own = {k: runs for (k, a), runs in points.items() if a == alpha}
        loss = [runs.sample("loss_share") * 100 for runs in own.values()]
        queue = [runs.sample("queue_mean_bytes") / 1e3 for runs in own.values()]
        band(left, list(own), loss, index, f"α = {alpha:g}")
        band(right, list(own), queue, index, f"α = {alpha:g}")
    left.set(xlabel="K", ylabel="loss [%]", ylim=(0, None))
    right.set(xlabel="K", ylabel="mean queue [kB]", ylim=(0, 150))
    left.legend()
