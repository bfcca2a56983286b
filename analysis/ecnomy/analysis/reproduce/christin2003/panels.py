# SPDX-License-Identifier: Apache-2.0
"""Draws six panels over time, one per algorithm, as in Figures 3, 4 and 5."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.draw.panels import COLOURS
from ecnomy.analysis.reproduce.christin2003.laws import ALGORITHMS, LABELS
from ecnomy.analysis.reproduce.judge import interval_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["six_panels"]

_WINDOW_S: Final = 0.25
_FROM_S: Final = 10.0
_STYLES: Final = (("-", 0.9), ("--", 0.9))


def six_panels(
    figure: Figure,
    rows: Mapping[str, Mapping[str, Floats]],
    means: Mapping[str, Floats],
    ylabel: str,
    line: tuple[float, str] | None = None,
    *,
    from_zero: bool = False,
) -> None:
    """Draw each algorithm's rows over time; titles show the mean and interval of all seeds."""
    figure.set_size_inches(9, 8)
    figure.suptitle("curves: one seed; titles: mean of all seeds ± 90 % interval", fontsize="small")
    axes = figure.subplots(3, 2, sharex=True, sharey=True)
    for axis, name in zip(axes.flat, ALGORITHMS, strict=True):
        for index, (label, row) in enumerate(rows[name].items()):
            at = _FROM_S + _WINDOW_S * np.arange(len(row))
            style, width = _STYLES[index]
            axis.plot(at, row, style, color=COLOURS[index], linewidth=width, label=label or None)
        if line is not None:
            axis.axhline(line[0], color="black", linewidth=0.7, linestyle=":", label=line[1])
        interval = interval_of(means[name])
        mean_text = "" if interval is None else f": {interval.mean:.3g} ± {interval.half_width:.2g}"
        axis.set_title(LABELS[name] + mean_text)
        axis.margins(x=0.01)
    if from_zero:
        axes[0, 0].set_ylim(bottom=0)
    for axis in axes[-1]:
        axis.set_xlabel("time [s]")
    for axis in axes[:, 0]:
        axis.set_ylabel(ylabel)
    if line is not None or len(next(iter(rows.values()))) > 1:
        axes[0, 0].legend(loc="lower right")
