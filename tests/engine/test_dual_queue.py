# SPDX-License-Identifier: Apache-2.0
"""Links under DualPI2, and Prague on them, against RFC 9332 and Prague's rate equation."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

import drive
import plans
from class_plans import by_class, classed, dual
from ecnomy.markets.plan import Law, Plan, Source, Tcp

L4S, CLASSIC = 0, 1
MSS = 1460  # packets of 1500 bytes


def cbr(rate_bps: float, size: int = 1000) -> Law:
    """A constant rate."""
    return Law("cbr", {"interval_s": size * 8 / rate_bps, "random_phase": 0.0})


def reno_flows(count: int) -> Source:
    """Flows of Reno over both links, in the classic queue of the second."""
    flows = plans.source(
        "reno", [0, 2], [3, 1], plans.tcp(mss_bytes=MSS, sack=True), count=count, stagger_s=0.2
    )
    return in_class(flows, CLASSIC)


def in_class(source: Source, service: int) -> Source:
    """The source in a class of the second link."""
    return msgspec.structs.replace(source, classes=[-1, service])


def dumbbell(
    sources: list[Source], rate_bps: float, duration_s: float, **values: float | str
) -> Plan:
    """Sources over a fast link and one under DualPI2, round trip 20 ms."""
    links = plans.duplex("in", 0, 1, 1e9, 0.001) + plans.duplex(
        "dual", 1, 2, rate_bps, 0.009, buffer=10_000
    )
    links[2] = classed(links[2], dual(**values))
    return plans.plan(links, sources, duration_s, classes_every_ps=10**11)


@pytest.mark.parametrize("form", ["linux", "rfc9332"])
def test_classic_flows_wait_as_long_as_the_target(form: str) -> None:
    """The integral part removes any error, so Reno's packets wait for 15 ms on average.

    p' is small here, and the queue is never empty, so nothing clips the controller.
    """
    out = drive.run(dumbbell([reno_flows(6)], 3e7, 40.0, form=form))
    sums = by_class(out.table("classes"), 10.0)
    wait_s = sums["delay_sum_ps"][CLASSIC] / sums["departures"][CLASSIC] / 1e12
    assert wait_s == pytest.approx(0.015, rel=0.07)
    link = out.over(10.0, 40.0, "links")
    assert link["marks"][2] > 0 and link["drops"][2] == 0
    assert link["busy_ps"][2] > 0.98 * 30e12


def test_datagrams_are_sorted_by_their_ecn_field() -> None:
    """ECT(1) and CE packets are in the first class, and not-ECT and ECT(0) in the second."""
    kinds = [
        plans.udp(1000),
        plans.udp(1000, ect=True),
        plans.udp(1000, ect=True, codepoint="ect-1"),
    ]
    sources = [
        in_class(plans.source(f"s{i}", [0, 2], [3, 1], kind, cbr(rate)), CLASSIC)
        for i, (kind, rate) in enumerate(zip(kinds, (1e6, 2e6, 4e6), strict=True))
    ]
    plan = dumbbell(sources, 1e8, 10.0)
    plain = by_class(drive.run(plan).table("classes"))["arrivals"]
    assert plain == pytest.approx([5000, 3750], abs=4)
    marking = msgspec.structs.replace(plan.links[0], marking=plans.fixed(1.0), not_ect="pass")
    links = [marking, *plan.links[1:]]
    marked = drive.run(msgspec.structs.replace(plan, links=links).sealed())
    assert by_class(marked.table("classes"))["arrivals"] == pytest.approx([7500, 1250], abs=4)


@pytest.mark.parametrize(
    ("form", "codepoint"), [("linux", "ect-0"), ("linux", "ect-1"), ("rfc9332", "ect-0")]
)
def test_a_flood_loses_what_the_link_cannot_carry(form: str, codepoint: str) -> None:
    """No source responds to marks at a load of 1.5, so p' rises until a third is dropped.

    L4S and classic packets are dropped as they leave, with p'^2, and each packet is in the books
    once. RFC 9332's p' follows only the classic queue, so a flood of L4S packets fills the buffer.
    """
    flood = plans.source(
        "flood", [0, 2], [3, 1], plans.udp(1000, ect=True, codepoint=codepoint), cbr(15e6)
    )
    service = L4S if codepoint == "ect-1" else CLASSIC
    out = drive.run(dumbbell([in_class(flood, service)], 1e7, 30.0, form=form))
    link = out.over(15.0, 30.0, "links")
    assert link["drops"][2] / link["arrivals"][2] == pytest.approx(1 / 3, rel=0.02)
    last = out.at(30.0).links
    left = last["arrivals"] - last["drops"] - last["departures"]
    assert left[2] == last["queue_packets"][2]
    table = by_class(out.table("classes"))
    for name in ("arrivals", "departures", "drops"):
        assert table[name].sum() == pytest.approx(last[name][2], abs=40), name


@pytest.mark.parametrize("form", ["linux", "rfc9332"])
def test_reports_have_the_base_probability(form: str) -> None:
    """The share of classic packets marked is p'^2, and p' of an idle link falls to 0."""
    datagrams = plans.udp(1000, ect=True)
    flood = plans.source("flood", [0, 2], [3, 1], datagrams, cbr(11e6), stop_s=30.0)
    out = drive.run(dumbbell([in_class(flood, CLASSIC)], 1e7, 60.0, form=form))
    link = out.over(20.0, 30.0, "links")
    share = (link["marks"][2] + link["drops"][2]) / link["arrivals"][2]
    base = [out.at(t_s).links["probability"][2] for t_s in range(20, 31)]
    assert np.mean(np.square(base)) == pytest.approx(share, rel=0.05)
    assert out.at(60.0).links["probability"].tolist() == [0.0] * 4


def _prague(p: float, rtt_s: float, duration_s: float) -> tuple[float, float]:
    """Mbps and marked share of one flow whose packets are marked with probability p."""
    links = plans.duplex("l", 0, 1, 4e9, rtt_s / 2, marking=plans.fixed(p))
    window: Tcp = plans.tcp(plans.prague(), mss_bytes=MSS)
    flow = plans.source("prague", [0], [1], window)
    out = drive.run(plans.plan(links, [flow], duration_s, seed=3))
    moved = out.over(duration_s / 3, duration_s)
    mbps = moved["delivered_bytes"][0] * 8 / (duration_s * 2 / 3) / 1e6
    return mbps, moved["ce"][0] / moved["delivered"][0]


@pytest.mark.parametrize(("p", "rtt_s"), [(0.03, 0.005), (0.02, 0.025), (0.005, 0.01)])
def test_prague_takes_as_many_marks_whatever_its_rate_and_round_trip(
    p: float, rtt_s: float
) -> None:
    """A flow gets m marks in each T = 25 ms, so its rate is m / (p T), at short RTTs too.

    A reduction by p W / 2 = m / 2 comes with the first mark when T is over, which takes T / m more:
    the window grows by (1 - p) (1 + 1/m) meanwhile, so m^2 = 2 (1 - p) (m + 1).
    """
    mbps, share = _prague(p, rtt_s, 90.0)
    assert share == pytest.approx(p, rel=0.05)
    m = 1 - share + np.sqrt((1 - share) ** 2 + 2 * (1 - share))
    assert mbps == pytest.approx(0.48 * m / share, rel=0.05)


def test_beyond_25_ms_the_rate_falls_with_the_round_trip() -> None:
    """The rate at 50 ms is half of the rate at 25 ms."""
    (near, near_p), (far, far_p) = (_prague(0.02, rtt_s, 120.0) for rtt_s in (0.025, 0.05))
    scale = (1 / far_p - 1) / (1 / near_p - 1)
    assert far / near == pytest.approx(scale / 2, rel=0.05)


def test_prague_leaves_reno_its_share_and_waits_a_millisecond() -> None:
    """One Prague flow and four Reno flows share the link without starvation.

    Its packets wait for less than 1 ms on average, Reno's for the target.
    """
    prague = plans.source("prague", [0, 2], [3, 1], plans.tcp(plans.prague(), mss_bytes=MSS))
    out = drive.run(dumbbell([reno_flows(4), in_class(prague, L4S)], 5e7, 40.0))
    moved = out.over(15.0, 40.0)
    reno, own = np.mean(moved["delivered_bytes"][:4]), moved["delivered_bytes"][4]
    assert 0.5 < own / reno < 3
    sums = by_class(out.table("classes"), 15.0)
    waits_ms = sums["delay_sum_ps"] / sums["departures"] / 1e9
    assert waits_ms[L4S] < 1 and 12 < waits_ms[CLASSIC] < 18
