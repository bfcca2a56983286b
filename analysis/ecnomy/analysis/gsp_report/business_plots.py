# SPDX-License-Identifier: Apache-2.0
"""Draws the plots of a page as SVG, narrow enough for text to be legible on a phone.

Colours differ in lightness, and hatches, markers or signs repeat their information for prints in
grey. The same numbers and library versions give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.draw.panels import COLOURS, panel_style, svg_of
from ecnomy.analysis.pages.parts import money
from ecnomy.analysis.support.number_text import minus

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "along",
    "bins",
    "exceeding",
    "heat",
    "points",
    "shares",
    "stacked",
    "style_of",
    "tornado",
    "waterfall",
]

_INCHES: Final = (4.9, 3.2)
_DARK: Final = 0.55  # a cell of a map is dark above this share of the largest amount
_BLUE, _GREEN, _SKY, _RED = COLOURS[1], COLOURS[2], COLOURS[4], COLOURS[5]
_STYLES: Final[dict[str, dict[str, Any]]] = {
    "calls": {"facecolor": _SKY},
    "reimbursements": {"facecolor": _RED, "hatch": "xxx"},
    "marks of calls": {"facecolor": "#E69F00", "hatch": "///"},
    "marks of test streams": {"facecolor": "#F0E442", "hatch": "..."},
    "files": {"facecolor": _BLUE},
    "reimbursements of files": {"facecolor": "#882255", "hatch": "xxx"},
    "marks of files": {"facecolor": "#44AA99", "hatch": "///"},
    "fixed costs": {"facecolor": "#999999"},
}
# Changes to the style of a line for each row of its tariff table; the first row has no change.
_ROWS: Final = ("", "--", "oo", "||", "**", "++")
_OTHER: Final[dict[str, Any]] = {"facecolor": "#CC79A7", "hatch": "\\\\\\"}


class _Canvas:
    def __init__(self, rows: int = 1, height: float = _INCHES[1]) -> None:
        from matplotlib.figure import Figure

        self.figure: Figure = Figure(figsize=(_INCHES[0], height), layout="constrained")
        self.axes: list[Axes] = list(
            np.atleast_1d(self.figure.subplots(rows, 1, sharex=rows > 1)).ravel()
        )

    def svg(self) -> bytes:
        """Return the drawing as SVG that depends only on its content."""
        return svg_of(self.figure)


def _zero(axis: Axes) -> None:
    axis.axhline(0, color="black", linewidth=1)


def _legend(axis: Axes, columns: int = 2) -> None:
    axis.legend(
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=columns,
        frameon=False,
        fontsize=8.5,
        handlelength=2.4,
        columnspacing=1.2,
    )


def stacked(edges: Floats, parts: Mapping[str, Floats], profit: Floats, label: str) -> bytes:
    """Draw income (above 0), payments (below 0) and profit in each period."""
    with panel_style():
        canvas = _Canvas(height=3.6)
        axis, widths = canvas.axes[0], np.diff(edges)
        above, below = np.zeros(len(widths)), np.zeros(len(widths))
        rows = tuple(dict.fromkeys(name.partition(" (")[2] for name in parts if " (" in name))
        for name, values in parts.items():
            style = style_of(name, rows)
            base = np.where(values >= 0, above, below)
            axis.bar(
                edges[:-1], values, widths, base, align="edge", edgecolor="black",
                linewidth=0.5, label=name, **style,
            )  # fmt: skip
            above, below = above + np.maximum(values, 0), below + np.minimum(values, 0)
        middle = edges[:-1] + widths / 2
        axis.plot(middle, profit, color="black", marker="o", markersize=4, label="profit")
        _zero(axis)
        axis.set_xlabel(label)
        axis.set_ylabel("money")
        axis.set_xlim(edges[0], edges[-1])
        _legend(axis)
        return canvas.svg()


def style_of(name: str, rows: Sequence[str]) -> dict[str, Any]:
    """Return colour and hatch of a line such as `calls (home)`; `rows` names all tariffs.

    Each tariff has a different hatch, and colours get lighter from tariff to tariff.
    """
    line, _, row = name.partition(" (")
    style = dict(_STYLES.get(line, _OTHER))
    place = rows.index(row) if row in rows else 0
    if place:
        from matplotlib.colors import to_hex, to_rgb

        shade = 0.65 / place
        red, green, blue = (1 - shade * (1 - part) for part in to_rgb(style["facecolor"]))
        style["facecolor"] = to_hex((red, green, blue))
        added = _ROWS[place % len(_ROWS)] + "." * (place // len(_ROWS))
        style["hatch"] = style.get("hatch", "")[:2] + added
    return style


def waterfall(steps: Sequence[tuple[str, float]], label: str) -> bytes:
    """Draw bars that lead from the income of a call or an hour through its costs to its profit."""
    with panel_style():
        canvas = _Canvas(height=2.6)
        axis, at = canvas.axes[0], 0.0
        names = [name for name, _ in steps]
        reach = max(abs(value) for _, value in steps) or 1.0
        for i, (_, value) in enumerate(steps):
            last = i == len(steps) - 1
            left = 0.0 if last else at
            look: dict[str, Any] = {"facecolor": _SKY if value >= 0 else "#E69F00"}
            if value < 0:
                look["hatch"] = "///"
            if last:
                look = {
                    "facecolor": _GREEN if value >= 0 else _RED,
                    "hatch": None if value >= 0 else "xxx",
                }
            axis.barh(i, value, left=left, edgecolor="black", linewidth=0.6, height=0.65, **look)
            end = max(left, left + value)
            axis.text(end + 0.02 * reach, i, _signed(value), va="center", fontsize=9)
            at = at + (0 if last else value)
        axis.set_yticks(range(len(names)), names)
        axis.invert_yaxis()
        axis.axvline(0, color="black", linewidth=1)
        low, high = axis.get_xlim()
        axis.set_xlim(low, high + 0.18 * (high - low))
        axis.set_xlabel(label)
        axis.grid(axis="y", visible=False)
        return canvas.svg()


def along(
    curves: Mapping[str, Sequence[tuple[float, float, float, float]]], label: str, unit: str
) -> bytes:
    """Draw curves, each with its marker and line style, through points (x, mean, low, high)."""
    with panel_style():
        canvas = _Canvas()
        axis = canvas.axes[0]
        styles = (("o", "-", _BLUE), ("s", "--", _RED), ("^", ":", _GREEN), ("D", "-.", "black"))
        for i, (name, rows) in enumerate(curves.items()):
            marker, line, colour = styles[i % len(styles)]
            x, mean, low, high = (np.array(column) for column in zip(*rows, strict=True))
            axis.plot(
                x, mean, marker=marker, linestyle=line, color=colour, markersize=5, label=name
            )
            if np.isfinite(low).any():
                errors = [mean - low, high - mean]
                axis.errorbar(x, mean, errors, fmt="none", ecolor=colour, capsize=4, linewidth=1)
        _zero(axis)
        axis.set_xlabel(label)
        axis.set_ylabel(unit)
        if len(curves) > 1:
            _legend(axis)
        return canvas.svg()


def bins(low: Floats, counts: Floats, width: float, marks: Mapping[str, float]) -> bytes:
    """Draw a histogram with logarithmic counts, hatched losses, and vertical lines at `marks`."""
    with panel_style():
        canvas = _Canvas()
        axis = canvas.axes[0]
        styles: tuple[tuple[bool, dict[str, Any]], ...] = (
            (False, {"facecolor": _SKY}),
            (True, {"facecolor": _RED, "hatch": "///"}),
        )
        for loss, style in styles:
            own = (low < 0) == loss
            name = "calls at a loss" if loss else "calls at a profit"
            axis.bar(
                low[own], counts[own], width, align="edge", edgecolor="black", linewidth=0.4,
                label=name, **style,
            )  # fmt: skip
        for line, (name, x) in zip(("--", ":", "-."), marks.items(), strict=False):
            axis.axvline(x, color="black", linestyle=line, linewidth=1.6, label=name)
        axis.set_yscale("log")
        axis.set_xlabel("profit of a call [money]")
        axis.set_ylabel("calls")
        _legend(axis)
        return canvas.svg()


def shares(
    edges: Floats,
    sold: Floats,
    blocked: Floats,
    ended: Floats,
    broken: Floats,
    limit: float | None,
    label: str,
) -> bytes:
    """Draw the calls sold and blocked, and below them the shares of blocked and broken calls."""
    with panel_style():
        canvas = _Canvas(2, 4.2)
        top, bottom = canvas.axes
        widths = np.diff(edges)
        look: dict[str, Any] = {"align": "edge", "edgecolor": "black", "linewidth": 0.5}
        top.bar(edges[:-1], sold, widths, facecolor=_SKY, label="sold", **look)
        top.bar(
            edges[:-1],
            blocked,
            widths,
            sold,
            facecolor=_RED,
            hatch="///",
            label="turned away",
            **look,
        )
        top.set_ylim(0, 1.08 * float((sold + blocked).max()) or 1)
        top.set_ylabel("calls requested")
        _legend(top)
        turned = 100 * np.divide(
            blocked, sold + blocked, out=np.full(len(sold), np.nan), where=sold + blocked > 0
        )
        lost = 100 * np.divide(broken, ended, out=np.full(len(sold), np.nan), where=ended > 0)
        middle = edges[:-1] + widths / 2
        bottom.plot(
            middle, turned, color=_RED, marker="s", linestyle="--", label="turned away of requested"
        )
        bottom.plot(middle, lost, color=_BLUE, marker="o", label="promise broken, of ended")
        if limit is not None:
            bottom.axhline(
                100 * limit, color="black", linestyle=":", label="turned away at most, promised"
            )
        bottom.set_ylim(bottom=0)
        bottom.set_xlim(edges[0], edges[-1])
        bottom.set_ylabel("share [%]")
        bottom.set_xlabel(label)
        _legend(bottom)
        return canvas.svg()


def exceeding(curves: Mapping[str, Floats], shares: Floats, bounds: Sequence[float]) -> bytes:
    """Draw curves of the share of calls above each delay, and lines at the promised delays."""
    with panel_style():
        canvas = _Canvas(height=3.6)
        axis = canvas.axes[0]
        styles = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
        for i, (name, delays) in enumerate(curves.items()):
            colour = (_BLUE, _RED, _GREEN, "black", "#E69F00", "#CC79A7", _SKY)[i % 7]
            axis.plot(
                delays, 100 * shares, color=colour, linestyle=styles[i % len(styles)], label=name
            )
        for bound in bounds:
            axis.axvline(
                bound, color="black", linestyle=(0, (1, 1)), linewidth=1.6,
                label=f"promised: {bound:g} ms",
            )  # fmt: skip
        axis.set_xlim(left=0)
        axis.set_ylim(0, 102)
        axis.set_xlabel("mean delay of a call's packets [ms]")
        axis.set_ylabel("calls above it [%]")
        _legend(axis, 1 if any(len(name) > 24 for name in curves) else 2)
        return canvas.svg()


def points(
    groups: Mapping[str, tuple[Floats, Floats]], level: float | None, threshold: float | None
) -> bytes:
    """Draw the lost or late share L against the marked share M of samples, by test stream."""
    with panel_style():
        canvas = _Canvas(height=3.6)
        axis = canvas.axes[0]
        styles = (("o", _BLUE), ("^", _RED), ("s", _GREEN), ("x", "black"), ("D", "#E69F00"))
        for i, (name, (marked, bad)) in enumerate(groups.items()):
            marker, colour = styles[i % len(styles)]
            fill: dict[str, Any] = (
                {"color": colour} if marker == "x" else {"facecolors": "none", "edgecolors": colour}
            )
            axis.scatter(
                100 * marked, 100 * bad, s=16, marker=marker, linewidths=0.9, label=name, **fill
            )
        _promise(
            axis, max((100 * float(bad.max()) for _, bad in groups.values()), default=0), level
        )
        if threshold is not None:
            axis.axvline(
                100 * threshold, color="black", linestyle=":", label="blocking threshold, mean"
            )
        axis.set_xlabel("packets marked in a sample, M [%]")
        axis.set_ylabel("lost or late, L [%]")
        _legend(axis)
        return canvas.svg()


def _promise(axis: Axes, worst: float, level: float | None) -> None:
    """Draw the line of a promise; if it is far above the points, only mention it in the legend."""
    if level is None:
        return
    line_style: dict[str, Any] = {"color": "black", "linestyle": "--"}
    if 0 < worst < 25 * level:
        axis.set_ylim(-0.06 * worst, 1.25 * worst)
        axis.plot(
            [],
            [],
            **line_style,
            label=f"promise, $L^G$ = {100 * level:g} % (above the plotted range)",
        )
        return
    axis.axhline(100 * level, **line_style, label="promise, $L^G$")
    top = 1.06 * max(worst, 100 * level)
    axis.set_ylim(-0.04 * top, top)


def heat(
    grid: Floats,
    rows: Sequence[str],
    columns: Sequence[str],
    labels: tuple[str, str],
    at: tuple[int, int] | None,
) -> bytes:
    """Draw a map of profits, with losses hatched and the simulated case framed."""
    from matplotlib.colors import TwoSlopeNorm
    from matplotlib.patches import Rectangle

    with panel_style():
        height = 1.3 + 0.33 * len(rows)
        canvas = _Canvas(height=max(height, 2.2))
        axis = canvas.axes[0]
        reach = float(np.nanmax(np.abs(grid))) or 1.0
        norm = TwoSlopeNorm(0.0, -reach, reach)
        axis.imshow(grid, cmap="PuOr", norm=norm, aspect="auto")
        for i, j in np.ndindex(*grid.shape):
            value = float(grid[i, j])
            if value < 0:
                axis.add_patch(_hatched(i, j, dark=-value > _DARK * reach))
            box_style = {"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85}
            axis.text(j, i, _signed(value), ha="center", va="center", fontsize=7.5, bbox=box_style)
        if at is not None:
            axis.add_patch(
                Rectangle(
                    (at[1] - 0.5, at[0] - 0.5), 1, 1, fill=False, edgecolor="black", linewidth=2.4
                )
            )
        axis.set_xticks(range(len(columns)), columns)
        axis.set_yticks(range(len(rows)), rows)
        axis.set_ylabel(labels[0])
        axis.set_xlabel(labels[1])
        axis.grid(visible=False)
        return canvas.svg()


def _hatched(row: int, column: int, *, dark: bool) -> Any:
    """Return stripes over a cell of a map: light stripes if the cell is dark."""
    from matplotlib.patches import Rectangle

    place = (column - 0.5, row - 0.5)
    edge = "#FFFFFF90" if dark else "#00000070"
    return Rectangle(place, 1, 1, fill=False, hatch="//", edgecolor=edge, linewidth=0)


def tornado(bars: Sequence[tuple[str, float, str, float, str]], middle: float, label: str) -> bytes:
    """Draw a bar per key from lowest to highest profit, with the key's values at the ends."""
    with panel_style():
        canvas = _Canvas(height=1.0 + 0.5 * len(bars))
        axis = canvas.axes[0]
        for i, (_, low, low_name, high, high_name) in enumerate(bars):
            look: dict[str, Any] = {
                "left": middle,
                "height": 0.5,
                "edgecolor": "black",
                "linewidth": 0.6,
            }
            axis.barh(i, low - middle, facecolor="#E69F00", hatch="///", **look)
            axis.barh(i, high - middle, facecolor=_SKY, **look)
            axis.annotate(
                low_name,
                (low, i),
                (-4, 0),
                textcoords="offset points",
                ha="right",
                va="center",
                fontsize=8,
            )
            axis.annotate(
                high_name,
                (high, i),
                (4, 0),
                textcoords="offset points",
                ha="left",
                va="center",
                fontsize=8,
            )
        ends = [middle, *(bar[1] for bar in bars), *(bar[3] for bar in bars)]
        reach = (max(ends) - min(ends)) or 1.0
        axis.set_xlim(min(ends) - 0.35 * reach, max(ends) + 0.45 * reach)
        axis.axvline(middle, color="black", linewidth=1.2)
        axis.axvline(0, color="black", linewidth=1, linestyle=":")
        axis.set_yticks(range(len(bars)), [name for name, *_ in bars])
        axis.set_ylim(len(bars) - 0.5, -0.5)
        axis.set_xlabel(label)
        axis.grid(axis="y", visible=False)
        return canvas.svg()


def _signed(value: float) -> str:
    return money(value, "+") if abs(value) < 100 else minus(f"{value:+,.0f}")
