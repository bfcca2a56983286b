# SPDX-License-Identifier: Apache-2.0
"""Paths by networkx: fewest links, then least delay, then the links written first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["NoRoute", "Router"]


class NoRoute(LookupError):
    """No path leads from one node to another."""


class Router:
    """Finds paths as lists of link indices.

    Args:
        ends: (from, to) of each directed link, as node indices.
        delays_ps: propagation delay of each.
    """

    def __init__(self, ends: Sequence[tuple[int, int]], delays_ps: Sequence[int]) -> None:
        import networkx  # a fifth of a second, which only plans need to pay

        self._shortest = networkx.dijkstra_path
        self._no_path = (networkx.NetworkXNoPath, networkx.NodeNotFound)
        self._graph: Any = networkx.DiGraph()
        hop = sum(delays_ps) + 1  # outweighs any sum of delays, so that hops come first
        for index, ((source, target), delay) in enumerate(zip(ends, delays_ps, strict=True)):
            known = self._graph.get_edge_data(source, target)
            if known is None or delay < delays_ps[known["link"]]:
                self._graph.add_edge(source, target, weight=hop + delay, link=index)

    def path(self, source: int, target: int) -> list[int]:
        """Links from `source` to `target`.

        Raises:
            NoRoute: there is no way.
        """
        try:
            nodes = self._shortest(self._graph, source, target)
        except self._no_path:
            raise NoRoute from None
        steps = zip(nodes[:-1], nodes[1:], strict=True)
        return [int(self._graph.edges[step]["link"]) for step in steps]
