# SPDX-License-Identifier: Apache-2.0
"""Turn a demand matrix into one source per pair of nodes, limited to the demand of the pair.

The demands d_ij of the matrix are multiplied by one factor f. With `busiest_link: x`, the factor is

    f = x / max over links l of (sum of d_ij whose path crosses l) (1 + framing / packet) / rate_l,

where each path is the first shortest path, so that demands do not depend on the seed of a hash.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ecnomy.markets.inputs.amounts import LONGEST_NAME
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.plan.routing import NoRoute
from ecnomy.markets.scenario.demands import Demands, Sending
from ecnomy.markets.scenario.document import Document, Source
from ecnomy.markets.scenario.network import Network
from ecnomy.markets.scenario.places import Places
from ecnomy.markets.scenario.topology import Topology
from ecnomy.markets.scenario.traffic import Cbr, PacketRate, Poisson, RateCapped, Traffic

__all__ = ["with_demands"]

Pair = tuple[str, str]
_MOST_NAMED = 3


def with_demands(
    document: Document, topology: Topology | None, places: Places
) -> tuple[Document, Places]:
    """Replace demand matrices by sources, and return the document and the extended places.

    Raises:
        ScenarioError: the matrix does not exist or has no demand, a node is unknown or unreachable,
            or the name of a source is too long.
    """
    sources, written = list(document.sources), dict(places.written)
    for index, demands in enumerate(document.demands):
        path = f"demands[{index}]"
        for source in _sources(document.network, demands, topology, path, places):
            written[f"sources[{len(sources)}]"] = path
            sources.append(source)
    places = msgspec.structs.replace(places, written=written)
    return msgspec.structs.replace(document, sources=tuple(sources), demands=()), places


def _sources(
    network: Network, demands: Demands, topology: Topology | None, path: str, places: Places
) -> Iterable[Source]:
    pairs = _kept(_matrix(network, demands, topology, path, places), network, demands, path, places)
    factor = _factor(network, demands, pairs, path, places)
    common = {name: getattr(demands, name) for name in Sending.__struct_fields__}
    has_demand = False
    for (sender, receiver), demand in pairs.items():
        rate_bps = round(demand * factor / demands.count)
        name = f"{demands.name}-{sender}-{receiver}"
        if len(name) > LONGEST_NAME:
            expected = f"shorter names, because a source name has at most {LONGEST_NAME} characters"
            raise places.fault(f"{path}.name", f"the source name {name!r}", expected)
        if rate_bps < 1:
            continue
        has_demand = True
        yield Source(
            name=name,
            sender=sender,
            receiver=receiver,
            traffic=_traffic(demands, rate_bps),
            group=demands.name,
            **common,
        )
    if not has_demand:
        raise places.fault(path, "no pair of nodes with a demand", "at least one demand of 1 bit/s")


def _traffic(demands: Demands, rate_bps: int) -> Traffic:
    if demands.traffic == "cbr":
        return Cbr(rate=rate_bps)
    if demands.traffic == "poisson":
        return Poisson(rate=PacketRate(float(rate_bps), "bps"))
    return RateCapped(rate=rate_bps)


def _matrix(
    network: Network, demands: Demands, topology: Topology | None, path: str, places: Places
) -> dict[Pair, float]:
    """Return the demand of each pair in the unit of the matrix, in the topology's order."""
    nodes = network.nodes()
    if demands.matrix == "uniform":
        return {(a, b): 1.0 for a in nodes for b in nodes if a != b}
    if topology is None or not topology.demands:
        found = "a topology without demands" if topology else "no topology that could have demands"
        expected = "a topology with a matrix, such as one from sndlib, or matrix: uniform"
        raise places.fault(f"{path}.matrix", found, expected)
    order = list(topology.positions) or nodes
    rows = topology.demands
    return {
        (a, b): rows[a][b] for a in order for b in order if a != b and rows.get(a, {}).get(b, 0) > 0
    }


def _kept(
    matrix: dict[Pair, float], network: Network, demands: Demands, path: str, places: Places
) -> dict[Pair, float]:
    nodes = network.nodes()
    for key, names in (("from", demands.senders), ("to", demands.receivers)):
        for index, name in enumerate(names):
            if name not in nodes:
                found = f"the unknown node {name!r}"
                raise places.fault(f"{path}.{key}[{index}]", found, known_name(name, nodes))
    senders, receivers = demands.senders or nodes, demands.receivers or nodes
    return {(a, b): demand for (a, b), demand in matrix.items() if a in senders and b in receivers}


def _factor(
    network: Network, demands: Demands, pairs: dict[Pair, float], path: str, places: Places
) -> float:
    scale = demands.scale
    if scale.unit is not None:
        return scale.unit
    if not pairs:
        return 0.0
    if scale.total is not None:
        return scale.total / sum(pairs.values())
    assert scale.busiest_link is not None, "a scale is stated in one of three ways"
    return scale.busiest_link / max(_loads(network, demands, pairs, path, places))


def _loads(
    network: Network, demands: Demands, pairs: dict[Pair, float], path: str, places: Places
) -> list[float]:
    """Return each direction's offered load relative to its rate, for a factor of 1."""
    router = network.router(equal_cost="first", seed=0)
    offered = [0.0] * len(network.directions())
    cut: list[str] = []
    for (sender, receiver), demand in pairs.items():
        try:
            links = router.path(sender, receiver)
        except NoRoute:
            cut.append(f"{sender} to {receiver}")
            continue
        for link in links:
            offered[link] += demand
    if cut:
        named = ", ".join(cut[:_MOST_NAMED])
        more = f" and {len(cut) - _MOST_NAMED} more" if len(cut) > _MOST_NAMED else ""
        expected = "a path for each pair, or lists 'from' and 'to' that leave these pairs out"
        raise places.fault(path, f"no path from {named}{more}", expected)
    packet = demands.packet_bytes
    return [
        load * (1 + d.framing_bytes / packet) / d.rate_bps
        for load, d in zip(offered, network.directions(), strict=True)
    ]
