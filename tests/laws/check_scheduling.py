# SPDX-License-Identifier: Apache-2.0
"""The class scheduler against its oracle, event by event, with bursty flows in classes."""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import Final

from check_projection import window_arrivals
from law_api import Laws
from oracle_projection import Options
from oracle_scheduling import ClassPacket, Oracle, Promise, Settings, chain, weight
from tiers import in_full

__all__ = ["SCHEDULING_CHECKS", "TABLE_1", "Run", "compare_scheduling"]

RATE: Final = 8_000_000  # one kilobyte per millisecond
PS: Final = 10**12
MS: Final = 10**9
END_MS: Final = 600 if in_full() else 240
TABLE_1: Final = [
    Promise(delay_s=0.01, loss=0.01, rate_bps=900_000),
    Promise(delay_ratio=0.25, loss_ratio=0.5),
    Promise(delay_ratio=0.25, loss_ratio=0.5),
    Promise(),
]


class Run:
    """Law and oracle at one transmitter with a buffer of `room` bytes."""

    def __init__(
        self, laws: Laws, settings: Settings, promises: list[Promise], room: int, rate: int = RATE
    ) -> None:
        self.law = laws.scheduler(settings.values(), [p.values() for p in promises], rate)
        self.oracle = Oracle(settings, promises, rate)
        self.rate, self.room, self.free_at = rate, room, 0
        self.tally: Counter[str] = Counter()

    def run_to(self, now: int) -> None:
        while self.oracle.queue and self.free_at <= now and not self.oracle.doubtful:
            self.serve(self.free_at)

    def serve(self, at: int) -> None:
        oracle = self.oracle
        oracle.pass_time(at)
        wanted = oracle.choice()
        service, mark, waited = self.law.next(at)
        gap = oracle.credit[wanted] - oracle.credit[service]
        assert service == wanted or gap < 1e-6, (at, service, wanted, oracle.credit)
        packet = oracle.serve(service)
        where = (at, packet, oracle.flows.flows.get(packet.flow))
        assert (mark, waited) == (packet.marked_here, at - packet.since), where
        self.tally["marked"] += mark
        self.tally["served"] += 1
        self.free_at = at + packet.size * 8 * PS // self.rate
        self.compare(at)

    def arrive(self, now: int, packet: ClassPacket) -> None:
        self.run_to(now)
        busy = self.free_at > now
        self.law.arrive(
            packet.service, (packet.flow, packet.size, packet.ect, packet.ce), busy, now
        )
        self.oracle.arrive(packet, busy, now)
        self.tally["arrived"] += 1
        while busy and not self.oracle.doubtful:
            overflow = sum(p.size for p in self.oracle.queue) > self.room
            wanted = self.oracle.victim(overflow)
            if self.oracle.doubtful:
                return
            assert self.law.drop(overflow, now) == wanted, (now, overflow, packet)
            if wanted < 0:
                break
            self.oracle.drop(wanted)
            self.tally["dropped"] += 1
        self.law.settle(now)
        self.oracle.settle()
        self.compare(now)
        if not busy and not self.oracle.doubtful:
            self.serve(now)

    def compare(self, now: int) -> None:
        if self.oracle.doubtful:
            return
        for n, (packets, size, rate, credit, share, loss) in enumerate(self.law.classes()):
            mine = self.oracle.of(n)
            assert (packets, size) == (len(mine), self.oracle.backlog(n)), (now, n)
            for law, oracle in (
                (rate, self.oracle.rates[n]),
                (credit, self.oracle.credit[n]),
                (share, self.oracle.shares[n]),
                (loss, self.oracle.loss(n)),
            ):
                assert math.isclose(law, oracle, rel_tol=1e-7, abs_tol=1e-5), (now, n, law, oracle)
        if self.oracle.settings.regulate and self.oracle.excess:
            projected = self.law.projected()
            expected = (self.oracle.excess, self.oracle.needed)
            for law, oracle in zip(projected, expected, strict=True):
                assert math.isclose(law, oracle, rel_tol=1e-7, abs_tol=1e-4), (now, law, oracle)


def compare_scheduling(
    laws: Laws, settings: Settings, promises: list[Promise], flows: int, seed: int, room: int
) -> Counter[str]:
    """Run law and oracle side by side, until rounding alone would decide.

    Returns:
        The count of each event.
    """
    run = Run(laws, settings, promises, room)
    draw = random.Random(seed)
    services = [draw.randrange(len(promises)) for _ in range(flows)]
    for at, packet in window_arrivals(flows, END_MS, seed):
        service = services[packet.flow]
        run.arrive(
            at, ClassPacket(packet.flow, packet.size, packet.ect, packet.ce, service=service)
        )
        if run.oracle.doubtful:
            run.tally["ended early"] += 1
            break
    for branch in run.oracle.branches:
        run.tally[branch] += 1
    return run.tally


def _compare_all(laws: Laws, regulate: bool) -> Counter[str]:
    tally: Counter[str] = Counter()
    options = Options(40.0, interval_s=0.1, least_bytes=4000.0)
    base = Settings(options, regulate)
    bounded = [Promise(delay_s=0.004), Promise(loss=0.02, loss_ratio=0.25), Promise(rate_bps=2e6)]
    strict = [Promise(delay_s=0.006, loss=0.0), Promise(loss=0.05), Promise(loss=0.1)]
    cases = [
        (base, TABLE_1, 14, 40_000),
        (base._replace(gain=0.2, update_s=0.03), TABLE_1, 20, 25_000),
        (base._replace(options=options._replace(buffer_packets=12.0)), TABLE_1, 10, 30_000),
        (base, bounded, 12, 30_000),
        (base, strict, 16, 12_000),
        (base, [Promise(delay_s=0.02, delay_ratio=0.5), Promise(), Promise()], 14, 40_000),
        (base, [Promise()], 8, 15_000),
        (base, [Promise(delay_s=0.008, loss=0.01), Promise(rate_bps=4e6)], 16, 80_000),
        (base, [Promise(delay_s=0.02), Promise(delay_s=0.03, rate_bps=1e6)], 12, 60_000),
    ]
    floors = [Promise(delay_s=0.006, rate_bps=1.5e6), Promise(delay_s=0.009, rate_bps=2.5e6)]
    cases.append((base, [*floors, Promise(rate_bps=1e6)], 18, 60_000))
    for seed, (settings, promises, flows, room) in enumerate(cases):
        tally += compare_scheduling(laws, settings, promises, flows, seed, room)
    return tally


def check_class_scheduler(laws: Laws) -> None:
    """Rates, credits, shares, losses and classes served and dropped agree, unregulated."""
    tally = _compare_all(laws, regulate=False)
    assert (
        tally["served"] > 8 * END_MS and tally["dropped"] > 0.8 * END_MS and not tally["marked"]
    ), tally
    assert tally["relaxed"] and tally["fed back"] and tally["late"] and tally["bound broken"], tally


def check_class_regulation(laws: Laws) -> None:
    """Law and oracle agree with projections, and marks for the buffer and for delay bounds."""
    tally = _compare_all(laws, regulate=True)
    assert min(tally["served"] / 25, tally["dropped"], tally["marked"]) > END_MS / 3, tally
    assert tally["buffer"] and tally["delay"] and tally["passed over"], tally


def check_regulation_after_silence(laws: Laws) -> None:
    """After a silence of many intervals, flows are forgotten but intervals keep their grid."""
    settings = Settings(Options(20.0, interval_s=0.05, least_bytes=4000.0), regulate=True)
    run = Run(laws, settings, [Promise(delay_s=0.008), Promise()], 15_000)
    first = list(window_arrivals(8, 120, 3))
    silence = 777 * MS  # 15.54 intervals
    for shift in (0, silence, 2 * silence):
        before = run.tally["marked"]
        for at, packet in first:
            own = ClassPacket(
                packet.flow, packet.size, packet.ect, packet.ce, service=packet.flow % 2
            )
            run.arrive(shift + at, own)
        assert not run.oracle.doubtful and run.tally["marked"] > before, (shift, run.tally)


def check_minimum_rate(laws: Laws) -> None:
    """By Eq. 11, 5,000 bytes with 6 of 10 ms left need 5,000 B / 6 ms. Others get the rest."""
    promises = [Promise(delay_s=0.01, rate_bps=1e6), Promise()]
    law = laws.scheduler(Settings(Options(40.0)).values(), [p.values() for p in promises], RATE)
    for n in (0, 1):
        for _ in range(5):
            law.arrive(n, (n, 1000, True, False), True, 0)
    law.settle(0)
    assert law.classes()[0][2] == 5000 * 8 / 0.01 and law.classes()[1][2] == RATE - 4e6
    law.settle(4 * MS)
    assert math.isclose(law.classes()[0][2], 5000 * 8 / 0.006)
    assert math.isclose(sum(row[2] for row in law.classes()), RATE)
    law.settle(11 * MS)
    assert law.classes()[0][2] == RATE, "a class past its bound asks for all there is"
    assert law.drop(False, 11 * MS) == -1, "no drop helps a packet that is late already"


def check_service_class(laws: Laws) -> None:
    """Chains and weights are right. Values that are neither -1 nor positive are refused."""
    draw = random.Random(5)
    for _ in range(200):
        ratios = [draw.choice([None, draw.uniform(0.1, 3)]) for _ in range(draw.randint(1, 6))]
        promises = [Promise(delay_ratio=r) for r in ratios]
        weights = laws.weights([-1.0 if r is None else r for r in ratios])
        for n, value in enumerate(weights):
            assert math.isclose(value, weight(promises, n, "delay_ratio")), (ratios, n)
            assert n in chain(promises, n, "delay_ratio")
    settings = Settings(Options(40.0)).values()
    for bad in (
        (0.0, -1, 0, -1, -1),
        (-0.5, -1, 0, -1, -1),
        (-1, -1, 0, 0.0, -1),
        (-1, -0.5, 0, -1, -1),
    ):
        _refused(laws, settings, [[float(v) for v in bad]])
    _refused(laws, settings, [[-1.0, -1.0, float(RATE), -1.0, -1.0]])
    _refused(laws, settings, [])
    laws.scheduler(settings, [[-1.0, 0.0, RATE - 1.0, -1.0, -1.0]], RATE)


def _refused(laws: Laws, settings: list[float], classes: list[list[float]]) -> None:
    try:
        laws.scheduler(settings, classes, RATE)
    except ValueError:
        return
    raise AssertionError(f"{classes} was let in")


SCHEDULING_CHECKS = {
    "class-based": [
        check_minimum_rate,
        check_class_scheduler,
        check_class_regulation,
        check_regulation_after_silence,
    ],
    "service-class": [check_service_class],
}
