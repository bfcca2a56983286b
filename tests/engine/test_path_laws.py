# SPDX-License-Identifier: Apache-2.0
"""CUBIC and DCTCP on the engine: against theory, and against the limits of a test of ns-3."""

from __future__ import annotations

import numpy as np
import pytest

import plans
from drive import EngineOutput, run
from ecnomy.markets.plan import Law
from tiers import rare

MSS = 1448


def pipe_mean(rtt_s: float, p: float, acks: int, seed: int) -> float:
    """CUBIC's mean window over a pipe that marks each packet with p: RFC 9438 by hand.

    An ACK arrives every rtt / cwnd. For a round trip after a mark, ACKs still carry ECE, so the
    window is not reduced again and does not grow.
    """
    beta, c = 0.7, 0.4
    draws = np.random.default_rng(seed).random(acks) < p
    cwnd = w_max = before = 20.0
    now = integral = answered = 0.0
    start, w_est, k_s = -1.0, cwnd, 0.0
    for marked in draws:
        now, integral = now + rtt_s / cwnd, integral + rtt_s
        if now <= answered:
            continue
        if marked:
            w_max = cwnd * (1 + beta) / 2 if cwnd < w_max else cwnd
            before, cwnd, start, answered = cwnd, max(1.0, beta * cwnd), -1.0, now + rtt_s
            continue
        if start < 0:
            start, w_est, w_max = now, cwnd, max(w_max, cwnd)
            k_s = ((w_max - cwnd) / c) ** (1 / 3)
        w_est += (1 if w_est >= before else 3 * (1 - beta) / (1 + beta)) / cwnd
        cubic, ahead = (c * (t - start - k_s) ** 3 + w_max for t in (now, now + rtt_s))
        if cubic < w_est:
            cwnd = max(cwnd, w_est)
        else:
            cwnd += (min(max(ahead, cwnd), 1.5 * cwnd) - cwnd) / cwnd
    return integral / now


@pytest.mark.parametrize(("rtt_s", "p"), [(0.1, 1e-3), rare(0.02, 4e-3)])
def test_cubic_has_the_window_of_its_equations(rtt_s: float, p: float) -> None:
    """CUBIC's mean window over a pipe agrees with its equations within 5 %, at 20 and 100 ms."""
    links = plans.duplex("l", 0, 1, 1e10, rtt_s / 2, marking=plans.fixed(p))
    flow = plans.source("f", [0], [1], plans.tcp(plans.cubic()), count=10, stagger_s=0.01)
    outcome = run(plans.plan(links, [flow], 500, warmup_s=50))
    window = outcome.over(50, 500)["cwnd_integral"].mean() / 450
    assert window == pytest.approx(pipe_mean(rtt_s, p, 300_000, 5), rel=0.05)


def test_two_cubic_flows_share_a_long_link() -> None:
    """By fast convergence, two flows share the link although the second begins 20 s later."""
    links = plans.duplex("in", 0, 1, 1e9, 0.001)
    links += plans.duplex("neck", 1, 2, 2e7, 0.04, buffer=200)
    flow = plans.source("f", [0, 2], [3, 1], plans.tcp(plans.cubic(), sack=True), count=2,
                        stagger_s=20)  # fmt: skip
    outcome = run(plans.plan(links, [flow], 300, warmup_s=100))
    got = outcome.over(100, 300)["delivered"]
    assert got.sum() > 0.97 * 2e7 / 8320 * 200
    assert got.min() / got.max() > 0.8


def over_a_step(delayed_acks: int, overhead_s: float) -> EngineOutput:
    """DCTCP over 50 Mbps and 10 ms, CE marks while more than a millisecond of packets waits."""
    law = Law("threshold", dict(threshold_packets=4.0, scope=2.0))
    links = plans.duplex("in", 0, 1, 1e9, 0.0, framing_bytes=2)
    links += plans.duplex("neck", 1, 2, 5e7, 0.005, buffer=500, marking=law, framing_bytes=2)
    sizes = dict(mss_bytes=MSS, header_bytes=52, ack_bytes=52, initial_window=10.0)
    tcp = plans.tcp(plans.dctcp(), delayed_acks=delayed_acks, **sizes)
    flow = plans.source("f", [0, 2], [3, 1], tcp, overhead_s=overhead_s)
    return run(plans.plan(links, [flow], 12, epoch_s=0.2))


def test_dctcp_passes_the_gate_of_ns3() -> None:
    """As in dctcp-10ms of tcp-validation, payload is 48 to 49 Mbps and alpha 0.045 to 0.095.

    Alpha is the mean share of marks from 2 s on, with the default overhead of scenarios' hosts.
    Without overhead alpha is 0.122 (0.185 without delayed ACKs, see below). A likely reason, not
    tested: ns-3 spreads reductions over a round trip (PRR), here packets keep together.
    """
    outcome = over_a_step(2, 240e-6)
    for step in range(3, 60):
        got = outcome.over(step / 5, (step + 1) / 5)["delivered"][0]
        assert 48e6 <= got * MSS * 8 * 5 <= 49e6, step
    over = outcome.over(2, 12)
    assert 0.045 <= over["ce"][0] / over["delivered"][0] <= 0.095


def test_dctcp_alpha_is_that_of_one_flow_in_step() -> None:
    """alpha^2 (1 - alpha / 4) = (2 W + 1) / (W + 1)^2 within 15 % (Alizadeh 2010, Eq. 6).

    W is the window at which marks begin: the packets that path and threshold hold.
    """
    over = over_a_step(1, 0.0).over(2, 12)
    window = 0.01 * 5e7 / (8 * 1502) + 4
    alpha = np.roots([-1 / 4, 1, 0, -(2 * window + 1) / (window + 1) ** 2])
    (expected,) = [root.real for root in alpha if 0 < root.real < 1]
    assert over["ce"][0] / over["delivered"][0] == pytest.approx(expected, rel=0.15)
