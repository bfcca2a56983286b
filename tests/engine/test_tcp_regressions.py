# SPDX-License-Identifier: Apache-2.0
"""Former faults of the engine's TCP, each in the smallest run that showed it."""

from __future__ import annotations

import numpy as np
import pytest

import plans
from drive import EngineOutput, run
from ecnomy.markets.bridge.messages import Decide, Report, flow_orders
from ecnomy.markets.plan import Law

PS = plans.PS
SEND, ENQUEUE, MARK, DROP, DELIVER, ACK = range(6)
NEWRENO = Law("newreno", plans.RENO.params)


def orders(*rows: tuple[float, dict[str, float]]):
    """Decisions for flow 0 at given seconds."""
    due = {round(t_s * PS): order for t_s, order in rows}

    def decide(report: Report) -> Decide:
        order = due.get(report.t_ps)
        if order is None:
            return Decide(report.epoch)
        return Decide(report.epoch, flow_orders([0], **order))

    return decide


def one(
    transport, duration_s, decide=None, traffic=None, links=None, seed=1, **record
) -> EngineOutput:
    links = links or plans.duplex("l", 0, 1, 1e7, 0.02, buffer=400)
    flow = plans.source("f", [0], [1], transport, traffic)
    return run(plans.plan(links, [flow], duration_s, seed=seed, **record), decide)


@pytest.mark.parametrize("window", [plans.RENO, plans.wtp(4)])
def test_a_lifted_cap_sets_a_flow_free_at_once(window: Law) -> None:
    """A cap of 100 bit/s spaces packets by 80 s. When it is lifted after 5 s, the flow resumes."""
    decide = orders((5, {"rate_cap_bps": 100.0}), (10, {}))
    outcome = one(plans.tcp(window), 12, decide)
    held = outcome.over(6, 10)["sent"][0]
    assert held <= 1 < 100 < outcome.over(10, 12)["sent"][0]


def test_a_flow_that_waited_for_acks_keeps_a_credit_of_one_packet() -> None:
    """An ACK allows four packets, a cap one per 10 ms: two leave at once, the third 10 ms later.

    The flow waited for longer than the interval, so the first packet could have left earlier.
    """
    window = dict(slow_start=False, initial_window=4.0, max_window=4.0)
    transport = plans.tcp(delayed_acks=4, delayed_ack_ps=PS, **window)
    rate_bps = 8 * (transport.mss_bytes + transport.header_bytes) / 0.01
    rows = one(transport, 6, orders((2, {"rate_cap_bps": rate_bps})), trace=True).table("trace")
    sent = rows["t_ps"][(rows["event"] == SEND) & (rows["bytes"] > 40)]
    gaps_ms = np.diff(sent[sent > 3 * PS]) / 1e9
    first = int(np.argmax(gaps_ms)) + 1
    assert np.round(gaps_ms[first : first + 3], 6).tolist() == [0, 10, 10]


@pytest.mark.parametrize("cap", [1e-7, 1e-4, 0.0])
def test_a_tiny_cap_stops_a_flow(cap: float) -> None:
    """An interval beyond the range of time stops the flow instead of leaving it unlimited."""
    outcome = one(plans.tcp(), 10, orders((2, {"rate_cap_bps": cap})))
    assert outcome.over(3, 10)["sent"][0] <= 1


def test_nothing_is_sent_before_the_handshake_ends() -> None:
    """A rate cap lifted while the SYN is on its way releases no data."""
    capped = Law("rate-capped", {"rate_bps": 1e6, "until_s": 0.01})
    rows = one(plans.tcp(), 1, traffic=capped, trace=True).table("trace")
    data = (rows["event"] == SEND) & (rows["bytes"] > 40)
    assert rows["t_ps"][data].min() >= rows["t_ps"][rows["event"] == ACK].min()


def test_accurate_echo_survives_lost_acks() -> None:
    """With a fifth of the ACKs lost, a WTP flow still takes the marks per second it pays for."""
    links = [
        plans.link("l", 0, 1, 1e9, 0.02, marking=plans.fixed(0.05)),
        plans.link("r", 1, 0, 1e9, 0.02, marking=plans.fixed(0.2)),  # drops what is not ECT
    ]
    outcome = one(plans.tcp(plans.wtp(), initial_mark_rate=20.0), 220, links=links)
    over = outcome.over(20, 220)
    assert over["ce"][0] / 200 == pytest.approx(20.0, rel=0.05)
    assert abs(over["ce"][0] - over["ece"][0]) < 20


def test_a_mark_cap_is_kept() -> None:
    """Delivered marks never exceed the cap, however many packets are in flight or ACKs are lost."""
    links = [
        plans.link("l", 0, 1, 1e9, 0.02, marking=plans.fixed(0.5)),
        plans.link("r", 1, 0, 1e9, 0.02, marking=plans.fixed(0.2)),
    ]
    outcome = one(plans.tcp(plans.wtp(8)), 60, orders((0, {"mark_cap": 100})), links=links)
    assert 80 < outcome.reports[-1].flows["ce"][0] <= 100


def test_a_held_back_flow_does_not_store_up_a_window() -> None:
    """While a mark cap limits the flow to 10 packets, the window stays below twice the flight."""
    links = plans.duplex("l", 0, 1, 1e8, 0.02, buffer=100)
    decide = orders((0, {"mark_cap": 10}), (10, {}))
    outcome = one(plans.tcp(slow_start=False, initial_window=4.0), 12, decide, links=links)
    assert outcome.at(10).flows["cwnd"][0] < 45
    assert outcome.reports[-1].flows["lost"][0] == 0


def test_an_idle_flow_begins_again_with_its_initial_window() -> None:
    """RFC 5681 section 4.1: after 10 s of silence at most the initial window leaves at once."""
    decide = orders((5, {"active": 0}), (15, {}))
    links = plans.duplex("l", 0, 1, 1e8, 0.02, buffer=400)
    outcome = one(plans.tcp(max_window=100.0), 16, decide, links=links, trace=True)
    rows = outcome.table("trace")
    burst = (rows["event"] == SEND) & (rows["t_ps"] == 15 * PS)
    assert 1 <= burst.sum() <= 2


def test_an_idle_flow_soon_has_most_of_its_window_again() -> None:
    """RFC 7661 section 4.4.2: slow start goes to three quarters of the window before the silence.

    Marks in the second second leave a threshold of two packets, from which the window then grows.
    """

    def decide(report: Report) -> Decide:
        flows = {6 * PS: flow_orders([0], active=0), 16 * PS: flow_orders([0])}
        marks = {PS: 1.0, 2 * PS: 0.0}
        if report.t_ps not in marks:
            return Decide(report.epoch, flows.get(report.t_ps, {}))
        rows = {"link": [0], "param": [0], "value": [marks[report.t_ps]]}
        return Decide(report.epoch, {}, {k: np.array(v) for k, v in rows.items()})

    links = plans.duplex("l", 0, 1, 1e8, 0.02, buffer=400, marking=plans.fixed(0.0))
    outcome = one(plans.tcp(max_window=100.0), 17, decide, links=links)
    window = [float(outcome.at(t_s).flows["cwnd"][0]) for t_s in (2, 6, 17)]
    assert window[0] < 5 and 80 < window[1] < window[2] / 0.75


def test_repairing_a_timeout_counts_one_packet_an_ack() -> None:
    """A cumulative ACK for a whole resent window opens the window by one packet (RFC 3465)."""
    outcome = one(
        plans.tcp(NEWRENO, echo="off"), 30, links=plans.duplex("l", 0, 1, 1e7, 0.05, buffer=20),
        series=["cwnd"], every_ps=10**9,
    )  # fmt: skip
    window = outcome.table("series")["value"]
    assert outcome.reports[-1].flows["lost"][0] > 5
    growth = np.diff(window)
    assert growth.max() <= 2.0 * 10**-3 / (1040 * 8 / 1e7) + 2


def test_cwr_follows_a_timeout() -> None:
    """A receiver that latches ECE does not limit go-back-N to one packet per round trip."""
    links = [
        plans.link("l", 0, 1, 4e6, 0.05, buffer=8, marking=plans.fixed(0.02), not_ect="pass"),
        plans.link("r", 1, 0, 4e6, 0.05),
    ]
    outcome = one(plans.tcp(initial_window=32.0), 60, links=links)
    flows = outcome.reports[-1].flows
    assert flows["timeouts"][0] > 0
    assert flows["acked"][0] > 60 * 60  # at least 60 packets/s; with the fault it was below 30


def test_an_idle_flow_is_not_saturated() -> None:
    """The time a flow is switched off does not count as saturated."""
    links = plans.duplex("l", 0, 1, 1e6, 0.005, marking=plans.fixed(0.0))
    decide = orders((0, {"mark_rate": 50.0}), (10, {"active": 0}), (40, {"mark_rate": 50.0}))
    outcome = one(plans.tcp(plans.wtp()), 42, decide, links=links)
    assert outcome.over(11, 42)["saturated_ps"][0] <= 2 * PS
    assert outcome.over(0, 10)["saturated_ps"][0] > 0


def test_two_parameters_of_a_law_change_together() -> None:
    """RED 5/15 becomes 50/150 in one decision, though 50/15 would be refused."""
    links = plans.duplex("l", 0, 1, 1e7, 0.02, marking=plans.red(5, 15))

    def decide(report: Report) -> Decide:
        if report.t_ps != PS:
            return Decide(report.epoch)
        rows = {"link": [0, 0], "param": [1, 2], "value": [50.0, 150.0]}
        return Decide(report.epoch, {}, {k: np.array(v) for k, v in rows.items()})

    outcome = one(plans.tcp(), 3, decide, links=links)
    assert outcome.reports[-1].t_ps == 3 * PS


def test_a_later_change_keeps_the_earlier_ones() -> None:
    """The threshold falls to 0 packets, the scope changes a second later, and marks continue."""
    never = Law("threshold", {"threshold_packets": 1e6, "scope": 0.0})
    links = plans.duplex("l", 0, 1, 1e6, 0.02, buffer=10, marking=never)
    said = {1: (0, 0.0), 2: (1, 2.0), 3: (0, 1e6)}  # epoch: parameter, value

    def decide(report: Report) -> Decide:
        if report.epoch not in said:
            return Decide(report.epoch)
        param, value = said[report.epoch]
        rows = {"link": [0], "param": [param], "value": [value]}
        return Decide(report.epoch, {}, {k: np.array(v) for k, v in rows.items()})

    overload = Law("cbr", {"interval_s": 0.004, "random_phase": 0.0})
    flood = plans.source("f", [0], [], plans.udp(1000, ect=True), overload)
    outcome = run(plans.plan(links, [flood], 4), decide)
    marks = np.diff([report.links["marks"][0] for report in outcome.reports])
    assert marks.tolist() == [0, pytest.approx(125, abs=3), pytest.approx(125, abs=12), 0]


def test_links_change_before_flows_act() -> None:
    """Packets that an order releases at t already meet the marking probability decided for t."""
    links = plans.duplex("l", 0, 1, 1e9, 0.02, marking=plans.fixed(0.0))

    def decide(report: Report) -> Decide:
        flow = flow_orders([0], active=int(report.t_ps == 3 * PS))
        link = {"link": np.array([0]), "param": np.array([0]), "value": np.array([1.0])}
        return Decide(report.epoch, flow, link if report.t_ps == 3 * PS else {})

    links = [plans.link("l", 0, 1, 1e9, 0.02, marking=plans.fixed(0.0), not_ect="pass"), links[1]]
    flows = one(plans.tcp(), 5, decide, links=links).reports[-1].flows
    assert flows["ce"][0] == flows["delivered"][0] > 0


def test_a_flow_switched_off_at_the_start_sends_nothing() -> None:
    """The flow does not even send a SYN. When switched on later, it connects."""
    outcome = one(plans.tcp(), 6, orders((0, {"active": 0}), (4, {})), trace=True)
    rows = outcome.table("trace")
    assert rows["t_ps"][rows["event"] == SEND].min() == 4 * PS
    assert outcome.reports[-1].flows["acked"][0] > 100


def test_a_new_measuring_interval_starts_with_a_fair_window() -> None:
    """After a change of interval from 1 s to 10 ms, load-based marking does not mix the two."""
    marking = Law("load-based", {"interval_s": 1.0, "threshold": 0.6, "slope": 1.0})
    links = [plans.link("l", 0, 1, 1e7, 0.02, marking=marking)]
    cbr = Law("cbr", {"interval_s": 0.004, "random_phase": 0.0})
    flow = plans.source("c", [0], [], plans.udp(1000, ect=True), cbr)

    def decide(report: Report) -> Decide:
        rows = {"link": np.array([0]), "param": np.array([0]), "value": np.array([0.01])}
        return Decide(report.epoch, {}, rows if report.t_ps == 2.5 * PS else {})

    outcome = run(plans.plan(links, [flow], 10, epoch_s=0.5), decide)
    assert outcome.reports[-1].links["marks"][0] == 0


def test_a_resent_hole_does_not_move_the_ack_from_under_its_reader() -> None:
    """A resend at a partial ACK may grow the packet pool; `make sanitize` shows a stale read."""
    newreno = plans.tcp(NEWRENO, echo="off", min_rto_ps=10 * PS)
    for seed, buffer, gap_s in ((5, 179, 0.02), (6, 60, 0.01), (7, 190, 0.04)):
        links = [
            plans.link("there", 0, 1, 4e6, 0.05, buffer=buffer, not_ect="pass"),
            plans.link("back", 1, 0, 1e9, 0.05),
            plans.link("slow", 0, 1, 1e4, 0.01),  # its backlog makes the pool grow at odd times
        ]
        noise = Law("poisson", {"mean_interval_s": gap_s})
        sources = [
            plans.source("f", [0], [1], newreno),
            plans.source("u", [2], [], plans.udp(), noise),
        ]
        flows = run(plans.plan(links, sources, 30, seed=seed)).reports[-1].flows
        assert flows["lost"][0] > 0 and flows["acked"][0] > 300
