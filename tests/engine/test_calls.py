# SPDX-License-Identifier: Apache-2.0
"""Calls: requested at the right time, with records that agree with an independent trace."""

from __future__ import annotations

import select

import numpy as np
import pytest

import plans
from drive import EngineOutput, run
from ecnomy.markets.bridge.messages import Decide, flow_orders
from ecnomy.markets.plan import Calls, Law

SEND, ENQUEUE, MARK, DROP, DELIVER, ACK = range(6)
PS = plans.PS
LIMIT = 30 * PS // 1000


def voip(idle_s: float, call_s: float, *, interval_s: float = 0.02, tick: bool = False) -> Law:
    params = dict(
        idle_mean_s=idle_s, call_mean_s=call_s, interval_s=interval_s, random_phase=float(not tick)
    )
    return plans.voip(**params)


def telephones(
    law: Law, *, count: int = 5, ask: bool = False, duration_s: float = 20, **other
) -> plans.Plan:
    """Telephones and a crowd over a short link that marks, delays and drops."""
    marking = plans.red(2, 6, 0.5)
    links = plans.duplex("a", 0, 1, 1e6, 0.020, buffer=10, marking=marking, not_ect="pass")
    crowd = Law("poisson", {"mean_interval_s": 0.011})
    sources = [
        plans.source(
            "phones",
            [0],
            [],
            plans.udp(200, ect=True),
            law,
            count=count,
            calls=Calls(ask=ask, max_delay_ps=LIMIT),
            **other,
        ),
        plans.source("crowd", [0], [], plans.udp(1000, ect=True), crowd),
    ]
    return plans.plan(links, sources, duration_s, trace=True, calls=True)


def of_call(calls: dict, trace: dict, row: int, event: int) -> np.ndarray:
    """Rows of the trace for the packets of a call."""
    flow, start, end = (calls[name][row] for name in ("flow", "start_ps", "end_ps"))
    sent = (trace["event"] == SEND) & (trace["flow"] == flow)
    mine = trace["seq"][sent & (trace["t_ps"] >= start) & (trace["t_ps"] < end)]
    return (trace["event"] == event) & (trace["flow"] == flow) & np.isin(trace["seq"], mine)


@pytest.fixture(scope="module", params=["apart", "overlapping"])
def outcome(request: pytest.FixtureRequest) -> EngineOutput:
    """Calls with pauses far longer and far shorter than a packet's transit."""
    idle_s = 1.0 if request.param == "apart" else 0.002
    return run(telephones(voip(idle_s, 0.3)))


def test_records_are_what_a_trace_counts(outcome: EngineOutput) -> None:
    """Each call's sent, delivered, late, marked and lost packets and delays equal the trace's."""
    calls, trace = outcome.table("calls"), outcome.table("trace")
    done = np.flatnonzero(calls["complete"] == 1)
    assert len(done) > 50
    left = {
        (f, s): t
        for f, s, t, e in zip(
            trace["flow"], trace["seq"], trace["t_ps"], trace["event"], strict=True
        )
        if e == SEND
    }
    for row in done.tolist():
        came = of_call(calls, trace, row, DELIVER)
        delays = [
            t - left[f, s]
            for f, s, t in zip(*(trace[n][came] for n in ("flow", "seq", "t_ps")), strict=True)
        ]
        counted = dict(
            sent=of_call(calls, trace, row, SEND).sum(),
            delivered=came.sum(),
            late=sum(d > LIMIT for d in delays),
            ce=trace["ce"][came].sum(),
            lost=of_call(calls, trace, row, DROP).sum(),
            delay_sum_ps=sum(delays),
        )
        assert {name: calls[name][row] for name in counted} == counted, row


def test_records_add_up_to_the_flows(outcome: EngineOutput) -> None:
    """All calls of the run, the unfinished included, add up to the counters of their flows."""
    calls, flows = outcome.table("calls"), outcome.reports[-1].flows
    for name in ("sent", "delivered", "ce", "delay_sum_ps"):
        per_flow = np.bincount(calls["flow"], weights=calls[name], minlength=5)[:5]
        assert per_flow.tolist() == flows[name][:5].tolist(), name
    assert len(set(calls["id"].tolist())) == len(calls["id"])
    assert calls["late"].sum() > 0 and calls["lost"].sum() > 0 and calls["ce"].sum() > 0


def test_overlap_is_there() -> None:
    """In the case with overlap, some packets arrive after the next call has begun."""
    calls = run(telephones(voip(0.002, 0.3))).table("calls")
    one = np.flatnonzero(calls["flow"] == 0)
    pauses = calls["start_ps"][one][1:] - calls["end_ps"][one][:-1]
    assert (pauses >= 0).all() and np.mean(pauses < 20 * PS // 1000) > 0.9


def test_request_is_answered_before_the_next_event() -> None:
    """The engine waits for the verdict, and then continues at the same simulated time."""
    waited = []

    def admit(request, sock) -> bool:
        readable, _, _ = select.select([sock], [], [], 0.05)
        waited.append(bool(readable))
        return request.id % 2 == 0

    outcome = run(telephones(voip(1.0, 0.3, tick=True), ask=True, duration_s=8), admit=admit)
    calls, trace = outcome.table("calls"), outcome.table("trace")
    assert len(outcome.requests) > 10 and not any(waited)
    by_id = {call: row for row, call in enumerate(calls["id"].tolist())}
    for request in outcome.requests:
        row = by_id[request.id]
        assert request.kind == "call" and request.t_ps == calls["start_ps"][row]
        assert request.t_ps % PS != 0
        sends = (trace["event"] == SEND) & (trace["flow"] == request.flow)
        if request.id % 2 == 0:  # on ticks the first packet leaves as the call begins
            assert calls["accepted"][row] == 1
            assert np.any(trace["t_ps"][sends] == request.t_ps)
        else:
            assert (calls["accepted"][row], calls["sent"][row], calls["complete"][row]) == (0, 0, 1)
            assert calls["end_ps"][row] == request.t_ps
            assert not np.any(trace["t_ps"][sends] == request.t_ps)


def test_the_market_knows_the_calls_that_ended_at_a_request() -> None:
    """Before the next report, the market knows all calls whose last packet must have left."""
    plan = telephones(voip(0.5, 0.3), ask=True, duration_s=8)
    outcome = run(plan, admit=lambda request, sock: request.id % 3 > 0)
    ends = outcome.table("calls")["end_ps"]
    requested_ps = np.array([request.t_ps for request in outcome.requests])
    ended = np.array(outcome.ended_before)
    assert len(requested_ps) > 30
    way_ps = 12 * PS // 100  # 20 ms, a full queue of 80 ms, and a transmission of 8 ms at most
    assert (ended >= [np.sum(ends < t_ps - way_ps) for t_ps in requested_ps]).all()
    assert (ended <= [np.sum(ends <= t_ps) for t_ps in requested_ps]).all()


def test_refused_users_call_again_after_an_idle_time() -> None:
    """A blocked call takes no time, so calls arrive at the rate of the idle times."""
    plan = telephones(voip(0.5, 5.0), count=20, ask=True, duration_s=50)
    requests = len(run(plan).requests)
    expected = 20 * 50 / 0.5  # Poisson
    assert abs(requests - expected) < 2.576 * np.sqrt(expected)


def test_a_call_begins_behind_the_last_packet_of_the_one_before() -> None:
    """If idle times are far below the send overhead, requests stay in order and calls apart."""
    plan = telephones(voip(0.0002, 0.05), ask=True, overhead_s=0.004, duration_s=5)
    outcome = run(plan, admit=lambda request, sock: True)
    requested_ps = [request.t_ps for request in outcome.requests]
    assert len(requested_ps) > 300 and requested_ps == sorted(requested_ps)
    trace, calls = outcome.table("trace"), outcome.table("calls")
    sends = trace["t_ps"][(trace["event"] == SEND) & (trace["flow"] == 0)]
    assert (np.diff(sends) >= 0).all()
    assert np.isin(calls["start_ps"][calls["flow"] == 0], sends).any()  # held back till then


def test_calls_without_a_seller_send_no_request() -> None:
    """Calls that need no verdict send no request."""
    outcome = run(telephones(voip(1.0, 0.3)))
    assert outcome.requests == [] and outcome.table("calls")["accepted"].all()


@pytest.mark.parametrize("wanted", ["calls", "transfers", "trace"])
def test_each_table_is_recorded_without_the_others(wanted: str) -> None:
    """A plan that requests one table gets only this table, although it has calls and files."""
    duplex = plans.duplex("a", 0, 1, 1e6, 0.02)
    file = Law("file", {"size_bytes": 5000.0})
    phones = plans.source("phones", [0], [], plans.udp(200), voip(0.1, 0.2))
    files = plans.source("files", [0], [1], plans.tcp(), file)
    requested = {name: name == wanted for name in ("calls", "transfers", "trace")}
    outcome = run(plans.plan(duplex, [phones, files], 2, **requested))
    assert list(outcome.records) == [wanted]


def test_stop_ends_the_calls_under_way() -> None:
    """No packet leaves at or after `stop`, and the calls end there."""
    outcome = run(telephones(voip(0.1, 50.0), duration_s=10, stop_s=4.0))
    calls, trace = outcome.table("calls"), outcome.table("trace")
    sends = (trace["event"] == SEND) & (trace["flow"] < 5)
    assert 3.9 * PS < trace["t_ps"][sends].max() < 4 * PS
    assert calls["end_ps"].tolist() == [4 * PS] * 5 and calls["complete"].all()


def test_an_inactive_user_makes_no_calls() -> None:
    """`active: 0` stops packets and requests at once, and `active: 1` allows them again."""

    def decide(report) -> Decide:
        if report.epoch not in (3, 6):
            return Decide(report.epoch)
        return Decide(report.epoch, flow_orders(np.arange(5), active=int(report.epoch == 6)))

    plan = telephones(voip(0.2, 0.3), ask=True, duration_s=10)
    outcome = run(plan, decide, admit=lambda request, sock: True)
    requested_s = np.array([request.t_ps for request in outcome.requests]) / PS
    trace = outcome.table("trace")
    sends = trace["t_ps"][(trace["event"] == SEND) & (trace["flow"] < 5)] / PS
    for times in (requested_s, sends):
        assert not np.any((times > 3) & (times < 6))
        assert np.any(times < 3) and np.any(times > 6)


def test_last_packets_of_the_run_leave_calls_incomplete() -> None:
    """Calls under way at the end are handed in with `complete` 0 and end with the run."""
    calls = run(telephones(voip(0.1, 500.0), duration_s=5)).table("calls")
    assert calls["complete"].tolist() == [0] * 5
    assert calls["end_ps"].tolist() == [5 * PS] * 5 and (calls["sent"] > 50).all()
