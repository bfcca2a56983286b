# SPDX-License-Identifier: Apache-2.0
"""Paths by hand: names of links in the order of travel -> links as the plan counts them.

A name stands for whichever direction of the link begins where the one before it ended.
"""

from __future__ import annotations

from collections.abc import Sequence

from ecnomy.agents.errors import InputError
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.scenario.network import Direction

__all__ = ["Mislaid", "path_by_hand"]

REVERSE = ".reverse"


class Mislaid(InputError):
    """Links that are no path.

    Attributes:
        item: which of them, from 0.
        found, expected: in words.
    """

    def __init__(self, item: int, found: str, expected: str) -> None:
        self.item, self.found, self.expected = item, found, expected
        super().__init__(f"path[{item}]: found {found}, expected {expected}")


def path_by_hand(
    names: Sequence[str], directions: Sequence[Direction], sender: str, receiver: str
) -> list[int]:
    """Indices into `directions` of the links called so, from `sender` to `receiver`.

    Raises:
        Mislaid: an unknown link, one that does not begin where the one before it ends, a node met
            twice, or an end elsewhere than at the receiver.
    """
    ways: dict[str, list[int]] = {}
    for index, one in enumerate(directions):
        ways.setdefault(one.name.removesuffix(REVERSE), []).append(index)
    found: list[int] = []
    at, met = sender, [sender]
    for item, name in enumerate(names):
        if name not in ways:
            raise Mislaid(item, f"the unknown link {name!r}", known_name(name, ways))
        ends = [_ends(directions[index]) for index in ways[name]]
        onward = {a: (i, b) for i, pairs in zip(ways[name], ends, strict=True) for a, b in pairs}
        if at not in onward:
            between = " and ".join(ends[0][0])
            raise Mislaid(item, f"{name!r}, between {between}", f"a link that begins at {at!r}")
        index, at = onward[at]
        if at in met:
            raise Mislaid(item, f"{name!r}, back to {at!r}", "a path that meets each node once")
        met.append(at)
        found.append(index)
    if at != receiver:
        last = len(names) - 1
        raise Mislaid(last, f"an end at {at!r}", f"links that lead on to {receiver!r}")
    return found


def _ends(direction: Direction) -> list[tuple[str, str]]:
    """(from, to), both ways of a half-duplex link."""
    forth = (direction.source, direction.target)
    return [forth, forth[::-1]] if direction.half_duplex else [forth]
