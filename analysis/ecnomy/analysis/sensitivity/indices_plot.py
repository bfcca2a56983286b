# SPDX-License-Identifier: Apache-2.0
"""The plot of indices: one panel per outcome, with bars and intervals for each parameter."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.draw.panels import COLOURS, panel_style, save
from ecnomy.analysis.sensitivity.indices import Indices

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["indices_picture"]

_WIDTH: Final = 7.5
_ROW: Final = 0.42  # inches per parameter
_MAIN, _FIRST, _IDLE = COLOURS[1], COLOURS[4], "0.75"
_MORRIS: Final = "mu*: mean effect of a step across the whole range"


def indices_picture(title: str, indices: list[Indices], file: str | Path) -> None:
    """Draw the indices of outcomes as a PNG of 150 dpi.

    Args:
        title: title of the sweep.
        indices: indices of each outcome under the same plan.
        file: the PNG file to write.
    """
    import matplotlib.pyplot as plt

    heights = [_ROW * len(each.each) + 0.9 for each in indices]
    with panel_style():
        figure, axes = plt.subplots(
            len(indices), 1, figsize=(_WIDTH, sum(heights) + 0.5), squeeze=False,
            height_ratios=heights, layout="constrained",
        )  # fmt: skip
        for axis, each in zip(axes.flat, indices, strict=True):
            _panel(axis, each)
        handles, labels = axes.flat[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
        figure.suptitle(title or "Sensitivity", fontsize=10)
        save(figure, file)
        plt.close(figure)


def _panel(axis: Axes, indices: Indices) -> None:
    """Draw ranked bars with the most important on top; parameters that do not matter are grey."""
    sobol = indices.kind == "sobol"
    at = np.arange(len(indices.each), dtype=np.float64)
    thick = 0.36 if sobol else 0.6
    main = [one.main for one in indices.each]
    colours = [_MAIN if one.matters else _IDLE for one in indices.each]
    shift = thick / 2 if sobol else 0.0
    halves = [one.main_half for one in indices.each]
    name = "total: alone and together with others" if sobol else _MORRIS
    _bars(axis, at - shift, main, halves, thick, colours, name)
    if sobol:
        other = [one.other for one in indices.each]
        halves = [one.other_half for one in indices.each]
        name = "first order: alone"
        _bars(axis, at + shift, other, halves, thick, [_FIRST] * len(other), name)
    if math.isfinite(indices.floor):
        axis.axvline(indices.floor, color="0.3", lw=1, ls=":", label="level due to chance alone")
    axis.set_yticks(at, [".".join(one.parameter.split(".")[-2:]) for one in indices.each])
    axis.invert_yaxis()
    axis.grid(visible=False, axis="y")
    axis.set_title(indices.outcome)


def _bars(
    axis: Axes, at: np.ndarray, values: list[float], halves: list[float], thick: float,
    colours: list[str], name: str,
) -> None:  # fmt: skip
    bars = axis.barh(at, values, thick, color=colours, label=name)
    for bar, colour in zip(bars, colours, strict=True):
        bar.set_facecolor(colour)
    axis.errorbar(values, at, xerr=halves, fmt="none", ecolor="black", elinewidth=0.9, capsize=2)
