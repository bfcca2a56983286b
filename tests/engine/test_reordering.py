# SPDX-License-Identifier: Apache-2.0
"""Wires that hold packets back: some packets, or all by a profile, and what TCP makes of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from msgspec import UNSET

import class_plans
import drive
import plans
from ecnomy.markets.plan import Law, Reordering
from wire_draws import Z, draws_below, expect_independent

PS = plans.PS
SEED = 4
POISSON = Law("poisson", {"mean_interval_s": 0.005})
ENQUEUE, DROP, DELIVER = 1, 3, 4


def reordering(probability, delay_s, name="l"):
    """The reordering of the link `name`."""
    return Reordering(
        probability=probability, delay_ps=round(delay_s * PS), stream=f"link/{name}/reordering"
    )


def over(late, *, duration_s=60.0, traffic=POISSON, transport=None, **other):
    """Two flows over a link of 4 Mbps with a delay of 5 ms."""
    links = plans.duplex("l", 0, 1, 4e6, 0.005, reordering=late, **other)
    transport = transport or plans.udp(1000, ect=True)
    back = [1] if transport.__struct_config__.tag == "tcp" else []
    source = plans.source("s", [0], back, transport, traffic, count=2)
    return plans.plan(links, [source], duration_s, seed=SEED, trace=True)


HELD_MS = {0.0: 0, 0.3: 80, 0.7: 13}  # per second, from each time in s on


def held_ps(t_ps: int) -> int:
    """The additional delay of HELD_MS at a time."""
    return max((at, ms) for at, ms in HELD_MS.items() if at * PS <= t_ps % PS)[1] * PS // 1000


@pytest.mark.parametrize("profile", [False, True])
@pytest.mark.parametrize("loss", [0.0, 0.1])
def test_late_packets_are_those_drawn_and_arrive_later_by_the_delay(
    loss: float, profile: bool
) -> None:
    """An independent FIFO gives the time of each arrival, with one draw per packet not lost.

    A profile adds its delay at the time at which the packet would have arrived.
    """
    probability, delay_s = 0.05, 0.0123
    own = plans.delay_profile(1.0, {at: ms / 1000 for at, ms in HELD_MS.items()})
    late = reordering(probability, delay_s)
    outcome = drive.run(over(late, loss=loss, delay_profile=own if profile else UNSET))
    trace, last = outcome.table("trace"), outcome.reports[-1]
    entered = trace["event"] == ENQUEUE
    free, due = 0, []
    for t in trace["t_ps"][entered].tolist():
        free = max(free, t) + 1000 * 8 * PS // 4_000_000
        due.append(free + round(0.005 * PS))
    lost = draws_below(loss, SEED, "link/l/loss", len(due)) if loss else [False] * len(due)
    left = [t for t, gone in zip(due, lost, strict=True) if not gone]
    drawn = draws_below(probability, SEED, "link/l/reordering", len(left))
    expected = [t + round(delay_s * PS) * x for t, x in zip(left, drawn, strict=True)]
    if profile:
        expected = [t + held_ps(at) for t, at in zip(expected, left, strict=True)]
    names = list(zip(trace["flow"][entered], trace["seq"][entered], strict=True))
    kept = [name for name, gone in zip(names, lost, strict=True) if not gone]
    ended = trace["event"] == DELIVER
    arrived = dict(
        zip(
            zip(trace["flow"][ended], trace["seq"][ended], strict=True),
            trace["t_ps"][ended].tolist(),
            strict=True,
        )
    )
    end = 60 * PS
    assert arrived == {n: t for n, t in zip(kept, expected, strict=True) if t < end}
    assert sum(drawn) > 500 and (np.diff(trace["t_ps"][ended]) >= 0).all()
    travelling = last.flows["sent"].sum() - last.flows["delivered"].sum() - last.flows["lost"].sum()
    assert 0 <= travelling <= 60


def test_a_profile_alone_needs_no_draws() -> None:
    """Packets overtake each other exactly where the delay falls, and each of them arrives once."""
    own = plans.delay_profile(1.0, {0.0: 0.05, 0.5: 0.0})
    outcome = drive.run(over(UNSET, delay_profile=own, duration_s=20.25))
    trace = outcome.table("trace")
    ended, sent = trace["event"] == DELIVER, trace["event"] == ENQUEUE
    place = {
        key: i for i, key in enumerate(zip(trace["flow"][sent], trace["seq"][sent], strict=True))
    }
    order = [place[key] for key in zip(trace["flow"][ended], trace["seq"][ended], strict=True)]
    assert len(set(order)) == len(order) > 7000
    falls = {
        round(trace["t_ps"][ended][i + 1] / PS, 1) % 1 for i in np.flatnonzero(np.diff(order) < 0)
    }
    assert falls == {0.5}


def test_late_packets_are_independent_with_their_probability() -> None:
    """The share of late packets, and of two in a row, of a hundred thousand packets."""
    p, traffic = 0.1, Law("cbr", {"interval_s": 0.005, "random_phase": 1.0})
    trace = drive.run(over(reordering(p, 0.05), duration_s=250.0, traffic=traffic)).table("trace")
    ended, sent = trace["event"] == DELIVER, trace["event"] == 0
    key = trace["flow"].astype(np.int64) * 10**9 + trace["seq"]
    departed = dict(zip(key[sent].tolist(), trace["t_ps"][sent].tolist(), strict=True))
    left = np.array([departed[k] for k in key[ended].tolist()])
    late = (trace["t_ps"][ended] - left > 0.05 * PS)[np.argsort(left, kind="stable")]
    expect_independent(late, p)


def test_marks_of_late_packets_stay_in_flight() -> None:
    """In each report, marks are delivered, dropped or in flight, also while packets are late."""
    plan = over(reordering(0.5, 0.2), marking=plans.fixed(0.4), duration_s=10.0)
    reports = drive.run(plan).reports
    most = 0
    for report in reports:
        in_flight = report.pairs["ce_in_flight"][0]
        ce = report.pairs["ce_dropped"][0] + in_flight + report.flows["ce"].sum()
        assert report.pairs["marks"][0] == ce
        most = max(most, in_flight)
    assert most > 10  # 400 packets/s, half of them 0.2 s late, 0.4 of them marked


def test_links_of_classes_reorder_alike() -> None:
    """A link with a scheduler delivers the right share of packets late, and loses none."""
    scheduler = class_plans.weights([dict(share=0.5), dict(share=0.4)], quantum_bytes=1500)
    plan = over(reordering(0.2, 0.05), buffer=50, scheduler=scheduler)
    sources = [type(s)(**({f: getattr(s, f) for f in s.__struct_fields__} | {"classes": [1]}))
               for s in plan.sources]  # fmt: skip
    outcome = drive.run(plans.plan(plan.links, sources, 60, seed=SEED, trace=True))
    trace = outcome.table("trace")
    times = {}
    for event in (ENQUEUE, DELIVER):
        which = trace["event"] == event
        keys = zip(trace["flow"][which], trace["seq"][which], strict=True)
        times[event] = dict(zip(keys, trace["t_ps"][which].tolist(), strict=True))
    delay = np.array([t - times[ENQUEUE][key] for key, t in times[DELIVER].items()])
    late, n = (delay > 0.05 * PS).sum(), len(delay)
    assert n > 20_000 and abs(late - 0.2 * n) < Z * math.sqrt(0.16 * n) + 5


def test_a_wire_without_late_packets_is_as_before() -> None:
    """A probability of 0 draws nothing, and the plan of a wire in order has no key."""
    plain, never = drive.run(over(UNSET)), drive.run(over(reordering(0.0, 0.1)))
    for name in plain.table("trace"):
        assert (plain.table("trace")[name] == never.table("trace")[name]).all()
    assert b"reordering" not in over(UNSET).to_json()


def test_packets_of_earlier_calls_count_for_their_calls() -> None:
    """Calls that follow each other at once, with packets that arrive up to 0.7 s late.

    Packets of a call have consecutive numbers, so the trace gives what each call's record counts.
    """
    calls = plans.voip(idle_mean_s=0.1, call_mean_s=0.4, interval_s=0.02)
    links = [
        plans.link("l", 0, 1, 4e6, 0.005, reordering=reordering(0.2, 0.3), loss=0.05),
        plans.link("m", 1, 2, 4e6, 0.005, reordering=reordering(0.1, 0.4, "m")),
    ]
    source = plans.source("s", [0, 1], [], plans.udp(200), calls, count=4)
    plan = plans.plan(links, [source], 200, seed=SEED, trace=True, calls=True)
    outcome = drive.run(plan)
    trace, rows = outcome.table("trace"), outcome.table("calls")
    arrived = {
        flow: set(trace["seq"][(trace["event"] == DELIVER) & (trace["flow"] == flow)].tolist())
        for flow in range(4)
    }
    left = dict.fromkeys(range(4), 0)
    late = lost = 0
    for i in np.lexsort((rows["start_ps"], rows["flow"])):
        flow, sent = int(rows["flow"][i]), int(rows["sent"][i])
        own = {*range(left[flow], left[flow] + sent)}
        left[flow] += sent
        if rows["complete"][i]:
            assert rows["delivered"][i] == len(own & arrived[flow])
            assert rows["lost"][i] == sent - rows["delivered"][i]
            late, lost = late + 1, lost + rows["lost"][i]
    assert late > 1000 and lost > 500


def test_tcp_resends_what_three_packets_overtake() -> None:
    """Packets late by less than three packets' time cause no retransmission, later ones do."""
    greedy, transport = Law("greedy", {}), plans.tcp(sack=True, receiver_window=30)
    resent = {}
    for delay_s in (0.005, 0.05):  # a packet takes 2 ms to transmit
        late = reordering(0.02, delay_s)
        plan = over(late, traffic=greedy, transport=transport, duration_s=30.0)
        last = drive.run(plan).reports[-1]
        assert last.flows["lost"].sum() == 0
        resent[delay_s] = last.flows["retransmitted"].sum()
    assert resent[0.005] == 0 and resent[0.05] > 20


@pytest.mark.parametrize("echo", ["accurate", "accecn"])
def test_overtaken_acks_add_no_marks(echo: str) -> None:
    """The sender learns at most the marks that arrived, although ACKs overtake each other."""
    transport = plans.tcp(plans.wtp(0.5), sack=True, echo=echo)
    plan = over(
        reordering(0.05, 0.02), traffic=Law("greedy", {}), transport=transport,
        marking=plans.fixed(0.05), duration_s=60.0,
    )  # fmt: skip
    plan.links[1] = plans.link("l.reverse", 1, 0, 4e6, 0.005, reordering=reordering(0.2, 0.02, "r"))
    last = drive.run(plan.sealed()).reports[-1]
    assert last.flows["ce"].sum() > 300
    assert 0 <= last.flows["ce"].sum() - last.flows["ece"].sum() <= 20
