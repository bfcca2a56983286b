# SPDX-License-Identifier: Apache-2.0
"""Links under FQ-CoDel: max-min fair rates, short waits of thin flows, marks, drops and books."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

import drive
import plans
from class_plans import by_class, by_flow, classed
from ecnomy.markets.plan import Law, Plan, Source

RATE = 10e6


def cbr(rate_bps: float, size: int = 1000) -> Law:
    """A constant rate."""
    return Law("cbr", {"interval_s": size * 8 / rate_bps, "random_phase": 1.0})


def through(name: str, transport: object, traffic: Law | None = None, **more: object) -> Source:
    """A source over both links."""
    kind = {} if traffic is None else {"traffic": traffic}
    flows = plans.source(name, [0, 2], [3, 1], transport, *kind.values(), **more)
    return msgspec.structs.replace(flows, classes=[-1, 0])


def dumbbell(
    sources: list[Source],
    *,
    room: int = 1000,
    seed: int = 1,
    duration_s: float = 30.0,
    **values: float,
) -> Plan:
    """Sources over a fast link and one under FQ-CoDel, round trip 20 ms."""
    links = plans.duplex("in", 0, 1, 1e9, 0.001) + plans.duplex(
        "queues", 1, 2, RATE, 0.009, buffer=room
    )
    links[2] = classed(links[2], by_flow(**values))
    return plans.plan(links, sources, duration_s, classes_every_ps=10**11, seed=seed)


def test_floods_share_the_link_max_min() -> None:
    """Loads of 8, 6, 2 and 0.1 Mbps get 3.95, 3.95, 2 and 0.1, and thin flows hardly wait."""
    offers = {"a": 8e6, "b": 6e6, "c": 2e6, "d": 1e5}
    sources = [through(name, plans.udp(1000), cbr(rate)) for name, rate in offers.items()]
    plan = dumbbell(sources)
    out = drive.run(plan)
    flows = out.over(10.0, 30.0, "flows")
    got = flows["delivered_bytes"] * 8 / 20.0
    assert got == pytest.approx([3.95e6, 3.95e6, 2e6, 1e5], rel=0.01)
    waits_s = flows["delay_sum_ps"] / flows["delivered"] / 1e12 - 0.010
    assert waits_s[3] < 3 * 1500 * 8 / RATE < 0.1 < waits_s[0]
    assert flows["lost"][2] == flows["lost"][3] == 0
    link = out.over(0.0, 30.0, "links")
    sums = by_class(out.table("classes"))
    assert sums["drops"][0] == link["drops"][2] > 1000
    assert sums["arrivals"][0] == link["arrivals"][2]
    assert sums["departures"][0] == link["departures"][2]
    ended = out.table("classes")
    assert ended["busy_dropped_bytes"][-1] == sums["dropped_bytes"][0], "it was never idle"


def test_reno_is_marked_and_shares_with_a_flood() -> None:
    """A flow that responds to marks gets half of the link beside a flood, without losses."""
    reno = through("reno", plans.tcp(mss_bytes=1460, sack=True))
    flood = through("flood", plans.udp(1472), cbr(2e7, 1500))
    out = drive.run(dumbbell([reno, flood], room=500))
    flows = out.over(10.0, 30.0, "flows")
    assert flows["delivered_bytes"] * 8 / 20.0 == pytest.approx([RATE / 2, RATE / 2], rel=0.06)
    assert flows["ce"][0] > 5 and flows["lost"][0] == 0
    assert flows["delay_sum_ps"][0] / flows["delivered"][0] < 0.030 * 1e12


def test_codel_keeps_the_delay_of_one_flow_at_the_target() -> None:
    """NewReno alone fills the link at a mean wait near 5 ms, with marks and without losses."""
    out = drive.run(dumbbell([through("reno", plans.tcp(mss_bytes=1460, sack=True))]))
    sums = by_class(out.table("classes"), 10.0)
    wait_s = sums["delay_sum_ps"][0] / sums["departures"][0] / 1e12
    assert 0.002 < wait_s < 0.010
    link = out.over(10.0, 30.0, "links")
    assert link["busy_ps"][2] > 0.9 * 20e12
    assert link["marks"][2] > 10 and link["drops"][2] == 0


def test_the_step_is_for_ect_1() -> None:
    """In a flood of ECT(1) datagrams, each packet that waits for 1 ms is marked.

    On ECT(0), CoDel marks the first packet 100 ms after the wait has passed 5 ms, and the n-th mark
    is followed by the next one after 100 ms / sqrt(n).
    """
    marks, packets = {}, 0.0
    for codepoint in ("ect-0", "ect-1"):
        kind = plans.udp(1000, ect=True, codepoint=codepoint)
        sources = [through(name, kind, cbr(8e6)) for name in ("a", "b")]
        out = drive.run(dumbbell(sources, room=9000, duration_s=3.0, ce_threshold_s=0.001))
        sums = by_class(out.table("classes"))
        marks[codepoint], packets = sums["marks"][0], sums["departures"][0]
    since_first_s = np.cumsum(0.1 / np.sqrt(np.arange(1, 1000)))
    assert marks["ect-0"] == pytest.approx(2 * (1 + np.sum(since_first_s < 2.88)), rel=0.01)
    assert marks["ect-1"] > 0.99 * packets


def test_the_seed_decides_which_flows_meet_in_a_queue() -> None:
    """With two queues for three floods, two share one queue: 2.5, 2.5 and 5 Mbps."""
    sources = [through(name, plans.udp(1000), cbr(9e6)) for name in "abc"]
    lonely = set()
    for seed in range(1, 13):
        out = drive.run(dumbbell(sources, queues=2, room=300, seed=seed))
        got = np.sort(out.over(10.0, 30.0, "flows")["delivered_bytes"] * 8 / 20.0)
        if got[2] < 4e6:
            assert got == pytest.approx(np.full(3, RATE / 3), rel=0.2), "all in one queue"
            continue
        assert got[2] == pytest.approx(5e6, rel=0.02)
        lonely.add(int(np.argmax(out.over(10.0, 30.0, "flows")["delivered_bytes"])))
    assert lonely == {0, 1, 2}
