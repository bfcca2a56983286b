# SPDX-License-Identifier: Apache-2.0
"""BBRv3 on the engine: alone, beside itself and beside CUBIC, and behind a queue that marks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pytest

import plans
from drive import EngineOutput, run
from ecnomy.markets.plan import Law

PACKET_BITS: Final = 8000
NECK: Final = 2  # index of the bottleneck's link
BDP_PACKETS: Final = 50  # of 10 Mbps and 40 ms


def over_neck(
    laws: Sequence[Law],
    *,
    rate_bps: float = 1e7,
    rtt_s: float = 0.04,
    bdp: float = 1.0,
    marking: Law = plans.DROP_TAIL,
    stagger_s: float = 0.5,
    duration_s: float = 30.0,
) -> EngineOutput:
    """Flows with SACK that begin one after the other over one bottleneck.

    Args:
        bdp: buffer in bandwidth-delay products.
    """
    buffer = round(bdp * rate_bps * rtt_s / PACKET_BITS)
    links = plans.duplex("in", 0, 1, 1e9, 0.0)
    links += plans.duplex("neck", 1, 2, rate_bps, rtt_s / 2, buffer=buffer, marking=marking)
    flows = [
        plans.source(
            f"{law.law}{i}",
            [0, NECK],
            [3, 1],
            plans.tcp(law, sack=True, initial_window=10.0),
            start_s=i * stagger_s,
        )
        for i, law in enumerate(laws)
    ]
    return run(plans.plan(links, flows, duration_s))


def shares(outcome: EngineOutput, from_s: float, to_s: float) -> np.ndarray:
    """Each flow's share of the packets delivered."""
    got = outcome.over(from_s, to_s)["delivered"]
    return got / got.sum()


def queue(outcome: EngineOutput, from_s: float, to_s: float) -> float:
    """The mean queue of the bottleneck, in packets."""
    return outcome.over(from_s, to_s, "links")["queue_integral"][NECK] / (to_s - from_s)


def test_one_flow_fills_the_link_with_a_short_queue() -> None:
    """BBR fills 90 % of the link after 10 s, with at most a quarter of CUBIC's mean queue."""
    outcome = over_neck([plans.bbr()])
    got = outcome.over(10, 30)["delivered"][0]
    assert got > 0.9 * 20 * 1e7 / PACKET_BITS
    assert queue(outcome, 10, 30) < queue(over_neck([plans.cubic()]), 10, 30) / 4


@pytest.mark.parametrize("bdp", [1.0, 2.0, 8.0])
def test_two_flows_share_the_link(bdp: float) -> None:
    """Each flow has half of the link, within 20 %, and at most two BDP in flight."""
    outcome = over_neck([plans.bbr(), plans.bbr()], bdp=bdp, stagger_s=3.3, duration_s=120)
    assert shares(outcome, 60, 120) == pytest.approx([0.5, 0.5], rel=0.2)
    assert queue(outcome, 60, 120) < 1.5 * BDP_PACKETS


def test_cubic_takes_the_link_in_a_deep_buffer() -> None:
    """Next to CUBIC, BBR gets about half with a buffer of 1 BDP, and at most a fifth with 32."""
    shallow, deep = (
        shares(over_neck([plans.bbr(), plans.cubic()], bdp=bdp, duration_s=180), 60, 180)[0]
        for bdp in (1, 32)
    )
    assert 0.3 < shallow < 0.7
    assert deep < 0.2


def test_it_answers_marks_on_a_short_path_only() -> None:
    """At 2 ms, marks keep the queue of two flows short; at 40 ms, they have no effect."""
    marks = Law("threshold", dict(threshold_packets=5.0, scope=2.0))
    queues = {}
    for rtt_s in (0.002, 0.04):
        for most_s in (0.005, 0.0):
            law = plans.bbr(ecn_max_rtt_s=most_s)
            path = dict(rate_bps=5e7 * 0.002 / rtt_s, rtt_s=rtt_s, bdp=16, duration_s=15)
            queues[rtt_s, most_s] = queue(over_neck([law, law], marking=marks, **path), 5, 15)
    assert queues[0.002, 0.005] < queues[0.002, 0.0] / 2
    assert queues[0.04, 0.005] == queues[0.04, 0.0]
