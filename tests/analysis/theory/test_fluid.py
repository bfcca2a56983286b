# SPDX-License-Identifier: Apache-2.0
"""Delayed courses against exact solutions, and stability against characteristic roots."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from ecnomy.agents.errors import InputError
from ecnomy.analysis import theory
from ecnomy.analysis.theory import LoadLink, LogUtility, PowerUtility

DELAY = 0.2


def _steps_exactly(alpha: float, time: float) -> float:
    """u' = -alpha u(t - T) from u = 1, by steps: sum over k of (-alpha (t - (k-1) T))^k / k!."""
    pieces = range(math.floor(time / DELAY + 1e-9) + 2)
    return sum((-alpha * (time - (k - 1) * DELAY)) ** k / math.factorial(k) for k in pieces)


def _linear(alpha: float, step: float, until: float) -> theory.Trajectory:
    return theory.delayed_trajectory(
        lambda _, lagged: -alpha * lagged[0], [1.0], [DELAY], until_s=until, step_s=step
    )


@pytest.mark.parametrize("alpha_delay", [0.3, 1.4, 2.5])
def test_the_linear_equation_by_steps(alpha_delay: float) -> None:
    """For ten delays, the course equals each delay's polynomial within 1e-6."""
    alpha = alpha_delay / DELAY
    got = _linear(alpha, DELAY / 40, 10 * DELAY)
    exact = [_steps_exactly(alpha, t) for t in got.times_s]
    assert got.states[:, 0] == pytest.approx(exact, abs=1e-6 * max(map(abs, exact)))


def test_the_order_is_four() -> None:
    """Half the step size reduces the error by a factor between 12 and 20, ideally 16."""
    exact = _steps_exactly(7.0, 8 * DELAY)
    errors = [abs(_linear(7.0, DELAY / n, 8 * DELAY).states[-1, 0] - exact) for n in (10, 20, 40)]
    assert 12 < errors[0] / errors[1] < 20
    assert 12 < errors[1] / errors[2] < 20


def test_without_delay_it_is_an_ordinary_equation() -> None:
    """x' = -x with delay 0 is exp(-t), within the fourth-order error t h^4 / 120."""
    got = theory.delayed_trajectory(
        lambda _, lagged: -lagged[0], [1.0], [0.0], until_s=2.0, step_s=0.05
    )
    error = np.abs(got.states[:, 0] * np.exp(got.times_s) - 1)
    assert 0 < error.max() < 1.1 * 2.0 * 0.05**4 / 120


@pytest.mark.parametrize("alpha_delay", [0.3, 0.367, 0.369, 0.4, 1.4, 1.57, 1.572, 3.0])
def test_the_slowest_root(alpha_delay: float) -> None:
    """The root solves s = -alpha exp(-s T), is rightmost, and has its borders at 1/e and pi/2."""
    alpha = alpha_delay / DELAY
    root = theory.delay_root_per_s(alpha, DELAY)
    assert abs(root + alpha * cmath.exp(-root * DELAY)) < 1e-9 * alpha
    assert (root.real < 0) == (alpha_delay < theory.STABLE_BELOW)
    assert (root.imag == 0) == (alpha_delay < theory.NO_OSCILLATION_BELOW)
    # The argument principle on a box right of the root: s + alpha exp(-s T) has no zero there.
    left, right, top = root.real + 1e-3, root.real + 2 * alpha + 50, 4 * alpha + 50
    corners = [left - 1j * top, right - 1j * top, right + 1j * top, left + 1j * top]
    turns = 0.0
    for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
        path = a + (b - a) * np.linspace(0, 1, 200_001)
        turns += float(np.diff(np.unwrap(np.angle(path + alpha * np.exp(-path * DELAY)))).sum())
    assert turns / (2 * math.pi) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("alpha_delay", [0.8, 1.4, 1.7])
def test_oscillations_have_the_roots_pace_and_decay(alpha_delay: float) -> None:
    """Late zeros are pi / Im apart, and each period multiplies the swing by exp(Re period)."""
    alpha = alpha_delay / DELAY
    root = theory.delay_root_per_s(alpha, DELAY)
    got = _linear(alpha, DELAY / 40, 30 * DELAY)
    u, half = got.states[:, 0], math.pi / abs(root.imag)
    flips = np.flatnonzero(np.diff(np.sign(u)))
    zeros = got.times_s[flips] + DELAY / 40 * u[flips] / (u[flips] - u[flips + 1])
    assert np.diff(zeros)[3:] == pytest.approx(half, rel=1e-2)
    peaks = [np.abs(u[a:b]).max() for a, b in zip(flips[3:], flips[4:], strict=False)]
    ratios = np.array(peaks[1:]) / np.array(peaks[:-1])
    assert ratios == pytest.approx(math.exp(root.real * half), rel=1e-2)


def test_equation_1_ends_in_the_equilibrium() -> None:
    """With different delays and routes the course ends at `utility_network`, for log and -1/x."""
    capacities, routes = (1250.0, 800.0), [(0, 1), (1,), (0,)]
    curves = [lambda y: 0.6 * y / 1250, lambda y: 0.3 * y / 800]
    links = [LoadLink(capacities[0], lambda r: 0.6 * r), LoadLink(capacities[1], lambda r: 0.3 * r)]
    for utility in (LogUtility(np.array([40.0, 60.0, 30.0])), PowerUtility(8000.0, 2.0)):
        got = theory.network_trajectory(
            routes,
            curves,
            utility,
            kappa_per_s=np.array([1.0, 2.0, 1.5]),
            delays_s=[0.1, 0.05, 0.1],
            start_pps=[100.0, 300.0, 50.0],
            until_s=80.0,
            step_s=0.05,
        )
        rest = theory.utility_network(routes, links, utility)
        assert got.states[-1] == pytest.approx(rest.rates_pps.tolist(), rel=1e-6)


def test_flows_add_up_to_the_total_of_equation_2() -> None:
    """Three flows with equal delay and gain follow the total's equation throughout."""
    weights = np.array([10.0, 20.0, 40.0])
    total = theory.wtp_trajectory(
        lambda y: 0.5 * y / 1000,
        kappa_per_s=2.0,
        w_inc_per_s=70.0,
        delay_s=DELAY,
        start_pps=600.0,
        until_s=4.0,
        step_s=0.01,
    )
    each = theory.network_trajectory(
        [(0,)] * 3,
        [lambda y: 0.5 * y / 1000],
        LogUtility(weights),
        kappa_per_s=2.0,
        delays_s=DELAY,
        start_pps=[100.0, 200.0, 300.0],
        until_s=4.0,
        step_s=0.01,
    )
    assert each.states.sum(axis=1) == pytest.approx(total.states[:, 0].tolist(), rel=1e-12)
    assert np.ptp(total.states) > 200  # 600 to sqrt(70 * 2000) = 374


def test_each_flow_has_its_own_delay() -> None:
    """Flows on separate links follow separate equations, each with its own delay."""
    delays, curve, settings = [0.1, 0.3], lambda y: 0.5 * y / 1000, {"until_s": 6.0, "step_s": 0.01}
    both = theory.network_trajectory(
        [(0,), (1,)],
        [curve, curve],
        LogUtility(np.array([30.0, 60.0])),
        kappa_per_s=2.0,
        delays_s=delays,
        start_pps=[500.0, 100.0],
        **settings,
    )
    for flow, (weight, start) in enumerate([(30.0, 500.0), (60.0, 100.0)]):
        alone = theory.wtp_trajectory(
            curve,
            kappa_per_s=2.0,
            w_inc_per_s=weight,
            delay_s=delays[flow],
            start_pps=start,
            **settings,
        )
        assert both.states[:, flow] == pytest.approx(alone.states[:, 0].tolist(), rel=1e-12)


def test_w_dec_slows_the_loop_and_keeps_the_rest_point() -> None:
    """(1, 4) and (4, 1) end at the same rate, but (4, 1) is within a tenth of it sooner."""
    courses = [
        theory.wtp_trajectory(
            lambda y: 0.5 * y / 1000,
            kappa_per_s=0.5,
            w_inc_per_s=w_inc,
            w_dec=w_dec,
            delay_s=DELAY,
            start_pps=50.0,
            until_s=400.0,
            step_s=0.05,
        )
        for w_inc, w_dec in ((80.0, 1.0), (20.0, 4.0))
    ]
    rest = 400.0  # 80 = 0.5 x^2 / 1000
    rises = [np.flatnonzero(c.states[:, 0] > rest - 35)[0] for c in courses]
    assert [c.states[-1, 0] for c in courses] == pytest.approx([rest, rest], rel=1e-6)
    assert rises[1] > 3 * rises[0]


def test_bounds_of_the_gain() -> None:
    """Antoniadis Eq. 2 gives 0.0175 for Q / sigma^2 = 10; Eq. 7 from its least w_dec on."""
    assert theory.gaussian_gain_bound(10) == pytest.approx(0.0175, abs=5e-5)
    assert theory.gaussian_gain_bound(0) == pytest.approx(math.exp(-1))
    limit = theory.smallest_w_dec(0.5, 0.1, 200.0, 1e-3)
    left = theory.wtp_stability(0.5, 0.1, 200.0, 1e-3, w_dec=limit)
    assert left == pytest.approx(theory.NO_OSCILLATION_BELOW)


def test_courses_count_crossings_and_growth() -> None:
    """Eight values of changing sign, the last quarter's largest over the first's; no rounding."""
    got = theory.course_of([3, -4, 2, 1, 0, -0.5, 0.3, 0.2])
    assert (got.crossings, got.growth) == (4, pytest.approx(0.3 / 4))
    rounding = np.concatenate(([1.0] * 8, [1e-13, -1e-13] * 4))
    assert theory.course_of(rounding).crossings == 0


def test_what_it_refuses() -> None:
    """Errors name steps longer than a delay, negative delays and empty deviations."""
    for delays, step in (([0.1], 0.2), ([-0.1], 0.01)):
        with pytest.raises(InputError, match="at least a step"):
            theory.delayed_trajectory(lambda x, _: x, [1.0], delays, until_s=1.0, step_s=step)
    with pytest.raises(InputError, match="the step must be positive"):
        theory.delayed_trajectory(lambda x, _: x, [1.0], [], until_s=1.0, step_s=0.0)
    with pytest.raises(InputError, match="eight values"):
        theory.course_of(np.zeros(9))
    with pytest.raises(InputError, match="must be positive"):
        theory.delay_root_per_s(-1.0, 0.2)
    with pytest.raises(InputError, match="must not be negative"):
        theory.gaussian_gain_bound(-1.0)
