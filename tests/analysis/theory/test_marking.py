# SPDX-License-Identifier: Apache-2.0
"""Marking curves and equilibria against simulated queues and against conditions of optimality."""

from __future__ import annotations

import numpy as np
import pytest

from ecnomy.agents.errors import InputError
from ecnomy.analysis import theory


def _generator(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def test_red_follows_its_corners() -> None:
    """p is 0 below, max_p at the maximum, and 1 at twice that if gentle, else at once."""
    points = [4.9, 5.0, 10.0, 15.0, 22.5, 30.0, 99.0]
    gentle = [theory.red_probability(q, 5, 15, 0.1) for q in points]
    assert gentle == pytest.approx([0, 0, 0.05, 0.1, 0.55, 1, 1])
    assert theory.red_probability(15.01, 5, 15, 0.1, gentle=False) == 1


@pytest.mark.parametrize("wait", [True, False])
@pytest.mark.parametrize("p", [0.01, 0.13, 0.4])
def test_red_count_matches_a_simulated_count(p: float, wait: bool) -> None:
    """The fraction marked with the count correction, against 200,000 single draws."""
    draws, count, marks = _generator(1).random(200_000), 0, 0
    for u in draws.tolist():
        count += 1
        kp = count * p
        if wait:
            chance = 0.0 if kp < 1 else p / (2 - kp) if kp < 2 else 1.0
        else:
            chance = p / (1 - kp) if kp < 1 else 1.0
        if u < chance:
            marks, count = marks + 1, 0
    assert theory.red_marked_fraction(p, wait=wait) == pytest.approx(marks / 200_000, rel=0.03)


def test_red_load_curve_uses_the_md1_queue() -> None:
    """A load with an M/D/1 queue of 10 packets is in the middle of thresholds 5 and 15."""
    load = -10 + 120**0.5  # solves load^2 + 20 load - 20 = 0, an M/D/1 queue of 10
    assert load**2 / (2 * (1 - load)) == pytest.approx(10)
    assert theory.red_load_curve(load, 5, 15, 0.1) == pytest.approx(0.05)


def test_load_based_is_linear_above_its_threshold() -> None:
    """The probability is 0 up to rho_0, and then has the slope, up to 1."""
    curve = [theory.load_based_probability(x, 0.7, 2.0) for x in (0.5, 0.7, 0.9, 1.5)]
    assert curve == pytest.approx([0, 0, 0.4, 1])


def _virtual_queues(a: float, limit: float, steps: int) -> tuple[float, float]:
    """Fractions marked per overflow and per busy period, over 4,000 queues side by side."""
    rng, queues = _generator(3), 4000
    content, marking = np.zeros(queues), np.zeros(queues, dtype=bool)
    lost = marked = 0
    for step in range(steps):
        content -= rng.exponential(1 / a, queues)
        marking &= content > 0
        content = np.maximum(content, 0)
        over = content + 1 > limit
        marking |= over
        content = np.where(over, content, content + 1)
        if step >= steps // 4:
            lost, marked = lost + int(over.sum()), marked + int(marking.sum())
    packets = queues * (steps - steps // 4)
    return lost / packets, marked / packets


@pytest.mark.parametrize(
    ("load", "theta", "buffer"), [(0.6, 0.7, 10), (0.7, 0.7, 10), (0.9, 0.95, 2.5), (1.1, 1.0, 5)]
)
def test_virtual_queue_matches_simulated_queues(load: float, theta: float, buffer: float) -> None:
    """The two variants are within 2 % of a simulation, below and above the virtual capacity."""
    lost, marked = _virtual_queues(load / theta, theta * buffer, 1600)
    overflow = theory.virtual_queue_probability(load, theta, buffer, variant="per-overflow")
    busy = theory.virtual_queue_probability(load, theta, buffer)
    assert overflow == pytest.approx(lost, rel=0.02)
    assert busy == pytest.approx(marked, rel=0.02)


def test_virtual_queue_of_one_packet_is_erlangs_loss() -> None:
    """A buffer of one packet is a loss system: Erlang's a / (1 + a)."""
    got = theory.virtual_queue_probability(0.8, 1.0, 1.0, variant="per-overflow")
    assert got == pytest.approx(0.8 / 1.8, rel=1e-4)


def test_wtp_equilibrium_of_the_papers_setting() -> None:
    """Ten flows, 200 ms, 1,250 packets/s, load-based 0.6/0.71: x solves a quadratic equation."""
    weights = [1.0] * 5 + [4.0] * 5

    def curve(load: float) -> float:
        return theory.load_based_probability(load, 0.6, 0.71)

    got = theory.wtp_equilibrium(weights, [0.2] * 10, 1250, curve)
    by_hand = 0.3 + (0.09 + 125 / (0.71 * 1250)) ** 0.5
    assert got.load == pytest.approx(by_hand)
    assert sum(got.rates_pps) == pytest.approx(got.load * 1250)
    assert got.rates_pps[9] / got.rates_pps[0] == pytest.approx(4)
    assert got.probability == pytest.approx(curve(got.load))


def test_wtp_equilibrium_refuses_what_the_law_cannot_mark() -> None:
    """More marks per second than the law gives at full load have no equilibrium."""
    with pytest.raises(InputError, match=", but the law sets only"):
        theory.wtp_equilibrium([100.0], [0.1], 1000, lambda x: 0.1 * x)


def test_wtp_red_equilibrium_is_where_the_fluid_settles() -> None:
    """Integrated over time, windows and queue converge to the solved queue and rates."""
    weights, base = np.array([0.5, 2.0]), np.array([0.04, 0.08])
    got = theory.wtp_red_equilibrium(
        weights.tolist(),
        base.tolist(),
        1250,
        min_threshold=5,
        max_threshold=15,
        max_probability=0.1,
    )
    window, queue, average, step = np.array([20.0, 50.0]), 5.0, 5.0, 4e-3
    for _ in range(50_000):
        rtt = base + queue / 1250
        p = theory.red_probability(average, 5, 15, 0.1)
        window += step * 0.5 * (weights - window * p) / rtt
        queue = max(queue + step * (float((window / rtt).sum()) - 1250), 0.0)
        average += step * 2.0 * (queue - average)
    assert got.queue_packets == pytest.approx(queue, rel=1e-3)
    assert list(got.rates_pps) == pytest.approx((window / rtt).tolist(), rel=1e-3)
    assert sum(got.rates_pps) == pytest.approx(1250)


def test_proportional_fairness_on_a_path() -> None:
    """One long flow over three links with a short flow each gets a quarter of each link."""
    rates = theory.proportional_fair([[0, 1, 2], [0], [1], [2]], [10e6] * 3, [1.0] * 4)
    assert rates.tolist() == pytest.approx([2.5e6, 7.5e6, 7.5e6, 7.5e6], rel=1e-6)


def test_proportional_fairness_beats_every_feasible_point() -> None:
    """Kelly's condition: sum w_i (y_i - x_i) / x_i <= 0 for 2,000 feasible y."""
    routes, capacities = [[0, 1, 2], [0], [1], [2], [1, 2]], np.array([10.0, 5.0, 100.0])
    weights = np.array([1.0, 1.0, 2.0, 0.1, 0.7])
    fair = theory.proportional_fair(routes, capacities.tolist(), weights.tolist())
    use = np.array([[link in route for link in range(3)] for route in routes], dtype=float)
    assert (use.T @ fair <= capacities * (1 + 1e-5)).all()
    rng = _generator(4)
    for _ in range(2000):
        point = rng.exponential(1.0, 5) * fair
        point *= (capacities / (use.T @ point)).min()
        assert float((weights * (point - fair) / fair).sum()) < 1e-4


def test_proportional_fairness_names_a_bad_route() -> None:
    """A route over a link that does not exist is refused."""
    with pytest.raises(InputError, match="route 1"):
        theory.proportional_fair([[0], [3]], [1.0], [1.0, 1.0])
