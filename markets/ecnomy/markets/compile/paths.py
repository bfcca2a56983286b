# SPDX-License-Identifier: Apache-2.0
"""Convert paths, written as names of links in order of travel, to links of the plan.

If a link has two directions, its name means the one that begins where the previous link ends.
"""

from __future__ import annotations

from collections.abc import Sequence

from ecnomy.agents.errors import InputError
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.scenario.links import Direction
from ecnomy.markets.scenario.network import Network

__all__ = ["Mislaid", "path_by_hand"]

Ways = dict[str, list[tuple[int, str, str]]]  # for each link: index, from, to


class Mislaid(InputError):
    """A list of links that does not form a path.

    Attributes:
        item: index of the link, from 0.
        found, expected: texts for the message.
    """

    def __init__(self, item: int, found: str, expected: str) -> None:
        self.item, self.found, self.expected = item, found, expected
        super().__init__(f"path[{item}]: found {found}, expected {expected}")


def path_by_hand(names: Sequence[str], network: Network, sender: str, receiver: str) -> list[int]:
    """Return the named links from `sender` to `receiver`, as indices into `network.directions()`.

    Raises:
        Mislaid: a link is unknown or does not begin where the previous one ends, a node is visited
            twice, or the path does not end at the receiver.
    """
    ways: Ways = {}
    index = 0
    for link in network.links:
        ways[link.name] = []
        for one in link.directions():
            ways[link.name] += [(index, start, end) for start, end in _ends(one)]
            index += 1
    path_links: list[int] = []
    at, met = sender, [sender]
    for item, name in enumerate(names):
        if name not in ways:
            raise Mislaid(item, f"the unknown link {name!r}", known_name(name, ways))
        onward = {start: (number, end) for number, start, end in ways[name]}
        if at not in onward:
            raise _stuck(names, item, at, ways, receiver)
        number, at = onward[at]
        if at in met:
            raise Mislaid(
                item, f"{name!r}, which leads back to {at!r}", "a path that visits each node once"
            )
        met.append(at)
        path_links.append(number)
    if at != receiver:
        last = len(names) - 1
        raise Mislaid(last, f"a path that ends at {at!r}", f"links that lead on to {receiver!r}")
    return path_links


def _stuck(names: Sequence[str], item: int, at: str, ways: Ways, receiver: str) -> Mislaid:
    """Return the error for a link that does not begin at the node reached so far."""
    name = names[item]
    if item == 0 and _leads(names[::-1], at, receiver, ways):
        found = f"the links in reverse order, because {name!r} ends at {receiver!r}"
        return Mislaid(item, found, f"the order of travel, [{', '.join(names[::-1])}]")
    _, start, end = ways[name][0]
    if len(ways[name]) == 1 and end == at:
        found = f"{name!r} against its direction, which is from {start} to {end}"
        expected = f"a link that begins at {at!r} (duplex: true gives {name!r} both directions)"
        return Mislaid(item, found, expected)
    if item == 0 and _leads(names, receiver, at, ways):
        found = f"{name!r}, which begins a path from {receiver!r} to {at!r}"
        return Mislaid(item, found, f"from: {receiver} and to: {at}, or the opposite path")
    found = f"{name!r}, which connects {start} and {end}"
    return Mislaid(item, found, f"a link that begins at {at!r}")


def _leads(names: Sequence[str], at: str, to: str, ways: Ways) -> bool:
    """Return whether the links lead from one node to another in this order."""
    for name in names:
        onward = {start: end for _, start, end in ways.get(name, ())}
        if at not in onward:
            return False
        at = onward[at]
    return at == to


def _ends(direction: Direction) -> list[tuple[str, str]]:
    """Return (from, to), in both directions for a half-duplex link."""
    forth = (direction.source, direction.target)
    return [forth, forth[::-1]] if direction.half_duplex else [forth]
