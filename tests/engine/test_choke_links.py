# SPDX-License-Identifier: Apache-2.0
"""CHOKe on the engine's links: a queue from which packets disappear, and the law's purpose."""

from __future__ import annotations

import numpy as np

import plans
from drive import EngineOutput, run
from ecnomy.markets.plan.laws import law
from tiers import in_full

ENQUEUE, MARK, DROP, DELIVER = 1, 2, 3, 4
RATE_BPS = 1_000_000
DELAY_S = 0.01
SYN_BYTES = 40


def shared(
    *, flows: int, datagram_bps: float, thresholds: tuple[int, int], end_s: float, **record: bool
) -> EngineOutput:
    """Reno flows and one flow of Poisson datagrams, which ignores marks, on one link."""
    low, high = thresholds
    choke = law("marking", "choke", {"min_threshold": low, "max_threshold": high, "weight": 0.02})
    links = plans.duplex("link", 0, 1, RATE_BPS, DELAY_S, buffer=3 * high // 2, marking=choke)
    gap_s = 8000 / datagram_bps
    poisson = law("traffic", "poisson", {"mean_interval_s": gap_s})
    sources = [
        plans.source("tcp", [0], [1], plans.tcp(plans.RENO), count=flows, stagger_s=0.05),
        plans.source("udp", [0], [], plans.udp(), traffic=poisson),
    ]
    return run(plans.plan(links, sources, end_s, seed=3, **record))


def served(events: list[tuple[int, int, int, int, int]]) -> tuple[list[tuple[int, int, int]], int]:
    """Serve a queue by hand: data delivered (time, flow, number), and the waiting packets dropped.

    Args:
        events: arrivals that enter, and drops, as (time, event, flow, number, bytes).
    """
    waiting: list[tuple[int, int, int, int]] = []  # arrival, flow, number, bytes
    delivered, removed, free_at = [], 0, 0
    for t, event, flow, number, size in [*events, (2**62, DROP, -9, 0, 0)]:
        while waiting and max(free_at, waiting[0][0]) <= t:
            begun, own, seq, length = waiting.pop(0)
            free_at = max(free_at, begun) + length * 8 * plans.PS // RATE_BPS
            if length > SYN_BYTES:
                delivered.append((free_at + round(DELAY_S * plans.PS), own, seq))
        if event == ENQUEUE:
            waiting.append((t, flow, number, size))
            continue
        here = [k for k, (_, *packet) in enumerate(waiting) if packet[:2] == [flow, number]]
        if here:
            del waiting[here[0]]
            removed += 1
    return delivered, removed


def test_packets_behind_a_dropped_one_arrive_earlier() -> None:
    """Every delivery has the time of a queue that is served by hand and loses the same packets."""
    outcome = shared(flows=3, datagram_bps=8e5, thresholds=(4, 12), end_s=20, trace=True)
    rows = outcome.table("trace")
    here = (rows["link"] == 0) & (rows["t_ps"] < 19 * plans.PS)
    columns = ("t_ps", "event", "flow", "seq", "bytes")
    enters = here & np.isin(rows["event"], (ENQUEUE, DROP))
    expected, removed = served(list(zip(*(rows[c][enters].tolist() for c in columns), strict=True)))
    arrives = (rows["event"] == DELIVER) & (rows["t_ps"] < 19 * plans.PS)
    got = list(zip(*(rows[c][arrives].tolist() for c in ("t_ps", "flow", "seq")), strict=True))
    assert len(got) > 1500 and removed > 50
    assert got == [one for one in expected if one[0] < 19 * plans.PS]


def test_a_flow_that_ignores_marks_gets_a_bounded_share() -> None:
    """Beside many TCP flows, at most 1 / (1 + e) of the link, and less the faster it sends.

    Tang, Wang and Low 2003, "Understanding CHOKe", derive this limit for many flows, and that the
    share vanishes as the rate grows. RED would give a flow of twice the link's rate almost all.
    """
    share = {}
    for speed in (1, 2, 8):
        outcome = shared(flows=32, datagram_bps=speed * RATE_BPS, thresholds=(50, 150), end_s=100)
        delivered = outcome.over(20, 100, "flows")["delivered_bytes"] * 8 / 80 / RATE_BPS
        share[speed] = float(delivered[-1])
        assert 0.95 < delivered.sum() < 1.01
    print(share)
    limit = 1 / (1 + np.e)
    assert share[8] < share[1] < limit * 1.05 and share[2] < limit * 1.05
    if in_full():
        assert share[8] < 0.1
