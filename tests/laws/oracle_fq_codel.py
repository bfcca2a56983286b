# SPDX-License-Identifier: Apache-2.0
"""An oracle of FQ-CoDel: RFC 8290, with CoDel's loop as in RFC 8289 and in Linux's codel_impl.h.

It keeps two lists of flows and dequeues as Linux does: a call drops packets until one leaves.
If no packet is left, `first_above` is reset as in the RFC's dodequeue.
"""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass, field
from typing import Final, NamedTuple

__all__ = ["FqOracle", "FqSettings", "Left", "Packet"]

PS: Final = 10**12
BATCH: Final = 64


@dataclass(frozen=True)
class FqSettings:
    """The parameters, in the order of the law's table."""

    target_s: float = 0.005
    interval_s: float = 0.1
    quantum: float = 1514
    queues: int = 1024
    ce_threshold_s: float = 0
    ce_for_all: bool = False

    def values(self) -> list[float]:
        """The values in the form the law takes."""
        return [float(value) for value in astuple(self)]


class Packet(NamedTuple):
    """A waiting packet."""

    flow: int
    size: int
    ect: bool
    since: int

    @property
    def ect_1(self) -> bool:
        """Whether it is ECT(1)."""
        return self.ect and self.flow % 2 == 1


class Left(NamedTuple):
    """A packet that leaves or is dropped on its way out, and its queue."""

    queue: int
    packet: Packet
    mark: bool
    drop: bool


@dataclass
class Flow:
    """A queue with CoDel's variables of Linux."""

    number: int
    packets: list[Packet] = field(default_factory=list)
    deficit: int = 0
    count: int = 0
    lastcount: int = 0
    dropping: bool = False
    drop_next: int = 0
    first_above: int | None = None

    @property
    def size(self) -> int:
        """The bytes in the queue."""
        return sum(packet.size for packet in self.packets)


class FqOracle:
    """The packets that leave, from lists."""

    def __init__(self, settings: FqSettings) -> None:
        self.its = settings
        self.target = round(settings.target_s * PS)
        self.interval = round(settings.interval_s * PS)
        self.step = round(settings.ce_threshold_s * PS)
        self.flows = [Flow(n) for n in range(settings.queues)]
        self.new: list[Flow] = []
        self.old: list[Flow] = []
        self.largest = 0

    @property
    def waiting(self) -> int:
        """The packets in all queues."""
        return sum(len(flow.packets) for flow in self.flows)

    def enqueue(self, queue: int, packet: Packet, busy: bool) -> None:
        """Enqueue a packet. An idle link has dequeued until all lists were empty."""
        if not busy and not self.waiting:
            assert self.dequeue(packet.since) == []
        flow = self.flows[queue]
        flow.packets.append(packet)
        if flow not in self.new and flow not in self.old:
            flow.deficit = int(self.its.quantum)
            self.new.append(flow)

    def overflow(self) -> list[tuple[int, Packet]]:
        """Drops from the head of the fattest queue (fq_codel_drop)."""
        fat = max(self.flows, key=lambda flow: (flow.size, -flow.number))
        half, gone, dropped = fat.size // 2, 0, list[tuple[int, Packet]]()
        while True:
            packet = fat.packets.pop(0)
            gone += packet.size
            dropped.append((fat.number, packet))
            if len(dropped) >= BATCH or gone >= half:
                break
        fat.count += len(dropped)
        return dropped

    def dequeue(self, now: int) -> list[Left]:
        """Return the packets dropped on the way, then the packet that leaves, if any."""
        leaving: list[Left] = []
        while self.new or self.old:
            head = self.new or self.old
            flow = head[0]
            if flow.deficit <= 0:
                flow.deficit += int(self.its.quantum)
                self.old.append(head.pop(0))
                continue
            dropped, packet, mark = self.codel(flow, now)
            leaving += [Left(flow.number, one, False, True) for one in dropped]
            if packet is None:
                was_new = head is self.new
                head.pop(0)
                if was_new and self.old:
                    self.old.append(flow)
                continue
            flow.deficit -= packet.size
            late = self.step > 0 and now - packet.since > self.step
            mark |= late and (packet.ect if self.its.ce_for_all else packet.ect_1)
            return [*leaving, Left(flow.number, packet, mark, False)]
        return leaving

    def codel(self, flow: Flow, now: int) -> tuple[list[Packet], Packet | None, bool]:
        """codel_dequeue with ECN."""
        dropped: list[Packet] = []
        packet = self.take(flow)
        overdue = self.should_drop(flow, packet, now)
        if packet is None:
            flow.dropping = False
            return dropped, None, False
        if flow.dropping:
            if not overdue:
                flow.dropping = False
            while flow.dropping and now >= flow.drop_next:
                flow.count += 1
                if packet is not None and packet.ect:
                    flow.drop_next += self.law(flow)
                    return dropped, packet, True
                assert packet is not None
                dropped.append(packet)
                packet = self.take(flow)
                if not self.should_drop(flow, packet, now):
                    flow.dropping = False
                else:
                    flow.drop_next += self.law(flow)
        elif overdue:
            mark = packet.ect
            if not mark:
                dropped.append(packet)
                packet = self.take(flow)
                self.should_drop(flow, packet, now)
            flow.dropping = True
            delta = flow.count - flow.lastcount
            recent = now - flow.drop_next < 16 * self.interval
            flow.count = delta if delta > 1 and recent else 1
            flow.lastcount = flow.count
            flow.drop_next = now + self.law(flow)
            return dropped, packet, mark
        return dropped, packet, False

    def law(self, flow: Flow) -> int:
        """The control law: interval / sqrt(count)."""
        return math.isqrt(self.interval**2 // flow.count)

    def take(self, flow: Flow) -> Packet | None:
        """The oldest packet of a queue."""
        if not flow.packets:
            return None
        self.largest = max(self.largest, flow.packets[0].size)
        return flow.packets.pop(0)

    def should_drop(self, flow: Flow, packet: Packet | None, now: int) -> bool:
        """codel_should_drop; the backlog is that of all queues."""
        if packet is None:
            flow.first_above = None
            return False
        backlog = sum(one.size for one in self.flows)
        if now - packet.since < self.target or backlog <= self.largest:
            flow.first_above = None
            return False
        if flow.first_above is None:
            flow.first_above = now + self.interval
            return False
        return now >= flow.first_above
