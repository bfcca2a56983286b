# SPDX-License-Identifier: Apache-2.0
"""Moves nodes a little where a line between two nodes would cross the name of a node.

Qtenv writes a node's name below its icon, and lines start behind the icon. A line that leaves
steeply downwards crosses the name. One node after the other takes the place nearby that costs
least: pixels of lines in boxes, crossings of lines, pixels of boxes in one another, nearness to
other nodes, and the distance of the move. A network without such a crossing stays as it is.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

__all__ = ["Box", "Place", "clear_names", "inside", "node_boxes"]

Place = tuple[int, int]
Box = tuple[float, float, float, float]  # left, top, right, bottom
Links = Sequence[tuple[str, str]]
_ICON: Final = 40  # width and height of an icon, in pixels
_LETTER: Final = 7  # width of a letter of a name
_NAME: Final = (_ICON / 2 + 1, _ICON / 2 + 19)  # from the middle of the icon to its name, down
_CLEAR: Final = 4  # between a line, which is up to 6 pixels wide, and a name
_MOST: Final = 60  # nodes; a larger network keeps its places
_PASSES: Final = 4
_STEP: Final = 10
_APART: Final = 120  # nearer nodes leave labels little room
_ACROSS, _DOWN = 140, 70  # longest moves
# The cost of a pixel; that of a move is times the square of the node's lines.
_CROSSED, _COVERED, _NEAR, _MOVED = 1000.0, 100.0, 10.0, 1.0


def clear_names(places: Mapping[str, Place], links: Links, area: Box) -> dict[str, Place]:
    """Return places at which as few lines as possible cross icons and names.

    Args:
        places: node -> middle of its icon, in pixels, y downwards.
        links: the nodes that each line connects.
        area: where middles of icons may be.
    """
    if len(places) > _MOST:
        return dict(places)
    lines = sorted({(min(pair), max(pair)) for pair in links})
    ends = Counter(node for pair in lines for node in pair)
    first = sorted(places, key=lambda node: ends[node])
    tries = [_settled(order, places, lines, ends, area) for order in (first, first[::-1])]

    def total(found: Mapping[str, Place]) -> float:
        moved = sum(_weight(ends[node]) * math.dist(found[node], places[node]) for node in places)
        return moved + sum(sum(_costs(node, found, lines)(found[node])) for node in places)

    return min(tries, key=total)


def _settled(
    order: Sequence[str], places: Mapping[str, Place], lines: Links, ends: Counter[str], area: Box
) -> dict[str, Place]:
    """Move one node after the other until none has a better place."""
    found = dict(places)
    for _ in range(_PASSES):
        before = dict(found)
        for node in order:
            cost, home = _costs(node, found, lines), places[node]
            if found[node] == home and cost(home)[0] == 0:
                continue
            weight = _weight(ends[node])
            tries = [found[node], home, *_around(home, area)]
            costs = [(sum(cost(one)) + weight * math.dist(one, home), one) for one in tries]
            found[node] = min(costs, key=lambda one: one[0])[1]
        if found == before:
            break
    return found


def _weight(lines: int) -> float:
    """The cost of moving a node by a pixel."""
    return _MOVED * max(lines, 1) ** 2


def node_boxes(node: str, place: Place) -> tuple[Box, Box]:
    """Return the boxes of a node's icon and of its name below it."""
    x, y = place
    half, wide = _ICON / 2, _LETTER * len(node) / 2
    return (x - half, y - half, x + half, y + half), (
        x - wide,
        y + _NAME[0],
        x + wide,
        y + _NAME[1],
    )


def inside(begin: Place, end: Place, box: Box) -> float:
    """Return the length of a line inside a box (clipping after Liang and Barsky 1984)."""
    start, stop = 0.0, 1.0
    for a, b, least, most in ((begin[0], end[0], *box[::2]), (begin[1], end[1], *box[1::2])):
        if max(a, b) <= least or min(a, b) >= most:
            return 0.0
        if a != b:
            first, last = (least - a) / (b - a), (most - a) / (b - a)
            start, stop = max(start, min(first, last)), min(stop, max(first, last))
    return max(stop - start, 0.0) * math.dist(begin, end)


def _around(home: Place, area: Box) -> Iterator[Place]:
    for across, down in itertools.product(
        range(-_ACROSS, _ACROSS + 1, _STEP), range(-_DOWN, _DOWN + 1, _STEP)
    ):
        x, y = home[0] + across, home[1] + down
        if area[0] <= x <= area[2] and area[1] <= y <= area[3]:
            yield x, y


def _costs(
    node: str, places: Mapping[str, Place], lines: Links
) -> Callable[[Place], tuple[float, float]]:
    """Return the cost of a place while other nodes stay: of what is covered, and of nearness."""
    there = {other: place for other, place in places.items() if other != node}
    boxes = {other: _boxes(other, place) for other, place in there.items()}
    joined = [a if b == node else b for a, b in lines if node in (a, b)]
    passing = [(places[a], places[b]) for a, b in lines if node not in (a, b)]

    def cost(place: Place) -> tuple[float, float]:
        icon, name = _boxes(node, place)
        crossed = sum(inside(a, b, icon) + inside(a, b, name) for a, b in passing)
        crossed += sum(inside(place, there[far], name) for far in joined)
        for far in joined:
            between = [(a, b) for a, b in passing if there[far] not in (a, b)]
            crossed += sum(_meet(place, there[far], a, b) for a, b in between)
        covered = near = 0.0
        for other, (its_icon, its_name) in boxes.items():
            near += max(_APART - math.dist(place, there[other]), 0.0)
            for one, two in itertools.product((icon, name), (its_icon, its_name)):
                covered += _shared(one, two)
            for far in joined:
                crossed += inside(place, there[far], its_name)
                if far != other:
                    crossed += inside(place, there[far], its_icon)
        return _CROSSED * crossed + _COVERED * covered, _NEAR * near

    return cost


def _meet(a: Place, b: Place, c: Place, d: Place) -> bool:
    """Whether two lines cross."""

    def side(one: Place, two: Place, of: Place) -> bool:
        return (two[0] - one[0]) * (of[1] - one[1]) > (two[1] - one[1]) * (of[0] - one[0])

    return side(a, b, c) != side(a, b, d) and side(c, d, a) != side(c, d, b)


def _boxes(node: str, place: Place) -> tuple[Box, Box]:
    icon, name = node_boxes(node, place)
    return _padded(icon), _padded(name)


def _padded(box: Box) -> Box:
    return box[0] - _CLEAR, box[1], box[2] + _CLEAR, box[3] + _CLEAR


def _shared(one: Box, two: Box) -> float:
    wide = min(one[2], two[2]) - max(one[0], two[0])
    high = min(one[3], two[3]) - max(one[1], two[1])
    return wide * high if wide > 0 and high > 0 else 0.0
