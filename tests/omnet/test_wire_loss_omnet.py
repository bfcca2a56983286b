# SPDX-License-Identifier: Apache-2.0
"""Packets that the wire loses or delivers late: the same ones on both engines."""

from __future__ import annotations

import msgspec
import pytest

import class_plans
import drive_omnet
import plans
from ecnomy.agents.errors import InputError
from ecnomy.markets.omnet.export import simulation
from ecnomy.markets.plan import Law, Reordering
from tcp_pairs import dumbbell, newreno, same
from test_datagram_sources import on_and_off, run_both, sends, voip

here = pytest.mark.skipif(bool(drive_omnet.missing()), reason=drive_omnet.missing())
group = pytest.mark.xdist_group("omnet-tcp")
RAIN = Law("poisson", {"mean_interval_s": 0.004})


def late(link, probability, delay_s):
    """The link with packets that its wire delivers late."""
    stream = f"link/{link.name}/reordering"
    own = Reordering(probability=probability, delay_ps=round(delay_s * plans.PS), stream=stream)
    return msgspec.structs.replace(link, reordering=own)


@here
@group
def test_datagrams_and_calls_over_two_links_that_lose() -> None:
    """Every lost packet agrees in place and time, behind queues that mark and drop."""
    scheduler = class_plans.weights([dict(share=0.5), dict(share=0.4)], quantum_bytes=1500)
    links = [
        plans.link("a", 0, 1, 3e6, 0.005, buffer=20, marking=plans.red(2, 9, 0.3), loss=0.05),
        plans.link("b", 1, 2, 3e6, 0.004, buffer=15, loss=0.02, scheduler=scheduler,
                   framing_bytes=14),
    ]  # fmt: skip
    sources = [
        sends("rain", RAIN, 700, count=3),
        sends("talk", voip(0.5, 0.3), 200, count=5),
    ]
    sources = [
        msgspec.structs.replace(one, path=[0, 1], classes=[-1, number])
        for number, one in enumerate(sources)
    ]
    plan = plans.plan(links, sources, 10, trace=True, calls=True, warmup_s=2.5)
    outcome = run_both(plan, on_and_off)
    drops = outcome.reports[-1].links["drops"]
    assert drops[0] > 100 and drops[1] > 20
    assert outcome.table("calls")["lost"].sum() > 20


@here
@group
def test_datagrams_and_calls_that_arrive_late() -> None:
    """Every late packet agrees, beside losses and marks; reports count marks on late packets."""
    links = [
        plans.link("a", 0, 1, 3e6, 0.005, buffer=20, marking=plans.red(2, 9, 0.3), loss=0.05),
        plans.link("b", 1, 2, 3e6, 0.004, buffer=15, marking=plans.fixed(0.1)),
    ]
    links = [late(links[0], 0.1, 0.0123), late(links[1], 0.3, 0.345)]
    sources = [sends("rain", RAIN, 700, count=3), sends("talk", voip(0.5, 0.3), 200, count=5)]
    sources = [msgspec.structs.replace(one, path=[0, 1], classes=[]) for one in sources]
    plan = plans.plan(links, sources, 10, trace=True, calls=True, warmup_s=2.5)
    outcome = run_both(plan, on_and_off)
    in_flight = outcome.reports[2].pairs["ce_in_flight"]
    assert in_flight.max() > 20


@here
@group
def test_datagrams_and_calls_over_a_delay_that_changes() -> None:
    """A profile on one link, with late packets, and on the next one without them."""
    links = [
        plans.link("a", 0, 1, 3e6, 0.005, buffer=20, marking=plans.red(2, 9, 0.3), loss=0.05,
                   delay_profile=plans.delay_profile(0.9, {0.0: 0.03, 0.31: 0.0, 0.6: 0.2})),
        plans.link("b", 1, 2, 3e6, 0.004, buffer=15, marking=plans.fixed(0.1),
                   delay_profile=plans.delay_profile(5.0, {0.0: 0.0, 1.0: 0.6, 3.0: 0.01})),
    ]  # fmt: skip
    links[0] = late(links[0], 0.1, 0.0123)
    sources = [sends("rain", RAIN, 700, count=3), sends("talk", voip(0.5, 0.3), 200, count=5)]
    sources = [msgspec.structs.replace(one, path=[0, 1], classes=[]) for one in sources]
    outcome = run_both(
        plans.plan(links, sources, 10, trace=True, calls=True, warmup_s=2.5), on_and_off
    )
    assert outcome.reports[2].pairs["ce_in_flight"].max() > 20


@here
@group
def test_tcp_over_links_that_lose() -> None:
    """Data and ACKs are lost. Both engines repair the losses in the same way."""
    sources = {
        "reno": (plans.tcp(newreno()), dict(count=3)),
        "sack": (plans.tcp(newreno(), sack=True, delayed_acks=2), dict(count=2)),
    }
    plan = dumbbell(sources, 12, buffer=40, marking=plans.red(5, 15))
    plan.links[2] = msgspec.structs.replace(plan.links[2], loss=0.01)
    plan.links[3] = msgspec.structs.replace(plan.links[3], loss=0.02)
    outcome = same(plan.sealed())
    assert outcome.reports[-1].links["drops"][3] > 20


@here
@group
@pytest.mark.parametrize("echo", ["rfc3168", "accurate", "accecn"])
def test_tcp_over_links_that_deliver_late(echo: str) -> None:
    """Data and ACKs overtake each other. Both engines resend the same packets."""
    sources = {
        "reno": (plans.tcp(newreno(), echo=echo), dict(count=3)),
        "sack": (plans.tcp(newreno(), sack=True, delayed_acks=2, echo=echo), dict(count=2)),
    }
    plan = dumbbell(sources, 12, buffer=40, marking=plans.red(5, 15))
    plan.links[2] = late(plan.links[2], 0.02, 0.0213)
    own = plans.delay_profile(3.0, {0.0: 0.0, 1.0: 0.05, 2.2: 0.01})
    plan.links[2] = msgspec.structs.replace(plan.links[2], delay_profile=own)
    plan.links[3] = late(plan.links[3], 0.05, 0.0047)
    outcome = same(plan.sealed())
    assert outcome.reports[-1].flows["retransmitted"].sum() > 20


def test_half_duplex_links_are_refused_on_one_line() -> None:
    """The error names the link and the engine that supports it."""
    plan = plans.plan(
        [plans.link("a", 0, 1, 1e6, 0.0, half_duplex=True)], [sends("s", RAIN, 700)], 1
    )
    with pytest.raises(InputError, match=r"link 'a': duplex: half; only the built-in engine"):
        simulation(plan)
