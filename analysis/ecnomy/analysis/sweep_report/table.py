# SPDX-License-Identifier: Apache-2.0
"""The table of a sweep's points in `ecnomy show`, and the plot of the sweep."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.draw.panels import save
from ecnomy.analysis.sweep_report import sweep_plots
from ecnomy.analysis.sweep_report.curves import curves_of
from ecnomy.analysis.sweep_report.points import Swept, half_widths, moments
from ecnomy.analysis.sweep_report.scales import scale_of
from ecnomy.analysis.sweep_report.searched import best_first
from ecnomy.markets.sweep.main_outcomes import better

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

    from ecnomy.analysis.sweep_report.findings import SweepFindings

__all__ = ["points_table", "sweep_picture"]

_OUTCOMES: Final = 4
_MOST: Final = 40  # most rows; of more points, only the best are printed
_BEST: Final = 15
_LONG: Final = 40  # longest label in characters that is not wrapped


def points_table(swept: Swept) -> Table:
    """Return the table of points, with means and half-widths; a star marks the best point.

    If there are many points, or they come from a search, only the best are shown, best first.
    """
    from rich import box
    from rich.table import Table

    outcomes = swept.outcomes[:_OUTCOMES]
    tables = {name: swept.table(name) for name in outcomes}
    runs = np.bincount(swept.point, minlength=swept.points)
    order = best_first(swept)
    all_of_them = swept.points <= _MOST and swept.search is None
    some = list(range(swept.points)) if all_of_them else [int(i) for i in order[:_BEST]]
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    head, labels = _labels(swept, some)
    table.add_column(head, no_wrap=max(map(len, labels)) <= _LONG)
    table.add_column("runs", justify="right", no_wrap=True)
    scales = {name: scale_of(name, swept.of(name)) for name in outcomes}
    for name in outcomes:
        unit = f"\n[{scales[name].unit}]" if scales[name].unit else ""
        words = name.replace(".", ".\n", 1) + unit.replace("[", "\\[")
        table.add_column(words, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for i, label in zip(some, labels, strict=True):
        cells = []
        for name in outcomes:
            at, spread, n = tables[name]
            half = half_widths(spread[i : i + 1], n[i : i + 1], swept.level)[0]
            cells.append(scales[name].between(float(at[i]), float(half)).replace("\u2212", "-"))
        best = "* best" if i == order[0] and swept.points > 1 else ""
        table.add_row(label, str(int(runs[i])), *cells, best)
    return table


def _labels(swept: Swept, points: Sequence[int]) -> tuple[str, list[str]]:
    """Return a heading (names of parameters, or `point`) and a label for each point."""
    runs = [int(np.flatnonzero(swept.point == i)[0]) for i in points]
    short, whole = [], []
    for run in runs:
        levels = [(v, int(v.codes[run])) for v in swept.varied if not v.factor.sampled]
        whole.append(", ".join(v.level_words(level) for v, level in levels))
        short.append(", ".join(v.factor.labels[level] for v, level in levels))
    given = [swept.labels[i] or "all" for i in points]
    if not swept.varied or whole != given or not all(v.is_number for v in swept.varied):
        return "point", given
    return ",\n".join(v.factor.name for v in swept.varied), short


def sweep_picture(swept: Swept, findings: SweepFindings, file: Path) -> bool:
    """Draw the plot of the main outcome to a file; return False if nothing can be drawn."""
    figure = _figure(swept, findings)
    if figure is None:
        return False
    figure.suptitle(swept.title, fontsize=10)
    save(figure, file)
    return True


def _figure(swept: Swept, findings: SweepFindings) -> Figure | None:
    outcome = swept.outcomes[0]
    scale = scale_of(outcome, swept.of(outcome))
    numbers = [v for v in swept.varied if v.is_number and not v.factor.sampled]
    if numbers:
        varied = numbers[0]
        if findings.lead is not None and swept.varied[findings.lead].is_number:
            varied = swept.varied[findings.lead]
        best = findings.bests.get((swept.varied.index(varied), outcome))
        at = best.at if best is not None and best.inner else None
        return sweep_plots.curves(curves_of(swept, varied, outcome), varied.axis, scale, at)
    if any(v.factor.sampled for v in swept.varied):
        if not findings.matters:
            return None
        one = findings.matters[0]
        order, shares = one.order()[:12], one.total or one.alone
        parts = [np.array([max(shares[i].mean, 0.0) for i in order])]
        names = [swept.varied[i].factor.name for i in order]
        return sweep_plots.bars(names, parts, ("alone",), np.zeros((2, len(order))))
    if not swept.varied:
        return None
    mean, spread, n = moments(swept.of(outcome), swept.point, swept.points)
    half = half_widths(spread, n, swept.level)
    sign = better(outcome) or 1
    order = list(np.argsort(-sign * np.where(np.isfinite(mean), mean, -sign * np.inf)))[:25]
    names = [swept.labels[i] for i in order]
    return sweep_plots.dots(names, mean[order], half[order], scale, 0)
