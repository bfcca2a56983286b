# SPDX-License-Identifier: Apache-2.0
"""Compute positions for nodes without a given position, from the plan alone.

    senders ---+
    senders --- router --- router --- sinks          column: the longest data path that leads here
    senders ---+

If data flow in circles or do not reach every node, networkx computes the layout of Kamada and Kawai
(Information Processing Letters 31, 1989). For large or unconnected networks, it computes the layout
of Fruchterman and Reingold (1991) from a fixed start. The result is rotated so that data mostly
flow to the right.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from ecnomy.markets.plan import Plan

__all__ = ["Positions", "placed"]

Positions = Mapping[str, tuple[float, float]]
_STRESSED: Final = 150  # nodes up to which Kamada and Kawai's method is fast enough
_STEPS: Final = 80
_SEED: Final = 1
_STEP: Final = 0.18  # distance of nodes in a column, in widths of the picture; less for many nodes
_HIGH: Final = 0.9  # largest share of the height
_NARROW: Final = 0.07  # distance below which every other node is shifted
_DIGITS: Final = 2  # digits of a unit, few enough to hide differences between machines


def placed(plan: Plan, given: Positions | None = None) -> dict[str, tuple[float, float]]:
    """Return the position (x, y) of each node, with y upwards, in the units of `given`.

    Args:
        plan: the plan.
        given: positions of nodes that must not move.
    """
    known = {node: given[node] for node in plan.nodes if node in given} if given else {}
    if len(known) == len(plan.nodes) or not plan.nodes:
        return known
    if known:
        return _beside(plan, known)
    return _layered(plan) or _turned(plan, _spread(plan))


def _layered(plan: Plan) -> dict[str, tuple[float, float]]:
    """Return positions in columns, or {} if data flow in circles or do not reach every node."""
    import networkx

    ways = networkx.DiGraph()
    through: Counter[str] = Counter()
    for source in plan.sources:
        links = [plan.links[link] for link in source.path]
        ways.add_edges_from((plan.nodes[link.source], plan.nodes[link.target]) for link in links)
        through.update(plan.nodes[link.target] for link in links[:-1])
    if len(ways) < len(plan.nodes) or not networkx.is_directed_acyclic_graph(ways):
        return {}
    rank: dict[str, int] = {}
    for node in networkx.lexicographical_topological_sort(ways, key=plan.nodes.index):
        rank[node] = max((rank[one] + 1 for one in ways.predecessors(node)), default=0)
    for node in plan.nodes:  # nodes that only send are beside their receivers
        if not ways.in_degree(node):
            rank[node] = min(rank[one] for one in ways.successors(node)) - 1
    width = float(max(rank.values()) - min(rank.values()))
    places: dict[str, tuple[float, float]] = {}
    for column in sorted(set(rank.values())):
        nodes = [node for node in plan.nodes if rank[node] == column]
        places |= _column(nodes, through, float(column), width)
    return places


def _column(
    nodes: list[str], through: Mapping[str, int], x: float, width: float
) -> dict[str, tuple[float, float]]:
    """Place nodes in a column, with the busiest node in the middle and the others in order."""
    most = max(through[node] for node in nodes)
    busiest = [node for node in nodes if through[node] == most]
    if len(busiest) == 1:
        others = [node for node in nodes if node not in busiest]
        slots = {busiest[0]: 0.0}
        slots |= {node: (1.0 - 2 * (i % 2)) * (i // 2 + 1) for i, node in enumerate(others)}
    else:
        slots = {node: (len(nodes) - 1) / 2 - i for i, node in enumerate(nodes)}
    step = min(_STEP, _HIGH / max(len(nodes) - 1, 1)) * width
    aside = _NARROW * width / 2 if step < _NARROW * width else 0.0
    return {
        node: (x + (aside if math.floor(slot) % 2 else -aside), slot * step)
        for node, slot in slots.items()
    }


def _graph(plan: Plan) -> Any:
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(plan.nodes)
    graph.add_edges_from((plan.nodes[link.source], plan.nodes[link.target]) for link in plan.links)
    return graph


def _spread(plan: Plan) -> dict[str, tuple[float, float]]:
    import networkx

    graph = _graph(plan)
    if len(graph) <= _STRESSED and networkx.is_connected(graph):
        layout = networkx.kamada_kawai_layout(graph)
    else:
        layout = networkx.spring_layout(graph, iterations=_STEPS, seed=_SEED)
    return {node: (float(x), float(y)) for node, (x, y) in layout.items()}


def _turned(plan: Plan, places: Positions) -> dict[str, tuple[float, float]]:
    """Rotate the layout so that data flow to the right on average, and scale it to -1 ... 1."""
    dx, dy = 0.0, 0.0
    for source in plan.sources:
        begins = places[plan.nodes[plan.links[source.path[0]].source]]
        ends = places[plan.nodes[plan.links[source.path[-1]].target]]
        dx, dy = dx + ends[0] - begins[0], dy + ends[1] - begins[1]
    length = math.hypot(dx, dy)
    cos, sin = (dx / length, dy / length) if length > 1e-6 else (1.0, 0.0)
    turned = {n: (x * cos + y * sin, y * cos - x * sin) for n, (x, y) in places.items()}
    most = max(abs(value) for place in turned.values() for value in place) or 1.0
    # + 0.0: avoids minus zero
    return {
        n: (round(x / most, _DIGITS) + 0.0, round(y / most, _DIGITS) + 0.0)
        for n, (x, y) in turned.items()
    }


def _beside(plan: Plan, known: Positions) -> dict[str, tuple[float, float]]:
    """Place nodes without a known position near their neighbours."""
    import networkx

    xs, ys = zip(*known.values(), strict=True)
    size = max(max(xs) - min(xs), max(ys) - min(ys)) or 1.0
    middle = (sum(xs) / len(xs), sum(ys) / len(ys))
    graph = _graph(plan)
    others = [node for node in graph if node not in known]
    start = {node: ((x - min(xs)) / size, (y - min(ys)) / size) for node, (x, y) in known.items()}
    for number, node in enumerate(others):  # start at different places on a circle
        angle = 2 * math.pi * number / len(others)
        start[node] = (
            (middle[0] - min(xs)) / size + 0.5 * math.cos(angle),
            (middle[1] - min(ys)) / size + 0.5 * math.sin(angle),
        )
    layout = networkx.spring_layout(
        graph, pos=start, fixed=list(known), iterations=_STEPS, seed=_SEED
    )
    return dict(known) | {
        node: (
            min(xs) + size * round(float(layout[node][0]), _DIGITS),
            min(ys) + size * round(float(layout[node][1]), _DIGITS),
        )
        for node in others
    }
