# SPDX-License-Identifier: Apache-2.0
"""The YAML of a link: an entry of `network.links`, its reverse direction, and its marking.

A new key must also be added in plan/structs.py, compile/make.py and omnet/host/plan.cc.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Union

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
from ecnomy.markets.scenario.guaranteed_classes import ClassBased, class_fault
from ecnomy.markets.scenario.header_queues import HeaderQueues, HeaderQueuesForm
from ecnomy.markets.scenario.marking import DROP_TAIL, Marking
from ecnomy.markets.scenario.profile import DelayProfile
from ecnomy.markets.scenario.weighted_classes import DeficitRoundRobin

__all__ = [
    "REVERSE",
    "Direction",
    "Link",
    "Reordering",
    "Reverse",
    "Scheduling",
    "wants_buffer",
]

_Buffer = Annotated[Size, SizeReader(least=1, unlimited="unlimited")]
_NotEct = Annotated[str, Choice(("drop", "pass"))]
_Loss = Annotated[float, Number(what="a probability", least=0, most=0.99)]
HALF: Final = "half"
REVERSE: Final = ".reverse"  # suffix of the name of a duplex link's reverse direction
if TYPE_CHECKING:
    Scheduling = ClassBased | DeficitRoundRobin | HeaderQueues
else:
    Scheduling = Union[ClassBased, DeficitRoundRobin, HeaderQueuesForm]  # noqa: UP007


def wants_buffer(marking: Marking | None, buffer: Size) -> bool:
    """Return whether a law needs the size of its link's buffer although the buffer is unlimited."""
    if marking is None or buffer.value >= 0:
        return False
    return marking.law in with_trait("marking", "link_buffer") and marking.written("buffer") is None


class Reordering(msgspec.Struct, frozen=True, kw_only=True):
    """Packets that the wire delivers late, so that later packets overtake them.

    Attributes:
        probability: probability that a packet is late, independently of other packets.
        delay: additional delay of a late packet. TCP considers the packet lost if three later
            packets of its flow arrive first.
    """

    probability: Annotated[float, Number(what="a probability", least=0, most=1)]
    delay: TimePs


class Reverse(msgspec.Struct, frozen=True, kw_only=True):
    """Values of a reverse direction, or of one link of a topology, that differ from the defaults.

    Attributes:
        rate: bits per second; by default as in the forward direction or the topology.
        delay: propagation delay; by default as in the forward direction or the topology.
        buffer: space for waiting packets; by default as in the forward direction or the topology.
        framing: link-layer bytes added to every packet; by default as in the forward direction or
            the topology.
        not_ect: treatment of packets without ECN; by default as in the forward direction or the
            topology.
        marking: marking law; by default drop-tail for a reverse direction, and the topology's law
            for a link.
        scheduler: classes of service of the reverse direction, or of the link.
        loss: probability that the wire loses a packet; by default as in the forward direction, and
            0 for a link of a topology.
        reordering: packets that the wire delivers late; by default as in the forward direction, and
            none for a link of a topology.
        delay_profile: additional delay that changes over time; by default as in the forward
            direction, and none for a link of a topology.
    """

    rate: RateBps | None = None
    delay: TimePs | None = None
    buffer: Annotated[Size | None, SizeReader(least=1, unlimited="unlimited")] = None
    framing: Framing | None = None
    not_ect: Annotated[str | None, Choice(("drop", "pass"))] = None
    marking: Marking | None = None
    scheduler: Scheduling | None = None
    loss: _Loss | None = None
    reordering: Reordering | None = None
    delay_profile: DelayProfile | None = None


class DuplexReader(msgspec.Struct, frozen=True):
    """Reads true, false or half. With half, both directions share one queue and transmitter."""

    @property
    def expected(self) -> str:
        """Return the expected form."""
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
    """A link with a forward direction and, unless `duplex` is false, a reverse direction.

    In a plan, a link with `duplex: half` is one direction that paths use both ways.

    Attributes:
        name: name of the link in paths, tables and agents; its reverse is `<name>.reverse`.
        source: node at which the forward direction begins.
        target: node at which the forward direction ends.
        rate: bits per second that each direction transmits.
        delay: propagation delay, one way.
        buffer: space for waiting packets, not including the packet in service.
        framing: link-layer bytes that are added to every packet.
        not_ect: treatment of a packet that the law would mark if the packet were ECN-capable.
        marking: marking law of the forward direction; by default drop-tail, or the network's
            `marking`.
        scheduler: classes of service instead of one first-in first-out queue.
        duplex: whether the link has a reverse direction. With half, both directions share one queue
            and transmitter. Without a reverse direction, ACKs need another path back. A half-duplex
            link has no collisions and no `<name>.reverse`, and tables count both directions
            together. Only the built-in engine simulates half-duplex links.
        reverse: values of the reverse direction that differ from the forward one; its marking is
            drop-tail unless set here.
        loss: probability that the wire loses a packet, independently of other packets. A lost
            packet is queued and sent like other packets. It counts among the link's departures and
            `drops`, and in the flow's `lost`. The reverse direction has the same probability unless
            `reverse` sets another one.
        reordering: packets that the wire delivers late, by default none. The reverse direction
            has the same values unless `reverse` sets others.
        delay_profile: delay in addition to `delay` that changes over time, as on a path over
            satellites. When it falls, later packets can overtake others. The reverse direction
            has the same profile unless `reverse` sets another one.
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
    reordering: Reordering | None = None
    delay_profile: DelayProfile | None = None

    def __post_init__(self) -> None:
        if self.source == self.target:
            raise Misfit("to", repr(self.target), "a node other than 'from'")
        if self.reverse is not None and self.duplex is not True:
            expected = f"no 'reverse', because duplex is {str(self.duplex).lower()}"
            raise Misfit("reverse", "a mapping", expected)
        _check_virtual(self.marking, self.buffer, "marking")
        if self.reverse is not None and self.reverse.marking is not None:
            _check_virtual(self.reverse.marking, self.reverse.buffer or self.buffer, "reverse")
        for direction, key in zip(self.directions(), ("", "reverse."), strict=False):
            _check_scheduler(direction, key)

    def directions(self) -> list[Direction]:
        """Return the one or two directions, with all values filled in."""
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
            self.reordering,
            self.delay_profile,
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
            reordering=own.reordering or self.reordering,
            delay_profile=own.delay_profile or self.delay_profile,
        )
        return [forward, backward]


def _check_virtual(marking: Marking, buffer: Size, key: str) -> None:
    if wants_buffer(marking, buffer):
        expected = "a buffer for the law, because the link's buffer is unlimited"
        raise Misfit(key, "no buffer", expected)


def _check_scheduler(direction: Direction, key: str) -> None:
    scheduler = direction.scheduler
    if scheduler is None:
        return
    if direction.marking != DROP_TAIL:
        law = direction.marking.__struct_config__.tag
        raise Misfit(f"{key}marking", f"{law} together with a scheduler", _no_marking(scheduler))
    if isinstance(scheduler, HeaderQueues) and direction.not_ect == "pass":
        expected = f"drop, because {scheduler.law} drops packets that it cannot mark"
        raise Misfit(f"{key}not_ect", "pass", expected)
    if not isinstance(scheduler, ClassBased):
        return
    if fault := class_fault(scheduler, direction.rate_bps, direction.buffer):
        raise Misfit(key + fault.key, fault.found, fault.expected)


def _no_marking(scheduler: Scheduling) -> str:
    if isinstance(scheduler, HeaderQueues):
        return f"no marking law, because {scheduler.law} marks by itself"
    own = "'regulation'" if isinstance(scheduler, ClassBased) else "classes"
    return f"no marking law; set the {own} of the scheduler"


class Direction(msgspec.Struct, frozen=True):
    """One direction of a link, with all values resolved except its node numbers."""

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
    reordering: Reordering | None = None
    delay_profile: DelayProfile | None = None
