# SPDX-License-Identifier: Apache-2.0
"""Selects the runs of experiment 2 by regulation, and draws the shared parts of its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.christin2003.classes import CLASSES
from ecnomy.analysis.reproduce.christin2003.laws import by_options
from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "LABELS",
    "REGULATION",
    "by_regulation",
    "control_figures",
    "draw_classes",
    "fifo_figures",
]

REGULATION: Final = "network.links.bottleneck.scheduler.regulation"
LABELS: Final = {"unregulated": "without regulation", "regulated": "with regulation"}
_NAMES: Final = {"off": "unregulated", "ecn": "regulated"}
_WINDOW_S: Final = 0.5
_FIGURES: Final = {
    "late": "late_share",
    "late_after_10": "late_share_after_10",
    "delay_max_ms": "delay_max_s",
    "loss_class_1": "loss.1",
    "loss_class_4": "loss.4",
    "marks_class_1": "marks.1",
    "marks_class_4": "marks.4",
}


def by_regulation(runs: Runs) -> dict[str, Runs]:
    """Return the runs with regulation (`regulated`) and without (`unregulated`)."""
    return {_NAMES[str(value)]: runs.at({REGULATION: value}) for value in runs.values(REGULATION)}


def control_figures(studies: Studies, names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Return measures of classes 1 and 4 in controls: `control.<study>.<figure>.<regulation>`."""
    samples: dict[str, np.ndarray] = {}
    for study in names:
        for kind, runs in by_regulation(studies[f"exp2-{study}"]).items():
            for figure, column in _FIGURES.items():
                scale = 1e3 if figure.endswith("_ms") else 1.0
                samples[f"control.{study}.{figure}.{kind}"] = runs.sample(column) * scale
    return samples


def fifo_figures(studies: Studies) -> dict[str, np.ndarray]:
    """Return loss, marks and mean queue if all traffic shares one queue.

    Names are `control.fifo.<figure>.<law>`.
    """
    samples: dict[str, np.ndarray] = {}
    for name, runs in by_options(studies["exp2-fifo"]).items():
        name = name.partition(".")[0]
        samples[f"control.fifo.loss.{name}"] = runs.sample("loss_share")
        samples[f"control.fifo.marks.{name}"] = runs.sample("marks_share")
        samples[f"control.fifo.queue_kB.{name}"] = runs.sample("queue_mean_bytes") / 1e3
    return samples


def draw_classes(axis: Axes, runs: Runs, row: str, scale: float) -> None:
    """Draw one seed's values over time, with one curve per class."""
    for index, number in enumerate(CLASSES):
        values = runs.row(f"{row}.{number}")[0] * scale
        at = _WINDOW_S * (np.arange(len(values)) + 0.5)
        style = {**look(index), "marker": "", "linewidth": 1.0}
        axis.plot(at, values, label=f"Class {number}", **style)
    axis.set_xlabel("time [s]")
