# SPDX-License-Identifier: Apache-2.0
"""Convert a topology's edges to duplex links that mark in both directions."""

from __future__ import annotations

from typing import Any

import msgspec

from ecnomy.markets.inputs.amounts import LONGEST_NAME
from ecnomy.markets.inputs.reading import Misfit, known_name
from ecnomy.markets.scenario.links import Link, Reverse, wants_buffer
from ecnomy.markets.scenario.marking import DROP_TAIL
from ecnomy.markets.scenario.network import Network
from ecnomy.markets.scenario.places import Places
from ecnomy.markets.scenario.topology import Edge, Topology

__all__ = ["with_links"]

_DELAY_PER_KM_PS = 5_000_000  # light in fibre, about 200,000 km/s
_MOST_LISTED = 12


def with_links(network: Network, topology: Topology, places: Places) -> tuple[Network, Places]:
    """Replace the topology by its links, and return the network and the extended places.

    Raises:
        ScenarioError: a link has no rate or length, or has invalid values, or an override names a
            link that does not exist.
    """
    names = [f"{edge.one}-{edge.other}" for edge in topology.edges]
    own = _overrides(network, topology, names, places)
    _check_lengths(network, topology, places)
    links, written = list(network.links), dict(places.written)
    for name, edge in zip(names, topology.edges, strict=True):
        given = own.get(name)
        path = f"network.overrides.{given[0]}" if given else "network.topology"
        written[f"network.links[{len(links)}]"] = path
        links.append(_link(network, edge, name, given[1] if given else Reverse(), path, places))
    plain = Network(
        links=tuple(links),
        routing=network.routing,
        equal_cost=network.equal_cost,
        positions={**topology.positions, **network.positions},
    )
    return plain, msgspec.structs.replace(places, written=written)


def _overrides(
    network: Network, topology: Topology, names: list[str], places: Places
) -> dict[str, tuple[str, Reverse]]:
    """Return link name -> (key, override), where a key may name the ends in either order."""
    turned = {f"{e.other}-{e.one}": n for e, n in zip(topology.edges, names, strict=True)}
    own: dict[str, tuple[str, Reverse]] = {}
    for key, given in network.overrides.items():
        name = key if key in names else turned.get(key)
        path = f"network.overrides.{key}"
        if name is None:
            known = names if len(names) <= _MOST_LISTED else []
            expected = known_name(key, known) if known else "a link <from>-<to> of the topology"
            raise places.fault(path, f"the unknown link {key!r}", expected)
        if name in own:
            raise places.fault(path, f"the link {name} twice", "each link once")
        own[name] = key, given
    return own


def _check_lengths(network: Network, topology: Topology, places: Places) -> None:
    if network.delay is not None:
        return
    bare = [edge for edge in topology.edges if edge.km < 0]
    if bare or not any(edge.km > 0 for edge in topology.edges):
        where = f"{bare[0].one}-{bare[0].other}" if bare else "any link"
        expected = "link lengths, or a 'delay' for all links instead of delay_per_km"
        raise places.fault(
            "network.topology", f"a topology without the length of {where}", expected
        )


def _link(network: Network, edge: Edge, name: str, own: Reverse, path: str, places: Places) -> Link:
    rate = own.rate or network.rate
    if rate is None:
        found, expected = f"no rate for {name}", "'rate' for the topology's links, as 10 Mbps"
        raise places.fault("network.rate", found, expected)
    if len(name) > LONGEST_NAME:
        expected = f"shorter names, because a link name has at most {LONGEST_NAME} characters"
        raise places.fault("network.names", f"the link name {name!r}", expected)
    per_km = _DELAY_PER_KM_PS if network.delay_per_km is None else network.delay_per_km
    delay = round(edge.km * per_km) if network.delay is None else network.delay
    scheduled = None if own.scheduler is None else DROP_TAIL
    marking = own.marking or scheduled or network.marking or DROP_TAIL
    buffer = own.buffer or network.buffer
    options: dict[str, Any] = {
        "delay": delay if own.delay is None else own.delay,
        "buffer": buffer,
        "framing": network.framing if own.framing is None else own.framing,
        "not_ect": own.not_ect or network.not_ect,
        "loss": own.loss,
        "reordering": own.reordering,
        "delay_profile": own.delay_profile,
    }
    if buffer and wants_buffer(marking, buffer):
        found, expected = (
            "an unlimited buffer",
            "a buffer for the virtual queue, here or in 'marking'",
        )
        raise places.fault(path if own.buffer else "network.buffer", found, expected)
    try:
        return Link(
            name=name,
            source=edge.one,
            target=edge.other,
            rate=rate,
            marking=marking,
            scheduler=own.scheduler,
            reverse=Reverse(marking=marking, scheduler=own.scheduler),
            **{key: value for key, value in options.items() if value is not None},
        )
    except Misfit as misfit:
        key = misfit.key.removeprefix("reverse.")
        raise places.fault(f"{path}.{key}", misfit.found, misfit.expected) from None
