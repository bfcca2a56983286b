# SPDX-License-Identifier: Apache-2.0
"""REM, PI and the adaptive virtual queue on the engine's links, packet by packet.

A FIFO computed in a simple way (fifo.py) replays the packets sent, with the laws written out here
and the link's own random stream drawn again: drops, marks, deliveries and every sampled probability
agree.
"""

from __future__ import annotations

import numpy as np
import pytest

import plans
from drive import EngineOutput, run
from ecnomy.markets.plan import Law
from ecnomy.markets.plan.laws import law
from fifo import Fifo
from oracle_random import stream
from tiers import rare

SEND, ENQUEUE, MARK, DROP, DELIVER, ACK = range(6)
RATE_BPS = 2_000_000
DELAY_PS = 5 * 10**9
LIMIT = 12
END_S = 40
SEED = 5
SIZES = (200, 500, 1100)
NOT_ECT = 500  # packets of this size are not ECT; the link drops what it would have marked


class Replay:
    """The link, its law and its draws; `m` is the marking probability of laws that draw."""

    period_s = float(END_S)
    ect_at_departure = False

    def __init__(self) -> None:
        self.m = 0.0
        self.samples = [0.0]
        self.draws = stream(SEED, "link/l")
        self.marks_arrival = False
        self.fifo = Fifo(RATE_BPS, LIMIT, lambda *_: self.marks_arrival, self.starting)

    def draw(self) -> bool:
        return self.m > 0 and ((next(self.draws) >> 12) + 0.5) * 2.0**-52 < self.m

    def arriving(self, now: int, size: int) -> bool:
        """Marks a packet as it arrives, as is always done for packets that are not ECT."""
        return (size == NOT_ECT or not self.ect_at_departure) and self.draw()

    def starting(self, fifo: Fifo, now: int) -> bool:
        """Marks an ECT packet as it leaves."""
        ect = fifo.sizes[fifo.starting] != NOT_ECT
        return self.ect_at_departure and ect and self.draw()

    def update(self, packets: int, waiting_bytes: int) -> None:
        """Periodic update of the law."""

    def run_to(self, now: int) -> None:
        period = round(self.period_s * plans.PS)
        while (due := len(self.samples) * period) <= now and due < END_S * plans.PS:
            self.fifo.run_to(due)
            waiting = self.fifo.waiting
            self.update(len(waiting), sum(self.fifo.sizes[n] for n in waiting))
            self.samples.append(self.m)
        self.fifo.run_to(now)

    def offer(self, number: int, size: int, now: int) -> None:
        """A packet arrives."""
        self.run_to(now)
        self.marks_arrival = self.arriving(now, size)
        if self.marks_arrival and size == NOT_ECT:
            self.fifo.dropped.add(number)
        else:
            self.fifo.arrive(number, size, now)


class RemReplay(Replay):
    """athuraliya2000 Fig. 3, in packets of 600 bytes and packets per period."""

    period_s = 0.016

    def __init__(self, rule: str, at_departure: bool, in_bytes: bool) -> None:
        super().__init__()
        self.rule, self.ect_at_departure, self.in_bytes = rule, at_departure, in_bytes
        self.price = self.smoothed = self.count = 0.0

    def offer(self, number: int, size: int, now: int) -> None:
        self.run_to(now)
        self.count += size / 600 if self.in_bytes else 1
        super().offer(number, size, now)

    def update(self, packets: int, waiting_bytes: int) -> None:
        backlog = waiting_bytes / 600 if self.in_bytes else packets
        full = RATE_BPS * self.period_s / (8 * 600)
        self.smoothed = 0.9 * self.smoothed + 0.1 * self.count
        self.count = 0.0
        match self.rule:
            case "pc1":
                self.price += 0.2 * (self.smoothed - 0.85 * full)
            case "pc2":
                self.price = 0.2 * backlog
            case "pc3":
                self.price += 0.2 * (0.3 * (backlog - 2) + self.smoothed - full)
        self.price = max(self.price, 0.0)
        self.m = 1 - 1.1**-self.price


class PiReplay(Replay):
    """p += a (q - 3) - b (q_before - 3), 50 times a second; q in packets of 600 bytes."""

    period_s = 0.02
    before = 0.0

    def update(self, packets: int, waiting_bytes: int) -> None:
        q = waiting_bytes / 600
        change = 0.02 * (q - 3) - 0.015 * (self.before - 3)
        self.m, self.before = min(max(self.m + change, 0.0), 1.0), q


class AvqReplay(Replay):
    """Kunniyur and Srikant's Fig. 1 with gamma 0.9, alpha 0.4 and room for 8 times 600 bytes."""

    def __init__(self) -> None:
        super().__init__()
        self.level, self.at, self.virtual = 0.0, 0, RATE_BPS / 8

    def arriving(self, now: int, size: int) -> bool:
        gap_s, self.at = (now - self.at) / plans.PS, now
        self.level = max(self.level - self.virtual * gap_s, 0.0)
        lost = self.level + size > 4800
        self.level += 0 if lost else size
        bucket = min(self.virtual + 0.4 * 0.9 * RATE_BPS / 8 * gap_s, RATE_BPS / 8)
        self.virtual = max(bucket - 0.4 * size, 0.0)
        return lost


def engine_run(marking: Law, period_s: float) -> EngineOutput:
    """Poisson datagrams of three sizes at 95 % load into one link, traced."""
    sources = [
        plans.source(f"s{size}", [0], [], plans.udp(size, ect=size != NOT_ECT),
                     Law("poisson", {"mean_interval_s": size * 8 * 3 / RATE_BPS / 0.95}))
        for size in SIZES
    ]  # fmt: skip
    links = [plans.link("l", 0, 1, RATE_BPS, DELAY_PS / 1e12, buffer=LIMIT, marking=marking)]
    every = round(period_s * plans.PS)
    record = dict(trace=True, series=["marking_probability"], every_ps=every)
    return run(plans.plan(links, sources, END_S, epoch_s=END_S, seed=SEED, **record))


def keys(outcome: EngineOutput, event: int) -> list[tuple[int, int]]:
    rows = outcome.table("trace")
    here = rows["event"] == event
    return list(zip(rows["flow"][here].tolist(), rows["seq"][here].tolist(), strict=True))


def agree(outcome: EngineOutput, replay: Replay) -> None:
    """Drops, marks, deliveries and probabilities are the same; there are some drops and marks."""
    rows = outcome.table("trace")
    sent = rows["event"] == SEND
    numbers = {key: number for number, key in enumerate(keys(outcome, SEND))}
    for number, (size, t_ps) in enumerate(
        zip(rows["bytes"][sent], rows["t_ps"][sent], strict=True)
    ):
        replay.offer(number, int(size), int(t_ps))
    replay.run_to(END_S * plans.PS)
    fifo = replay.fifo
    assert {numbers[k] for k in keys(outcome, DROP)} == fifo.dropped
    assert {numbers[k] for k in keys(outcome, MARK)} == fifo.marked - fifo.dropped
    assert len(fifo.dropped) > 100 and len(fifo.marked) > 100
    times = rows["t_ps"][rows["event"] == DELIVER]
    done = np.array([fifo.done_at[numbers[k]] for k in keys(outcome, DELIVER)])
    assert (times == done + DELAY_PS).all()
    samples = outcome.table("series")["value"]
    assert len(samples) == len(replay.samples)
    assert samples == pytest.approx(replay.samples, abs=1e-9)


@pytest.mark.parametrize(
    ("unit", "mark_at", "rule"),
    [
        ("packets", "departure", "pc3"),
        ("packets", "arrival", "pc2"),
        ("bytes", "departure", "pc2"),
        ("bytes", "arrival", "pc1"),
        *(rare("packets", "departure", rule) for rule in ("pc1", "pc2")),
        *(rare("packets", "arrival", rule) for rule in ("pc1", "pc3")),
        *(rare("bytes", "departure", rule) for rule in ("pc1", "pc3")),
        *(rare("bytes", "arrival", rule) for rule in ("pc2", "pc3")),
    ],
)
def test_rem(rule: str, mark_at: str, unit: str) -> None:
    """REM marks ECT packets at its point, drops others as they arrive, and its prices agree."""
    share = 0.85 if rule == "pc1" else 1.0
    marking = law("marking", "rem", dict(
        price=rule, phi=1.1, gamma=0.2, alpha=0.3, target_backlog_packets=2, capacity_share=share,
        interval_s=0.016, mark_at=mark_at, unit=unit, mean_packet_bytes=600,
    ))  # fmt: skip
    replay = RemReplay(rule, mark_at == "departure", unit == "bytes")
    agree(engine_run(marking, replay.period_s), replay)


def test_pi() -> None:
    """The controller samples the queue on time and marks or drops with its probability."""
    marking = law("marking", "pi", dict(
        unit="bytes", reference=1800, a=0.02, b=0.015, interval_s=0.02, mean_packet_bytes=600
    ))  # fmt: skip
    agree(engine_run(marking, PiReplay.period_s), PiReplay())


def test_adaptive_virtual_queue() -> None:
    """Exactly the packets that overflow the virtual queue are marked or dropped."""
    marking = law("marking", "adaptive-virtual-queue", dict(
        utilization=0.9, alpha=0.4, buffer_packets=8, mean_packet_bytes=600
    ))  # fmt: skip
    agree(engine_run(marking, END_S), AvqReplay())
