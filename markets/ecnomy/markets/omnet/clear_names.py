# SPDX-License-Identifier: Apache-2.0
"""Move nodes a little if a line between two nodes would cross the name of a node.

Qtenv writes a node's name below its icon, and lines start behind the icon. A line that leaves
steeply downwards therefore crosses the name. Nodes move one at a time, each to the nearby place
with the lowest cost. The cost includes the length of lines within icons and names, crossings of
lines, overlaps, nearness to other nodes, and the distance of the move. A node without crossings and
overlaps keeps its place.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ecnomy.agents.arrays import Floats
from ecnomy.agents.observation import Truths

__all__ = ["Box", "Place", "clear_names", "inside", "node_boxes"]

Place = tuple[int, int]
Box = tuple[float, float, float, float]  # left, top, right, bottom
Links = Sequence[tuple[str, str]]
_ICON: Final = 40  # width and height of an icon, in pixels
_LETTER: Final = 7  # width of a letter of a name
_NAME: Final = (_ICON / 2 + 1, _ICON / 2 + 19)  # top and bottom of a name, below the icon's middle
_CLEAR: Final = 4  # distance between a line, which is up to 6 pixels wide, and a name
_MOST: Final = 60  # largest number of nodes; a larger network keeps its places
_PASSES: Final = 4
_STEP: Final = 10
_APART: Final = 120  # nodes closer than this leave little room for labels
_ACROSS, _DOWN = 140, 70  # longest moves
# The cost of a pixel; the cost of a move is multiplied by the square of the number of lines.
_CROSSED, _COVERED, _NEAR, _MOVED = 1000.0, 100.0, 10.0, 1.0


def clear_names(places: Mapping[str, Place], links: Links, area: Box) -> dict[str, Place]:
    """Return places of the nodes such that few lines cross icons and names.

    In a network of more than _MOST nodes, all nodes keep their places.

    Args:
        places: centre of each node's icon [pixels, y downwards], by node.
        links: pairs of nodes that lines connect.
        area: the area that must contain the centres of icons.
    """
    if len(places) > _MOST:
        return dict(places)
    lines = sorted({(min(pair), max(pair)) for pair in links})
    ends = Counter(node for pair in lines for node in pair)
    first = sorted(places, key=lambda node: ends[node])
    tries = [_settled(order, places, lines, ends, area) for order in (first, first[::-1])]

    def total(layout: Mapping[str, Place]) -> float:
        moved = sum(_weight(ends[node]) * math.dist(layout[node], places[node]) for node in places)
        return moved + sum(
            float(_costs(node, layout, lines)(_array([layout[node]])).sum()) for node in places
        )

    return min(tries, key=total)


def _settled(
    order: Sequence[str], places: Mapping[str, Place], lines: Links, ends: Counter[str], area: Box
) -> dict[str, Place]:
    """Move nodes one at a time, until no node moves or _PASSES passes are done."""
    layout = dict(places)
    for _ in range(_PASSES):
        before = dict(layout)
        for node in order:
            cost, home = _costs(node, layout, lines), places[node]
            if layout[node] == home and cost(_array([home]))[0, 0] == 0:
                continue
            tries = [layout[node], home, *_around(home, area)]
            moved = np.hypot(*(_array(tries) - _array(home)).T)
            costs = cost(_array(tries)).sum(axis=1) + _weight(ends[node]) * moved
            layout[node] = tries[int(np.argmin(costs))]
        if layout == before:
            break
    return layout


def _weight(lines: int) -> float:
    """Return the cost per pixel of moving a node with this number of lines."""
    return _MOVED * max(lines, 1) ** 2


def node_boxes(node: str, place: Place) -> tuple[Box, Box]:
    """Return the boxes of a node's icon and of the name below it."""
    x, y = place
    half, wide = _ICON / 2, _LETTER * len(node) / 2
    return (x - half, y - half, x + half, y + half), (
        x - wide,
        y + _NAME[0],
        x + wide,
        y + _NAME[1],
    )


def inside(begin: Place | Floats, end: Place | Floats, box: Box | Floats) -> Floats:
    """Return the length of each line inside a box (clipping by Liang and Barsky 1984).

    Args:
        begin: starting points of lines, as an array of shape (..., 2).
        end: end points of lines, as an array of shape (..., 2).
        box: boxes, as an array of shape (..., 4).
    """
    begin, end, box = _array(begin), _array(end), _array(box)
    start: Floats | float = 0.0
    stop: Floats | float = 1.0
    outside: Truths | bool = False
    for axis in (0, 1):
        a, b = begin[..., axis], end[..., axis]
        least, most = box[..., axis], box[..., axis + 2]
        outside = outside | (np.maximum(a, b) <= least) | (np.minimum(a, b) >= most)
        along = np.where(a == b, np.inf, b - a)  # an axis does not clip a line perpendicular to it
        first = np.where(a == b, 0.0, (least - a) / along)
        last = np.where(a == b, 1.0, (most - a) / along)
        start = np.maximum(start, np.minimum(first, last))
        stop = np.minimum(stop, np.maximum(first, last))
    clipped = np.maximum(np.subtract(stop, start), 0.0) * np.hypot(*np.moveaxis(end - begin, -1, 0))
    return np.where(outside, 0.0, clipped)


def _around(home: Place, area: Box) -> list[Place]:
    x = range(home[0] - _ACROSS, home[0] + _ACROSS + 1, _STEP)
    y = range(home[1] - _DOWN, home[1] + _DOWN + 1, _STEP)
    return [(a, b) for a in x if area[0] <= a <= area[2] for b in y if area[1] <= b <= area[3]]


def _costs(node: str, places: Mapping[str, Place], lines: Links) -> Callable[[Floats], Floats]:
    """Return a function that computes the costs of places for a node while other nodes stay.

    The function takes places of shape (n, 2) and returns costs of shape (n, 2): one for overlaps
    and crossings, and one for nearness to other nodes.
    """
    others = [other for other in places if other != node]
    there = _array([places[other] for other in others]).reshape(-1, 2)
    boxes = _array([_boxes(other, places[other]) for other in others]).reshape(-1, 2, 4)
    joined = [others.index(a if b == node else b) for a, b in lines if node in (a, b)]
    passing = np.array(
        [(others.index(a), others.index(b)) for a, b in lines if node not in (a, b)], int
    ).reshape(-1, 2)
    begin, end = there[passing[:, 0]], there[passing[:, 1]]
    offsets = _array(_boxes(node, (0, 0)))

    def cost(tries: Floats) -> Floats:
        here = tries[:, None]
        own = here[..., [0, 1, 0, 1]] + offsets
        crossed = inside(begin, end, own[:, 0, None]) + inside(begin, end, own[:, 1, None])
        crossings = crossed.sum(axis=1)
        for far in joined:
            its = there[far]
            apart = (passing != far).all(axis=1)
            crossings += _meet(here, its, begin[apart], end[apart]).sum(axis=1)
            crossings += inside(tries, its, own[:, 1])
            crossings += inside(here, its, boxes[:, 1]).sum(axis=1)
            crossings += inside(here, its, np.delete(boxes[:, 0], far, axis=0)).sum(axis=1)
        near = np.maximum(_APART - np.hypot(*np.moveaxis(here - there, -1, 0)), 0.0).sum(axis=1)
        covered = _shared(own[:, :, None, None], boxes).sum(axis=(1, 2, 3))
        return np.stack([_CROSSED * crossings + _COVERED * covered, _NEAR * near], axis=1)

    return cost


def _meet(a: Floats, b: Floats, c: Floats, d: Floats) -> Truths:
    """Return whether two lines cross."""

    def side(one: Floats, two: Floats, of: Floats) -> Truths:
        (x, y), (u, v) = np.moveaxis(two - one, -1, 0), np.moveaxis(of - one, -1, 0)
        return np.asarray(x * v > y * u)

    return np.asarray((side(a, b, c) != side(a, b, d)) & (side(c, d, a) != side(c, d, b)))


def _boxes(node: str, place: Place) -> list[Box]:
    return [(x - _CLEAR, y, u + _CLEAR, v + _CLEAR) for x, y, u, v in node_boxes(node, place)]


def _shared(one: Floats, two: Floats) -> Floats:
    """Return the areas in which pairs of boxes overlap."""
    wide = np.minimum(one[..., 2], two[..., 2]) - np.maximum(one[..., 0], two[..., 0])
    high = np.minimum(one[..., 3], two[..., 3]) - np.maximum(one[..., 1], two[..., 1])
    return np.asarray(np.maximum(wide, 0.0) * np.maximum(high, 0.0))


def _array(numbers: npt.ArrayLike) -> Floats:
    return np.asarray(numbers, dtype=np.float64)
