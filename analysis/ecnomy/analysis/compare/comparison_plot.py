# SPDX-License-Identifier: Apache-2.0
"""Draws a comparison: the means of both engines for each quantity, with intervals.

Each quantity of sources has a panel on the left, and each quantity of links has one on the right. A
panel has a line for each of the first _MOST sources or links. Means are drawn in percent of the
reference's mean, which is printed next to the name. If the reference's mean is 0 or unknown, the
line has no points. Grey spans show the bounds of rows with a verdict. Money is not drawn.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.compare.comparison import Comparison
from ecnomy.analysis.compare.figures import LINK, QUANTITIES, SOURCE
from ecnomy.analysis.compare.table import shown
from ecnomy.analysis.compare.verdicts import DIFFERENT, UNDECIDED, Compared
from ecnomy.analysis.draw.panels import COLOURS, WIDTH_INCHES, panel_style, save
from ecnomy.analysis.support.number_text import significant

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["comparison_picture"]

_LINE_INCHES: Final = 0.34
_PANEL_INCHES: Final = 0.75
_MOST: Final = 24  # only the first sources or links are drawn
_APART: Final = 0.16  # offset of the two engines on a line
_NARROWEST: Final = 12.0  # percent on each side, so that nearly equal means do not appear far apart
_WIDEST: Final = 150.0
_NOTES: Final = {DIFFERENT: "#B00020", UNDECIDED: "#8A6D00"}  # verdicts printed next to the line


def comparison_picture(comparison: Comparison, file: Path) -> None:
    """Draw a comparison as a PNG of 150 dpi.

    Raises:
        OSError: the file cannot be written.
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
    words = f"{len(comparison.seeds)} seeds, {100 * comparison.level:g} % intervals"
    scale = f"in % of {comparison.engines[0]}'s mean; grey: the bound of equivalence"
    title = comparison.title or comparison.scenario
    figure.suptitle(f"{title}\n{words}, {scale}", fontsize=10)
    return figure


def _subjects(comparison: Comparison, kind: str) -> list[str]:
    names = dict.fromkeys(row.row.name for row in comparison.rows if row.row.kind == kind)
    return list(names)[:_MOST]


def _panel(axis: Axes, comparison: Comparison, kind: str, quantity: str) -> None:
    name, factor = shown(quantity)
    subjects = _subjects(comparison, kind)
    wanted = (kind, quantity)
    rows = {r.row.name: r for r in comparison.rows if (r.row.kind, r.row.quantity) == wanted}
    lines = [rows[subject] for subject in subjects]
    reach = max([_NARROWEST, *(_reach(row) for row in lines)])
    for which, engine in enumerate(comparison.engines):
        _points(axis, lines, which, engine)
    for number, row in enumerate(lines):
        _span(axis, number, row, reach)
    axis.set_yticks(range(len(lines)), [_label(row, factor) for row in lines])
    axis.set_ylim(len(lines) - 0.5, -0.5)
    axis.set_xlim(100 - reach, 100 + reach)
    axis.set_title(f"{kind}s: {name}", loc="left")


def _label(row: Compared, factor: float) -> str:
    mean = row.means[0]
    return f"{row.row.name}  {'-' if mean is None else significant(factor * mean.mean)}"


def _shares(row: Compared, which: int) -> tuple[float, float] | None:
    """Return mean and half-width in percent of the reference's mean; None if it is 0 or unknown."""
    reference, mean = row.means[0], row.means[which]
    if reference is None or mean is None or reference.mean == 0:
        return None
    return 100 * mean.mean / reference.mean, 100 * mean.half_width / abs(reference.mean)


def _reach(row: Compared) -> float:
    """Return how far intervals reach from 100 %, plus a margin, up to _WIDEST [%]."""
    intervals = [shares for which in (0, 1) if (shares := _shares(row, which)) is not None]
    return min(max([0.0, *(1.1 * (abs(mean - 100) + half) for mean, half in intervals)]), _WIDEST)


def _points(axis: Axes, rows: list[Compared], which: int, engine: str) -> None:
    line_shares = [(line, _shares(row, which)) for line, row in enumerate(rows)]
    points = [(line, *shares) for line, shares in line_shares if shares is not None]
    table = np.array(points, dtype=np.float64).reshape(-1, 3)
    axis.errorbar(
        table[:, 1],
        table[:, 0] + (2 * which - 1) * _APART,
        xerr=table[:, 2],
        fmt=("o", "s")[which],
        color=COLOURS[1 - which],
        markersize=4.5,
        capsize=2.5,
        linewidth=1.4,
        label=engine,
    )


def _span(axis: Axes, line: int, row: Compared, reach: float) -> None:
    reference = row.means[0]
    if row.bound is None or reference is None or reference.mean == 0:
        return
    half = 100 * max(row.bound.relative, row.bound.absolute / abs(reference.mean))
    half = min(half, 2 * reach)
    axis.fill_betweenx([line - 0.4, line + 0.4], 100 - half, 100 + half, color="0.88", zorder=0)
    if row.verdict in _NOTES:
        axis.annotate(
            row.verdict,
            (1, line),
            xycoords=("axes fraction", "data"),
            xytext=(4, 0),
            textcoords="offset points",
            ha="left",
            va="center",
            fontsize=8,
            color=_NOTES[row.verdict],
        )
