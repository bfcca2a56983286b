# SPDX-License-Identifier: Apache-2.0
"""The picture of a comparison: for each quantity, both engines' means with their intervals.

A panel a quantity of sources on the left, of links on the right; each source or link is a line of a
panel. Grey spans, where a row is judged, are the bound around the reference's mean.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.compare.comparison import Comparison
from ecnomy.analysis.compare.figures import LINK, QUANTITIES, SOURCE
from ecnomy.analysis.compare.table import shown
from ecnomy.analysis.compare.verdicts import DIFFERENT, UNDECIDED, Compared
from ecnomy.analysis.panels import COLOURS, WIDTH_INCHES, panel_style, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["comparison_picture"]

_LINE_INCHES: Final = 0.34
_PANEL_INCHES: Final = 0.75
_MOST: Final = 24  # sources or links a picture shows; the first ones
_APART: Final = 0.16  # of the two engines on a line
_NOTES: Final = {DIFFERENT: "different", UNDECIDED: "undecided"}


def comparison_picture(comparison: Comparison, file: Path) -> None:
    """Draw a comparison as a PNG of 150 dpi.

    Raises:
        OSError: it cannot be written.
    """
    with panel_style():
        save(_figure(comparison), file)


def _figure(comparison: Comparison) -> Figure:
    from matplotlib.figure import Figure

    kinds = (SOURCE, LINK)
    lines = max(len(_subjects(comparison, kind)) for kind in kinds)
    panels = max(len(QUANTITIES[kind]) for kind in kinds)
    height = panels * (_PANEL_INCHES + _LINE_INCHES * lines) + 1.0
    figure = Figure(figsize=(WIDTH_INCHES, height), layout="constrained")
    axes = figure.subplots(panels, 2, squeeze=False)
    for column, kind in enumerate(kinds):
        for number, quantity in enumerate(QUANTITIES[kind]):
            _panel(axes[number, column], comparison, kind, quantity)
        for number in range(len(QUANTITIES[kind]), panels):
            axes[number, column].set_axis_off()
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    words = f"{comparison.title or comparison.scenario}\n{len(comparison.seeds)} seeds"
    level = 100 * comparison.level
    figure.suptitle(f"{words}, {level:g} % intervals; grey: the bound of equivalence", fontsize=10)
    return figure


def _subjects(comparison: Comparison, kind: str) -> list[str]:
    names = dict.fromkeys(row.row.name for row in comparison.rows if row.row.kind == kind)
    return list(names)[:_MOST]


def _panel(axis: Axes, comparison: Comparison, kind: str, quantity: str) -> None:
    name, factor = shown(quantity)
    subjects = _subjects(comparison, kind)
    rows = {
        r.row.name: r for r in comparison.rows if (r.row.kind, r.row.quantity) == (kind, quantity)
    }
    for line, subject in enumerate(subjects):
        _span(axis, line, rows[subject], factor)
    for which, engine in enumerate(comparison.engines):
        offset = (which - 0.5) * 2 * _APART
        _points(axis, [rows[s] for s in subjects], which, offset, factor, engine)
    axis.set_yticks(range(len(subjects)), subjects)
    axis.set_ylim(len(subjects) - 0.5, -0.5)
    axis.set_title(f"{kind}s: {name}", loc="left")
    axis.margins(x=0.08)
    left, right = axis.get_xlim()
    if left < 0 <= right:
        axis.set_xlim(left=min(-0.02 * right, 0))


def _points(
    axis: Axes, rows: list[Compared], which: int, offset: float, factor: float, engine: str
) -> None:
    found = [(line, row.means[which]) for line, row in enumerate(rows)]
    lines = np.array([line for line, mean in found if mean is not None], dtype=np.float64)
    means = [mean for _, mean in found if mean is not None]
    axis.errorbar(
        [factor * mean.mean for mean in means],
        lines + offset,
        xerr=[factor * mean.half_width for mean in means],
        fmt=("o", "s")[which],
        color=COLOURS[1 - which],
        markersize=4.5,
        capsize=2.5,
        linewidth=1.4,
        label=engine,
    )


def _span(axis: Axes, line: int, row: Compared, factor: float) -> None:
    reference = row.means[0]
    if row.bound is None or reference is None:
        return
    mean = factor * reference.mean
    half = factor * max(row.bound.relative * abs(reference.mean), row.bound.absolute)
    axis.fill_betweenx([line - 0.4, line + 0.4], mean - half, mean + half, color="0.88", zorder=0)
    if row.verdict in _NOTES:
        axis.annotate(
            _NOTES[row.verdict],
            (1, line),
            xycoords=("axes fraction", "data"),
            xytext=(-3, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            fontsize=8,
            color="#B00020" if row.verdict == DIFFERENT else "#8A6D00",
        )
