# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of the live page as SVG: the network now, and its values over time.

Pictures are WIDE points wide, so that text is legible on a phone, which shows a point as a pixel.
Desktop browsers enlarge them. Pages draw in threads, so styles are set for each picture and not for
matplotlib as a whole.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ecnomy.agents.money import MICRO
from ecnomy.analysis.dashboard.figures import MarketState
from ecnomy.analysis.draw.panels import COLOURS, shortened
from ecnomy.analysis.run.families import MOST_GROUPS
from ecnomy.analysis.run.network_loads import LinkLoad, or_0
from ecnomy.analysis.run_pictures.network_layout import Point, layout
from ecnomy.analysis.run_pictures.network_legend import HALO, SHADES
from ecnomy.analysis.run_pictures.network_list import badge_names
from ecnomy.analysis.run_pictures.network_map import NetworkMap, draw_map, map_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ecnomy.markets.plan import Plan

__all__ = ["CARRIERS", "Place", "history_svg", "map_svg", "place_of"]

WIDE: Final = 340.0
_MARGIN: Final = 42.0  # margin beside the outermost nodes, for their names
_ABOVE: Final = 22.0  # margin above and below the outermost nodes
_LEGEND: Final = 54.0
_LETTERS: Final = 1.2
_CHAIN: Final = 92.0  # height of the map of a path
_PANEL: Final = 123.0
_SIZE: Final = 9.5
_DASHES: Final = ("-", "--", "-.", ":")  # dashes distinguish lines that coincide
CARRIERS: Final = COLOURS[::-1]  # colours of carriers, in the reverse order of groups
Place = tuple[dict[str, Point], float]  # position of each node, and the height of the map


def place_of(plan: Plan, positions: Mapping[str, Point]) -> Place:
    """Return node positions and the map's height; a path without given positions becomes a row."""
    edges = [(plan.nodes[x.source], plan.nodes[x.target]) for x in plan.links]
    chain = _chain(plan.nodes, edges)
    inner = WIDE - 2 * _MARGIN
    if chain and not positions:
        step = inner / max(len(chain) - 1, 1)
        return {n: (_MARGIN + i * step, _CHAIN / 2) for i, n in enumerate(chain)}, _CHAIN
    known = {node: positions[node] for node in plan.nodes if node in positions}
    points, height = layout(plan.nodes, edges, known, inner)
    return {n: (x + _MARGIN, y + _ABOVE) for n, (x, y) in points.items()}, height + 2 * _ABOVE


def _chain(nodes: Sequence[str], edges: Sequence[tuple[str, str]]) -> list[str]:
    """Return the nodes of a path from end to end; [] if the network is not a path."""
    near: dict[str, set[str]] = {node: set() for node in nodes}
    for a, b in edges:
        near[a].add(b)
        near[b].add(a)
    ends = [node for node in nodes if len(near[node]) == 1]
    if len(ends) != 2 or any(len(others) > 2 for others in near.values()):
        return []
    chain = [ends[0]]
    while len(chain) < len(nodes):
        onwards = [node for node in near[chain[-1]] if node not in chain]
        if not onwards:
            return []
        chain += onwards[:1]
    return chain


def map_svg(plan: Plan, place: Place, links: Sequence[LinkLoad]) -> tuple[bytes, dict[int, str]]:
    """Return a map of the network's load, and the badges of congested links, the worst first.

    Args:
        plan: the plan of the run.
        place: the positions of its nodes, and the height of the map.
        links: the load of each direction; empty before the end of the first epoch.
    """
    from matplotlib.figure import Figure

    points, height = place
    edges = [(plan.nodes[x.source], plan.nodes[x.target]) for x in plan.links]
    fastest = max(link.rate_bps for link in plan.links)
    worst = [link for link in links if link.congested]
    worst.sort(key=lambda x: (-or_0(x.marked), -or_0(x.dropped), -or_0(x.wait_s), x.link))
    badges = {x.link: name for x, name in zip(worst, badge_names(points), strict=False)}
    labels = map_labels(points, edges, worst, WIDE, _LETTERS)
    frame = NetworkMap(points, labels, height, float(fastest), _LETTERS)
    high = height + _LEGEND
    figure = Figure(figsize=(WIDE / 72, high / 72))
    axis = _points(figure, (0, _LEGEND, WIDE, height), high)
    draw_map(axis, links, badges, frame)
    _draw_key(_points(figure, (0, 0, WIDE, _LEGEND), high))
    return _svg(figure), badges


def history_svg(history: Sequence[MarketState]) -> bytes:
    """Draw rates per flow, utilisation of each carrier's busiest link, and prices over time."""
    from matplotlib.figure import Figure

    names = [group.name for group in history[-1].groups][:MOST_GROUPS]
    carriers = [carrier.name for carrier in history[-1].carriers][:MOST_GROUPS]
    t_s = [state.t_s for state in history]
    rates = [[state.groups[i].each_bps / 1e6 for state in history] for i in range(len(names))]
    used = [[100 * s.carriers[i].utilization for s in history] for i in range(len(carriers))]
    prices = [[s.carriers[i].price_micro / MICRO for s in history] for i in range(len(carriers))]
    called = [name or "network" for name in carriers]
    parts = (
        ("rate of a flow [Mbps]", names, rates, COLOURS, None),
        ("busiest link of each carrier [% of its rate]", called, used, CARRIERS, 105.0),
        ("price of a mark [money]", called, prices, CARRIERS, None),
    )
    keys = [_key_rows(part[1]) for part in parts]
    high = sum(_PANEL + 13 * rows for rows in keys) + 16
    figure = Figure(figsize=(WIDE / 72, high / 72))
    top = high
    for (title, labels, curves, colours, most), rows in zip(parts, keys, strict=True):
        top -= _PANEL + 13 * rows
        box = (42, top + 18 + 13 * rows, WIDE - 56, _PANEL - 42)
        axis = figure.add_axes(_share(box, high))
        _draw_panel(axis, title, t_s, list(zip(labels, curves, colours * 2, strict=False)), most)
        _draw_names(axis, labels)
    figure.text(0.5, 5 / high, "simulated time [s]", ha="center", fontsize=_SIZE)
    return _svg(figure)


def _draw_panel(
    axis: Axes,
    title: str,
    t_s: Sequence[float],
    lines: Sequence[tuple[str, Sequence[float], str]],
    most: float | None,
) -> None:
    for i, (name, values, colour) in enumerate(lines):
        look: dict[str, Any] = {"color": colour, "linewidth": 1.8}
        style = _DASHES[i % len(_DASHES)]
        axis.plot(t_s, values, label=shortened(name, 20), linestyle=style, **look)
    axis.set_title(title, fontsize=_SIZE, fontweight="bold", loc="left", x=-0.08, pad=4)
    axis.set_xlim(t_s[0], max(t_s[-1], t_s[0] + 10))
    axis.set_ylim(0, most or 1.08 * max((max(values) for _, values, _ in lines), default=0) or 1.0)
    axis.tick_params(labelsize=9, length=2, color="0.6")
    axis.grid(color="0.9", linewidth=0.7)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)


def _draw_names(axis: Axes, names: Sequence[str]) -> None:
    look: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (-0.1, -0.16), "frameon": False}
    axis.legend(**look, fontsize=9, ncols=_columns(names), handlelength=1.8, columnspacing=1.2)


def _columns(names: Sequence[str]) -> int:
    longest = max((len(shortened(name, 20)) for name in names), default=1)
    return max(1, min(len(names), int((WIDE - 30) // (34 + 5.6 * longest))))


def _key_rows(names: Sequence[str]) -> int:
    return math.ceil(len(names) / _columns(names)) if names else 0


def _draw_key(axis: Axes) -> None:
    import numpy as np
    from matplotlib.colors import LinearSegmentedColormap

    ramp = np.linspace(0, 1, 64)[None, :]
    shades = LinearSegmentedColormap.from_list("use", SHADES)
    axis.imshow(ramp, extent=(8, 88, 40, 48), aspect="auto", cmap=shades)
    axis.set_xlim(0, WIDE)
    axis.set_ylim(0, _LEGEND)
    axis.text(96, 44, "colour: 0 to 100 % used", va="center", fontsize=9)
    axis.plot([10, 86], [26, 26], color=HALO, linewidth=9, solid_capstyle="butt")
    axis.plot([10, 86], [26, 26], color=SHADES[2], linewidth=4, solid_capstyle="butt")
    axis.text(96, 26, "congested: marks, losses or waiting", va="center", fontsize=9)
    axis.text(8, 8, "Each line is one direction. Wider lines carry more.", va="center", fontsize=9)


def _points(figure: Figure, box: tuple[float, float, float, float], high: float) -> Axes:
    """Return an axis without a frame, in units of points."""
    axis = figure.add_axes(_share(box, high))
    axis.set_xlim(0, box[2])
    axis.set_ylim(0, box[3])
    axis.set_axis_off()
    return axis


def _share(
    box: tuple[float, float, float, float], high: float
) -> tuple[float, float, float, float]:
    return box[0] / WIDE, box[1] / high, box[2] / WIDE, box[3] / high


def _svg(figure: Figure) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return file.getvalue()
