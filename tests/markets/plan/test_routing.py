# SPDX-License-Identifier: Apache-2.0
"""Paths against brute force over all simple paths: ties, hashes, reverse paths, no path."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable
from typing import Any

import networkx
import numpy as np
import pytest

from ecnomy.markets.plan import routing
from ecnomy.markets.plan.routing import NoRoute, Router

Ends = list[tuple[str, str]]


def random_network(seed: int) -> tuple[Ends, list[int]]:
    """Thirty one-way links among nine nodes, some parallel, with few different delays."""
    rng = np.random.Generator(np.random.PCG64(seed))
    nodes = "abcdefghi"
    ends: Ends = []
    while len(ends) < 30:
        a, b = rng.choice(9, 2)
        if a != b:
            ends.append((nodes[a], nodes[b]))
    return ends, [int(d) for d in rng.integers(0, 4, len(ends))]


def all_paths(ends: Ends, source: str, target: str) -> list[list[int]]:
    """Every simple path as link indices; parallel links make separate paths."""
    graph = networkx.MultiDiGraph()
    for index, (a, b) in enumerate(ends):
        graph.add_edge(a, b, key=index)
    if source not in graph or target not in graph:
        return []
    routes = networkx.all_simple_edge_paths(graph, source, target)
    return [[key for _, _, key in path] for path in routes]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("equal_cost", ["first", "hash"])
@pytest.mark.parametrize("metric", ["hops", "delay"])
def test_paths_are_the_best_of_all_paths(metric: str, equal_cost: str, seed: int) -> None:
    """No simple path is better than the one found; if there is no path, none is found."""
    ends, delays = random_network(seed)
    router = Router(ends, delays, metric=metric, equal_cost=equal_cost, seed=seed)

    def cost(path: list[int]) -> tuple[int, ...]:
        delay = sum(delays[link] for link in path)
        if metric == "delay":
            return (delay, len(path))
        return (len(path),) if equal_cost == "hash" else (len(path), delay)

    for source, target in itertools.permutations("abcdefghi", 2):
        paths = all_paths(ends, source, target)
        if not paths:
            with pytest.raises(NoRoute):
                router.path(source, target)
            continue
        route = router.path(source, target, f"{source}{target}")
        assert route in paths
        assert cost(route) == min(map(cost, paths))


def test_first_takes_the_link_written_first() -> None:
    """Between equal next hops and equal parallel links, the order in the file decides."""
    ends = [("s", "y"), ("s", "x"), ("x", "t"), ("y", "t"), ("y", "t")]
    router = Router(ends, [1] * 5)
    assert router.path("s", "t") == [0, 3]


def test_hash_spreads_sources_and_keeps_each() -> None:
    """Each of four equal paths gets a fair part of 400 sources; a source keeps its path."""
    ends = [("s", m) for m in "abcd"] + [(m, "t") for m in "abcd"]
    router = Router(ends, [5] * 8, equal_cost="hash", seed=3)
    ways = [tuple(router.path("s", "t", f"source-{i}")) for i in range(400)]
    counts = Counter(ways)
    assert len(counts) == 4
    assert min(counts.values()) > 70  # 100 expected, standard deviation 8.7
    again = Router(ends, [5] * 8, equal_cost="hash", seed=3)
    assert ways == [tuple(again.path("s", "t", f"source-{i}")) for i in range(400)]
    other = Router(ends, [5] * 8, equal_cost="hash", seed=4)
    assert ways != [tuple(other.path("s", "t", f"source-{i}")) for i in range(400)]


def test_hash_counts_hops_only() -> None:
    """Under `hops` and `hash`, paths with equally many links are equal, whatever their delays."""
    ends = [("s", "a"), ("s", "b"), ("a", "t"), ("b", "t")]
    delays = [1, 900, 1, 900]
    hashed = Router(ends, delays, equal_cost="hash")
    assert {tuple(hashed.path("s", "t", str(i))) for i in range(20)} == {(0, 2), (1, 3)}
    assert Router(ends, delays).path("s", "t", "any") == [0, 2]


def test_acks_take_the_path_backwards() -> None:
    """Over duplex links, ACKs reverse the path, even a longer one; else the router finds one."""
    ends = [("s", "m"), ("m", "s"), ("m", "t"), ("t", "m"), ("t", "s")]
    router = Router(ends, [1] * 5, twins=[1, 0, 3, 2, -1])
    assert router.back(router.path("s", "t")) == [3, 1]
    oneway = Router(ends, [1] * 5, twins=[1, 0, -1, 2, -1])
    assert oneway.back(oneway.path("s", "t")) == [4]
    with pytest.raises(NoRoute):
        Router(ends[:3], [1] * 3).back([0, 2])


def test_distances_are_found_once_per_receiver(monkeypatch: pytest.MonkeyPatch) -> None:
    """All pairs of a grid of 1,000 links and more cost one Dijkstra per receiver."""
    receivers: list[object] = []
    inner = routing._distances_from

    def counted(links: Any, start: Hashable) -> dict[Hashable, int]:
        receivers.append(start)
        return inner(links, start)

    monkeypatch.setattr(routing, "_distances_from", counted)
    grid = networkx.grid_2d_graph(17, 17)
    ends = [(a, b) for x, y in grid.edges for a, b in ((x, y), (y, x))]
    assert len(ends) > 1000
    router = Router(ends, [1] * len(ends))
    for source in grid.nodes:
        for target in list(grid.nodes)[:5]:
            distance = abs(source[0] - target[0]) + abs(source[1] - target[1])
            assert len(router.path(source, target)) == distance
    assert len(receivers) == 5
