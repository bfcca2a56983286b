# SPDX-License-Identifier: Apache-2.0
"""Draws a tournament as SVG: pay-offs, best replies, drift of finalists, alpha-rank.

Text or shapes repeat the information that colours give. The same numbers and library versions give
the same bytes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.draw.panels import COLOURS, panel_style, svg_of
from ecnomy.analysis.game.dynamics import Flow
from ecnomy.analysis.tournament.paying import PopulationOutcome, TournamentFindings
from ecnomy.analysis.tournament.wording import money

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["masses", "portrait", "replies", "share_grid", "shares", "table"]

_INCHES: Final = 4.9
_NARROW: Final = (3.1, 3.7)  # height and width of one of three pictures side by side
_BLUE, _RED = COLOURS[1], COLOURS[5]
_CORNERS: Final = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, math.sqrt(0.75)]])
_STEPS: Final = 13  # number of arrows along an edge
_STYLES: Final[tuple[dict[str, Any], ...]] = (  # styles of bars
    {"facecolor": COLOURS[4]},
    {"facecolor": "white", "hatch": "////"},
    {"facecolor": COLOURS[1]},
    {"facecolor": "white", "hatch": "...."},
)


def _figure(height: float, width: float = _INCHES) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def table(findings: TournamentFindings, players: int, order: Sequence[int]) -> bytes:
    """Draw pay-offs of a lone player (row) among others (column), with the best reply framed."""
    from matplotlib.patches import Rectangle

    names = [findings.table.names[number] for number in order]
    grid = np.array(
        [[findings.table.lone(i, j, players).mean() for j in order] for i in order],
        dtype=np.float64,
    )
    best = {reply.to: reply.best for reply in findings.replies if reply.players == players}
    with panel_style():
        figure, axis = _figure(1.3 + 0.33 * len(order), 5.6)
        image = axis.imshow(grid, cmap="cividis", aspect="auto")
        middle = (image.norm.vmin + image.norm.vmax) / 2  # type: ignore[operator]
        for (i, j), value in np.ndenumerate(grid):
            ink = "black" if value > middle else "white"
            text = money(value)
            axis.text(j, i, text, ha="center", va="center", fontsize=7.5, color=ink)
        for column, to in enumerate(order):
            corner = (column - 0.47, list(order).index(best[to]) - 0.46)
            look: dict[str, Any] = {"fill": False, "edgecolor": _RED, "linewidth": 2.2}
            axis.add_patch(Rectangle(corner, 0.94, 0.92, **look))
        axis.set_xticks(range(len(order)), names, rotation=40, ha="right")
        axis.set_yticks(range(len(order)), names)
        axis.set_ylabel("one player")
        axis.set_xlabel(_others(players))
        axis.grid(visible=False)
        return svg_of(figure)


def _others(players: int) -> str:
    return "the other player" if players == 2 else f"the {players - 1} others"


def replies(findings: TournamentFindings, players: int, order: Sequence[int]) -> bytes:
    """Draw an arrow from each strategy to its best reply, dashed if the gain is insignificant."""
    with panel_style():
        figure, axis = _figure(*_NARROW)
        turns = {n: math.pi / 2 - 2 * math.pi * k / len(order) for k, n in enumerate(order)}
        place = {n: (math.cos(turn), math.sin(turn)) for n, turn in turns.items()}
        for reply in findings.replies:
            if reply.players == players and reply.change is not None:
                axis.annotate(
                    "", place[reply.best], place[reply.to],
                    arrowprops={
                        "arrowstyle": "-|>", "color": "black", "shrinkA": 7, "shrinkB": 8,
                        "linewidth": 1.1, "connectionstyle": "arc3,rad=0.12",
                        "linestyle": "-" if reply.change.gains else (0, (3, 3)),
                    },
                )  # fmt: skip
        rests = {r.to for r in findings.replies if r.players == players and r.change is None}
        for number in order:
            x, y = place[number]
            face = _BLUE if number in findings.payers else "white"
            axis.scatter(x, y, s=90, facecolor=face, edgecolor="black", linewidth=1.1, zorder=3)
            if number in rests:
                ring: dict[str, Any] = {"facecolor": "none", "edgecolor": _RED, "linewidth": 2.2}
                axis.scatter(x, y, s=260, zorder=3, **ring)
            side = "left" if x > 0.1 else "right" if x < -0.1 else "center"
            lift = 0.16 * np.sign(y) if side == "center" else 0.0
            name = findings.table.names[number]
            axis.text(1.13 * x, 1.1 * y + lift, name, ha=side, va="center", fontsize=9)
        axis.set_xlim(-2.15, 2.15)
        axis.set_ylim(-1.4, 1.4)
        axis.set_axis_off()
        return svg_of(figure)


def portrait(findings: TournamentFindings, outcome: PopulationOutcome) -> bytes:
    """Draw the drift of the finalists' mixes: arrows on a triangle, or speed against a share."""
    means = findings.table.means()
    flow = Flow(means, outcome.players, findings.finalists)
    names = [findings.table.names[number] for number in findings.finalists]
    with panel_style():
        figure, axis = _figure(*_NARROW)
        if len(names) == 3:
            _triangle(axis, flow, outcome, names)
        else:
            _line(axis, flow, outcome, names)
        return svg_of(figure)


def _triangle(axis: Axes, flow: Flow, outcome: PopulationOutcome, names: Sequence[str]) -> None:
    corners = np.vstack([_CORNERS, _CORNERS[:1]])
    axis.plot(corners[:, 0], corners[:, 1], color="black", linewidth=1.2)
    drawn = [
        np.array([a, b, _STEPS - a - b]) / _STEPS
        for a in range(_STEPS + 1)
        for b in range(_STEPS + 1 - a)
        if _STEPS not in (a, b, _STEPS - a - b)
    ]
    speeds = np.array([flow(shares) @ _CORNERS for shares in drawn])
    places = np.array([shares @ _CORNERS for shares in drawn])
    sizes = np.hypot(speeds[:, 0], speeds[:, 1])
    keep = sizes > 1e-4 * flow.spread
    arrows = speeds[keep] / sizes[keep, None]
    axis.quiver(
        places[keep, 0], places[keep, 1], arrows[:, 0], arrows[:, 1], np.log10(sizes[keep]),
        cmap="cividis_r", angles="xy", scale=24, width=0.006, pivot="middle",
    )  # fmt: skip
    for rest in outcome.rests:
        if rest.still:
            x, y = rest.mix @ _CORNERS
            axis.scatter(x, y, s=130, color=_RED, edgecolor="black", zorder=4)
            label: dict[str, Any] = {
                "textcoords": "offset points",
                "fontsize": 9,
                "weight": "bold",
                "zorder": 5,
            }
            box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1}
            inward = 24 * (_CORNERS.mean(axis=0) - (x, y))
            aside = (inward[0] + 10, inward[1] + (4 if y < 0.5 else -12))
            axis.annotate(f"{rest.starts:.0%}", (x, y), aside, bbox=box, **label)
    for (x, y), name, lift in zip(_CORNERS, names, (-0.09, -0.09, 0.06), strict=True):
        axis.text(x, y + lift, name, ha="center", va="center", fontsize=9.5)
    axis.set_xlim(-0.25, 1.25)
    axis.set_ylim(-0.16, 1.0)
    axis.set_aspect("equal")
    axis.set_axis_off()


def _line(axis: Axes, flow: Flow, outcome: PopulationOutcome, names: Sequence[str]) -> None:
    shares = np.linspace(0.01, 0.99, 99)
    speeds = [flow(np.array([share, 1 - share]))[0] for share in shares]
    axis.plot(shares, speeds, color=_BLUE)
    axis.axhline(0, color="black", linewidth=1)
    for rest in outcome.rests:
        if rest.still:
            axis.scatter(rest.mix[0], 0, s=110, color=_RED, edgecolor="black", zorder=4)
    axis.set_xlabel(f"share of {names[0]}, the rest {names[1]}")
    axis.set_ylabel("speed of the share")


def shares(labels: Sequence[str], names: Sequence[str], values: Floats) -> bytes:
    """Draw a bar per label, divided among names by values of shape (labels, names)."""
    with panel_style():
        figure, axis = _figure(1.1 + 0.3 * len(labels), 7.2)
        left = np.zeros(len(labels))
        for number, name in enumerate(names):
            style = _STYLES[number % len(_STYLES)]
            axis.barh(
                range(len(labels)), values[:, number], 0.8, left,
                edgecolor="black", linewidth=0.6, label=name, **style,
            )  # fmt: skip
            left += values[:, number]
        axis.set_yticks(range(len(labels)), labels)
        axis.invert_yaxis()
        axis.set_xlim(0, 1)
        axis.set_xlabel("share of players at rest")
        axis.grid(axis="y", visible=False)
        figure.legend(loc="outside upper center", ncols=min(len(names), 4), fontsize=8.5)
        return svg_of(figure)


def share_grid(
    rows: Sequence[str], columns: Sequence[str], names: Sequence[str], values: Floats
) -> bytes:
    """Draw a grid of bars, divided among names by values of shape (rows, columns, names)."""
    with panel_style():
        figure, axis = _figure(1.7 + 0.26 * len(rows), 1.6 + 0.72 * len(columns))
        left = np.zeros(values.shape[:2])
        at = np.arange(len(columns)) - 0.45
        for number, name in enumerate(names):
            style = _STYLES[number % len(_STYLES)]
            for row in range(len(rows)):
                axis.barh(
                    np.full(len(columns), row), 0.9 * values[row, :, number], 0.72, at + left[row],
                    edgecolor="black", linewidth=0.5, label=name if row == 0 else None, **style,
                )  # fmt: skip
            left += 0.9 * values[..., number]
        axis.set_yticks(range(len(rows)), rows)
        axis.set_xticks(range(len(columns)), columns, rotation=40, ha="right")
        axis.invert_yaxis()
        axis.set_xlim(-0.55, len(columns) - 0.45)
        axis.grid(visible=False)
        figure.legend(loc="outside upper center", ncols=min(len(names), 4), fontsize=8.5)
        return svg_of(figure)


def masses(findings: TournamentFindings, order: Sequence[int]) -> bytes:
    """Draw alpha-rank's mass of each strategy by population, with dots for single seeds."""
    with panel_style():
        figure, axis = _figure(0.9 + 0.42 * len(order))
        many = len(findings.outcomes)
        height = 0.8 / many
        for index, outcome in enumerate(findings.outcomes):
            at = np.arange(len(order)) + (index - (many - 1) / 2) * height
            own = outcome.mass[list(order)]
            label = f"{outcome.players} players"
            style = _STYLES[index % len(_STYLES)]
            axis.barh(at, own, 0.9 * height, edgecolor="black", linewidth=0.6, label=label, **style)
            for seed in outcome.masses:
                axis.scatter(seed[list(order)], at, s=6, color="black", zorder=3, alpha=0.6)
        axis.set_yticks(range(len(order)), [findings.table.names[number] for number in order])
        axis.invert_yaxis()
        axis.set_xlim(0, 1)
        axis.set_xlabel("share of time (alpha-rank)")
        axis.grid(axis="y", visible=False)
        axis.legend(loc="lower right", fontsize=8.5)
        return svg_of(figure)
