# SPDX-License-Identifier: Apache-2.0
"""Marking by projected arrivals on the engine's links: packet by packet, and its purpose."""

from __future__ import annotations

import numpy as np
import pytest

import plans
from drive import EngineOutput, run
from ecnomy.markets.plan import Law
from ecnomy.markets.plan.laws import law
from oracle_projection import Heuristic, Options, Packet, Reference
from tiers import rare

ENQUEUE, MARK, DROP = 1, 2, 3
RATE_BPS = 10_000_000
NEWRENO = Law("newreno", {"decrease": 0.5, "min_ssthresh": 2.0, "beta_ecn": 0.0})
OPTIONS = Options(30.0, interval_s=0.5, least_bytes=30_000.0, buckets=4)


def marking(name: str, options: Options) -> Law:
    """The law of a plan with the oracle's options."""
    heuristic = name.endswith("heuristic")
    values = dict(
        buffer_packets=options.buffer_packets, gap_divisor=options.k, rtt_memory=options.memory,
        forget_rtts=options.forget, estimator="screened" if options.screened else "rounds",
    )  # fmt: skip
    if heuristic:
        values |= dict(
            interval_s=options.interval_s, least_bytes=options.least_bytes,
            filter="parallel" if options.parallel else "serial", stages=options.stages,
            buckets=options.buckets,
        )  # fmt: skip
    return law("marking", name, values)


def closed_loop(law: Law, rtt_s: list[float], buffer: int, end_s: float, **record) -> EngineOutput:
    """A greedy NewReno flow without slow start per round-trip time over one link."""
    links = [plans.link("l", 0, 1, RATE_BPS, 0.0, marking=law, buffer=buffer)]
    sources = []
    for i, rtt in enumerate(rtt_s):
        links.append(plans.link(f"back{i}", 1, 0, 1e9, rtt))
        transport = plans.tcp(NEWRENO, slow_start=False)
        start = dict(start_s=0.1 * i, overhead_s=8000 / RATE_BPS)
        sources.append(plans.source(f"s{i}", [0], [i + 1], transport, **start))
    return run(plans.plan(links, sources, end_s, epoch_s=10, seed=2, **record))


class Replay:
    """The oracle with its own FIFO, fed with the engine's arrivals."""

    def __init__(self, oracle: Reference | Heuristic, end_s: float) -> None:
        self.oracle = oracle
        self.waiting: list[tuple[int, int, int]] = []  # flow, seq, bytes
        self.free_at = 0
        self.next_end = round(OPTIONS.interval_s * plans.PS)
        self.end = round(end_s * plans.PS)
        self.marked: list[tuple[int, int, int]] = []  # time, flow, seq
        self.sent: set[tuple[int, int]] = set()

    def depart(self, at: int) -> None:
        flow, seq, size = self.waiting.pop(0)
        if self.oracle.depart():
            self.marked.append((at, flow, seq))
        self.free_at = at + size * 8 * plans.PS // RATE_BPS

    def run_to(self, now: int) -> None:
        while True:
            departs = self.free_at if self.waiting else self.end + 1
            strikes = self.next_end if isinstance(self.oracle, Heuristic) else self.end + 1
            if min(departs, strikes) > min(now, self.end - 1):
                return
            if departs <= strikes:
                self.depart(departs)
            else:
                self.oracle.end_interval()
                self.next_end += round(OPTIONS.interval_s * plans.PS)

    def arrive(self, now: int, flow: int, seq: int, size: int, ce: bool, dropped: bool) -> None:
        self.run_to(now)
        data = size > 40
        ect = data and (flow, seq) not in self.sent  # neither SYNs nor retransmissions
        if data:
            self.sent.add((flow, seq))
        self.oracle.arrive(Packet(flow, size, ect, ce), now)
        if dropped:
            self.oracle.lose()
            return
        self.waiting.append((flow, seq, size))
        if self.free_at <= now:
            self.depart(now)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        rare("flow-projection", OPTIONS),
        ("flow-projection", OPTIONS._replace(screened=True, k=20.0)),
        rare("flow-projection-heuristic", OPTIONS),
        ("flow-projection-heuristic", OPTIONS._replace(parallel=True, screened=True)),
    ],
)
def test_marks_are_the_oracles(name: str, options: Options) -> None:
    """The packets that the oracle marks in its queue are those that the engine marks."""
    end_s, rtt_s = 12.0, [0.02, 0.03, 0.03, 0.04, 0.05, 0.07]
    room = 25 if name == "flow-projection" else 22  # less than the law assumes: there are losses
    outcome = closed_loop(marking(name, options), rtt_s, room, end_s, trace=True)
    oracle = (Heuristic if name.endswith("heuristic") else Reference)(options, RATE_BPS)
    replay = Replay(oracle, end_s)
    rows = outcome.table("trace")
    here = rows["link"] == 0
    offered = here & ((rows["event"] == ENQUEUE) | (rows["event"] == DROP))
    columns = ("t_ps", "flow", "seq", "bytes", "ce", "event")
    for t, flow, seq, size, ce, event in zip(
        *(rows[c][offered].tolist() for c in columns), strict=True
    ):
        replay.arrive(t, flow, seq, size, bool(ce), event == DROP)
    replay.run_to(replay.end)
    marks = here & (rows["event"] == MARK)
    engine = zip(*(rows[c][marks].tolist() for c in ("t_ps", "flow", "seq")), strict=True)
    assert list(engine) == replay.marked
    assert len(replay.marked) > 50 and np.count_nonzero(here & (rows["event"] == DROP)) > 5


@pytest.mark.parametrize("flows", [1, 4, 10])
def test_reference_loses_nothing(flows: int) -> None:
    """In congestion avoidance at equal round trips, no packet is lost, unlike with drop-tail."""
    lost = {}
    for name in ("drop-tail", "flow-projection"):
        options = OPTIONS._replace(buffer_packets=80.0)
        chosen = plans.DROP_TAIL if name == "drop-tail" else marking(name, options)
        outcome = closed_loop(chosen, [0.05] * flows, 80, 60.0)
        lost[name] = outcome.over(10, 60, "links")["drops"][0]
    assert lost["drop-tail"] > 0 and lost["flow-projection"] == 0, lost
