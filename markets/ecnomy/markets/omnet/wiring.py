# SPDX-License-Identifier: Apache-2.0
"""Map a plan to OMNeT++ nodes with gates, addresses, routes and applications.

A link and its reverse share one pair of gates at each end if their framing is equal, because an
interface has one framing. Otherwise, each direction has a separate pair with an unconnected gate.
Every source has a separate address at each end. Routes are /32, so each source can have its own
path.
"""

from __future__ import annotations

from typing import Final

import msgspec

from ecnomy.agents.errors import InputError
from ecnomy.markets.omnet.names import identifiers
from ecnomy.markets.plan import Plan, Source, Tcp

__all__ = ["PORT", "App", "NedWire", "WiredNode", "Wiring", "wired"]

PORT: Final = 5000  # INET assigns ports up to 4999 automatically
_PORTS: Final = 65536 - PORT
_SOURCES: Final = 2**22
_REVERSE: Final = ".reverse"
_OWN: Final = ("market",)


class NedWire(msgspec.Struct, frozen=True):
    """One direction of a link, with its NED name and its gate numbers at both ends."""

    name: str
    leaves: int
    enters: int


class App(msgspec.Struct, frozen=True):
    """An application, which is the sending or the receiving end of a source."""

    source: int
    sends: bool


class WiredNode(msgspec.Struct):
    """A node under construction.

    Attributes:
        name, shown: name in NED, and name in the plan.
        framing: framing bytes of each gate.
        interfaces: name of each gate's interface, from the outgoing or else the incoming link.
        addresses: addresses of the node.
        routes: gate number of the route to each address.
        apps: applications of the node, in order.
    """

    name: str
    shown: str
    framing: list[int] = []
    interfaces: list[str] = []
    addresses: list[str] = []
    routes: dict[str, int] = {}
    apps: list[App] = []


class Wiring(msgspec.Struct, frozen=True):
    """Nodes in the plan's order, wires of links, and two addresses per source."""

    nodes: list[WiredNode]
    wires: list[NedWire]
    addresses: list[tuple[str, str]]


def wired(plan: Plan) -> Wiring:
    """Return the wiring of a plan.

    Raises:
        InputError: the plan has too many sources, a source has more flows than a node has ports, or
            a link or source needs the built-in engine.
    """
    if halves := [link.name for link in plan.links if link.half_duplex]:
        only = "only the built-in engine supports links whose directions share a transmitter"
        raise InputError(f"link {halves[0]!r}: duplex: half; {only}")
    if len(plan.sources) > _SOURCES:
        raise InputError(
            f"found {len(plan.sources):,} sources, expected at most {_SOURCES:,} in an OMNeT++ run"
        )
    names = identifiers(plan.nodes, _OWN)
    nodes = [WiredNode(names[node], node) for node in plan.nodes]
    wires = _wires(plan, nodes)
    addresses = [_addresses(index) for index in range(len(plan.sources))]
    for index, source in enumerate(plan.sources):
        _place(plan, nodes, wires, index, source, addresses[index])
    return Wiring(nodes, wires, addresses)


def _wires(plan: Plan, nodes: list[WiredNode]) -> list[NedWire]:
    names = identifiers(link.name for link in plan.links)
    by_name = {link.name: number for number, link in enumerate(plan.links)}
    wires: list[NedWire | None] = [None] * len(plan.links)
    for number, link in enumerate(plan.links):
        if wires[number] is not None:
            continue
        leaves, enters = len(nodes[link.source].framing), len(nodes[link.target].framing)
        nodes[link.source].framing.append(link.framing_bytes)
        nodes[link.target].framing.append(link.framing_bytes)
        nodes[link.source].interfaces.append(link.name)
        nodes[link.target].interfaces.append(link.name)
        wires[number] = NedWire(names[link.name], leaves, enters)
        back = by_name.get(link.name + _REVERSE)
        if back is not None and _opposite(plan, number, back):
            wires[back] = NedWire(names[plan.links[back].name], enters, leaves)
            nodes[link.target].interfaces[enters] = plan.links[back].name
    return [wire for wire in wires if wire is not None]


def _opposite(plan: Plan, one: int, other: int) -> bool:
    a, b = plan.links[one], plan.links[other]
    turned = (a.source, a.target) == (b.target, b.source)
    return other > one and turned and a.framing_bytes == b.framing_bytes


def _addresses(index: int) -> tuple[str, str]:
    """Return the addresses of a source at its sending and at its receiving node."""
    base = 4 * index
    start = f"10.{base >> 16}.{base >> 8 & 255}."
    return f"{start}{(base & 255) + 1}", f"{start}{(base & 255) + 2}"


def _place(
    plan: Plan,
    nodes: list[WiredNode],
    wires: list[NedWire],
    index: int,
    source: Source,
    addresses: tuple[str, str],
) -> None:
    if source.count > _PORTS:
        most = f"a source of an OMNeT++ run has at most {_PORTS:,}"
        raise InputError(f"source {source.name!r}: {source.count:,} flows; {most}")
    if isinstance(source.transport, Tcp) and not source.transport.repair:
        only = "only the built-in engine supports receivers that skip losses"
        raise InputError(f"source {source.name!r}: repair: false; {only}")
    local, remote = addresses
    sender = nodes[plan.links[source.path[0]].source]
    receiver = nodes[plan.links[source.path[-1]].target]
    sender.addresses.append(local)
    receiver.addresses.append(remote)
    sender.apps.append(App(index, True))
    receiver.apps.append(App(index, False))
    for address, path in ((remote, source.path), (local, source.ack_path)):
        for link in path:
            nodes[plan.links[link].source].routes[address] = wires[link].leaves
