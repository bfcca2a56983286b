# SPDX-License-Identifier: Apache-2.0
"""Window reductions: their base, their delay, and recovery by the retransmission timer."""

from __future__ import annotations

import numpy as np
import pytest

import plans
from drive import EngineOutput, run
from ecnomy.markets.bridge.messages import Decide, Report, flow_orders
from ecnomy.markets.plan import Law, Tcp
from losses import RTT_S, SEND, dropping

PS = plans.PS
MS = 10**9
NEWRENO = Law("newreno", plans.RENO.params)


def windows(outcome: EngineOutput) -> tuple[np.ndarray, np.ndarray]:
    """Times in seconds and cwnd of the one flow, from its reports."""
    times = np.array([report.t_ps / PS for report in outcome.reports])
    return times, np.array([report.flows["cwnd"][0] for report in outcome.reports])


def data_sent(outcome: EngineOutput) -> np.ndarray:
    """The times at which data packets left, in seconds."""
    rows = outcome.table("trace")
    return np.sort(rows["t_ps"][(rows["event"] == SEND) & (rows["bytes"] > 40)]) / PS


def test_a_timeout_is_of_what_is_in_the_network() -> None:
    """With SACK, data known to have arrived is not in flight (RFC 6675), so ssthresh is low.

    Segment 10 is lost, and so is its retransmission at 215 ms. Recovery lasts until the timeout,
    with hundreds of packets beyond the hole, of which all but about twenty are delivered.
    """
    transport = plans.tcp(
        NEWRENO, echo="off", sack=True, initial_window=40.0, max_window=40.0, min_rto_ps=PS
    )
    outcome = dropping([111, 215], transport, 2.2)
    times, cwnd = windows(outcome)
    flows = outcome.reports[-1].flows
    assert flows["timeouts"][0] == 1 and flows["lost"][0] == 2
    falls = np.flatnonzero((cwnd[1:] <= 1) & (cwnd[:-1] > 1))
    after = times > times[falls[-1] + 1] + 6 * RTT_S
    # Slow start doubles to 10 or less (half of the pipe) in four round trips, and then counts.
    assert 4 < cwnd[after][0] < 16


def held_then_hit(transport: Tcp, cap_bps: float = 8e5) -> EngineOutput:
    """A flow capped at four packets per 40 ms from 4 s on. At 8 s all are hit for 20 ms.

    The law marks these packets, or drops them if they are not ECT.
    """
    links = plans.duplex("l", 0, 1, 1e7, 0.02, buffer=400)
    links[0] = plans.link("l", 0, 1, 1e7, 0.02, buffer=400, marking=plans.fixed(0.0))

    def decide(report: Report) -> Decide:
        orders, rows = {}, {}
        if report.t_ps == 4 * PS:
            orders = flow_orders([0], rate_cap_bps=cap_bps)
        if report.t_ps in (8 * PS, 8 * PS + 20 * MS):
            value = float(report.t_ps == 8 * PS)
            rows = {"link": np.array([0]), "param": np.array([0]), "value": np.array([value])}
        return Decide(report.epoch, orders, rows)

    flow = plans.source("f", [0], [1], transport)
    return run(plans.plan(links, [flow], 9, epoch_s=0.02), decide)


def test_a_loss_is_of_what_was_in_flight() -> None:
    """A flow capped at a few packets per round trip keeps half of them, not of its old window."""
    outcome = held_then_hit(plans.tcp(NEWRENO, echo="off", max_window=40.0))
    times, cwnd = windows(outcome)
    assert cwnd[np.searchsorted(times, 7.9)] > 15
    lost = outcome.reports[-1].flows
    assert lost["lost"][0] >= 1 and lost["timeouts"][0] == 0
    assert cwnd[(times > 8) & (times < 8.5)].min() <= 6


@pytest.mark.parametrize(("take", "least", "most"), [("window", 15, 24), ("flight", 1, 3)])
def test_an_echo_is_of_the_window_or_the_flight(take: str, least: float, most: float) -> None:
    """`reduce_from` selects what is halved: the window of 40 packets, or the four in flight."""
    outcome = held_then_hit(plans.tcp(NEWRENO, max_window=40.0, reduce_from=take))
    times, cwnd = windows(outcome)
    assert outcome.reports[-1].flows["ce"][0] >= 1
    assert least <= cwnd[(times > 8) & (times < 8.5)].min() <= most


@pytest.mark.parametrize(("take", "left"), [("window", 20.0), ("flight", 19.5), ("pipe", 19.5)])
def test_the_flight_is_that_which_the_ack_leaves(take: str, left: float) -> None:
    """With 40 packets in flight, the ACK with the echo leaves 39, and half of these remain."""
    outcome = held_then_hit(plans.tcp(NEWRENO, max_window=40.0, reduce_from=take), 1e9)
    times, cwnd = windows(outcome)
    assert cwnd[np.searchsorted(times, 7.9)] == 40.0
    assert cwnd[(times > 8) & (times < 8.5)].min() == left


@pytest.mark.parametrize(("take", "left"), [("window", 20.0), ("flight", 20.0), ("pipe", 19.0)])
def test_a_loss_is_of_the_pipe_where_that_is_said(take: str, left: float) -> None:
    """With `pipe`, the 3 packets that have arrived and the lost one of 42 do not count."""
    transport = plans.tcp(
        NEWRENO, echo="off", sack=True, initial_window=40.0, max_window=40.0, reduce_from=take
    )
    times, cwnd = windows(dropping([1011], transport, 1.5))
    assert cwnd[(times > 0.5) & (times <= 1.0)].min() == 40.0
    assert cwnd[times > 1.0].min() == left


@pytest.mark.parametrize("window", [plans.RENO, NEWRENO, plans.tahoe(), plans.multcp(1.0)])
def test_one_marked_packet_waits_for_the_timer(window: Law) -> None:
    """If all packets are marked, a window of one packet waits for its timer (RFC 3168 6.1.2)."""
    links = plans.duplex("l", 0, 1, 1e7, 0.02, buffer=400)
    links[0] = plans.link("l", 0, 1, 1e7, 0.02, buffer=400, marking=plans.fixed(1.0))
    flow = plans.source("f", [0], [1], plans.tcp(window, ect="all"))
    outcome = run(plans.plan(links, [flow], 20, trace=True))
    gaps = np.diff(data_sent(outcome)[-40:])
    # The ACK comes after 41 ms, the timer 200 ms after it.
    assert gaps == pytest.approx(np.full(39, 0.241), abs=0.002)
    assert outcome.reports[-1].flows["timeouts"][0] == 0


def still(outcome: EngineOutput, after_s: float) -> float:
    """The longest time without a data packet of one flow, in seconds."""
    rows = outcome.table("trace")
    data = (rows["event"] == SEND) & (rows["bytes"] > 40) & (rows["t_ps"] > after_s * PS)
    longest = 0.0
    for flow in range(len(outcome.reports[-1].flows["sent"])):
        times = np.sort(rows["t_ps"][data & (rows["flow"] == flow)]) / PS
        ends = [after_s, *times, outcome.plan.duration_ps / PS]
        longest = max(longest, float(np.diff(ends).max()))
    return longest


LAWS = {
    "wtp": plans.tcp(plans.wtp(4), slow_start=True),
    "wtp-drops": plans.tcp(plans.wtp(4), slow_start=True, echo="off"),
    "reno": plans.tcp(echo="off"),
    "newreno": plans.tcp(NEWRENO, echo="off"),
    "sack": plans.tcp(NEWRENO, echo="off", sack=True),
    "multcp": plans.tcp(plans.multcp(4.0), echo="off"),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("seed", range(4))
def test_no_flow_stands_still(law: str, seed: int) -> None:
    """After bursts of losses, no flow is silent for longer than 10 RTT + min RTO + burst.

    Flows in slow start overrun a buffer of random depth, and datagrams at four times the link's
    rate hit it for 0.15 s, less than the least timeout. The RTT is that of a full buffer.
    """
    draw = np.random.default_rng(seed)
    rate, delay_s = float(draw.choice([2e6, 1e7])), float(draw.uniform(0.005, 0.05))
    buffer = int(draw.integers(20, 260))
    marking = plans.red(5, 15) if law == "wtp" else plans.DROP_TAIL
    links = [
        plans.link("l", 0, 1, rate, delay_s, buffer=buffer, marking=marking),
        plans.link("r", 1, 0, rate, delay_s),
    ]
    flows = plans.source("f", [0], [1], LAWS[law], count=int(draw.integers(1, 5)), spread_s=1.0)
    gap_s = 8000 / (4 * rate)
    burst = Law("cbr", {"interval_s": gap_s, "random_phase": 0.0})
    bursts = [
        plans.source(f"b{i}", [0], [1], plans.udp(), burst, start_s=at, stop_s=at + 0.15)
        for i, at in enumerate((4.0, 9.0))
    ]
    outcome = run(plans.plan(links, [flows, *bursts], 25, seed=seed, trace=True))
    flows_only = flows.count
    for report in outcome.reports:
        report.flows["sent"] = report.flows["sent"][:flows_only]
    rtt_s = 2 * delay_s + (buffer + 1) * 8000 / rate
    assert still(outcome, 2.0) < 10 * rtt_s + 0.2 + 0.15


def test_without_repair_the_window_survives() -> None:
    """Losses do not change a REM window. Nothing is sent twice, and each ACK answers a packet."""
    law = plans.rem_source(min_rate=100.0, max_rate=400.0, w=1e9)
    transport = plans.tcp(law, echo="off", repair=False, initial_window=20.0)
    outcome = dropping([103, 104, 110, 119], transport, 3)
    flows = outcome.reports[-1].flows
    assert flows["lost"][0] == 4 and flows["retransmitted"][0] == flows["timeouts"][0] == 0
    rows = outcome.table("trace")
    sent = rows["seq"][(rows["event"] == SEND) & (rows["bytes"] > 40)]
    assert (np.diff(sent) == 1).all()
    assert flows["acked"][0] <= flows["delivered"][0] <= flows["acked"][0] + flows["in_flight"][0]
    assert flows["acked_bytes"][0] == flows["acked"][0] * 1000


def test_without_repair_a_timeout_frees_what_was_lost() -> None:
    """If a whole window is lost, the flow continues after one timeout and resends nothing."""
    law = plans.rem_source(min_rate=100.0, max_rate=400.0, w=1e9)
    transport = plans.tcp(law, echo="off", repair=False, initial_window=20.0)
    outcome = dropping([*range(101, 125)], transport, 1.5)
    flows = outcome.reports[-1].flows
    assert flows["timeouts"][0] == 1 and flows["retransmitted"][0] == 0
    assert flows["delivered"][0] > 100


def lasting(kind: str, pause_s: float):
    """A run with files of 30 packets, over one connection or a new one for each."""
    traffic = Law(
        "on-off",
        {"packets_mean": 30.0, "pause_mean_s": pause_s, "lasting": float(kind == "lasting")},
    )
    links = plans.duplex("l", 0, 1, 1e8, 0.02, buffer=1000)
    flow = plans.source("f", [0], [1], plans.tcp(NEWRENO, echo="off"), traffic)
    return run(plans.plan(links, [flow], 60, seed=3, trace=True))


def test_a_lasting_connection_serves_all_files() -> None:
    """There is only one SYN; the number and sizes of files follow the same draws."""
    runs = {kind: lasting(kind, 1.0) for kind in ("new", "lasting")}
    syns, files = {}, {}
    for kind, outcome in runs.items():
        rows = outcome.table("trace")
        syns[kind] = int(((rows["event"] == SEND) & (rows["bytes"] == 40)).sum())
        files[kind] = outcome.table("transfers")
    count = min(len(table["bytes"]) for table in files.values())
    assert count > 20 and syns["lasting"] == 1 and syns["new"] >= count
    assert (files["new"]["bytes"][:count] == files["lasting"]["bytes"][:count]).all()
    assert (files["lasting"]["complete"] == 1).all()
    sent = runs["lasting"].reports[-1].flows
    assert sent["delivered"][0] == sent["acked"][0] == sent["sent"][0]


def test_a_lasting_connection_restarts_after_silence() -> None:
    """After an RTO without data at most the initial window leaves at once (RFC 2861, RFC 7661)."""
    outcome = lasting("lasting", 2.0)
    times = data_sent(outcome)
    starts = np.flatnonzero(np.diff(times) > 0.25) + 1
    bursts = [int((times[i : i + 60] < times[i] + 0.02).sum()) for i in starts]
    assert len(bursts) > 8 and max(bursts) <= 2
    quick = data_sent(lasting("lasting", 0.01))
    soon = np.flatnonzero((np.diff(quick) > 0.001) & (np.diff(quick) < 0.1)) + 1
    assert max(int((quick[i : i + 60] < quick[i] + 0.01).sum()) for i in soon) > 4
