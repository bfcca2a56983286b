# SPDX-License-Identifier: Apache-2.0
"""Draws a diff: both groups over time, in one panel per outcome.

A line is the mean over the runs of a group. Its band extends from the lowest to the highest run.
The groups differ in colour, lightness, dashes and markers, so they remain distinct in grey.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ecnomy.analysis.diff.curves import TimeCurve, curves_of, shown_links
from ecnomy.analysis.diff.difference import Diff
from ecnomy.analysis.diff.groups import RunGroup
from ecnomy.analysis.draw.panels import (
    COLOURS,
    PANEL_INCHES,
    WIDTH_INCHES,
    panel_style,
    save,
    shortened,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["diff_picture"]

Curves = dict[str, list[TimeCurve]]
_MOST_PANELS: Final = 12
_MOST_OF_A_KIND: Final = 4
_MOST_RUNS: Final = 20  # largest number of runs drawn per group
_COLUMNS: Final = 2
_STYLES: Final[tuple[dict[str, Any], ...]] = (
    {"color": COLOURS[1], "linestyle": "-", "marker": "o"},
    {"color": COLOURS[0], "linestyle": (0, (4, 1.5)), "marker": "s"},
)


def diff_picture(comparison: Diff, file: Path) -> bool:
    """Draw a diff as a PNG of 150 dpi.

    Returns:
        True if a picture was drawn; False if a group has no run with results, or there is nothing
        to draw.

    Raises:
        ResultsError: a table is missing or unreadable.
        OSError: the file cannot be written.
    """
    runs = [[m.run for m in group if m.run is not None][:_MOST_RUNS] for group in comparison.used]
    if not all(runs):
        return False
    every = [run for group in runs for run in group]
    links, accounts = shown_links(every), comparison.sellers[:_MOST_OF_A_KIND]
    curves = [_together([curves_of(run, links, accounts) for run in group]) for group in runs]
    panels = _panels(curves[0], curves[1])
    if not panels:
        return False
    with panel_style():
        save(_figure(comparison, curves, panels), file)
    return True


def _together(by_run: Sequence[Mapping[str, TimeCurve]]) -> Curves:
    together: Curves = {}
    for curves in by_run:
        for name, curve in curves.items():
            together.setdefault(name, []).append(curve)
    return together


def _panels(first: Curves, second: Curves) -> list[str]:
    """Return the titles of panels: common curves, and prices that changed in only one group."""
    names = [name for name in first if name in second]
    names += [n for n in (*first, *second) if n.endswith(": price of a mark") and n not in names]
    kinds = dict.fromkeys(name.rpartition(": ")[2] for name in names)
    chosen = [
        [name for name in names if name.endswith(f": {kind}")][:_MOST_OF_A_KIND] for kind in kinds
    ]
    return [name for group in chosen for name in group][:_MOST_PANELS]


def _figure(comparison: Diff, curves: Sequence[Curves], panels: Sequence[str]) -> Figure:
    from matplotlib.figure import Figure

    rows = -(-len(panels) // _COLUMNS)
    figure = Figure(figsize=(WIDTH_INCHES, PANEL_INCHES * rows + 1.0), layout="constrained")
    axes = figure.subplots(rows, _COLUMNS, squeeze=False).ravel()
    for axis, name in zip(axes, panels, strict=False):
        _panel(axis, name, curves)
    for axis in axes[len(panels) :]:
        axis.set_axis_off()
    end_s = max(c.t_s[-1] for group in curves for own in group.values() for c in own)
    for axis in axes[: len(panels)]:
        axis.set_xlim(0, end_s)
    for axis in axes[max(len(panels) - _COLUMNS, 0) : len(panels)]:
        axis.set_xlabel("simulated time [s]")
    groups = (comparison.first, comparison.second)
    handles = [_handle(number) for number in range(2)]
    labels = [_label(g, len(u)) for g, u in zip(groups, comparison.used, strict=True)]
    figure.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False, fontsize=11)
    return figure


def _handle(number: int) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], linewidth=2.2, markersize=6, **_STYLES[number])


def _label(group: RunGroup, runs: int) -> str:
    name = shortened(group.name, 40)
    if runs == 1:
        return name
    return f"{name}: mean of {min(runs, _MOST_RUNS)} runs, band from lowest to highest"


def _panel(axis: Axes, name: str, curves: Sequence[Curves]) -> None:
    unit = ""
    for number, group in enumerate(curves):
        if own := group.get(name, []):
            unit = own[0].unit
            _draw(axis, own, number)
    of, _, what = name.rpartition(": ")
    axis.set_title(f"{shortened(of)}: {what} [{unit}]", loc="left")
    if not name.endswith(": balance"):
        axis.set_ylim(bottom=min(0.0, axis.get_ylim()[0]))


def _draw(axis: Axes, own: Sequence[TimeCurve], number: int) -> None:
    """Draw the mean and the band of a group over the times of its shortest run."""
    shortest = min(own, key=lambda curve: curve.t_s[-1] if len(curve.t_s) else 0.0)
    t_s = shortest.t_s
    values = np.array([np.interp(t_s, c.t_s, c.values) for c in own], dtype=np.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # at some times, no run has a value
        mean, low, high = np.nanmean(values, 0), np.nanmin(values, 0), np.nanmax(values, 0)
    style = _STYLES[number]
    if len(own) > 1:
        axis.fill_between(t_s, low, high, color=style["color"], alpha=0.22, linewidth=0)
        for edge in (low, high):
            axis.plot(t_s, edge, color=style["color"], linestyle=style["linestyle"], linewidth=0.5)
    step = max(len(t_s) // 8, 1)
    every = (number * step // 2, step)  # markers of one group lie between those of the other
    axis.plot(t_s, mean, linewidth=1.9, markersize=4.5, markevery=every, **style)
