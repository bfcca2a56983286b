# SPDX-License-Identifier: Apache-2.0
"""Classes with absolute and proportional guarantees, computed each time from all observations.

One list of packets for all classes; weights, needs and losses are computed from it whenever they
are needed; packets in the queue are marked at once. Sources: christin2003 section 4 (Eq.
11, 12) and Table 1; for open points the head of laws/scheduling/class_scheduler.h. The part
on flows and their rounds is in oracle_projection.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, NamedTuple

from oracle_projection import Flow, Heuristic, Options, Packet

__all__ = ["ClassPacket", "Oracle", "Promise", "Settings", "chain", "weight"]

PS: Final = 10**12
CLOSE: Final = 1e-7


class Promise(NamedTuple):
    """The promises to a class; None means no promise."""

    delay_s: float | None = None
    loss: float | None = None
    rate_bps: float = 0.0
    delay_ratio: float | None = None
    loss_ratio: float | None = None

    def values(self) -> list[float]:
        """One number per parameter."""
        return [-1.0 if v is None else float(v) for v in self]


class Settings(NamedTuple):
    """Parameters of the scheduler; `options` are the projection's."""

    options: Options
    regulate: bool = False
    update_s: float = 0.01
    gain: float = 0.5

    def values(self) -> list[float]:
        """One number per parameter."""
        return [float(self.regulate), self.update_s, self.gain, *self.options.values(True)]


@dataclass
class ClassPacket(Packet):
    """A waiting packet, its class and its time of arrival."""

    service: int = 0
    since: int = 0


def chain(promises: list[Promise], n: int, key: str) -> list[int]:
    """The classes that ratios tie to class n, including n."""

    def tied(at: int) -> bool:  # to the next
        return 0 <= at < len(promises) - 1 and getattr(promises[at], key) is not None

    first = n
    while tied(first - 1):
        first -= 1
    last = n
    while tied(last):
        last += 1
    return list(range(first, last + 1))


def weight(promises: list[Promise], n: int, key: str) -> float:
    """The product of ratios from class n to the end of its chain."""
    behind = [m for m in chain(promises, n, key) if m >= n]
    product: float = math.prod(getattr(promises[m], key) for m in behind[:-1])
    return product


class Oracle:
    """A transmitter of `rate` bit/s for classes."""

    def __init__(self, settings: Settings, promises: list[Promise], rate: int) -> None:
        self.settings, self.promises, self.rate = settings, promises, float(rate)
        self.flows = Heuristic(settings.options, rate)
        self.queue: list[ClassPacket] = []
        count = len(promises)
        self.came, self.lost = [0] * count, [0] * count  # bytes in this busy period
        self.rates, self.credit, self.shares = [0.0] * count, [0.0] * count, [1.0] * count
        self.last_delay = [0.0] * count
        self.now = 0
        self.update_at = 0
        self.interval_ends = round(settings.options.interval_s * PS)
        self.excess = self.needed = 0.0
        self.doubtful = False
        self.branches: set[str] = set()
        self.service_of: dict[int, int] = {}

    # What waits

    def of(self, n: int) -> list[ClassPacket]:
        """The waiting packets of a class, oldest first."""
        return [p for p in self.queue if p.service == n]

    def backlog(self, n: int) -> int:
        """The bytes of these packets."""
        return sum(p.size for p in self.of(n))

    def waiting(self) -> list[int]:
        """The classes that wait."""
        return sorted({p.service for p in self.queue})

    def age(self, n: int) -> float:
        """The waiting time of a class's oldest packet, in seconds."""
        return (self.now - self.of(n)[0].since) / PS

    # Time and credits

    def pass_time(self, now: int) -> None:
        for n in self.waiting():
            self.credit[n] += self.rates[n] * (now - self.now) / PS / 8
        self.now = now

    def emptied(self, n: int) -> None:
        """A class whose queue is empty passes its credit or debt on to the others."""
        if self.of(n):
            return
        for other in self.waiting():
            self.credit[other] += self.credit[n] / len(self.waiting())
        self.credit[n] = 0.0

    # Rates

    def need(self, n: int) -> float:
        """Eq. 11, at most the link's rate."""
        promise = self.promises[n]
        if promise.delay_s is None:
            return promise.rate_bps
        left = promise.delay_s - self.age(n)
        self.doubtful |= abs(left) < 1e-13
        wanted = self.rate if left <= 0 else 8 * self.backlog(n) / left
        return min(self.rate, max(promise.rate_bps, wanted))

    def set_rates(self) -> None:
        if self.now >= self.update_at:
            self.feed_back()
        waiting = self.waiting()
        need = {n: self.need(n) for n in waiting}
        self.rates = [0.0] * len(self.promises)
        spare = self.rate - sum(need.values())
        if spare < 0:
            self.branches.add("relaxed")
            least = {n: min(need[n], self.promises[n].rate_bps) for n in waiting}
            part = (self.rate - sum(least.values())) / (sum(need.values()) - sum(least.values()))
            for n in waiting:
                self.rates[n] = least[n] + part * (need[n] - least[n])
            return
        takers = [
            n
            for n in waiting
            if self.promises[n].delay_s is None or len(chain(self.promises, n, "delay_ratio")) > 1
        ] or waiting
        for n in waiting:
            self.rates[n] = need[n]
            if n in takers:
                self.rates[n] += spare * self.shares[n] / sum(self.shares[m] for m in takers)

    def feed_back(self) -> None:
        self.update_at = self.now + round(self.settings.update_s * PS)
        for whole in {tuple(chain(self.promises, n, "delay_ratio")) for n in self.waiting()}:
            tied = [m for m in whole if m in self.waiting() and self.rates[m] > 0]
            if len(tied) < 2:
                continue
            ahead = {m: 8 * self.backlog(m) / self.rates[m] for m in tied}
            scaled = {m: ahead[m] / weight(self.promises, m, "delay_ratio") for m in tied}
            mean = sum(scaled.values()) / len(tied)
            total = sum(self.shares[m] for m in tied)
            for m in tied:
                self.shares[m] *= 1 - self.settings.gain * (mean - scaled[m]) / mean
            after = sum(self.shares[m] for m in tied)
            for m in tied:
                self.shares[m] *= total / after
            self.branches.add("fed back")

    # Events

    def arrive(self, packet: ClassPacket, busy: bool, now: int) -> None:
        """A packet joins its class."""
        self.pass_time(now)
        n = packet.service
        if not busy and not self.queue:
            self.came, self.lost = [0] * len(self.came), [0] * len(self.lost)
            self.update_at = now + round(self.settings.update_s * PS)
        if not self.of(n):
            self.credit[n] = self.last_delay[n] = 0.0
        packet.since = now
        self.service_of[packet.flow] = n
        self.queue.append(packet)
        self.came[n] += packet.size
        if self.settings.regulate:
            self.follow(packet, now)

    def follow(self, packet: ClassPacket, now: int) -> None:
        flows = self.flows
        while self.interval_ends <= now:
            flows.queue = [p for p in self.queue if p is not packet]
            flows.end_interval()
            self.interval_ends += round(self.settings.options.interval_s * PS)
        self.doubtful |= flows.look(packet, now)
        flow = flows.flows.get(packet.flow)
        if flow is None:
            return
        flow.hit = flow.hit or packet.ce
        flow.ect = flow.ect or packet.ect
        flow.mss = max(flow.mss, packet.size)
        flow.waiting += 1
        if flow.next_marked and packet.ect and not packet.ce:
            packet.marked_here = True
            flow.next_marked -= 1

    def loss(self, n: int, more: int = 0) -> float:
        """The share of a class's bytes lost in this busy period."""
        return (self.lost[n] + more) / self.came[n] if self.came[n] else 0.0

    def allows(self, n: int) -> bool:
        """Whether the class's bound allows one more loss."""
        bound = self.promises[n].loss
        return bound is None or self.loss(n, self.of(n)[-1].size) <= bound

    def victim(self, overflow: bool) -> int:
        """The class to lose a packet, or -1."""
        needs = {n: self.need(n) for n in self.waiting()}
        excess = sum(needs.values()) - self.rate
        self.doubtful |= not overflow and 0 < abs(excess) < CLOSE * self.rate
        if overflow:
            able = [n for n in needs if self.allows(n)]
            if not able:
                self.branches.add("bound broken")
                return min(needs, key=lambda n: (self.loss(n) / (self.promises[n].loss or 1.0), n))
        else:
            if excess <= 0:
                return -1
            able = [
                n
                for n, rate in needs.items()
                if rate > self.promises[n].rate_bps
                and self.allows(n)
                and self.age(n) < (self.promises[n].delay_s or 0.0)
            ]
            if not able:
                return -1
            self.branches.add("late")
        key = "loss_ratio"
        return min(able, key=lambda n: (self.loss(n) / weight(self.promises, n, key), n))

    def drop(self, n: int) -> None:
        """The last packet of a class is lost."""
        packet = self.of(n)[-1]
        self.queue = [p for p in self.queue if p is not packet]
        self.lost[n] += packet.size
        if self.settings.regulate:
            flow = self.flows.flows.get(packet.flow)
            if flow is not None:
                flow.hit = True
                flow.waiting = max(flow.waiting - 1, 0)
                flow.next_marked += packet.marked_here
        self.emptied(n)

    def settle(self) -> None:
        """Completes an arrival: sets rates and marks."""
        self.set_rates()
        if self.settings.regulate:
            self.regulate()

    def choice(self) -> int:
        """The class to serve."""
        return max(self.waiting(), key=lambda n: (self.credit[n], -n))

    def serve(self, n: int) -> ClassPacket:
        """The oldest packet of a class leaves."""
        packet = self.of(n)[0]
        self.queue = [p for p in self.queue if p is not packet]
        self.last_delay[n] = (self.now - packet.since) / PS
        self.credit[n] -= packet.size
        self.emptied(n)
        self.set_rates()
        if packet.flow in self.flows.flows:
            flow = self.flows.flows[packet.flow]
            flow.waiting = max(flow.waiting - 1, 0)
        return packet

    # Eq. 12 and 7

    def brings(self, n: int) -> float:
        """The bytes projected to arrive from a class's flows in L2."""
        mine = self.known(n)
        if not mine:
            return 0.0
        omega = sum(f.mss * f.window for f in mine) / len(mine)
        mss = sum(f.mss for f in mine) / len(mine)
        return self.flows.rho * sum(omega / 2 if f.hit else omega + mss for f in mine)

    def known(self, n: int) -> list[Flow]:
        """The flows of L2 in a class whose rounds are known."""
        every = self.flows.flows.items()
        both = [(name, f) for name, f in every if name in self.flows.projected and f.known]
        return [f for name, f in both if self.service_of[name] == n]

    def looks_ahead(self, tau_s: float) -> dict[int, float]:
        """Return the rates that classes need by then, and set `excess` and `needed`."""
        need = {}
        for n, promise in enumerate(self.promises):
            need[n] = promise.rate_bps
            if promise.delay_s is None:
                continue
            bits = 8 * (self.backlog(n) + self.brings(n)) - self.rates[n] * tau_s
            self.doubtful |= 0 < abs(bits) < 1e-3
            if bits > 0:
                left = promise.delay_s - self.last_delay[n]
                self.doubtful |= abs(left) < 1e-13
                need[n] = max(need[n], bits / left if left > 0 else math.inf)
        arrived = sum(p.size for p in self.queue)
        brought = sum(self.brings(n) for n in range(len(self.promises)))
        served = self.rate / 8 * tau_s
        self.excess = arrived + brought - served - self.flows.limit
        self.needed = sum(need.values())
        self.doubtful |= 0 < abs(self.excess) < 1e-5
        self.doubtful |= 0 < abs(self.needed - self.rate) < CLOSE * self.rate
        return need

    def regulate(self) -> None:
        flows = self.flows
        known = {n: f for n, f in flows.flows.items() if n in flows.projected and f.known}
        flows.expected += [f.next_round for f in known.values()]
        tau_s = max(max(flows.expected, default=0.0) - self.now, 0.0) / PS
        markable = [name for name, f in known.items() if f.ect and not f.hit and f.waiting]
        for name in sorted(markable, key=lambda n: (-known[n].window, n)):
            need = self.looks_ahead(tau_s)
            if self.excess <= 0 and self.needed <= self.rate:
                return
            n = self.service_of[name]
            if self.excess <= 0 and need[n] <= self.promises[n].rate_bps:
                self.branches.add("passed over")
                continue
            self.branches.add("buffer" if self.excess > 0 else "delay")
            flows.queue = list(self.queue)
            flows.mark(name)
        self.looks_ahead(tau_s)
