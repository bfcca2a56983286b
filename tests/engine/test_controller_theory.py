# SPDX-License-Identifier: Apache-2.0
"""The resting points of REM, PI and laws with a target utilisation in closed loop.

Each law integrates an error that it drives to 0. While no clamp acts, its state changes over K
periods by exactly this integral, so the mean error is (change of state) / (gain K). The bounds
below follow from this, with the states read from the engine.
"""

from __future__ import annotations

import numpy as np
import pytest

import plans
from drive import EngineOutput, run
from ecnomy.markets.plan import Law
from ecnomy.markets.plan.laws import law

PACKETS_PER_S = 1250  # 10 Mbps of 1,000 bytes
FROM_S, TO_S = 20.0, 120.0


def closed_loop(marking: Law, transport, rtt_s: list[float], every_s: float) -> EngineOutput:
    """One greedy flow per round-trip time over a link with a large buffer, sampled each period."""
    links = [plans.link("l", 0, 1, 8000 * PACKETS_PER_S, 0.0, marking=marking)]
    sources = []
    for i, rtt in enumerate(rtt_s):
        links.append(plans.link(f"back{i}", 1, 0, 1e9, rtt))
        overhead = 1 / PACKETS_PER_S
        sources.append(plans.source(f"s{i}", [0], [i + 1], transport, overhead_s=overhead))
    record = dict(series=["queue", "marking_probability"], every_ps=round(every_s * plans.PS))
    return run(plans.plan(links, sources, TO_S, epoch_s=FROM_S, seed=3, **record))


def samples(outcome: EngineOutput, name: int) -> np.ndarray:
    """The bottleneck's samples of a series in (FROM_S, TO_S)."""
    rows = outcome.table("series")
    here = (rows["name"] == name) & (rows["subject"] == 0) & (rows["t_ps"] > FROM_S * plans.PS)
    return rows["value"][here]


ALPHA, GAMMA, PHI, TARGET, PERIOD_S, WEIGHT = 0.1, 0.002, 1.05, 20.0, 0.002, 2.0
FULL = PACKETS_PER_S * PERIOD_S  # packets a period


class RemRun:
    """REM over eight ACK-clocked WTP flows, and how accurately its price shows its integral."""

    rtt_s = [0.04, 0.05, 0.06, 0.08] * 2

    def __init__(self, rule: str, share: float) -> None:
        marking = law("marking", "rem", dict(
            price=rule, phi=PHI, gamma=GAMMA, alpha=ALPHA, target_backlog_packets=TARGET,
            capacity_share=share, interval_s=PERIOD_S,
        ))  # fmt: skip
        transport = plans.tcp(plans.wtp(WEIGHT), send="ack-clocked", min_window=1.0)
        outcome = closed_loop(marking, transport, self.rtt_s, PERIOD_S)
        m = samples(outcome, 1)
        self.queue = samples(outcome, 0).mean()
        self.over = {k: v[0] for k, v in outcome.over(FROM_S, TO_S, "links").items()}
        assert m.min() > 0 and self.over["drops"] == 0, "a clamp of the price or a loss"
        self.load = self.over["arrivals"] / (PACKETS_PER_S * (TO_S - FROM_S))
        price = -np.log1p(-m) / np.log(PHI)
        # The smoothed input leaves out (1 - delta) / delta times its change, at most 2 c.
        self.loose = (9 * 2 * FULL + abs(price[-1] - price[0]) / GAMMA) / len(m)


def test_rem_rests_at_its_target_backlog_and_full_load() -> None:
    """PC3 with WTP rests at the backlog b0, the load c and the price at which flows send c."""
    rem = RemRun("pc3", 1.0)
    assert abs(rem.queue - (TARGET + (1 - rem.load) * FULL / ALPHA)) < rem.loose / ALPHA
    assert 0.99 < rem.load < 1.001
    # An ACK-clocked window W = w / m loses half a packet a round trip: m = requested (1 - m / 2 w).
    delays = [rtt + (rem.queue + 1) / PACKETS_PER_S for rtt in rem.rtt_s]
    requested = sum(WEIGHT / delay for delay in delays) / PACKETS_PER_S
    expected = requested / (1 + requested / (2 * WEIGHT))
    marks = rem.over["marks"]
    assert abs(marks / rem.over["arrivals"] / expected - 1) < 4 / marks**0.5


def test_rem_pc1_rests_at_its_share_of_the_capacity() -> None:
    """With PC1 at 85 % of the capacity, the load is 85 % and the queue is almost empty."""
    rem = RemRun("pc1", 0.85)
    assert abs(rem.load - 0.85) < rem.loose / FULL
    assert rem.queue < TARGET / 2


def test_pi_holds_its_reference() -> None:
    """christin2003's exact tuning over 60 Reno flows: the mean queue is the reference."""
    a, b, reference = 1.643e-4, 1.628e-4, 200.0
    marking = law("marking", "pi", dict(unit="packets", reference=reference, a=a, b=b))
    rtt_s = [0.024 + 0.156 * i / 59 for i in range(60)]
    outcome = closed_loop(marking, plans.tcp(), rtt_s, 1 / 160)
    p, queue = samples(outcome, 1), samples(outcome, 0)
    over = {k: v[0] for k, v in outcome.over(FROM_S, TO_S, "links").items()}
    assert 0 < p.min() and p.max() < 1, "a clamp"
    excess = (p[-1] - p[0] - b * (queue[-1] - queue[0])) / ((a - b) * (len(p) - 1))
    assert abs(queue[1:].mean() - reference - excess) < 1e-6
    assert abs(over["queue_integral"] / (TO_S - FROM_S) / reference - 1) < 0.05


def test_pie_holds_its_target_delay() -> None:
    """12 Reno flows keep p where its gain is halved: the mean delay is the target."""
    target, update_s, alpha, beta = 0.02, 0.015, 0.125, 1.25
    marking = law("marking", "pie", dict(target_s=target))
    outcome = closed_loop(marking, plans.tcp(), [0.03 + 0.004 * i for i in range(12)], update_s)
    p, delay = samples(outcome, 1), samples(outcome, 0) / PACKETS_PER_S
    assert 0.01 < p.min() and p.max() < 0.1, (p.min(), p.max())
    excess = (2 * (p[-1] - p[0]) - beta * (delay[-1] - delay[0])) / (alpha * (len(p) - 1))
    assert abs(delay[1:].mean() - target - excess) < 1e-6
    assert abs(delay.mean() / target - 1) < 0.05


@pytest.mark.parametrize("interval_s", [0.1, 0.2])
def test_codel_marks_an_overload_at_a_rising_rate(interval_s: float) -> None:
    """With a load of 1.1, mark k precedes the next one by interval / sqrt(k).

    The delay of packet n is n / 11 packets' time. The first packet over the target starts the
    interval, after which the first mark comes.
    """
    target_s, packet_s = 0.005, 1 / PACKETS_PER_S
    marking = law("marking", "codel", dict(target_s=target_s, interval_s=interval_s))
    cbr = Law("cbr", {"interval_s": packet_s / 1.1, "random_phase": 0.0})
    links = [plans.link("l", 0, 1, 8000 * PACKETS_PER_S, 0.0, marking=marking)]
    sources = [plans.source("s", [0], [], plans.udp(ect=True), cbr)]
    outcome = run(plans.plan(links, sources, 10.0))
    begun_s = packet_s * np.ceil(11 * target_s / packet_s) + interval_s
    times = begun_s + interval_s * np.cumsum(np.append(0, np.arange(1, 200_000) ** -0.5))
    for seconds in range(1, 10):
        marks = outcome.over(0.0, float(seconds), "links")["marks"][0]
        assert abs(marks - np.searchsorted(times, seconds)) <= 1, seconds


@pytest.mark.parametrize(
    ("name", "buffer"), [("adaptive-virtual-queue", 20), ("adaptive-threshold", 50)]
)
def test_load_rests_at_its_utilization(name: str, buffer: int) -> None:
    """Over T the load is within 1 / (alpha T) of gamma, as the state is a share between 0 and 1.

    The state is the virtual capacity as a share of the link's, or the threshold as a share of the
    buffer. The threshold must not reach the buffer: at 20 packets it does, and the load is 0.87.
    """
    gamma, alpha = 0.9, 0.5
    marking = law("marking", name, dict(
        utilization=gamma, alpha=alpha, buffer_packets=buffer
    ))  # fmt: skip
    rtt_s = [0.04 + 0.002 * i for i in range(20)]
    outcome = closed_loop(marking, plans.tcp(), rtt_s, 1.0)
    over = {k: v[0] for k, v in outcome.over(FROM_S, TO_S, "links").items()}
    load = over["arrived_bytes"] * 8 / (8000 * PACKETS_PER_S * (TO_S - FROM_S))
    assert abs(load - gamma) < 1 / (alpha * (TO_S - FROM_S))
