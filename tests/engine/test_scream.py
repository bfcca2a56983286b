# SPDX-License-Identifier: Apache-2.0
"""SCReAM 2 on the engine: marks per second, its delay target, and beside Prague."""

from __future__ import annotations

import numpy as np
import pytest

import plans
from drive import run
from ecnomy.markets.plan import Law
from test_bbr import NECK, over_neck, queue, shares
from test_dual_queue import L4S, dumbbell, in_class

PACKET_BITS = 8000


def marks_per_s(probability: float, rtt_s: float) -> float:
    """Marks per second of a flow whose packets are marked independently, on a link of 10 Gbps."""
    links = plans.duplex("l", 0, 1, 1e10, rtt_s / 2, marking=plans.fixed(probability))
    flow = plans.source("s", [0], [1], plans.tcp(plans.scream()))
    return float(run(plans.plan(links, [flow], 120)).over(20, 120)["ce"][0] / 100)


@pytest.mark.parametrize("rtt_s", [0.01, 0.025, 0.1])
def test_marks_per_second_do_not_depend_on_the_rate(rtt_s: float) -> None:
    """The flow gets one to two marks per 25 ms, or round trip if longer, at any share of marks."""
    few, many = (marks_per_s(p, rtt_s) * max(rtt_s, 0.025) for p in (0.01, 0.05))
    assert 0.6 < few < 2 and few == pytest.approx(many, rel=0.35)


@pytest.mark.parametrize("target_s", [0.06, 0.03])
def test_without_marks_the_queue_waits_for_half_of_the_target(target_s: float) -> None:
    """A flow fills the link, and its packets wait for D / 2 in a large drop-tail buffer."""
    outcome = over_neck([plans.scream(qdelay_target_s=target_s)], bdp=8, duration_s=60)
    delivered = outcome.over(20, 60)["delivered"][0]
    assert delivered > 0.97 * 40 * 1e7 / PACKET_BITS
    waits_s = queue(outcome, 20, 60) * PACKET_BITS / 1e7
    assert waits_s == pytest.approx(target_s / 2, rel=0.15)


def test_two_flows_share_a_link_that_marks_early() -> None:
    """Behind a step of 5 packets, both get half within a fifth, with few packets waiting."""
    marks = Law("threshold", dict(threshold_packets=5.0, scope=2.0))
    outcome = over_neck([plans.scream()] * 2, bdp=4, marking=marks, duration_s=120)
    assert shares(outcome, 40, 120) == pytest.approx([0.5, 0.5], rel=0.2)
    assert queue(outcome, 40, 120) < 8
    assert outcome.over(40, 120, "links")["busy_ps"][NECK] > 0.8 * 80e12


def test_a_flow_behind_dualpi2_keeps_the_queue_short() -> None:
    """SCReAM uses most of a link of 20 Mbps, and its packets wait for about a millisecond."""
    flow = in_class(plans.source("s", [0, 2], [3, 1], plans.tcp(plans.scream())), L4S)
    outcome = run(dumbbell([flow], 2e7, 60.0))
    link = outcome.over(20.0, 60.0, "links")
    assert link["busy_ps"][2] > 0.9 * 40e12 and link["drops"][2] == 0
    waits_s = link["queue_integral"][2] / link["departures"][2]
    assert waits_s < 0.002
    assert np.isfinite(outcome.reports[-1].flows["srtt_s"]).all()
