# SPDX-License-Identifier: Apache-2.0
"""Links that lose packets on the wire, and links whose two directions share one transmitter."""

from __future__ import annotations

import math

import numpy as np
import pytest

import class_plans
import drive
import plans
import traffic_draws as draws
from ecnomy.markets.plan import Law
from oracle_random import stream
from wire_draws import Z, draws_below, expect_independent

PS = plans.PS
SEED = 4
POISSON = Law("poisson", {"mean_interval_s": 0.002})
DROP, DELIVER = 3, 4


def lossy(loss, *, duration_s=60.0, traffic=POISSON, transport=None, **other):
    """A source over a link of 4 Mbps that loses packets."""
    links = plans.duplex("l", 0, 1, 4e6, 0.005, loss=loss, **other)
    transport = transport or plans.udp(1000, ect=True)
    back = [1] if transport.__struct_config__.tag == "tcp" else []
    source = plans.source("s", [0], back, transport, traffic, count=2)
    return plans.plan(links, [source], duration_s, seed=SEED, trace=True)


@pytest.mark.parametrize("loss", [0.01, 0.3])
def test_the_packets_lost_are_those_drawn(loss: float) -> None:
    """Each packet takes one draw in order of delivery, behind a queue that marks and drops."""
    outcome = drive.run(lossy(loss, buffer=20, marking=plans.red(2, 9, 0.3)))
    trace, last = outcome.table("trace"), outcome.reports[-1]
    transmitted_s = 1000 * 8 / 4e6
    ended = np.isin(trace["event"], (DROP, DELIVER))
    # The queue's drops never entered; a loss on the wire is noted at the time of delivery.
    entered = {tuple(row) for row in _rows(trace, trace["event"] == 1)}
    wire = [row for row in _rows(trace, ended, "event") if row[:2] in entered]
    wire.sort(key=lambda row: row[2])
    expected = draws_below(loss, SEED, "link/l/loss", len(wire))
    assert [row[3] == DROP for row in wire] == expected
    assert sum(expected) > 50 and len(wire) > 10_000
    flows, link = last.flows, {name: column[0] for name, column in last.links.items()}
    queue_drops = link["drops"] - sum(expected)
    assert queue_drops > 100
    assert link["arrivals"] == link["departures"] + queue_drops + link["queue_packets"]
    assert flows["lost"].sum() == link["drops"]
    travelling = flows["sent"].sum() - flows["delivered"].sum() - flows["lost"].sum()
    assert 0 <= travelling <= 25
    ce = last.pairs["ce_dropped"][0] + last.pairs["ce_in_flight"][0] + flows["ce"].sum()
    assert last.pairs["marks"][0] == ce > 100
    assert link["busy_ps"] == pytest.approx(transmitted_s * PS * link["departures"], rel=1e-3)
    assert link["departed_bytes"] == 1000 * link["departures"]  # lost ones too: they had departed


def _rows(trace, which, *more):
    names = ("flow", "seq", "t_ps", *more)
    columns = [trace[name][which].tolist() for name in names]
    rows = list(zip(*columns, strict=True))
    return rows if more else [row[:2] for row in rows]


def test_losses_are_independent_with_their_probability() -> None:
    """The share lost of a hundred thousand packets, and the share of two losses in a row."""
    loss, duration_s = 0.05, 200.0
    traffic = Law("cbr", {"interval_s": 0.004, "random_phase": 1.0})
    outcome = drive.run(lossy(loss, duration_s=duration_s, traffic=traffic))
    trace = outcome.table("trace")
    ends = np.isin(trace["event"], (DROP, DELIVER))
    gone = trace["event"][ends] == DROP
    expect_independent(gone, loss)


def test_a_link_that_loses_nothing_draws_nothing() -> None:
    """A probability of 0 loses nothing; losses do not change the sources' draws."""
    plain, with_loss = drive.run(lossy(0.0)), drive.run(lossy(0.2))
    assert plain.reports[-1].flows["lost"].sum() == 0
    sent = [o.table("trace")["t_ps"][o.table("trace")["event"] == 0] for o in (plain, with_loss)]
    assert (sent[0] == sent[1]).all() and with_loss.reports[-1].flows["lost"].sum() > 5_000


def test_tcp_repairs_what_the_wire_loses() -> None:
    """Files arrive complete although data, ACKs and SYNs are lost."""
    law = Law("on-off", {"packets_mean": 30.0, "pause_mean_s": 0.1, "lasting": 0.0})
    plan = lossy(0.03, traffic=law, transport=plans.tcp(), duration_s=120.0)
    plan.links[1] = plans.link("l.reverse", 1, 0, 4e6, 0.005, loss=0.03)
    outcome = drive.run(plan.sealed())
    rows, flows = outcome.table("transfers"), outcome.reports[-1].flows
    assert len(rows["bytes"]) > 100 and (rows["complete"] == 1).all()
    assert flows["retransmitted"].sum() > flows["lost"].sum() > 50
    assert outcome.reports[-1].links["drops"][1] > 50


def test_links_of_classes_lose_alike() -> None:
    """A link with a scheduler loses the right share of packets, and its books balance."""
    scheduler = class_plans.weights([dict(share=0.5), dict(share=0.4)], quantum_bytes=1500)
    links = plans.duplex("l", 0, 1, 4e6, 0.005, loss=0.1, buffer=30, scheduler=scheduler)
    source = plans.source("s", [0], [], plans.udp(1000), POISSON, count=2)
    source = type(source)(
        **{f: getattr(source, f) for f in source.__struct_fields__} | {"classes": [1]}
    )
    last = drive.run(plans.plan(links, [source], 60, seed=SEED)).reports[-1]
    link = {name: column[0] for name, column in last.links.items()}
    lost = link["arrivals"] - link["departures"] - link["queue_packets"]  # the queue's drops alone
    n = link["departures"]
    assert abs(link["drops"] - lost - 0.1 * n) < Z * math.sqrt(0.09 * n) + 5
    assert last.flows["lost"].sum() == link["drops"]
    assert link["departed_bytes"] == 1000 * n


def both_ways(half):
    """Two sources; on a half-duplex link the second sends in the other direction."""
    first = plans.source("there", [0, 1], [], plans.udp(700), POISSON)
    path = [1, 0] if half else [0, 1]
    other = plans.source("back", path, [], plans.udp(300), POISSON, count=2)
    one = dict(half_duplex=half)
    links = [plans.link("a", 0, 1, 1e12, 0.0), plans.link("b", 1, 2, 6e6, 0.003, buffer=8, **one)]
    if half:
        links[0] = plans.link("a", 0, 1, 1e12, 0.0, half_duplex=True)
    return plans.plan(links, [first, other], 30, seed=SEED, trace=True)


def test_both_directions_share_one_queue_and_transmitter() -> None:
    """Packets of the other direction wait and are dropped as if all went in one direction."""
    ends = []
    for half in (True, False):
        trace = drive.run(both_ways(half)).table("trace")
        keep = (trace["event"] == DELIVER) | ((trace["event"] == DROP) & (trace["link"] == 1))
        ends.append(np.stack([trace[n][keep] for n in ("event", "flow", "seq", "t_ps")], axis=1))
    for own in ends:
        own[:] = own[np.lexsort(own.T[:3])]
    assert (ends[0][:, :3] == ends[1][:, :3]).all()
    # Some packets pass the fast link before the slow one, others after it: a few
    # nanoseconds, which sometimes change the order of two packets.
    apart = np.abs(ends[0][:, 3] - ends[1][:, 3]) > 10**5
    assert apart.mean() < 1e-3
    assert (ends[0][:, 0] == DROP).sum() > 20 and len(ends[0]) > 10_000


def test_draws_are_philox() -> None:
    """The random stream in this file equals the other tests' draws."""
    first = next(draws.uniforms(SEED, "s", 0))
    word = next(stream(SEED, "source/s/0/traffic"))
    assert first == ((word >> 12) + 0.5) * 2.0**-52
