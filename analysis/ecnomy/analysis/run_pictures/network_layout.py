# SPDX-License-Identifier: Apache-2.0
"""Positions of nodes, names and badges in a picture, in points (1/72 inch).

Positions of nodes come from the scenario. If all of them can be degrees, longitudes are scaled by
the cosine of the mean latitude. networkx places nodes that have no position.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from ecnomy.analysis.draw.fitted_text import fitted, width_of_text

__all__ = ["Box", "Label", "Point", "badge_places", "box_of", "layout", "name_labels"]

Point = tuple[float, float]
_SPRINGS: Final = 499  # with more nodes, networkx's spring layout needs scipy
# Angles of a name around its node: right first, as on maps.
_AROUND: Final = (0, 180, 90, 270, 35, 145, 325, 215, 60, 120, 300, 240)
_APART: Final = (9.0, 15.0)  # points from a node to its name
_LONGEST_NAME: Final = 120.0  # points
_BADGE: Final = 8.0  # half the width of a badge, points
# Places for a badge: share of the way along its line, and distance from the line in points.
_BESIDE: Final = tuple((t, a) for a in (13, 20, 27) for t in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8))
Box = tuple[float, float, float, float]  # left, low, right, high


class Label(msgspec.Struct, frozen=True):
    """A node's name and the centre of its text, in points."""

    text: str
    x: float
    y: float


def layout(
    nodes: Sequence[str],
    edges: Sequence[tuple[str, str]],
    known: Mapping[str, Point],
    width: float,
) -> tuple[dict[str, Point], float]:
    """Return node -> point for a map of a given width, and the height of the map.

    The height is 1/3 to 0.7 of the width. All values are in points.
    """
    places = _projected(known)
    if len(places) < len(nodes):
        places = _laid_out(nodes, edges, places)
    xs, ys = [x for x, _ in places.values()], [y for _, y in places.values()]
    wide, high = max(xs) - min(xs) or 1.0, max(ys) - min(ys) or 1.0
    scale = min(width / wide, 0.7 * width / high)
    height = max(high * scale, width / 3)
    left = (width - wide * scale) / 2 - min(xs) * scale
    low = (height - high * scale) / 2 - min(ys) * scale
    return {n: (left + x * scale, low + y * scale) for n, (x, y) in places.items()}, height


def _projected(known: Mapping[str, Point]) -> dict[str, Point]:
    degrees = known and all(abs(x) <= 180 and abs(y) <= 90 for x, y in known.values())
    if not degrees:
        return dict(known)
    latitude = sum(y for _, y in known.values()) / len(known)
    shorter = math.cos(math.radians(latitude))
    return {node: (x * shorter, y) for node, (x, y) in known.items()}


def _laid_out(
    nodes: Sequence[str], edges: Sequence[tuple[str, str]], known: Mapping[str, Point]
) -> dict[str, Point]:
    import networkx

    graph: Any = networkx.Graph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edges)
    if len(nodes) > _SPRINGS:
        positions = networkx.circular_layout(graph)
    else:
        fixed = list(known) or None
        positions = networkx.spring_layout(graph, pos=dict(known) or None, fixed=fixed, seed=1)
    return {
        node: known.get(node, (float(positions[node][0]), float(positions[node][1])))
        for node in nodes
    }


def name_labels(
    points: Mapping[str, Point],
    size: float,
    lines: Sequence[tuple[Point, Point]],
    width: float,
) -> list[Label]:
    """Return the names next to their nodes, where they cover few other names, nodes and lines.

    Args:
        points: node -> position.
        size: font size, points.
        lines: the drawn lines, each as (start, end).
        width: width of the map, points; places where a name would extend beyond it are avoided.
    """
    dots = [(x - 5, y - 5, x + 5, y + 5) for x, y in points.values()]
    taken: list[Box] = []
    labels: list[Label] = []
    for node, (x, y) in points.items():
        text = fitted(node.replace("_", " "), _LONGEST_NAME, size)
        half, tall = 0.5 * width_of_text(text, size), 0.6 * size
        best: tuple[float, Label, Box] | None = None
        for rank, (apart, angle) in enumerate(itertools.product(_APART, _AROUND)):
            away_x = (half + apart) * math.cos(math.radians(angle))
            away_y = (tall + apart) * math.sin(math.radians(angle))
            cx, cy = x + away_x, y + away_y
            box = (cx - half, cy - tall, cx + half, cy + tall)
            cost = 0.3 * rank + 200 * sum(_overlap(box, other) for other in taken)
            cost += 15 * sum(_overlap(box, dot) for dot in dots)
            cost += 100 * (box[0] < 0 or box[2] > width)
            cost += 4 * sum(_crossing(box, a, b) for a, b in lines)
            if best is None or cost < best[0]:
                best = cost, Label(text, cx, cy), box
        assert best is not None, "there are places around a node"
        labels.append(best[1])
        taken.append(best[2])
    return labels


def box_of(label: Label, size: float) -> Box:
    """Return the box that a name covers."""
    half, tall = 0.5 * width_of_text(label.text, size), 0.6 * size
    return (label.x - half, label.y - tall, label.x + half, label.y + tall)


def badge_places(
    owners: Sequence[tuple[Point, Point]],
    lines: Sequence[tuple[Point, Point]],
    written: Sequence[Box],
) -> list[Point]:
    """Return the centres of badges to the right of their lines, where they cover little else.

    Args:
        owners: the lines that have badges, each as (start, end).
        lines: all drawn lines.
        written: boxes that names, numbers and nodes already cover.
    """
    taken, places = list(written), []
    for (ax, ay), (bx, by) in owners:
        length = math.dist((ax, ay), (bx, by)) or 1.0
        best: tuple[float, Point, Box] | None = None
        for rank, (along, aside) in enumerate(_BESIDE):
            x = ax + along * (bx - ax) + aside * (by - ay) / length
            y = ay + along * (by - ay) - aside * (bx - ax) / length
            box = (x - _BADGE, y - _BADGE, x + _BADGE, y + _BADGE)
            cost = 0.3 * rank + 200 * sum(_overlap(box, other) for other in taken)
            cost += 2 * sum(_crossing(box, a, b) for a, b in lines)
            if best is None or cost < best[0]:
                best = cost, (x, y), box
        assert best is not None, "there are places next to a line"
        places.append(best[1])
        taken.append(best[2])
    return places


def _overlap(one: Box, other: Box) -> float:
    """Return the overlap of two boxes, from 0 (apart) to 1 (one inside the other)."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    area = min((b[2] - b[0]) * (b[3] - b[1]) for b in (one, other))
    return wide * high / area if wide > 0 and high > 0 else 0.0


def _crossing(box: Box, a: Point, b: Point) -> float:
    """Return the number of sample points of a line that lie in the box."""
    steps = max(int(math.dist(a, b) / 4), 1)
    inside = 0
    for i in range(steps + 1):
        x, y = a[0] + (b[0] - a[0]) * i / steps, a[1] + (b[1] - a[1]) * i / steps
        inside += box[0] < x < box[2] and box[1] < y < box[3]
    return float(inside)
