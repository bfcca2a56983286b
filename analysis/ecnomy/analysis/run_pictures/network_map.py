# SPDX-License-Identifier: Apache-2.0
"""Draws a network on an axis in points: link directions, badges, nodes and names.

Each line shows one direction of a link and lies to the right of the link, as seen in that
direction. Links between the same nodes lie side by side. Darker lines have a higher utilisation,
and wider lines carry more traffic. A congested line (ecnomy.analysis.run.congestion) has an orange
rim. Maps show finished runs (network_plot.py) and runs in progress (dashboard/).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ecnomy.analysis.run.network_loads import LinkLoad
from ecnomy.analysis.run_pictures.network_layout import (
    Box,
    Label,
    Point,
    badge_places,
    box_of,
    name_labels,
)
from ecnomy.analysis.run_pictures.network_legend import HALO, SHADES, width_of
from ecnomy.analysis.run_pictures.network_list import BADGE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["NetworkMap", "draw_map", "map_labels"]

_MOST_NUMBERED: Final = 60  # with more directions, utilisations are not printed
_MOST_NAMED: Final = 60  # with more nodes, only ends of congested links are named
_NAME_SIZE: Final = 8.5  # font size of node names
_ACROSS: Final = (2.0, 6.0, 10.0)  # distances from a link, across the widest arrow
_BETWEEN: Final = 17.0  # points between links of the same nodes, with room for a utilisation


class NetworkMap(msgspec.Struct, frozen=True):
    """The parts that all maps of a run share: positions, names and the scale of line widths."""

    points: dict[str, Point]
    labels: list[Label]
    height: float
    most_bps: float
    letters: float = 1.0  # font size relative to the picture of a run


def map_labels(
    points: Mapping[str, Point],
    edges: Sequence[tuple[str, str]],
    congested: Sequence[LinkLoad],
    width: float,
    letters: float = 1.0,
) -> list[Label]:
    """Return the names of all nodes or, if nodes are many, of the ends of congested links.

    Args:
        points: node -> position.
        edges: the ends of each link direction.
        congested: link directions that are congested in some map.
        width: width of the map, points.
        letters: font size relative to the picture of a run.
    """
    named = dict(points)
    if len(points) > _MOST_NAMED:
        ends = {node for link in congested for node in (link.source, link.target)}
        named = {node: point for node, point in points.items() if node in ends}
    lines = [_aside(points[a], points[b], by) for a, b in edges for by in _ACROSS]
    written = [_middle(points[a], points[b]) for a, b in edges] * 3  # triple weight
    return name_labels(named, letters * _NAME_SIZE, lines + written, width)


def draw_map(
    axis: Axes, links: Sequence[LinkLoad], badges: Mapping[int, str], frame: NetworkMap
) -> None:
    """Draw the lines of all link directions with their utilisations, badges, nodes and names.

    Args:
        axis: an axis in points.
        links: the load of each link direction.
        badges: link -> badge, for links that have a badge.
        frame: the parts that all maps share.
    """
    points = frame.points
    lines = _lines(links, frame)
    for link in sorted(links, key=lambda x: x.congested):
        _draw_direction(axis, link, lines[link.link], frame)
    written = [box_of(label, frame.letters * _NAME_SIZE) for label in frame.labels]
    written += [(x - 4, y - 4, x + 4, y + 4) for x, y in points.values()]
    if len(links) <= _MOST_NUMBERED:
        numbers = [_draw_percent(axis, x, lines[x.link], frame.letters) for x in links]
        written += [box for box in numbers if box is not None]
    owners = [lines[link] for link in badges]
    places = badge_places(owners, list(lines.values()), written)
    size = frame.letters * 8.5
    look: dict[str, Any] = {"fontsize": size, "fontweight": "bold", "zorder": 9, "bbox": BADGE}
    for (x, y), name in zip(places, badges.values(), strict=True):
        axis.text(x, y, name, ha="center", va="center", **look)
    _draw_nodes(axis, frame)


def _middle(a: Point, b: Point) -> tuple[Point, Point]:
    """Return the segment next to a link that the printed utilisation covers."""
    (ax, ay), (bx, by) = _aside(a, b, 11.0)
    part = min(11.0 / (math.dist(a, b) or 1.0), 0.5)
    return (
        ((ax + bx) / 2 - part * (bx - ax), (ay + by) / 2 - part * (by - ay)),
        ((ax + bx) / 2 + part * (bx - ax), (ay + by) / 2 + part * (by - ay)),
    )


def _aside(a: Point, b: Point, by: float) -> tuple[Point, Point]:
    """Return a line moved to its right by a distance in points."""
    length = math.dist(a, b) or 1.0
    ox, oy = by * (b[1] - a[1]) / length, -by * (b[0] - a[0]) / length
    return (a[0] + ox, a[1] + oy), (b[0] + ox, b[1] + oy)


def _lines(links: Sequence[LinkLoad], frame: NetworkMap) -> dict[int, tuple[Point, Point]]:
    """Return the line of each link direction, next to its link and clear of parallel lines."""
    lines = {}
    taken: dict[tuple[str, str], float] = {}  # distance of the next line from the link
    for link in links:
        ends = link.source, link.target
        wide = width_of(link.used_bps, frame.most_bps)
        near = taken.get(ends, 1.4)
        taken[ends] = near + wide + _BETWEEN * frame.letters
        a, b = frame.points[link.source], frame.points[link.target]
        lines[link.link] = _line(a, b, near + wide / 2)
    return lines


def _line(a: Point, b: Point, by: float) -> tuple[Point, Point]:
    """Return the line of a direction at a distance from its link; it ends just before the nodes."""
    (ax, ay), (bx, y) = _aside(a, b, by)
    length = math.dist(a, b) or 1.0
    short = min(5.5, length / 5) / length
    ux, uy = short * (bx - ax), short * (y - ay)
    return (ax + ux, ay + uy), (bx - ux, y - uy)


def _draw_direction(
    axis: Axes, link: LinkLoad, line: tuple[Point, Point], frame: NetworkMap
) -> None:
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.patches import Polygon

    shade = LinearSegmentedColormap.from_list("use", SHADES)(min(link.utilization, 1.0))
    shape = _arrow(line, width_of(link.used_bps, frame.most_bps))
    if link.congested:
        axis.add_patch(Polygon(shape, facecolor=HALO, edgecolor=HALO, linewidth=6, zorder=2))
    axis.add_patch(Polygon(shape, facecolor=shade, linewidth=0, zorder=3))


def _arrow(line: tuple[Point, Point], width: float) -> list[Point]:
    """Return the outline of an arrow along a line."""
    a, b = line
    length = math.dist(a, b) or 1.0
    ux, uy = (b[0] - a[0]) / length, (b[1] - a[1]) / length
    head, half = min(4.5 + width, 0.6 * length), width / 2
    neck, barb = length - head, half + 2.0
    outline = [(0, half), (neck, half), (neck, barb), (length, 0)]
    outline += [(along, -aside) for along, aside in reversed(outline[:3])]
    return [(a[0] + x * ux - y * uy, a[1] + x * uy + y * ux) for x, y in outline]


def _draw_percent(
    axis: Axes, link: LinkLoad, line: tuple[Point, Point], letters: float
) -> Box | None:
    """Print the utilisation next to a line; return its box, or None if the line is too short."""
    (ax, ay), (bx, by) = line
    length = math.dist(*line) or 1.0
    if length < 34:
        return None  # it would cover the line, and the list or the table shows the number
    ux, uy = (bx - ax) / length, (by - ay) / length
    aside = letters * (11.5 if link.congested else 8.5)
    at = 0.5 if not link.congested else 0.75
    x, y = ax + at * (bx - ax) + uy * aside, ay + at * (by - ay) - ux * aside
    turned = math.degrees(math.atan2(uy, ux))
    turned = turned - 180 if turned > 90 else turned + 180 if turned < -90 else turned
    weight = "bold" if link.congested else "normal"
    text = f"{100 * link.utilization:.0f} %"
    look: dict[str, Any] = {"fontsize": letters * 6.5, "color": "0.25", "zorder": 5}
    axis.text(x, y, text, ha="center", va="center", rotation=turned, fontweight=weight, **look)
    reach = 9 * letters  # at any rotation
    return (x - reach, y - reach, x + reach, y + reach)


def _draw_nodes(axis: Axes, frame: NetworkMap) -> None:
    from matplotlib import patheffects

    points = frame.points.values()
    size = 10 if len(points) > _MOST_NAMED else 42
    axis.scatter([x for x, _ in points], [y for _, y in points], s=size, c="black", zorder=6, lw=0)
    rim = [patheffects.withStroke(linewidth=2.5, foreground="white")]
    for label in frame.labels:
        look: dict[str, Any] = {"fontsize": frame.letters * _NAME_SIZE, "zorder": 8}
        axis.text(label.x, label.y, label.text, ha="center", va="center", path_effects=rim, **look)
