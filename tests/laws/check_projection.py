# SPDX-License-Identifier: Apache-2.0
"""Marking by projected arrivals against its oracle, event by event, with bursty flows."""

from __future__ import annotations

import heapq
import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator
from typing import Final

from law_api import MARK, NEVER, NO_FLOW, PASS, Laws
from oracle_projection import Heuristic, Options, Packet, Reference
from tiers import in_full

__all__ = ["PROJECTION_CHECKS", "compare_projection", "window_arrivals"]

RATE: Final = 8_000_000  # one kilobyte per millisecond
PS: Final = 10**12
MS: Final = 10**9
END_MS: Final = 800 if in_full() else 320


def window_arrivals(flows: int, end_ms: int, seed: int) -> Iterator[tuple[int, Packet]]:
    """Flows that send a window per round trip and sometimes pause; a tenth are not ECT.

    Windows grow by one per round, are halved at random, and are sent in a burst or spread out.
    """
    draw = random.Random(seed)
    state = {}
    events: list[tuple[int, int]] = []
    for flow in range(flows):
        state[flow] = [draw.randint(8, 60) * MS, draw.randint(1, 8), draw.random() < 0.9, 0]
        heapq.heappush(events, (draw.randrange(40 * MS), flow))
    packets: list[tuple[int, int, Packet]] = []
    serial = itertools.count()
    while events:
        now, flow = heapq.heappop(events)
        rtt, window, ect, _ = state[flow]
        if now > end_ms * MS:
            continue
        spread = draw.choice([0.02, 0.05, 0.3, 0.9])
        for i in range(window):
            at = now + int(rtt * spread * i / window) + draw.randrange(1000)
            size = draw.choice([1000, 1000, 1000, 500])
            packet = Packet(flow, size, bool(ect) and draw.random() < 0.95, False)
            packet.ce = packet.ect and draw.random() < 0.01
            packets.append((at, next(serial), packet))
        state[flow][1] = max(1, window // 2) if draw.random() < 0.2 else min(window + 1, 14)
        pause = draw.randint(2, 20) if draw.random() < 0.05 else 1
        heapq.heappush(events, (now + pause * rtt + draw.randrange(MS), flow))
    packets.sort()
    return iter([(at, packet) for at, _, packet in packets])


class Run:
    """Law and oracle at one FIFO link, whose buffer may be smaller than the stated one."""

    def __init__(self, laws: Laws, options: Options, heuristic: bool, room_bytes: int) -> None:
        name = "flow-projection-heuristic" if heuristic else "flow-projection"
        self.law = laws.marking(name, options.values(heuristic))
        self.oracle = (Heuristic if heuristic else Reference)(options, RATE)
        self.room = room_bytes
        self.waiting: list[Packet] = []
        self.free_at = 0
        self.timer = self.law.first_timer()
        self.doubtful = False
        self.tally: Counter[str] = Counter()
        self.missed: set[int] = set()
        self.interval_bytes: Counter[int] = Counter()
        assert self.law.watches_departures()

    def view(self) -> tuple[int, int, int, int]:
        return len(self.waiting), sum(p.size for p in self.waiting), RATE, NEVER

    def depart(self, at: int) -> None:
        packet = self.waiting.pop(0)
        said = self.law.on_departure(self.view(), self.shape(packet), at, [])
        marked = self.oracle.depart()
        assert said == (MARK if marked else PASS, NO_FLOW, 0), (at, packet, said)
        self.tally["marked"] += marked
        self.free_at = max(self.free_at, at) + packet.size * 8 * PS // RATE

    @staticmethod
    def shape(packet: Packet) -> tuple[int, int, bool, bool]:
        return packet.flow, packet.size, packet.ect, packet.ce

    def run_to(self, now: int) -> None:
        while (self.waiting and self.free_at <= now) or NEVER != self.timer <= now:
            departs = self.free_at if self.waiting else math.inf
            if NEVER != self.timer < departs:
                self.strike()
            else:
                self.depart(self.free_at)

    def strike(self) -> None:
        assert isinstance(self.oracle, Heuristic)
        least = self.oracle.options.least_bytes
        self.oracle.end_interval()
        heavy = {flow for flow, size in self.interval_bytes.items() if size > least}
        assert heavy <= self.oracle.projected, "a flow of more than M bytes was missed"
        self.tally["heavy"] += len(heavy)
        self.tally["passed"] += len(self.oracle.projected)
        self.interval_bytes.clear()
        self.timer = self.law.on_timer(self.view(), self.timer)

    def arrive(self, now: int, packet: Packet) -> None:
        self.run_to(now)
        verdict = self.law.on_arrival(self.view(), self.shape(packet), now, [])
        self.doubtful = self.oracle.arrive(packet, now)
        if self.doubtful:
            return
        where = f"{self.oracle.options}, {now}: {packet}, flow {self.oracle.flows.get(packet.flow)}"
        assert verdict == (PASS, NO_FLOW, 0), where
        excess = self.oracle.excess
        assert math.isclose(self.law.measure(), excess, rel_tol=1e-9, abs_tol=1e-6), (
            f"{where}: {self.law.measure()}, oracle {excess}"
        )
        self.tally["arrived"] += 1
        self.interval_bytes[packet.flow] += packet.size
        if self.free_at > now and self.view()[1] + packet.size > self.room:
            self.law.on_drop(self.shape(packet), now)
            self.oracle.lose()
            self.tally["dropped"] += 1
            return
        self.waiting.append(packet)
        if self.free_at <= now:
            self.depart(now)


def compare_projection(
    laws: Laws, options: Options, heuristic: bool, flows: int, end_ms: int, seed: int, room: float
) -> Counter[str]:
    """Run law and oracle side by side, until rounding alone would decide.

    `room` is the real buffer over the stated one.

    Returns:
        The count of each event.
    """
    size = int(options.buffer_packets * options.mean_bytes * room)
    run = Run(laws, options, heuristic, size)
    for at, packet in window_arrivals(flows, end_ms, seed):
        run.arrive(at, packet)
        if run.doubtful:
            break
    for branch in run.oracle.branches:
        run.tally[branch] += 1
    return run.tally


def _compare_all(laws: Laws, heuristic: bool) -> Counter[str]:
    tally: Counter[str] = Counter()
    base = Options(40.0)
    cases = [
        (base, 12, 1.0),
        (base._replace(screened=True), 12, 1.0),
        (base._replace(k=0.5, buffer_packets=20.0), 9, 0.7),
        (base._replace(k=100.0, memory=0.75), 12, 0.5),
        (base._replace(forget=1.5, screened=True), 6, 1.0),
        (base._replace(buffer_packets=8.0, mean_bytes=900.0), 3, 2.0),
        (base._replace(buffer_packets=8.0, memory=0.0), 25, 1.0),
    ]
    if heuristic:
        cases = [
            (o._replace(parallel=i % 2 == 1, stages=1 + i % 3, buckets=4 + i), n, room)
            for i, (o, n, room) in enumerate(cases)
        ] + [(base._replace(interval_s=0.05, least_bytes=3000.0), 30, 1.0)]
    for seed, (options, flows, room) in enumerate(cases):
        tally += compare_projection(laws, options, heuristic, flows, END_MS, seed, room)
    return tally


def check_flow_projection(laws: Laws) -> None:
    """Rounds, projections and marks agree with the paper's and other parameters, with losses."""
    tally = _compare_all(laws, heuristic=False)
    assert tally["arrived"] > 10 * END_MS and tally["marked"] > 1.25 * END_MS, tally
    assert tally["dropped"] > END_MS / 8, tally
    assert tally["queued"] and tally["next"] and tally["all marked"], tally


def check_flow_projection_heuristic(laws: Laws) -> None:
    """Filters, lists, rho, mean window and marks agree. Every flow above M bytes is found."""
    tally = _compare_all(laws, heuristic=True)
    assert tally["arrived"] > 10 * END_MS and tally["marked"] > 0.375 * END_MS, tally
    assert tally["dropped"] > END_MS / 8, tally
    assert tally["queued"] and tally["all marked"] and tally["heavy"] > END_MS / 8, tally


def check_one_flow(laws: Laws) -> None:
    """One flow, computed by hand: Eq. 7 holds at its next round, with one mark per round."""
    # A round has 20 ms and 4 packets; the buffer holds 4,000 B, and a round serves 20,000 B.
    law = laws.marking("flow-projection", [10.0, 1000.0, 10.0, 0.9, 4.0, 0.0])
    for now in (0, 20):
        law.on_arrival((0, 0, RATE, NEVER), (0, 1000), now * MS, [])
    law.on_arrival((3, 3000, RATE, NEVER), (0, 1000), 21 * MS, [])
    # W = 2, so 3 packets at 40 ms: 4,000 waiting + 3,000 - 19,000 served - 10,000 of buffer.
    assert law.measure() == 4000 + 3000 - 19_000 - 10_000
    law.on_arrival((25, 25_500, RATE, NEVER), (0, 1000), 22 * MS, [])
    assert law.measure() == 26_500 + 4000 - 18_000 - 10_000
    marks = [law.on_departure((9, 9000, RATE, NEVER), (0, 1000), 22 * MS, [])[0] for _ in range(3)]
    assert marks == [MARK, PASS, PASS]
    law.on_arrival((25, 25_500, RATE, NEVER), (0, 1000), 23 * MS, [])
    assert law.measure() == 26_500 + 2000 - 17_000 - 10_000, "half of W = 4 after a mark"


def check_rho(laws: Laws) -> None:
    """The paper's example: 1 of 1.1 bytes is identified, so projections are 1.1 times as large."""
    values = Options(1e6, interval_s=1.0, least_bytes=9000.0, stages=1, buckets=1000).values(True)
    law = laws.marking("flow-projection-heuristic", values)
    empty = (0, 0, RATE, NEVER)
    # Flow 7 sends 10 packets and passes the filter with the tenth; ten others send 100 bytes each.
    for i in range(10):
        law.on_arrival(empty, (7, 1000), i * 10 * MS, [])
        law.on_arrival(empty, (100 + i, 100), (i * 10 + 1) * MS, [])
    assert law.on_timer(empty, PS) == 2 * PS
    for i in range(20):
        law.on_arrival(empty, (7, 1000), PS + i * 10 * MS, [])
        law.on_arrival(empty, (100, 100), PS + (i * 10 + 1) * MS, [])
    law.on_timer(empty, 2 * PS)
    law.on_arrival(empty, (7, 1000), 2 * PS, [])
    # In the second interval the flow has 20,000 of 22,000 bytes: rho = 1.1. T1 was 0.09 s and T2
    # 1 s; at 2 s a round begins: W = 1, two packets to come, RTT = 0.9 * 0.91 s + 0.1 * 1 s.
    expected = 1000 + 1.1 * 2000 - RATE / 8 * 0.919 - 1e9
    assert math.isclose(law.measure(), expected, rel_tol=1e-12), (law.measure(), expected)


PROJECTION_CHECKS = {
    "flow-projection": [check_one_flow, check_flow_projection],
    "flow-projection-heuristic": [check_rho, check_flow_projection_heuristic],
}
