# SPDX-License-Identifier: Apache-2.0
"""Find routes by Dijkstra's algorithm, with next hops towards each receiver as in routers.

The cost of a link is one hop (metric `hops`) or its propagation delay (`delay`). Among next hops
with equal cost, `first` takes the first link listed, and `hash` takes a link by a keyed hash of
(seed, source, node). A source therefore keeps its path, and sources spread over the paths. Under
`hops` and `first`, the path with the least delay wins among paths with the same number of links.
Under `hash` all these paths are equal, as for routers that count hops. Under `delay`, the path with
the fewest links wins among paths with equal delay.
"""

from __future__ import annotations

import hashlib
import heapq
import itertools
from collections.abc import Hashable, Mapping, Sequence
from typing import Final

__all__ = ["EQUAL_COST", "METRICS", "NoRoute", "Router"]

METRICS: Final = ("hops", "delay")
EQUAL_COST: Final = ("first", "hash")


class NoRoute(LookupError):
    """No path leads from one node to another."""


class Router:
    """Finds paths as lists of link indices.

    Args:
        ends: (from, to) of each directed link.
        delays_ps: propagation delay of each link [ps].
        twins: index of each link's opposite direction, or -1 if the link has no opposite direction;
            by default -1 for all.
        links: index that stands for each link in paths, the same for both directions of a
            half-duplex link; by default the link's position.
        metric: `hops` or `delay`.
        equal_cost: `first` or `hash`.
        seed: seed of the hash.
    """

    def __init__(
        self,
        ends: Sequence[tuple[Hashable, Hashable]],
        delays_ps: Sequence[int],
        *,
        twins: Sequence[int] = (),
        links: Sequence[int] = (),
        metric: str = "hops",
        equal_cost: str = "first",
        seed: int = 0,
    ) -> None:
        self._ends, self._twins = ends, twins
        self._links = links or range(len(ends))
        self._ways: dict[int, list[int]] = {}
        for way, link in enumerate(self._links):
            self._ways.setdefault(link, []).append(way)
        self._hash, self._seed = equal_cost == "hash", seed
        self._costs = _costs(delays_ps, metric, self._hash)
        self._backward: dict[Hashable, dict[Hashable, int]] = {}  # end -> start -> least cost
        self._leaving: dict[Hashable, list[int]] = {}
        for index, (source, target) in enumerate(ends):
            self._leaving.setdefault(source, []).append(index)
            starts = self._backward.setdefault(target, {})
            starts[source] = min(self._costs[index], starts.get(source, self._costs[index]))
        self._distances: dict[Hashable, dict[Hashable, int]] = {}

    def path(self, source: Hashable, target: Hashable, key: str = "") -> list[int]:
        """Return the links from `source` to `target`. The hash includes `key`, the source's name.

        Raises:
            NoRoute: no path exists.
        """
        left = self._to(target)
        if source not in left:
            raise NoRoute
        path: list[int] = []
        while source != target:
            choices = self._next_hops(source, left)
            path.append(choices[self._choice(key, source, len(choices))])
            source = self._ends[path[-1]][1]
        return [self._links[link] for link in path]

    def reaches(self, source: Hashable, target: Hashable) -> bool:
        """Return whether links lead from `source` to `target`."""
        return source in self._to(target)

    def back(self, path: Sequence[int], key: str = "", source: Hashable = None) -> list[int]:
        """Return the path of ACKs: the reversed path if all links allow it, else the best path.

        Args:
            path: path that the data take.
            key: the source's name, for the hash.
            source: start of the path, which a half-duplex link does not determine.

        Raises:
            NoRoute: no path exists.
        """
        directed = self._directed(path, source)
        reverse = [self._twins[link] if self._twins else -1 for link in reversed(directed)]
        if all(link >= 0 for link in reverse):
            return [self._links[link] for link in reverse]
        return self.path(self._ends[directed[-1]][1], self._ends[directed[0]][0], key)

    def _directed(self, path: Sequence[int], source: Hashable) -> list[int]:
        """Return the directions in which a path traverses links."""
        directions: list[int] = []
        for link in path:
            ways = self._ways[link]
            at = self._ends[directions[-1]][1] if directions else source
            directions.append(next((way for way in ways if self._ends[way][0] == at), ways[0]))
        return directions

    def _to(self, target: Hashable) -> dict[Hashable, int]:
        """Return the remaining cost to `target` from every node that can reach it."""
        if target not in self._distances:
            self._distances[target] = _distances_from(self._backward, target)
        return self._distances[target]

    def _next_hops(self, node: Hashable, left: dict[Hashable, int]) -> list[int]:
        links = (link for link in self._leaving[node] if self._ends[link][1] in left)
        return [
            link for link in links if self._costs[link] + left[self._ends[link][1]] == left[node]
        ]

    def _choice(self, key: str, node: Hashable, count: int) -> int:
        if count == 1 or not self._hash:
            return 0
        digest = hashlib.sha256(f"{self._seed}/{key}/{node}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % count


def _distances_from(
    links: Mapping[Hashable, Mapping[Hashable, int]], start: Hashable
) -> dict[Hashable, int]:
    """Return the least cost to each node within reach, by Dijkstra's algorithm."""
    distances: dict[Hashable, int] = {}
    turn = itertools.count()  # breaks ties, because nodes may have no order
    waiting: list[tuple[int, int, Hashable]] = [(0, next(turn), start)]
    while waiting:
        distance, _, node = heapq.heappop(waiting)
        if node in distances:
            continue
        distances[node] = distance
        for neighbour, cost in links.get(node, {}).items():
            if neighbour not in distances:
                heapq.heappush(waiting, (distance + cost, next(turn), neighbour))
    return distances


def _costs(delays_ps: Sequence[int], metric: str, hashed: bool) -> list[int]:
    """Return integer costs of links, in which the first criterion always outweighs the second."""
    if metric == "delay":
        most_links = len(delays_ps) + 1
        return [delay * most_links + 1 for delay in delays_ps]
    hop = 1 if hashed else sum(delays_ps) + 1
    return [hop if hashed else hop + delay for delay in delays_ps]
