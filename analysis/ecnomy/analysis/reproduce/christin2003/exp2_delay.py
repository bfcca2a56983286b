# SPDX-License-Identifier: Apache-2.0
"""Figure 6: delays of Class-1 packets with and without regulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.christin2003.exp2 import (
    LABELS,
    by_regulation,
    control_figures,
    fifo_figures,
)
from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_CONTROLS: Final = ("large", "unbounded", "room")


def figures(studies: Studies) -> Samples:
    """Return shares of late packets and the largest delays, per seed."""
    samples: dict[str, np.ndarray] = {}
    runs = by_regulation(studies["exp2"])
    for kind, own in runs.items():
        samples[f"late.{kind}"] = own.sample("late_share")
        samples[f"late_after_10.{kind}"] = own.sample("late_share_after_10")
        samples[f"marks_class_1.{kind}"] = own.sample("marks.1")
        samples[f"delay_max_ms.{kind}"] = own.sample("delay_max_s") * 1e3
        samples[f"delay_max_after_10_ms.{kind}"] = own.sample("delay_max_after_10_s") * 1e3
    samples["late_over_unregulated"] = samples["late.regulated"] / samples["late.unregulated"]
    peak = samples["delay_max_ms.regulated"] / samples["delay_max_ms.unregulated"]
    samples["delay_max_over_unregulated"] = peak
    free = by_regulation(studies["exp2-unbounded"])["unregulated"].sample("late_share")
    samples["late_without_loss_bound_minus_with"] = free - samples["late.unregulated"][: len(free)]
    return samples | control_figures(studies, _CONTROLS) | fifo_figures(studies)


def draw(studies: Studies, figure: Figure) -> None:
    """Draw one seed's mean and largest delay in windows of 0.5 s, with and without regulation."""
    panels = figure.subplots(1, 2, sharey=True)
    for axis, (kind, runs) in zip(panels, by_regulation(studies["exp2"]).items(), strict=True):
        for index, (row, label) in enumerate(
            (("delay_mean.1", "mean"), ("delay_max.1", "largest"))
        ):
            values = runs.row(row)[0] * 1e3
            style = {**look(index), "marker": "", "linewidth": 1.0}
            axis.plot(0.5 * (np.arange(len(values)) + 0.5), values, label=label, **style)
        axis.axhline(10, color="black", linewidth=0.8, linestyle=":", label="bound")
        axis.set(xlabel="time [s]", title=LABELS[kind])
    panels[0].set_ylim(bottom=0)
    panels[0].set_ylabel("delay of Class-1 packets [ms]")
    panels[0].legend(loc="upper right")
