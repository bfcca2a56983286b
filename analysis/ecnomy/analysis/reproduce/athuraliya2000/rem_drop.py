# SPDX-License-Identifier: Apache-2.0
"""Section VIII: REM and RED that drop packets instead of marking them, for Reno without ECN."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ecnomy.analysis.reproduce.athuraliya2000.fig14 import TARGET_PACKETS, curves
from ecnomy.analysis.reproduce.athuraliya2000.laws import LABELS
from ecnomy.analysis.reproduce.curve_style import band, theory_line
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]


def figures(studies: Studies) -> Samples:
    """Return REM's utilisation and backlog minus RED's, and REM's backlog minus its target."""
    runs = studies["rem-drop"]
    use = curves(runs, "bottleneck.utilization")
    queue = curves(runs, "bottleneck.mean_queue_packets")
    samples: dict[str, np.ndarray | float] = {}
    for n in use["rem"]:
        samples[f"utilization.rem_minus_red.n={n}"] = use["rem"][n] - use["red"][n]
        samples[f"backlog.rem_minus_red.n={n}"] = queue["rem"][n] - queue["red"][n]
        samples[f"backlog_off_target.n={n}"] = queue["rem"][n] - TARGET_PACKETS
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw utilisation, backlog and loss against the number of sources."""
    figure.set_size_inches(11, 4)
    axes = figure.subplots(1, 3)
    shown = (
        ("bottleneck.utilization", 100, "utilization, %"),
        ("bottleneck.mean_queue_packets", 1, "mean backlog, packets"),
        ("bottleneck.loss", 100, "loss, % of arrivals"),
    )
    for axis, (column, factor, label) in zip(axes, shown, strict=True):
        for index, (law, points) in enumerate(curves(studies["rem-drop"], column).items()):
            samples = [factor * sample for sample in points.values()]
            band(axis, list(points), samples, index + 1, f"{LABELS[law]}, dropping")
        axis.set(xlabel="number of sources", ylabel=label)
    for axis in axes[1:]:
        axis.set_ylim(bottom=0)
    theory_line(axes[1], [0, 100], [TARGET_PACKETS] * 2, "target of REM")
    axes[1].legend()
