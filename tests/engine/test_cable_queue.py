# SPDX-License-Identifier: Apache-2.0
"""Links under DOCSIS's dual queue: classic delay, shares, and queue protection (RFC 9957)."""

from __future__ import annotations

import numpy as np
import pytest

import drive
import plans
from class_plans import by_class, classed, dual
from ecnomy.markets.plan import Law, Plan, Source
from test_dual_queue import CLASSIC, L4S, MSS, in_class

RATE = 40e6


def cable(sources: list[Source], duration_s: float, **values: float) -> Plan:
    """Sources over a fast link and a cable of 40 Mbps, round trip 20 ms."""
    links = plans.duplex("in", 0, 1, 1e9, 0.001) + plans.duplex(
        "cable", 1, 2, RATE, 0.009, buffer=10_000
    )
    links[2] = classed(links[2], dual("docsis", **values))
    return plans.plan(links, sources, duration_s, classes_every_ps=10**11)


def reno(count: int) -> Source:
    """Flows of Reno without ECN."""
    transport = plans.tcp(mss_bytes=MSS, sack=True, echo="off")
    flows = plans.source("reno", [0, 2], [3, 1], transport, count=count, stagger_s=0.2)
    return in_class(flows, CLASSIC)


def datagrams(name: str, rate_bps: float) -> Source:
    """ECT(1) datagrams at random times."""
    kind = plans.udp(1000, ect=True, codepoint="ect-1")
    traffic = Law("poisson", {"mean_interval_s": 8000 / rate_bps})
    return in_class(plans.source(name, [0, 2], [3, 1], kind, traffic), L4S)


def waits_s(plan: Plan) -> tuple[np.ndarray, np.ndarray]:
    """Each flow's mean wait after 10 s, and the packets it lost, as a share."""
    flows = drive.run(plan).over(10.0, 30.0, "flows")
    lost = flows["lost"] / (flows["lost"] + flows["delivered"])
    return flows["delay_sum_ps"] / flows["delivered"] / 1e12 - 0.010, lost


def test_classic_flows_wait_as_long_as_the_target() -> None:
    """The controller keeps the classic delay near its target of 10 ms by drops alone.

    The delay is not exact, because nothing is dropped below a third of the buffer, or while the sum
    of p is below 0.85.
    """
    out = drive.run(cable([reno(8)], 40.0))
    sums = by_class(out.table("classes"), 10.0)
    wait_s = sums["delay_sum_ps"][CLASSIC] / sums["departures"][CLASSIC] / 1e12
    assert wait_s == pytest.approx(0.011, rel=0.15)
    link = out.over(10.0, 40.0, "links")
    assert link["marks"][2] == 0 < link["drops"][2]


def test_a_flood_of_small_packets_has_a_probability_of_1() -> None:
    """PIE's p refers to a packet of the mean size, so it exceeds 1 if packets are smaller."""
    traffic = Law("poisson", {"mean_interval_s": 64 * 8 / 80e6})
    flood = plans.source("flood", [0, 2], [3, 1], plans.udp(64), traffic)
    out = drive.run(cable([in_class(flood, CLASSIC)], 0.5, alpha=100.0))
    assert out.at(0.5).links["probability"][2] == 1.0


@pytest.mark.parametrize("protection", [0.0, 1.0])
def test_protection_ejects_a_flood(protection: float) -> None:
    """A flood of L4S packets delays a thin flow by L's buffer, or by at most 3 ms if ejected."""
    plan = cable([datagrams("flood", 60e6), datagrams("thin", 2e5)], 30.0, protection=protection)
    wait_s, lost = waits_s(plan)
    if protection:
        assert wait_s[1] < 0.003 and lost[1] < 0.02  # it is ejected too where its packets bunch
        assert lost[0] == pytest.approx(1 / 3, rel=0.03)
    else:
        assert wait_s[1] > 0.008 and lost[1] > 0.2


def test_a_flow_without_a_queue_stays() -> None:
    """A flow at half of the rate hardly queues, so almost no packet is ejected or marked."""
    out = drive.run(cable([datagrams("steady", 20e6)], 20.0))
    table = by_class(out.table("classes"))
    assert table["arrivals"][CLASSIC] < 1e-3 * table["arrivals"][L4S]
    link = out.over(0.0, 20.0, "links")
    assert link["marks"][2] < 0.02 * link["arrivals"][2]


def test_books_of_ejected_packets() -> None:
    """Each packet is in the books of the class it joined, once; marks do not exceed arrivals."""
    out = drive.run(cable([datagrams("flood", 50e6), reno(2)], 20.0))
    last, table = out.at(20.0).links, by_class(out.table("classes"))
    left = last["arrivals"] - last["drops"] - last["departures"]
    assert left[2] == last["queue_packets"][2]
    for name in ("arrivals", "departures", "drops"):
        assert table[name].sum() == pytest.approx(last[name][2], abs=60), name
    assert table["arrivals"].min() > 1000
    assert 0 < last["marks"][2] < last["arrivals"][2]
