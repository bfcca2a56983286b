# SPDX-License-Identifier: Apache-2.0
"""Closed forms against independent numeric computations: recursions, Monte Carlo, integration."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ecnomy.agents.errors import InputError
from ecnomy.analysis import theory
from tiers import rare


def _generator(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def _lindley(load: float, services: np.ndarray, rng: np.random.Generator) -> float:
    """Mean wait by W <- max(0, W + S - A) for a mean service time of 1."""
    steps = services - rng.exponential(1 / load, services.size)
    walk = np.concatenate(([0.0], np.cumsum(steps)))
    return float((walk - np.minimum.accumulate(walk)).mean())


@pytest.mark.parametrize("load", [0.5, 0.8])
def test_waits_match_a_lindley_recursion(load: float) -> None:
    """M/D/1 and M/M/1 mean waits within 3 % of a million simulated customers."""
    rng = _generator(1)
    fixed = _lindley(load, np.ones(1_000_000), rng)
    assert theory.md1_wait_s(load, 1.0) == pytest.approx(fixed, rel=0.03)
    drawn = _lindley(load, rng.exponential(1.0, 1_000_000), rng)
    assert theory.mm1_wait_s(load, 1.0) == pytest.approx(drawn, rel=0.03)


def test_waits_scale_with_the_service_time() -> None:
    """At load 0.5 and 1 ms of service M/D/1 waits 0.5 ms, with 0.25 packets waiting."""
    assert theory.md1_wait_s(0.5, 1e-3) == pytest.approx(0.5e-3)
    assert theory.md1_queue_packets(0.5) == pytest.approx(0.25)
    assert theory.mm1_queue_packets(0.5) == pytest.approx(0.5)
    with pytest.raises(InputError, match="load < 1"):
        theory.md1_wait_s(1.0, 1.0)


@pytest.mark.parametrize("buffer_bdp", [0.0, 0.1, 0.25, 0.7, 1.0, 2.0])
def test_utilization_matches_integration(buffer_bdp: float) -> None:
    """Utilisation equals that of one cycle of the sawtooth, integrated numerically over time."""
    window, time, carried = (1 + buffer_bdp) / 2, 0.0, 0.0
    step = 1e-4
    while window < 1 + buffer_bdp:
        rtt = max(window, 1.0)
        growth = step / rtt  # of the window in this time step
        carried += step * min(window, 1.0)
        time += step
        window += growth
    assert theory.single_flow_utilization(buffer_bdp) == pytest.approx(carried / time, rel=1e-3)


def test_utilization_at_a_quarter() -> None:
    """The figure used in the engine's tests is 0.8929, at b = 1/4."""
    assert theory.single_flow_utilization(0.25) == pytest.approx(0.8929, abs=5e-5)


def _reno_averages(p: float, decrease: float, marks: int, seed: int) -> tuple[float, float]:
    """W sqrt(p) over time and over packets, packet by packet between Bernoulli marks.

    Between marks the window after k acknowledged packets is sqrt(W^2 + 2 k), up to O(1/W).
    """
    rng = _generator(seed)
    gaps = rng.geometric(p, marks)
    window, packets, duration, over_packets = 1 / math.sqrt(p), 0, 0.0, 0.0
    for gap in gaps.tolist():
        path = np.sqrt(window * window + 2 * np.arange(gap))
        packets += gap
        duration += float((1 / path).sum())  # a packet stands for T / W
        over_packets += float(path.sum())
        window = decrease * math.sqrt(window * window + 2 * gap)
    return packets / duration * math.sqrt(p), over_packets / packets * math.sqrt(p)


@pytest.mark.parametrize("decrease", [rare(0.5), 0.8])
def test_bernoulli_constant_matches_monte_carlo(decrease: float) -> None:
    """Averages over time and packets are within 1.5 % of 20,000 simulated marks at p = 1e-4."""
    over_time, over_packets = _reno_averages(1e-4, decrease, 20_000, 1)
    assert theory.bernoulli_constant(decrease) == pytest.approx(over_time, rel=0.015)
    packet = theory.bernoulli_constant(decrease, average="packet")
    assert packet == pytest.approx(over_packets, rel=0.015)


def test_reno_constants() -> None:
    """The constant is 1.3098 for independent marks, and not 1.2247 as for regular marks."""
    assert theory.bernoulli_constant() == pytest.approx(1.3098, abs=5e-5)
    path = np.linspace(0.5, 1.0, 100_001)  # the window over one regular cycle, uniform in time
    constant = path.mean() / math.sqrt(0.5 * path.mean())  # 1/p = (cycle of M/2 trips) mean W
    assert theory.SAWTOOTH_CONSTANT == pytest.approx(constant, rel=1e-5)


def _wtp(p: float, weight: float, seed: int, *, whole: bool) -> float:
    """Marks per round trip of the discrete law at fixed marking, simulated by round trips.

    With `whole`, int(cwnd) packets leave per round trip (ACK-clocked), else cwnd on average.
    """
    rng = _generator(seed)
    window, marks, rounds = weight / p, 0, 60_000
    for _ in range(rounds):
        count = int(window if whole else window + rng.random())
        marked = int(rng.binomial(count, p))
        window = max(window + 0.1 * (count * weight / window - marked), 1 / 64)
        marks += marked
    return marks / rounds


def test_wtp_receives_the_marks_it_pays_for() -> None:
    """The discrete law's fixed point: w marks per round trip, at cwnd = w / p."""
    got = _wtp(0.05, 2.0, 1, whole=False)
    assert got == pytest.approx(0.05 * theory.wtp_window_packets(2.0, 0.05), rel=0.02)
    assert theory.wtp_rate_pps(2.0, 0.05, 0.1) == pytest.approx(400)


def test_wtp_floor_bias_matches_the_discrete_law() -> None:
    """A window of whole packets gets 1 - 0.5/W of its marks, within 2 %."""
    p, weight = 0.1, 1.0
    got = _wtp(p, weight, 2, whole=True) / weight
    assert theory.wtp_floor_bias(weight / p) == pytest.approx(got, rel=0.02)


def test_wtp_floor_ratio_is_the_ratio_of_biases() -> None:
    """(r W - 0.5) / (W - 0.5) at r = 4, W = 8, and close to r for wide windows."""
    assert theory.wtp_floor_ratio(4, 8) == pytest.approx(31.5 / 7.5)
    assert theory.wtp_floor_ratio(4, 1e6) == pytest.approx(4, rel=1e-6)
    with pytest.raises(InputError, match="at least one packet"):
        theory.wtp_floor_ratio(4, 0.5)


def test_wtp_time_constant_matches_the_drift() -> None:
    """The window approaches w/p like exp(-t/tau): integrated from half of it for one tau."""
    rtt, gain, p, weight = 0.1, 0.5, 0.05, 2.0
    tau = theory.wtp_time_constant_s(rtt, gain, p)
    target = theory.wtp_window_packets(weight, p)
    window, step = target / 2, rtt / 1000
    for _ in range(round(tau / step)):
        window += step / rtt * gain * (weight - window * p)
    assert 1 - window / target == pytest.approx(0.5 * math.exp(-1), rel=1e-3)


def test_wtp_stability_of_equation_seven() -> None:
    """The condition is gain (p + x p') / w_dec for round numbers, and half with w_dec = 2."""
    assert theory.wtp_stability(0.5, 0.1, 1000, 1e-3) == pytest.approx(0.55)
    assert theory.wtp_stability(0.5, 0.1, 1000, 1e-3, w_dec=2) == pytest.approx(0.275)
