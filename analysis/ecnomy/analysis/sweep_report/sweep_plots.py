# SPDX-License-Identifier: Apache-2.0
"""Draws the plots of a sweep, as SVG for a page or as the PNG that `show` writes.

Plots are narrow, so that text is legible on a phone. Markers and line styles repeat the information
that colours give.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ecnomy.analysis.draw.panels import COLOURS, panel_style, shortened

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ecnomy.analysis.sweep_report.curves import OutcomeCurve
    from ecnomy.analysis.sweep_report.fronts import Front
    from ecnomy.analysis.sweep_report.scales import OutcomeScale

__all__ = ["LABEL", "bars", "curves", "dots", "front", "heat", "pairs"]

_WIDTH: Final = 4.9
_BLUE, _GREEN, _RED = COLOURS[1], COLOURS[2], COLOURS[5]
_STYLES: Final = (("o", "-", _BLUE), ("s", "--", _RED), ("^", ":", _GREEN), ("D", "-.", "black"))
_NAMED: Final = 8  # number of points of a front that are named
LABEL: Final = 40  # longest name in characters; longer ones are omitted rather than cut
_LOG: Final = 20.0  # ratio of largest to smallest value above which an axis is logarithmic


def _figure(height: float) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, height), layout="constrained")
    return figure, figure.subplots()


def dots(
    names: Sequence[str], mean: Any, half: Any, scale: OutcomeScale, best: int, zero: bool = False
) -> Figure:
    """Draw a mean with its interval for each name; the marker of the best mean is filled."""
    with panel_style():
        figure, axis = _figure(1.0 + 0.38 * len(names))
        y = np.arange(len(names))
        x, error = mean * scale.by, np.nan_to_num(half * scale.by)
        axis.errorbar(x, y, xerr=error, fmt="none", ecolor="black", capsize=4, linewidth=1.2)
        for i in y:
            own = i == best
            fill = _GREEN if own else "white"
            axis.plot(x[i], i, "o", color="black", markerfacecolor=fill, markersize=9 if own else 7)
        axis.set_yticks(y, [shortened(name, 30) for name in names])
        axis.set_ylim(len(names) - 0.5, -0.5)
        axis.set_xlabel(scale.axis)
        if zero:
            axis.axvline(0, color="black", linewidth=1)
        return figure


def curves(
    drawn: Sequence[OutcomeCurve], label: str, scale: OutcomeScale, best: float | None = None
) -> Figure:
    """Draw curves of an outcome along a parameter, with bands and a line at the optimum."""
    with panel_style():
        figure, axis = _figure(3.2)
        for i, curve in enumerate(drawn):
            marker, line, colour = _STYLES[i % len(_STYLES)]
            x, mean, half = (np.array(column) for column in (curve.x, curve.mean, curve.half))
            mean, half = mean * scale.by, np.nan_to_num(half * scale.by)
            axis.fill_between(x, mean - half, mean + half, color=colour, alpha=0.2, linewidth=0)
            axis.plot(
                x, mean, marker=marker, linestyle=line, color=colour, markersize=5,
                label=curve.name,
            )  # fmt: skip
        every = np.concatenate([np.array(curve.x) for curve in drawn])
        if every.size and every.min() > 0 and every.max() / every.min() >= _LOG:
            axis.set_xscale("log")
        if best is not None:
            axis.axvline(best, color="black", linestyle="--", linewidth=1)
        axis.set_xlabel(label)
        axis.set_ylabel(scale.axis)
        if len(drawn) > 1:
            axis.legend(
                loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False,
                fontsize=8.5, handlelength=2.4,
            )  # fmt: skip
        return figure


def heat(table: Any, rows: Sequence[str], columns: Sequence[str], axes: tuple[str, str],
         scale: OutcomeScale) -> Figure:  # fmt: skip
    """Draw a map of means over two parameters, with numbers in the cells if they fit."""
    with panel_style():
        figure, axis = _figure(min(1.6 + 0.34 * len(rows), 6.0))
        shown = np.ma.masked_invalid(table * scale.by)
        drawn = axis.imshow(shown, cmap="cividis", aspect="auto", origin="lower")
        figure.colorbar(drawn, ax=axis, label=scale.axis)
        _ticks(axis, rows, columns)
        axis.set_ylabel(axes[0])
        axis.set_xlabel(axes[1])
        axis.grid(visible=False)
        if len(rows) <= 12 and len(columns) <= 7:
            middle = (float(shown.min()) + float(shown.max())) / 2
            for i, j in zip(*np.nonzero(np.isfinite(table)), strict=True):
                colour = "white" if shown[i, j] < middle else "black"
                text = scale.number(table[i, j])
                axis.text(j, i, text, ha="center", va="center", color=colour, fontsize=8.5)
        return figure


def _ticks(axis: Any, rows: Sequence[str], columns: Sequence[str]) -> None:
    for which, names in ((axis.yaxis, rows), (axis.xaxis, columns)):
        step = max(1, -(-len(names) // 8))
        at = list(range(0, len(names), step))
        which.set_ticks(at, [shortened(names[i], 18) for i in at])
    if max((len(name) for name in columns), default=0) * len(columns) > 40:
        axis.tick_params(axis="x", rotation=30)


def front(drawn: Front, labels: Sequence[str], x: OutcomeScale, y: OutcomeScale) -> Figure:
    """Draw all points in two outcomes; points on the front are joined, and named if few."""
    with panel_style():
        figure, axis = _figure(3.6)
        means = drawn.means * np.array([x.by, y.by])
        halves = np.nan_to_num(drawn.halves * np.array([x.by, y.by]))
        many = len(means) > 200
        if not many:
            axis.errorbar(
                means[:, 0], means[:, 1], yerr=halves[:, 1], xerr=halves[:, 0], fmt="none",
                ecolor="0.6", linewidth=0.9,
            )  # fmt: skip
        off = ~drawn.on
        axis.plot(
            means[off, 0], means[off, 1], "o", color="0.35", markerfacecolor="white",
            markersize=2 if many else 5, label="dominated", rasterized=many,
        )  # fmt: skip
        on = np.flatnonzero(drawn.on)
        on = on[np.argsort(means[on, 0])]
        axis.plot(means[on, 0], means[on, 1], "s--", color=_BLUE, markersize=6, label="front")
        named = len(on) <= _NAMED and max(len(labels[i]) for i in on.tolist()) <= LABEL
        for i in on.tolist() if named else ():
            axis.annotate(
                shortened(labels[i], 24), means[i], xytext=(5, 5), textcoords="offset points",
                fontsize=8,
            )  # fmt: skip
        axis.margins(x=0.16, y=0.12)
        axis.set_xlabel(x.axis)
        axis.set_ylabel(y.axis)
        axis.legend(
            loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False, fontsize=8.5
        )
        return figure


def bars(names: Sequence[str], parts: Any, kinds: Sequence[str], error: Any) -> Figure:
    """Draw shares of variance: `parts` (kinds, names) stacked, error bars `error` (2, names)."""
    with panel_style():
        figure, axis = _figure(1.3 + 0.4 * len(names))
        y, left = np.arange(len(names)), np.zeros(len(names))
        styles = ({"facecolor": _BLUE}, {"facecolor": COLOURS[4], "hatch": "///"})
        for part, kind, style in zip(parts, kinds, styles, strict=False):
            axis.barh(
                y, part, left=left, height=0.6, edgecolor="black", linewidth=0.6, label=kind,
                **style,
            )  # fmt: skip
            left = left + part
        axis.errorbar(left, y, xerr=error, fmt="none", ecolor="black", capsize=4, linewidth=1.2)
        axis.set_yticks(y, [shortened(name, 30) for name in names])
        axis.set_ylim(len(names) - 0.5, -0.5)
        axis.set_xlim(0, 1)
        axis.xaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f} %")
        axis.set_xlabel("share of variance")
        axis.grid(axis="y", visible=False)
        if len(kinds) > 1:
            axis.legend(
                loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False, fontsize=8.5
            )
        return figure


def pairs(names: Sequence[str], ratios: Any) -> Figure:
    """Draw standard errors of differences with paired seeds, relative to independent seeds."""
    with panel_style():
        figure, axis = _figure(1.1 + 0.44 * len(names))
        y = np.arange(len(names))
        axis.barh(y, ratios, height=0.6, facecolor=_GREEN, edgecolor="black", linewidth=0.6)
        axis.axvline(1, color="black", linestyle="--", linewidth=1.4)
        for i, ratio in enumerate(ratios):
            axis.text(ratio + 0.02, i, f"{ratio:.2f}", va="center", fontsize=8.5)
        axis.set_yticks(y, names, fontsize=8)
        axis.set_ylim(len(names) - 0.5, -0.5)
        axis.set_xlim(0, max(1.15, 1.15 * float(np.max(ratios))))
        axis.set_xlabel("standard error, paired / independent seeds")
        axis.grid(axis="y", visible=False)
        return figure
