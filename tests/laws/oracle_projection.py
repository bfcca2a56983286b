# SPDX-License-Identifier: Apache-2.0
"""christin2003's marking by projected arrivals, computed each time from all observations.

The queue is a list of packets, where the oldest of the chosen flow is marked at once; rounds are
lists of arrival times; sums and maxima are taken over all flows at every arrival. Sources: sections
2 and 3; for the filter, Estan and Varghese 2001 and 2002.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from oracle_random import splitmix

__all__ = ["Filter", "Heuristic", "Options", "Packet", "Reference"]

PS: Final = 10**12
NEAR: Final = 1e-9


class Options(NamedTuple):
    """Parameters in the order of their tables; the last five are the heuristic's."""

    buffer_packets: float
    mean_bytes: float = 1000.0
    k: float = 10.0
    memory: float = 0.9
    forget: float = 4.0
    screened: bool = False
    interval_s: float = 0.25
    least_bytes: float = 8000.0
    parallel: bool = False
    stages: int = 3
    buckets: int = 8

    def values(self, heuristic: bool) -> list[float]:
        """One number per parameter."""
        return [float(v) for v in self][: 11 if heuristic else 6]


@dataclass
class Packet:
    """A packet in the queue."""

    flow: int
    size: int
    ect: bool
    ce: bool
    marked_here: bool = False


@dataclass
class Flow:
    """The state of a flow: arrival times by round, the estimate, and its largest packet."""

    rounds: list[list[int]] = field(default_factory=list)  # the first holds only T1
    rtt: float = 0.0
    mss: int = 0
    hit: bool = False  # marked, or lost a packet, in this round
    ect: bool = False
    next_marked: int = 0  # marks that wait for packets to arrive
    waiting: int = 0  # packets in the queue, counted from when the flow was followed

    @property
    def known(self) -> bool:
        return len(self.rounds) > 1

    @property
    def window(self) -> int:
        return len(self.rounds[-1])

    @property
    def next_round(self) -> float:
        return self.rounds[-1][0] + self.rtt

    def arrive(self, now: int, o: Options) -> bool:
        """Assigns an arrival to a round; returns whether rounding might have decided otherwise."""
        if not self.rounds:
            self.rounds.append([now])
            return False
        gap = now - self.rounds[-1][-1]
        if not self.known:
            self.rtt = float(gap)
            self.rounds.append([now])
            self.hit = False
            return False
        clear = gap * o.k > self.rtt
        safeguard = len(self.rounds) > 2 and self.window + 1 > len(self.rounds[-2]) + 1
        doubtful = math.isclose(gap * o.k, self.rtt, rel_tol=NEAR)
        doubtful = doubtful or math.isclose(gap, o.forget * self.rtt, rel_tol=NEAR)
        if not clear and not safeguard:
            self.rounds[-1].append(now)
            return doubtful
        if not o.screened or (clear and gap <= o.forget * self.rtt):
            self.rtt += (1 - o.memory) * (now - self.rounds[-1][0] - self.rtt)
        self.rounds.append([now])
        self.hit = False
        return doubtful


class Router:
    """The queue and the flows; subclasses decide which flows to follow and to mark."""

    def __init__(self, options: Options, rate_bps: int) -> None:
        self.options = options
        self.per_ps = rate_bps / 8 / PS
        self.limit = options.buffer_packets * options.mean_bytes
        self.queue: list[Packet] = []
        self.flows: dict[int, Flow] = {}
        self.excess = 0.0
        self.marks = 0
        self.branches: set[str] = set()

    def arrive(self, packet: Packet, now: int) -> bool:
        """Offers a packet and marks; returns whether rounding might have decided otherwise."""
        self.queue.append(packet)
        doubtful = self.look(packet, now)
        flow = self.flows.get(packet.flow)
        if flow is not None:
            flow.hit = flow.hit or packet.ce
            flow.ect = flow.ect or packet.ect
            flow.mss = max(flow.mss, packet.size)
            flow.waiting += 1
            if flow.next_marked and packet.ect and not packet.ce:
                packet.marked_here = True
                flow.next_marked -= 1
        return self.decide(now, sum(p.size for p in self.queue)) or doubtful

    def look(self, packet: Packet, now: int) -> bool:
        """Follows the packet's flow."""
        raise NotImplementedError

    def decide(self, now: int, backlog: int) -> bool:
        """Projects and marks."""
        raise NotImplementedError

    def lose(self) -> None:
        """Drop the packet just offered, which found a full buffer."""
        lost = self.queue.pop()
        flow = self.flows.get(lost.flow)
        if flow is not None:
            flow.hit = True
            flow.waiting -= 1
            flow.next_marked += lost.marked_here

    def depart(self) -> bool:
        """The oldest packet leaves; returns whether this router marked it."""
        packet = self.queue.pop(0)
        if packet.flow in self.flows:
            flow = self.flows[packet.flow]
            flow.waiting = max(flow.waiting - 1, 0)
        return packet.marked_here

    def candidates(self, name: int) -> list[Packet]:
        """Packets of a flow in the queue that can be marked, oldest first."""
        mine = [p for p in self.queue if p.flow == name]
        return [p for p in mine if p.ect and not p.ce and not p.marked_here]

    def mark(self, name: int) -> None:
        """Marks the oldest backlogged packet of the flow, or its next packet."""
        self.flows[name].hit = True
        self.marks += 1
        waiting = self.candidates(name)
        if waiting:
            waiting[0].marked_here = True
            self.branches.add("queued")
        else:
            self.flows[name].next_marked += 1
            self.branches.add("next")


class Reference(Router):
    """Section 2: every flow, every projected beginning of a round."""

    def look(self, packet: Packet, now: int) -> bool:
        flow = self.flows.setdefault(packet.flow, Flow())
        return flow.arrive(now, self.options)

    def decide(self, now: int, backlog: int) -> bool:
        live = {
            name: f
            for name, f in self.flows.items()
            if f.known and now - f.rounds[-1][-1] <= self.options.forget * f.rtt
        }
        self.excess = first = self._overflow(live, now, backlog)
        doubtful = 0 < abs(first) < 1e-6
        while self.excess > 0:
            open_to = [name for name, f in live.items() if f.ect and not f.hit]
            if not open_to:
                self.branches.add("all marked")
                break
            self.mark(min(open_to, key=lambda n: (not live[n].waiting, -live[n].window, n)))
            self.excess = self._overflow(live, now, backlog)
            doubtful = doubtful or 0 < abs(self.excess) < 1e-6
        self.excess = first
        return doubtful

    def _overflow(self, live: dict[int, Flow], now: int, backlog: int) -> float:
        """The largest excess of Eq. 7 over all tau_i."""
        tau = {name: max(f.next_round - now, 0.0) for name, f in live.items()}
        worst = -1e300
        for t in tau.values():
            arrivals = sum(
                f.mss * (f.window / 2 if f.hit else f.window + 1)
                for name, f in live.items()
                if tau[name] <= t
            )
            worst = max(worst, arrivals - self.per_ps * t)
        return backlog + worst - self.limit


class Filter:
    """Counters in a dictionary; a flow's bucket in stage s (from 1) is a hash of 2^32 s + flow."""

    def __init__(self, options: Options) -> None:
        self.o = options
        self.counters: dict[tuple[int, int], int] = {}

    def count(self, flow: int, size: int) -> bool:
        """Whether a packet passes the filter."""
        passed = []
        for stage in range(1, self.o.stages + 1):
            place = stage, splitmix((stage << 32) + flow) % self.o.buckets
            self.counters[place] = self.counters.get(place, 0) + size
            divisor = 1 if self.o.parallel else self.o.stages
            passed.append(self.counters[place] * divisor > self.o.least_bytes)
            if not self.o.parallel and not passed[-1]:
                break
        return all(passed) and len(passed) == self.o.stages


class Heuristic(Router):
    """Section 3: flows that pass the filter, their mean window, the last projected round."""

    def __init__(self, options: Options, rate_bps: int) -> None:
        super().__init__(options, rate_bps)
        self.filter = Filter(options)
        self.recent: set[int] = set()  # L1
        self.projected: set[int] = set()  # L2
        self.rho = 1.0
        self.total = 0
        self.bytes: dict[int, int] = {}  # bytes of followed flows in this interval
        self.expected: list[float] = []  # next rounds of L2 as estimated since it became L2

    def end_interval(self) -> None:
        """At k Delta: L1 becomes L2."""
        self.projected, self.recent = self.recent, set()
        keep = set(self.projected)
        keep |= {p.flow for p in self.queue if p.marked_here}
        keep |= {name for name, f in self.flows.items() if f.next_marked}
        self.flows = {name: f for name, f in self.flows.items() if name in keep}
        identified = sum(self.bytes.get(name, 0) for name in self.projected)
        self.rho = self.total / identified if identified else 1.0
        self.total, self.bytes, self.filter = 0, {}, Filter(self.options)
        self.expected = [f.next_round for f in self._known().values()]

    def _known(self) -> dict[int, Flow]:
        return {n: f for n, f in self.flows.items() if n in self.projected and f.known}

    def look(self, packet: Packet, now: int) -> bool:
        self.total += packet.size
        if self.filter.count(packet.flow, packet.size):
            self.recent.add(packet.flow)
            self.flows.setdefault(packet.flow, Flow())
        if packet.flow not in self.flows:
            return False
        self.bytes[packet.flow] = self.bytes.get(packet.flow, 0) + packet.size
        return self.flows[packet.flow].arrive(now, self.options)

    def lose(self) -> None:
        lost = self.queue[-1]
        super().lose()
        self.total -= lost.size
        if lost.flow in self.flows:
            self.bytes[lost.flow] = self.bytes.get(lost.flow, 0) - lost.size

    def decide(self, now: int, backlog: int) -> bool:
        known = self._known()
        self.expected += [f.next_round for f in known.values()]
        self.excess = backlog - self.limit
        if not known:
            return False
        omega = sum(f.mss * f.window for f in known.values()) / len(known)
        mss = sum(f.mss for f in known.values()) / len(known)
        coming = sum(omega / 2 if f.hit else omega + mss for f in known.values())
        tau = max(max(self.expected) - now, 0.0)
        self.excess += self.rho * coming - self.per_ps * tau
        if self.excess <= 0:
            return -1e-6 < self.excess < 0
        quotient = self.excess / (self.rho * (omega / 2 + mss))
        open_to = [n for n, f in known.items() if f.ect and not f.hit and f.waiting]
        open_to.sort(key=lambda n: (-known[n].window, n))
        if math.ceil(quotient) >= len(open_to):
            self.branches.add("all marked")
        for name in open_to[: math.ceil(quotient)]:
            self.mark(name)
        return self.excess < 1e-6 or abs(quotient - round(quotient)) < NEAR
