# SPDX-License-Identifier: Apache-2.0
"""TCP step by step, from packet traces: handshake, growth, fast retransmit, timeouts, echo."""

from __future__ import annotations

import numpy as np
import pytest

import losses
import plans
from drive import EngineOutput, run
from ecnomy.markets.bridge.messages import Decide, Report

SEND, ENQUEUE, MARK, DROP, DELIVER, ACK = range(6)
RTT_S = 0.1


def trace(outcome: EngineOutput, event: int) -> dict[str, np.ndarray]:
    rows = outcome.table("trace")
    here = rows["event"] == event
    return {name: column[here] for name, column in rows.items()}


def one_flow(transport, duration_s, *, marking=plans.DROP_TAIL, ack_marking=plans.DROP_TAIL,
             buffer=-1, rate_bps=1e9, decide=None):  # fmt: skip
    links = [
        plans.link(
            "there", 0, 1, rate_bps, RTT_S / 2, marking=marking, buffer=buffer, not_ect="pass"
        ),
        plans.link("back", 1, 0, rate_bps, RTT_S / 2, marking=ack_marking),
    ]
    flow = plans.source("f", [0], [1], transport)
    return run(plans.plan(links, [flow], duration_s, trace=True), decide)


def from_time(t_s: float, probability: float):
    """A decision function that sets the marking probability of the ACK link at t_s."""

    def decide(report: Report) -> Decide:
        if report.t_ps != round(t_s * plans.PS):
            return Decide(report.epoch)
        columns = {"link": np.array([1]), "param": np.array([0]), "value": np.array([probability])}
        return Decide(report.epoch, {}, columns)

    return decide


def test_syn_is_resent_by_rfc_6298() -> None:
    """With every SYN-ACK lost, SYNs leave at 0, 1, 3, 7, 15 and 31 s."""
    outcome = one_flow(plans.tcp(), 40, ack_marking=plans.fixed(1.0))
    sent = trace(outcome, SEND)
    assert list(sent["t_ps"] / plans.PS) == [0, 1, 3, 7, 15, 31]
    assert set(sent["bytes"]) == {40}
    assert outcome.reports[-1].flows["sent"][0] == 0


def test_data_after_a_resent_syn_waits_three_seconds() -> None:
    """RFC 6298 5.7: after a resent SYN, the first data waits for 3 s before it is resent."""
    outcome = losses.dropping([0, 1101], plans.tcp(echo="off"), 4.3)
    sent = trace(outcome, SEND)
    syns = sent["bytes"] == 40
    assert sent["t_ps"][syns].tolist() == [0, plans.PS]
    assert trace(outcome, DROP)["bytes"].tolist() == [40, 1000]
    begins_ps, again_ps = sent["t_ps"][~syns & (sent["seq"] == 0)].tolist()
    assert begins_ps == pytest.approx(1.1 * plans.PS, rel=1e-3)
    assert again_ps - begins_ps == 3 * plans.PS


def test_slow_start_doubles_every_round_trip() -> None:
    """Without marks or losses the flights are 2, 4, 8, 16 packets."""
    sent = trace(one_flow(plans.tcp(), 0.46), SEND)
    flights = np.bincount((sent["t_ps"][1:] / plans.PS / RTT_S + 1e-3).astype(int) - 1)
    assert list(flights[:4]) == [2, 4, 8, 16]


def test_congestion_avoidance_grows_one_packet_a_round_trip() -> None:
    """With slow start off, cwnd grows by n / cwnd, about one packet per round trip from 1."""
    outcome = one_flow(plans.tcp(slow_start=False, initial_window=1.0), 5)
    window, expected = 1.0, []
    for _ in range(int(outcome.reports[-1].flows["acked"][0])):
        window += 1 / window
        expected.append(window)
    assert outcome.reports[-1].flows["cwnd"][0] == pytest.approx(expected[-1], rel=1e-9)


def test_timeouts_back_off_by_doubling() -> None:
    """When all ACKs vanish at 5 s, the oldest segment is resent after RTO, then 2, 4, 8 ... RTO."""
    transport = plans.tcp(slow_start=False, initial_window=4.0, max_window=4.0)
    outcome = one_flow(transport, 30, ack_marking=plans.fixed(0.0), decide=from_time(5, 1.0))
    last_ack_s = trace(outcome, ACK)["t_ps"][-1] / plans.PS
    sent = trace(outcome, SEND)
    late = sent["t_ps"] / plans.PS > last_ack_s + 0.15
    times = sent["t_ps"][late] / plans.PS
    rto_s = 0.2  # srtt 0.1, rttvar near 0: the configured minimum
    first = last_ack_s + rto_s
    assert times[0] == pytest.approx(first, abs=0.002)
    assert len(set(sent["seq"][late])) == 1
    gaps = np.diff(times)
    assert gaps == pytest.approx(rto_s * 2.0 ** np.arange(1, len(gaps) + 1), rel=0.01)
    assert len(gaps) >= 5 and outcome.reports[-1].flows["timeouts"][0] == len(times)


def drop_tail_losses(window, **other) -> EngineOutput:
    """One flow that occasionally overflows a small buffer."""
    transport = plans.tcp(window, echo="off", slow_start=False, initial_window=4.0, **other)
    return one_flow(transport, 60, rate_bps=4e6, buffer=20)


def test_fast_retransmit_after_three_duplicates() -> None:
    """A single loss is resent as the third duplicate ACK arrives, and the window is halved."""
    outcome = drop_tail_losses(plans.RENO)
    drop, ack = trace(outcome, DROP), trace(outcome, ACK)
    sent = trace(outcome, SEND)
    assert outcome.reports[-1].flows["timeouts"][0] == 0
    for seq in drop["seq"][:-1]:
        duplicates = ack["t_ps"][ack["seq"] == seq]
        again = sent["t_ps"][sent["seq"] == seq]
        assert len(again) == 2
        assert again[1] == duplicates[3]


@pytest.mark.parametrize("sack", [False, True])
def test_the_first_segment_of_a_connection_needs_no_timer(sack: bool) -> None:
    """Segment 0 is resent at the third duplicate ACK, like any other."""
    transport = plans.tcp(plans.RENO, echo="off", sack=sack, initial_window=10.0)
    flows = losses.dropping(losses.first_window([0]), transport, 0.5).reports[-1].flows
    counts = [int(flows[name][0]) for name in ("lost", "retransmitted", "timeouts")]
    assert counts == [1, 1, 0]


def test_every_loss_is_repaired() -> None:
    """The receiver's cumulative ACK passes every dropped packet, so no hole remains."""
    for window in (plans.RENO, plans.Law("newreno", plans.RENO.params), plans.wtp(4)):
        outcome = drop_tail_losses(window, send="ack-clocked", min_window=1.0)
        flows = outcome.reports[-1].flows
        assert flows["lost"][0] > 3
        assert flows["retransmitted"][0] >= flows["lost"][0] - 1
        delivered = set(trace(outcome, DELIVER)["seq"])
        assert set(range(int(flows["acked"][0]))) <= delivered


def test_newreno_repairs_a_burst_of_losses_without_timeout() -> None:
    """After several losses in a window, NewReno halves once and resends a hole per round trip."""
    burst = dict(echo="off", slow_start=True, initial_window=2.0, initial_rto_ps=plans.PS)
    newreno = plans.tcp(plans.Law("newreno", plans.RENO.params), min_rto_ps=10 * plans.PS, **burst)
    outcome = one_flow(newreno, 8, rate_bps=4e6, buffer=20)
    drop, sent = trace(outcome, DROP), trace(outcome, SEND)
    first_window = drop["seq"][drop["t_ps"] < drop["t_ps"][0] + RTT_S * plans.PS]
    assert len(first_window) >= 4
    again = [sent["t_ps"][sent["seq"] == seq][1] / plans.PS for seq in first_window]
    gaps = np.diff(again)
    assert outcome.reports[-1].flows["timeouts"][0] == 0
    assert np.all(gaps > 0.9 * RTT_S) and np.all(gaps < 2.5 * RTT_S)


def test_rfc_3168_halves_once_per_window_of_data() -> None:
    """If every packet is marked, Reno halves once per round trip, down to one packet that waits."""
    outcome = one_flow(plans.tcp(initial_window=64.0, slow_start=False), 3, marking=plans.fixed(1))
    flows = outcome.reports[-1].flows
    assert flows["ce"][0] == flows["delivered"][0] > 100
    assert flows["cwnd"][0] == 1.0
    assert 6 <= flows["ece"][0] <= 6 + 3 / (RTT_S + 0.2)


def test_accurate_echo_loses_no_mark() -> None:
    """If no ACK is lost or delayed, the sender learns of every mark within a round trip."""
    outcome = one_flow(plans.tcp(plans.wtp(8)), 30, marking=plans.fixed(0.2))
    flows = outcome.reports[-1].flows
    ce_before = np.sum(trace(outcome, DELIVER)["ce"][: -flows["in_flight"][0] or None])
    assert flows["ce"][0] == np.sum(trace(outcome, DELIVER)["ce"])
    assert ce_before <= flows["ece"][0] <= flows["ce"][0]


def test_retransmissions_are_not_ect() -> None:
    """RFC 3168 6.1.5: a resent packet is never marked, with `not_ect` drop and pass."""
    for not_ect, dropped in (("drop", True), ("pass", False)):
        links = [
            plans.link("there", 0, 1, 1e9, 0.01, marking=plans.fixed(1.0), not_ect=not_ect),
            plans.link("back", 1, 0, 1e9, 0.01),
        ]
        flow = plans.source("f", [0], [1], plans.tcp(echo="off"))
        outcome = run(plans.plan(links, [flow], 5, trace=True))
        assert outcome.reports[-1].links["marks"][0] == 0
        assert (outcome.reports[-1].links["law_drops"][0] > 0) == dropped
