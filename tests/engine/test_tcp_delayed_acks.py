# SPDX-License-Identifier: Apache-2.0
"""Delayed ACKs: their times and contents, and that accurate echo still loses no mark."""

from __future__ import annotations

import numpy as np
import pytest

import plans
from drive import EngineOutput, run
from ecnomy.markets.bridge.messages import Decide, Report, flow_orders
from ecnomy.markets.plan import Law
from losses import ACK, DELIVER, ENQUEUE, dropping, first_window

PS = plans.PS
RTT_S = 0.1
WAIT_S = 0.04
WAIT_PS = round(WAIT_S * PS)


def acks(outcome: EngineOutput) -> list[tuple[int, int, list[tuple[int, int, int]]]]:
    """Each ACK of data as it leaves: time, number, the packets answered (time, number, CE)."""
    table = outcome.table("trace")
    names = ("t_ps", "event", "link", "seq", "ce")
    back = len(outcome.plan.links) - 1
    replies, waiting = [], []
    for t_ps, event, link, seq, ce in zip(*(table[n].tolist() for n in names), strict=True):
        if event == DELIVER:
            waiting.append((t_ps, seq, ce))
        elif event == ENQUEUE and link == back and waiting:
            replies.append((t_ps, seq, waiting))
            waiting = []
    return replies


def one_flow(
    transport,
    duration_s: float,
    *,
    probability=0.0,
    ack_loss=0.0,
    traffic=None,
    seed=1,
    decide=None,
) -> EngineOutput:
    """A flow over 8 Mbit/s, which is a packet per millisecond."""
    links = [
        plans.link("there", 0, 1, 8e6, RTT_S / 2, marking=plans.fixed(probability), not_ect="pass"),
        plans.link("back", 1, 0, 8e6, RTT_S / 2, marking=plans.fixed(ack_loss)),
    ]
    flow = plans.source("f", [0], [1], transport, traffic)
    return run(plans.plan(links, [flow], duration_s, trace=True, seed=seed), decide)


@pytest.mark.parametrize(("every", "rest"), [(2, 1), (4, 1), (4, 3)])
def test_an_ack_for_so_many_packets_or_after_the_wait(every: int, rest: int) -> None:
    """An ACK leaves with the last of `every` packets, or when the first of `rest` has waited."""
    packets = float(every + rest)
    window = dict(slow_start=False, initial_window=packets, max_window=packets)
    transport = plans.tcp(echo="off", delayed_acks=every, delayed_ack_ps=WAIT_PS, **window)
    replies = acks(one_flow(transport, 20))
    full = [a for a in replies if len(a[2]) == every]
    late = [a for a in replies if len(a[2]) < every]
    assert len(full) > 100 and len(late) > 100 and {len(a[2]) for a in late[:-1]} == {rest}
    assert all(t == packets[-1][0] for t, _, packets in full)
    assert all(t == packets[0][0] + WAIT_PS for t, _, packets in late)
    assert all(upto == packets[-1][1] + 1 for _, upto, packets in replies)


def test_out_of_order_and_hole_filling_packets_are_answered_at_once() -> None:
    """RFC 5681 section 4.2: from the loss to the repair, each packet is acknowledged at once."""
    transport = plans.tcp(
        echo="off", slow_start=False, initial_window=40.0, sack=True, delayed_acks=2,
        delayed_ack_ps=WAIT_PS,
    )  # fmt: skip
    outcome = dropping(first_window([11]), transport, 1.0)
    replies = acks(outcome)
    held = next(i for i, (_, _, packets) in enumerate(replies) if packets[-1][1] > 11)
    filled = next(i for i, (_, _, packets) in enumerate(replies) if packets[-1][1] == 11)
    assert [len(packets) for _, _, packets in replies[:held]] == [2] * 5
    # The eleventh packet waits for its partner and goes with the first that is out of order.
    assert [seq for _, seq, _ in replies[held][2]] == [10, 12]
    assert all(t == packets[-1][0] for t, _, packets in replies[: filled + 1])
    assert all(len(packets) == 1 for _, _, packets in replies[held + 1 : filled + 1])
    assert {upto for _, upto, _ in replies[held:filled]} == {11} and replies[filled][1] > 40
    assert outcome.reports[-1].flows["timeouts"][0] == 0
    assert outcome.reports[-1].flows["retransmitted"][0] == 1


def test_the_last_packet_of_a_file_does_not_wait() -> None:
    """The ACK of a file's last packet is not delayed, so three packets take two round trips."""
    transport = plans.tcp(echo="off", initial_window=3.0, delayed_acks=2, delayed_ack_ps=WAIT_PS)
    outcome = one_flow(transport, 2, traffic=Law("file", {"size_bytes": 3 * 960.0}))
    transfer = outcome.table("transfers")
    assert (transfer["end_ps"] - transfer["start_ps"]) / PS == pytest.approx(2 * RTT_S, abs=0.005)


def test_a_round_trip_counts_from_the_oldest_packet_answered() -> None:
    """RFC 7323 section 4.3: the round-trip time of a single packet in flight includes the wait."""
    transport = plans.tcp(
        echo="off", slow_start=False, initial_window=1.0, max_window=1.0, delayed_acks=2,
        delayed_ack_ps=WAIT_PS,
    )  # fmt: skip
    flows = one_flow(transport, 20).reports[-1].flows
    assert flows["srtt_s"][0] == pytest.approx(RTT_S + 1040 * 8 / 8e6 + WAIT_S, abs=1e-6)
    assert flows["timeouts"][0] == 0
    assert flows["acked"][0] == pytest.approx(20 / flows["srtt_s"][0], abs=2)


def test_a_pair_is_timed_by_its_first_packet() -> None:
    """With ten packets paced over T and an ACK for two, T = R + T / 10: the first waits T / 10."""
    transport = plans.tcp(
        plans.wtp(), initial_window=10.0, min_window=10.0, max_window=10.0, delayed_acks=2,
        delayed_ack_ps=WAIT_PS,
    )  # fmt: skip
    flows = one_flow(transport, 20).reports[-1].flows
    round_trip_s = RTT_S + 1040 * 8 / 8e6
    assert flows["srtt_s"][0] == pytest.approx(round_trip_s / 0.9, rel=1e-3)


@pytest.mark.parametrize("probability", [0.05, 0.5, 1.0])
def test_marks_are_echoed_at_once_with_accurate_echo(probability: float) -> None:
    """ACKs leave at once for marks after unmarked packets, and for second new marks (RFC 9768)."""
    transport = plans.tcp(plans.wtp(8), delayed_acks=8, delayed_ack_ps=WAIT_PS)
    replies = acks(one_flow(transport, 20, probability=probability))
    before = 0
    for t_ps, _, packets in replies:
        marks, at_once = 0, False
        for number, (_, _, ce) in enumerate(packets):
            marks += ce
            turned, before = bool(ce and not before), ce
            at_once = turned or marks == 2 or number == 7
            assert not at_once or number == len(packets) - 1, "an ACK was put off"
        assert t_ps == packets[-1][0] if at_once else t_ps == packets[0][0] + WAIT_PS
    assert len(replies) > 20


def test_each_connection_tells_its_first_mark_at_once() -> None:
    """The first mark is echoed at once, even if the previous connection ended with a mark."""
    transport = plans.tcp(plans.wtp(8), delayed_acks=8, delayed_ack_ps=WAIT_PS)
    files = Law("on-off", {"packets_mean": 6.0, "pause_mean_s": 0.3, "lasting": 0.0})
    outcome = one_flow(transport, 60, probability=0.5, traffic=files)
    starts = outcome.table("transfers")["start_ps"]
    first, turned = 0, 0
    connection, before = -1, 0
    for t_ps, _, packets in acks(outcome):
        for number, (at_ps, _, ce) in enumerate(packets):
            now = int(np.searchsorted(starts, at_ps, side="right"))
            if now != connection:
                first += ce and before
                connection, before = now, 0
            if ce and not before:
                turned += 1
                assert number == len(packets) - 1 and t_ps == at_ps, "an ACK was put off"
            before = ce
    assert first > 10 and turned > 50


def test_rfc_3168_answers_no_mark_at_once() -> None:
    """RFC 3168 section 6.1.3: ACKs are not sent earlier for marks, and carry ECE."""
    transport = plans.tcp(
        plans.wtp_sender(20), initial_window=8.0, delayed_acks=2, delayed_ack_ps=WAIT_PS
    )
    outcome = one_flow(transport, 20, probability=0.3)
    replies = acks(outcome)
    assert all(len(packets) == 2 or t_ps == packets[0][0] + WAIT_PS for t_ps, _, packets in replies)
    assert outcome.reports[-1].flows["ece"][0] > 20


def switched_off(report: Report) -> Decide:
    """A flow that stops at 30 s, so that no packet is under way at the end."""
    if report.t_ps != 30 * PS:
        return Decide(report.epoch)
    return Decide(report.epoch, flow_orders([0], active=0))


@pytest.mark.parametrize("every", [1, 2, 5])
@pytest.mark.parametrize("ack_loss", [0.0, 0.3])
def test_accurate_echo_loses_no_mark(every: int, ack_loss: float) -> None:
    """The sender learns of all CE packets delivered before the last ACK, even if ACKs are lost."""
    for seed in range(3):
        transport = plans.tcp(plans.wtp(4), delayed_acks=every, delayed_ack_ps=WAIT_PS)
        outcome = one_flow(
            transport, 35, probability=0.1, ack_loss=ack_loss, seed=seed, decide=switched_off
        )
        flows = outcome.reports[-1].flows
        assert flows["in_flight"][0] == 0 and flows["ce"][0] > 200
        if ack_loss == 0:
            assert flows["ece"][0] == flows["ce"][0]
        # What the last ACK to arrive said: the CE packets delivered before it left.
        table = outcome.table("trace")
        last_ps = int(table["t_ps"][table["event"] == ACK][-1])
        echoed_ps = last_ps - round((RTT_S / 2 + 40 * 8 / 8e6) * PS)
        delivered = (table["event"] == DELIVER) & (table["ce"] == 1)
        echoed = int(np.sum(table["t_ps"][delivered] <= echoed_ps))
        assert flows["ece"][0] == echoed


def ace_count(outcome: EngineOutput) -> tuple[int, int]:
    """Marks by RFC 9768, appendix A.2.1, from the trace; and how many ACKs answered more than 7."""
    table = outcome.table("trace")
    marked_ps = table["t_ps"][(table["event"] == DELIVER) & (table["ce"] == 1)]
    known, una, long = 5, 0, 0
    acks_ = table["event"] == ACK
    way_ps = round((RTT_S / 2 + 40 * 8 / 8e6) * PS)
    for t_ps, upto in np.column_stack([table["t_ps"][acks_], table["seq"][acks_]])[1:].tolist():
        ace = (5 + int(np.sum(marked_ps <= t_ps - way_ps))) % 8
        answered, una = upto - una, upto
        fits = [marks for marks in range(answered + 1) if (known + marks) % 8 == ace]
        least = (ace - known) % 8
        known += max(fits) if answered > 7 and fits else least
        long += answered > 7
    return known - 5, long


@pytest.mark.parametrize(("every", "ack_loss"), [(1, 0.0), (2, 0.0), (1, 0.2), (1, 0.6), (2, 0.5)])
def test_three_bits_of_marks_are_read_as_rfc_9768_says(every: int, ack_loss: float) -> None:
    """The count is exact if every ACK answers at most 7 packets, else the largest that fits."""
    ahead = 0
    for seed in range(3):
        transport = plans.tcp(
            plans.wtp(4), echo="accecn", delayed_acks=every, delayed_ack_ps=WAIT_PS,
            min_rto_ps=40 * PS, max_rto_ps=60 * PS,
        )  # fmt: skip
        outcome = one_flow(
            transport, 35, probability=0.1, ack_loss=ack_loss, seed=seed, decide=switched_off
        )
        flows = outcome.reports[-1].flows
        assert flows["timeouts"][0] <= 3 and flows["ce"][0] > 100  # before a round trip is known
        counted, long = ace_count(outcome)
        assert flows["ece"][0] == counted
        assert long or counted <= flows["ce"][0]
        ahead += int(counted > flows["ce"][0])
    assert ahead == (3 if ack_loss > 0.3 else 0)


@pytest.mark.parametrize("window", [plans.RENO, plans.wtp(2), plans.multcp(3)])
def test_growth_follows_the_law_for_several_packets(window: Law) -> None:
    """An ACK of n packets adds n times what the law adds for one at that window."""
    transport = plans.tcp(
        window, send="ack-clocked", echo="off", slow_start=False, initial_window=4.0,
        min_window=1.0, delayed_acks=3, delayed_ack_ps=WAIT_PS,
    )  # fmt: skip
    outcome = one_flow(transport, 3)
    rate = {"reno": 1.0, "wtp": 0.5 * 2, "multcp": 3.0}[window.law]
    table = outcome.table("trace")
    expected, una = 4.0, 0
    for upto in table["seq"][table["event"] == ACK][1:].tolist():
        expected += rate * (upto - una) / expected
        una = upto
    assert una > 100
    assert outcome.reports[-1].flows["cwnd"][0] == pytest.approx(expected, rel=1e-12)


def test_a_paced_flow_takes_its_marks_with_delayed_acks() -> None:
    """A target of 20 marks/s is met within 5 %, with an ACK for two packets."""
    transport = plans.tcp(
        plans.wtp(gain=0.1), initial_mark_rate=20.0, delayed_acks=2, delayed_ack_ps=WAIT_PS
    )
    links = plans.duplex("l", 0, 1, 1e9, 0.02, marking=plans.fixed(0.05))
    flow = plans.source("f", [0], [1], transport, count=4)
    over = run(plans.plan(links, [flow], 420, warmup_s=20)).over(20, 420)
    # 32,000 marks: a 99 % interval of 1.4 % beside the law's own bias.
    assert np.sum(over["ce"]) / 4 / 400 == pytest.approx(20.0, rel=0.05)
