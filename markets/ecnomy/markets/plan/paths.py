# SPDX-License-Identifier: Apache-2.0
"""Paths by hand: names of links in the order of travel -> links as the plan counts them.

A name stands for whichever direction of the link begins where the one before it ended.
"""

from __future__ import annotations

from collections.abc import Sequence

from ecnomy.agents.errors import InputError
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.scenario.network import Direction, Network

__all__ = ["Mislaid", "path_by_hand"]


class Mislaid(InputError):
    """Links that are no path.

    Attributes:
        item: which of them, from 0.
        found, expected: in words.
    """

    def __init__(self, item: int, found: str, expected: str) -> None:
        self.item, self.found, self.expected = item, found, expected
        super().__init__(f"path[{item}]: found {found}, expected {expected}")


def path_by_hand(names: Sequence[str], network: Network, sender: str, receiver: str) -> list[int]:
    """Indices into `network.directions()` of the links called so, from `sender` to `receiver`.

    Raises:
        Mislaid: an unknown link, one that does not begin where the one before it ends, a node met
            twice, or an end elsewhere than at the receiver.
    """
    ways: dict[str, list[tuple[int, str, str]]] = {}  # index, from, to
    index = 0
    for link in network.links:
        ways[link.name] = []
        for one in link.directions():
            ways[link.name] += [(index, start, end) for start, end in _ends(one)]
            index += 1
    found: list[int] = []
    at, met = sender, [sender]
    for item, name in enumerate(names):
        if name not in ways:
            raise Mislaid(item, f"the unknown link {name!r}", known_name(name, ways))
        onward = {start: (number, end) for number, start, end in ways[name]}
        if at not in onward:
            between = " and ".join(ways[name][0][1:])
            raise Mislaid(item, f"{name!r}, between {between}", f"a link that begins at {at!r}")
        number, at = onward[at]
        if at in met:
            raise Mislaid(item, f"{name!r}, back to {at!r}", "a path that meets each node once")
        met.append(at)
        found.append(number)
    if at != receiver:
        last = len(names) - 1
        raise Mislaid(last, f"an end at {at!r}", f"links that lead on to {receiver!r}")
    return found


def _ends(direction: Direction) -> list[tuple[str, str]]:
    """(from, to), both ways of a half-duplex link."""
    forth = (direction.source, direction.target)
    return [forth, forth[::-1]] if direction.half_duplex else [forth]
