# SPDX-License-Identifier: Apache-2.0
"""The YAML under `network:`: links, topologies, and how they mark."""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec

from ecnomy.markets.inputs.amounts import (
    Choice,
    Framing,
    Name,
    Number,
    RateBps,
    Size,
    SizeReader,
    TimePs,
)
from ecnomy.markets.inputs.reading import Misfit
from ecnomy.markets.inputs.yamlfile import Node, show
from ecnomy.markets.plan.law_table import with_trait
from ecnomy.markets.plan.routing import EQUAL_COST, METRICS, Router
from ecnomy.markets.scenario.marking import DROP_TAIL, Marking
from ecnomy.markets.scenario.position import PositionReader
from ecnomy.markets.scenario.scheduling import ClassBased, class_fault
from ecnomy.markets.scenario.weights import DeficitRoundRobin

__all__ = [
    "REVERSE",
    "Direction",
    "Link",
    "Marking",
    "Network",
    "Reverse",
    "Scheduling",
    "wants_buffer",
]

_Buffer = Annotated[Size, SizeReader(least=1, unlimited="unlimited")]
_NotEct = Annotated[str, Choice(("drop", "pass"))]
_Loss = Annotated[float, Number(what="a probability", least=0, most=0.99)]
HALF: Final = "half"
REVERSE: Final = ".reverse"  # ends the name of the way back of a duplex link
_OF_TOPOLOGY = (
    "names",
    "rate",
    "delay_per_km",
    "delay",
    "buffer",
    "framing",
    "not_ect",
    "overrides",
)
Scheduling = ClassBased | DeficitRoundRobin


def wants_buffer(marking: Marking | None, buffer: Size) -> bool:
    """Whether a law copies its link's buffer and that is unlimited."""
    if marking is None or buffer.value >= 0:
        return False
    return marking.law in with_trait("marking", "link_buffer") and marking.written("buffer") is None


class Reverse(msgspec.Struct, frozen=True, kw_only=True):
    """Differences of the reverse direction of a duplex link; None means as forward.

    Attributes:
        rate: bits per second, if other than forward.
        delay: propagation delay, if other than forward.
        buffer: room for waiting packets, if other than forward.
        framing: link-layer bytes added to every packet, if other than forward.
        not_ect: what a packet that is not ECN-capable meets, if other than forward.
        marking: marking law of this direction.
        scheduler: classes of service of this direction.
        loss: probability that the wire loses a packet, if other than forward.
    """

    rate: RateBps | None = None
    delay: TimePs | None = None
    buffer: Annotated[Size | None, SizeReader(least=1, unlimited="unlimited")] = None
    framing: Framing | None = None
    not_ect: Annotated[str | None, Choice(("drop", "pass"))] = None
    marking: Marking | None = None
    scheduler: Scheduling | None = None
    loss: _Loss | None = None


class DuplexReader(msgspec.Struct, frozen=True):
    """true, false, or half: HALF, where both directions share one queue and transmitter."""

    @property
    def expected(self) -> str:
        """The words."""
        return "true, false or half"

    @property
    def schema(self) -> dict[str, Any]:
        """See Reader."""
        return {"enum": [True, False, HALF]}

    def read(self, node: Node, path: str) -> bool | str:
        """See Reader."""
        if isinstance(node.value, bool) or node.value == HALF:
            return node.value
        raise node.place.error(path, show(node), self.expected)

    def write(self, value: bool | str) -> bool | str:
        """See Reader."""
        return value


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """A link as written: forward, and backward unless duplex is false.

    With `duplex: half` it is one direction to plans, which paths take both ways.

    Attributes:
        name: what paths, tables and agents call it; the way back is `<name>.reverse`.
        source: node at one end, from which the forward direction leads.
        target: node at the other end.
        rate: bits per second that each direction transmits.
        delay: propagation delay, one way.
        buffer: room for waiting packets, the one in service excluded.
        framing: link-layer bytes that are added to every packet.
        not_ect: what a packet that is not ECN-capable meets where the law would mark it.
        marking: marking law of the forward direction; by default drop-tail, or the network's
            `marking`.
        scheduler: classes of service in place of one queue, first in first out.
        duplex: whether there is a way back; half: both ways share one queue and transmitter. With
            half, there are no collisions and no `<name>.reverse`, and tables count both directions
            together. Only the built-in engine has half-duplex links.
        reverse: what the way back has instead; its marking is drop-tail unless stated here.
        loss: probability that the wire loses a packet, at random and independently. Such a packet
            has waited and been sent; the loss is drawn at the far end from a random stream of the
            link. It counts as a departure and among the link's `drops` and the flow's `lost`. The
            other direction has the same probability unless `reverse` has another.
    """

    name: Name
    source: Name = msgspec.field(name="from")
    target: Name = msgspec.field(name="to")
    rate: RateBps
    delay: TimePs = 0
    buffer: _Buffer = Size(1000, "packets")
    framing: Framing = 0
    not_ect: _NotEct = "drop"
    marking: Marking = DROP_TAIL
    scheduler: Scheduling | None = None
    duplex: Annotated[bool | str, DuplexReader()] = True
    reverse: Reverse | None = None
    loss: _Loss = 0.0

    def __post_init__(self) -> None:
        if self.source == self.target:
            raise Misfit("to", repr(self.target), "a node other than its start")
        if self.reverse is not None and self.duplex is not True:
            expected = f"none, because duplex is {str(self.duplex).lower()}"
            raise Misfit("reverse", "a mapping", expected)
        _check_virtual(self.marking, self.buffer, "marking")
        if self.reverse is not None and self.reverse.marking is not None:
            _check_virtual(self.reverse.marking, self.reverse.buffer or self.buffer, "reverse")
        for direction, key in zip(self.directions(), ("", "reverse."), strict=False):
            _check_scheduler(direction, key)

    def directions(self) -> list[Direction]:
        """The one or two directions, every value filled in."""
        forward = Direction(
            self.name,
            self.source,
            self.target,
            self.rate,
            self.delay,
            self.buffer,
            self.framing,
            self.not_ect,
            self.marking,
            self.scheduler,
            self.loss,
            self.duplex == HALF,
        )
        if self.duplex is not True:
            return [forward]
        own = self.reverse or Reverse()
        backward = Direction(
            f"{self.name}{REVERSE}",
            self.target,
            self.source,
            self.rate if own.rate is None else own.rate,
            self.delay if own.delay is None else own.delay,
            self.buffer if own.buffer is None else own.buffer,
            self.framing if own.framing is None else own.framing,
            self.not_ect if own.not_ect is None else own.not_ect,
            DROP_TAIL if own.marking is None else own.marking,
            own.scheduler,
            self.loss if own.loss is None else own.loss,
        )
        return [forward, backward]


def _check_virtual(marking: Marking, buffer: Size, key: str) -> None:
    if wants_buffer(marking, buffer):
        expected = "a buffer for the law, because the buffer of the link is unlimited"
        raise Misfit(key, "no buffer", expected)


def _check_scheduler(direction: Direction, key: str) -> None:
    scheduler = direction.scheduler
    if scheduler is None:
        return
    if direction.marking != DROP_TAIL:
        law = direction.marking.__struct_config__.tag
        own = "'regulation'" if isinstance(scheduler, ClassBased) else "classes"
        raise Misfit(
            f"{key}marking",
            f"{law} together with a scheduler",
            f"none; set the {own} of the scheduler",
        )
    if not isinstance(scheduler, ClassBased):
        return
    if fault := class_fault(scheduler, direction.rate_bps, direction.buffer):
        raise Misfit(key + fault.key, fault.found, fault.expected)


class Direction(msgspec.Struct, frozen=True):
    """One direction of a link, resolved but for its nodes' numbers."""

    name: str
    source: str
    target: str
    rate_bps: int
    delay_ps: int
    buffer: Size
    framing_bytes: int
    not_ect: str
    marking: Marking
    scheduler: Scheduling | None = None
    loss: float = 0.0
    half_duplex: bool = False


class Network(msgspec.Struct, frozen=True, kw_only=True):
    """The network: links, those of a topology, or both; nodes are what links connect.

    Attributes:
        links: links, written one by one.
        topology: topology whose edges become duplex links `<from>-<to>`, which mark in both
            directions. Any topology of topohub: sndlib/*, topozoo/*, caida/*, backbone/*,
            gabriel/*. Names of nodes lose accents, spaces and signs (`New_York`). The manifest of a
            run has its links, positions and sources instead, so that the run reloads without
            topohub.
        names: node of the topology -> its name here.
        rate: bits per second of the topology's links.
        delay_per_km: propagation delay of the topology's links, per km of their length; by
            default 5 us.
        delay: propagation delay of all links of the topology, in place of one by length.
        buffer: room for waiting packets at the topology's links.
        framing: link-layer bytes added to every packet on the topology's links.
        not_ect: what a packet that is not ECN-capable meets at the topology's links.
        marking: marking law of all links that state none. From the weakest
            to the strongest: drop-tail, `network.marking`, values of a link without a `law`, a
            link's marking with a `law`. A link's marking is that of its forward direction, but
            links of a topology mark in both. A link with a scheduler takes no part. `ecnomy check`
            lists the marking of each link.
        overrides: what single links of the topology have instead, in both directions.
        routing: whether paths have the fewest links or the least delay; by default delay with a
            topology. `hops` takes the fewest links, then the least delay; `delay` takes the least
            delay, then the fewest links. All flows of a source share a path. ACKs take it backwards
            where all its links are duplex.
        equal_cost: which of several equal next hops: the one written first, or one by a hash of the
            source. The hash is of seed, source and node. Under `hops` with `hash`, all paths with
            equally many links are equal.
        positions: node -> where it is drawn: [x, y], or [longitude, latitude] of a real place.
    """

    links: tuple[Link, ...] = ()
    topology: str | None = None
    names: dict[str, Name] = {}
    rate: RateBps | None = None
    delay_per_km: TimePs | None = None
    delay: TimePs | None = None
    buffer: Annotated[Size | None, SizeReader(least=1, unlimited="unlimited")] = None
    framing: Framing | None = None
    not_ect: Annotated[str | None, Choice(("drop", "pass"))] = None
    marking: Marking | None = None
    overrides: dict[str, Reverse] = {}
    routing: Annotated[str | None, Choice(METRICS)] = None
    equal_cost: Annotated[str, Choice(EQUAL_COST)] = "first"
    positions: dict[str, Annotated[tuple[float, float], PositionReader()]] = {}

    def __post_init__(self) -> None:
        if not self.links and self.topology is None:
            raise Misfit("links", "no links", "at least one link, or a topology")
        if self.topology is None:
            for key in _OF_TOPOLOGY:
                if getattr(self, key) not in (None, {}):
                    raise Misfit(key, f"{key!r} without 'topology'", f"{key!r} at each link")
        elif self.delay is not None and self.delay_per_km is not None:
            raise Misfit("delay", "both 'delay' and 'delay_per_km'", "one of them")
        if self.routing is None:
            metric = "hops" if self.topology is None else "delay"
            msgspec.structs.force_setattr(self, "routing", metric)

    def directions(self) -> list[Direction]:
        """All directions in plan order."""
        return [direction for link in self.links for direction in link.directions()]

    def nodes(self) -> list[str]:
        """Nodes in the order of their first mention."""
        return list(dict.fromkeys(n for link in self.links for n in (link.source, link.target)))

    def router(self, *, equal_cost: str, seed: int) -> Router:
        """Finds paths as indices into directions()."""
        ends: list[tuple[str, str]] = []
        delays: list[int] = []
        twins: list[int] = []
        links: list[int] = []
        for number, one in enumerate(self.directions()):
            ends.append((one.source, one.target))
            if one.half_duplex:
                ends.append((one.target, one.source))
            ways = len(ends) - len(links)
            delays += [one.delay_ps] * ways
            links += [number] * ways
        for link in self.links:
            at = len(twins)
            twins += [at + 1, at] if link.duplex else [-1]
        return Router(
            ends,
            delays,
            twins=twins,
            links=links,
            metric=self.routing or "hops",
            equal_cost=equal_cost,
            seed=seed,
        )
