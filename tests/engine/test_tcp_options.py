# SPDX-License-Identifier: Apache-2.0
"""Receiver window, `ect: all` and the reference round trip, against counts and closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import plans
from drive import EngineOutput, run
from ecnomy.markets.bridge.messages import Decide, Report, flow_orders
from ecnomy.markets.plan import Law
from losses import ACK, DELIVER, DROP, MARK, SEND
from tiers import in_full, seeds

PS = plans.PS
RTT_S = 0.1
TEN = range(len(seeds(10)))
STUDENT_99 = 3.250  # two-sided 99 % quantile with nine degrees of freedom


def flight(outcome: EngineOutput) -> list[int]:
    """The number of segments beyond the last ACK when each segment leaves."""
    table = outcome.table("trace")
    una, in_flight = 0, []
    for event, seq, size in zip(
        *(table[n].tolist() for n in ("event", "seq", "bytes")), strict=True
    ):
        if event == ACK:
            una = max(una, seq)
        elif event == SEND and size > 40:
            in_flight.append(seq + 1 - una)
    return in_flight


@pytest.mark.parametrize("window", [plans.RENO, plans.wtp(50)])
def test_a_receiver_window_bounds_the_flight(window: Law) -> None:
    """At most 16 packets are beyond the last ACK, and an unused window does not grow."""
    links = plans.duplex("l", 0, 1, 1e8, RTT_S / 2)
    transport = plans.tcp(window, echo="off", receiver_window=16)
    outcome = run(plans.plan(links, [plans.source("f", [0], [1], transport)], 30, trace=True))
    flows = outcome.reports[-1].flows
    assert max(flight(outcome)) == 16
    assert outcome.over(10, 30)["acked"][0] == pytest.approx(16 * 20 / (RTT_S + 1e-4), rel=0.01)
    # RFC 7661: growth only while more than half of the window is used.
    assert flows["cwnd"][0] <= 2 * 16 + 1


def test_no_receiver_window_is_no_bound() -> None:
    """Without a receiver window, the same flow has far more under way, and its window grows."""
    links = plans.duplex("l", 0, 1, 1e8, RTT_S / 2)
    transport = plans.tcp(plans.wtp(50), echo="off")
    outcome = run(plans.plan(links, [plans.source("f", [0], [1], transport)], 10))
    assert outcome.reports[-1].flows["cwnd"][0] > 100


def marked(ect: str, probability: float, *, buffer: int, seed: int = 1, decide=None, **other):
    """Six flows over links that mark both ways, drop what is not ECT, and overflow one way."""
    links = [
        plans.link("l", 0, 1, 4e6, 0.02, buffer=buffer, marking=plans.fixed(probability)),
        plans.link("r", 1, 0, 4e6, 0.02, marking=plans.fixed(probability)),
    ]
    transport = plans.tcp(plans.wtp(2), ect=ect, **other)
    flow = plans.source("f", [0], [1], transport, count=6, stagger_s=0.1)
    return run(plans.plan(links, [flow], 30, trace=True, seed=seed), decide)


def test_all_packets_may_be_marked_with_ect_all() -> None:
    """On links that mark every packet, `data` cannot connect, and `all` loses nothing."""
    none, all_ect = marked("data", 1.0, buffer=-1), marked("all", 1.0, buffer=-1)
    assert sum(none.reports[-1].flows["sent"]) == 0 and none.reports[-1].links["law_drops"][0] > 6
    flows, links = all_ect.reports[-1].flows, all_ect.reports[-1].links
    assert np.all(flows["ce"] == flows["delivered"]) and np.all(flows["acked"] > 100)
    assert sum(links["drops"]) == 0 and np.all(links["marks"] == links["arrivals"])


@pytest.mark.parametrize("options", [{}, {"sack": True, "delayed_acks": 2}])
@pytest.mark.parametrize("seed", range(3))
def test_every_mark_is_accounted_for_with_ect_all(seed: int, options: dict[str, object]) -> None:
    """Marks of links = CE data delivered + other CE delivered + CE dropped + CE in flight."""
    outcome = marked("all", 0.2, buffer=8, seed=seed, **options)
    flows, pairs = outcome.reports[-1].flows, outcome.reports[-1].pairs
    control = sum(flows["control_ce"])
    assert control > 100 and sum(flows["lost"]) > 50 and sum(pairs["ce_dropped"]) >= 0
    arrived = sum(flows["ce"]) + control
    assert sum(pairs["marks"]) == arrived + sum(pairs["ce_dropped"]) + sum(pairs["ce_in_flight"])
    # The bill counts data: what the trace says of it, resent packets included.
    table = outcome.table("trace")
    assert sum(flows["ce"]) == int(np.sum(table["ce"][table["event"] == DELIVER]))
    acks = table["event"] == ACK
    assert sum(pairs["marks"][1:]) >= int(np.sum(table["ce"][acks])) > 0


def test_resent_packets_are_marked_and_learnt_of() -> None:
    """With `all`, a marked retransmission is charged, and its mark reaches the law."""
    outcome = marked("all", 0.2, buffer=8, max_window=20.0)
    table, lost, again, resent = outcome.table("trace"), set(), set(), 0
    names = ("event", "link", "flow", "seq", "bytes")
    for event, link, flow, seq, size in zip(*(table[n].tolist() for n in names), strict=True):
        if event == DROP and link == 0 and size > 40:
            lost.add((flow, seq))
        elif event == SEND and (flow, seq) in lost:
            again.add((flow, seq))
        elif event == MARK and link == 0 and size > 40:
            resent += (flow, seq) in again
    flows = outcome.reports[-1].flows
    assert resent > 5
    assert np.all(flows["ece"] <= flows["ce"]) and np.all(flows["ce"] - flows["ece"] <= 30)


def test_a_mark_cap_is_kept_with_ect_all() -> None:
    """Retransmissions count against the cap too: never more marks than it allows."""

    def capped(report: Report) -> Decide:
        orders = flow_orders(np.arange(6), mark_cap=40)
        return Decide(report.epoch, orders if report.epoch == 0 else {})

    for sack in (False, True):
        outcome = marked("all", 0.5, buffer=4, decide=capped, sack=sack, initial_window=10.0)
        flows = outcome.reports[-1].flows
        assert sum(flows["retransmitted"]) > 0
        assert np.all(flows["ce"] <= 40) and np.all(flows["ce"] > 20)


def fair(window: Law, reference_s: float, seed: int, *, shared: bool) -> float:
    """Ratio of the rates of flows of 100 ms and of 300 ms, on one link that marks."""
    marking = plans.fixed(0.05)
    rate_bps, count = 1e9, 1
    if shared:
        marking = Law("load-based", {"interval_s": 0.5, "threshold": 0.6, "slope": 0.71})
        rate_bps, count = 1e7, 3
    links = plans.duplex("near", 0, 1, 1e10, 0.05) + plans.duplex("far", 0, 1, 1e10, 0.15)
    links += plans.duplex("shared", 1, 2, rate_bps, 0.0, marking=marking)
    reference = -1 if reference_s < 0 else round(reference_s * PS)
    transport = plans.tcp(window, reference_rtt_ps=reference)
    other = dict(count=count, spread_s=1.0, overhead_s=0.0008)
    sources = [
        plans.source("near", [0, 4], [5, 1], transport, **other),
        plans.source("far", [2, 4], [5, 3], transport, **other),
    ]
    plan = plans.plan(links, sources, 440, warmup_s=40, epoch_s=1e5, seed=seed)
    acked = run(plan).over(40, 440)["acked"].reshape(2, count).sum(axis=1)
    return float(acked[0] / acked[1])


def interval(ratios: list[float]) -> tuple[float, float]:
    """The 99 % confidence interval for the mean of the ratios, or only the mean of a few ratios."""
    if not in_full():
        return float(np.mean(ratios)), float(np.mean(ratios))
    half = STUDENT_99 * float(np.std(ratios, ddof=1)) / len(ratios) ** 0.5
    return float(np.mean(ratios)) - half, float(np.mean(ratios)) + half


@pytest.mark.parametrize("shared", [False, True], ids=["fixed", "load-based"])
@pytest.mark.parametrize(("form", "weight"), [(0, 4.0), (1, 1.0)])
def test_a_reference_round_trip_removes_the_bias(form: int, weight: float, shared: bool) -> None:
    """At round trips of 100 and 300 ms, rates are equal within 5 % (siris2002 5.1, A4)."""
    # The inverse form settles in T w / (gain p), of which the 40 s before are to hold several.
    window = plans.wtp(weight, form=form)
    ratios = [fair(window, 0.2, seed, shared=shared) for seed in TEN]
    low, high = interval(ratios)
    assert 0.95 < low and high < 1.05


@pytest.mark.parametrize("shared", [False, True], ids=["fixed", "load-based"])
def test_without_it_rates_are_as_one_over_the_round_trip(shared: bool) -> None:
    """The same weight per round trip gives x = w / (p T), a ratio of 3 within 5 %."""
    ratios = [fair(plans.wtp(4), -1.0, seed, shared=shared) for seed in TEN]
    low, high = interval(ratios)
    assert 0.95 < low / 3 and high / 3 < 1.05


def one(transport, duration_s: float, rtt_s: float, probability: float) -> dict[str, np.ndarray]:
    links = [
        plans.link("l", 0, 1, 1e10, rtt_s / 2, marking=plans.fixed(probability), not_ect="pass"),
        plans.link("r", 1, 0, 1e10, rtt_s / 2),
    ]
    flow = plans.source("f", [0], [1], transport)
    return run(plans.plan(links, [flow], duration_s)).reports[-1].flows


@pytest.mark.parametrize("rtt_s", [0.1, 0.3])
@pytest.mark.parametrize("window", [plans.wtp(4), plans.wtp(4, form=1), plans.wtp_sender(4)])
def test_weight_and_gain_scale_with_the_round_trip(window: Law, rtt_s: float) -> None:
    """At T / T_ref = s the weight is s w; unmarked ACKs add s gain s w / cwnd each (A4).

    Paced WTP grows a little faster, by s gain s w in each T, as its ACKs are those of a smaller
    window.
    """
    scale = rtt_s / 0.2
    transport = plans.tcp(window, echo="accurate", reference_rtt_ps=PS // 5, initial_window=4.0)
    flows = one(transport, 20, rtt_s, 0.0)
    assert flows["weight"][0] == pytest.approx(4 * scale, rel=1e-4)
    gain, expected = 0.5 * scale, 4.0
    # The inverse form has w in the decrease: an unmarked ACK adds gain / cwnd.
    rise = gain * (1.0 if window.params.get("form") == 1.0 else 4 * scale)
    for _ in range(int(flows["acked"][0])):
        expected += rise / expected
    close = 0.02 if window.law == "wtp" else 1e-4
    assert flows["cwnd"][0] == pytest.approx(expected, rel=close) and flows["acked"][0] > 500


@pytest.mark.parametrize("rtt_s", [0.1, 0.3])
def test_marks_per_second_keep_their_weight(rtt_s: float) -> None:
    """With a mark rate m the weight is m T with and without a reference, and the gain scales."""
    grown = []
    for reference in (-1, PS // 5):
        law = plans.wtp(gain=0.5 if reference > 0 else 0.5 * rtt_s / 0.2)
        transport = plans.tcp(
            law, initial_mark_rate=20.0, reference_rtt_ps=reference, initial_window=4.0
        )
        flows = one(transport, 20, rtt_s, 0.0)
        assert flows["weight"][0] == pytest.approx(20 * rtt_s, rel=1e-4)
        grown.append(float(flows["cwnd"][0]))
    assert grown[0] == pytest.approx(grown[1], rel=1e-4)


def test_the_gain_of_sender_only_wtp_stays_in_its_range() -> None:
    """A gain scaled beyond 1 is limited to 1, so the window moves halfway to w in a round."""
    law = plans.wtp_sender(4, gain=0.9)
    transport = plans.tcp(law, reference_rtt_ps=PS // 20, initial_window=400.0)
    flows = one(transport, 0.43, 0.1, 1.0)  # four answers: at 0.2, 0.3 and 0.4 s, one each
    weight = 4 * 0.1 / 0.05
    assert flows["cwnd"][0] == pytest.approx(weight + (400 - weight) / 2**3, rel=1e-3)
