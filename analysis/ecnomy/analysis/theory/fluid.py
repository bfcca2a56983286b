# SPDX-License-Identifier: Apache-2.0
"""Fluid models of weighted rate control: rates over time under delayed feedback.

    dx_r/dt = kappa_r (w_r - x_r(t - T_r) sum_j p_j(y_j(t - T_r)))  (Siris et al. 2002, Eq. 1, 2)
    dx/dt   = kappa (w_inc - x(t - T) p(x(t - T)) / w_dec)          (Eq. 5 with the lag)

Both have the form x' = f(x(t), x(t - T_1), ...). The fourth-order Runge-Kutta method integrates
them with a constant step. Cubic Hermite interpolation, which is of the same order, gives past
values. The start causes kinks at sums of delays, and kinks between steps reduce the accuracy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from ecnomy.agents.arrays import Floats
from ecnomy.agents.errors import InputError
from ecnomy.analysis.theory.routes import incidence
from ecnomy.analysis.theory.utility import FlowUtility

__all__ = [
    "DeviationCourse",
    "Trajectory",
    "course_of",
    "delayed_trajectory",
    "network_trajectory",
    "wtp_trajectory",
]

Slope = Callable[[Floats, Floats], Floats]  # from x (n,) and lagged x (delays, n) to dx/dt (n,)


class Trajectory(msgspec.Struct, frozen=True):
    """States at equal steps from time 0."""

    times_s: Floats  # (steps + 1,)
    states: Floats  # (steps + 1, n)


def delayed_trajectory(
    slope: Slope, start: npt.ArrayLike, delays_s: Sequence[float], *, until_s: float, step_s: float
) -> Trajectory:
    """Integrate x' = slope(x(t), [x(t - T) for T in delays]); x is `start` up to time 0.

    Args:
        slope: function of x, shape (n,), and the lagged states, shape (delays, n).
        start: initial state, shape (n,).
        delays_s: delays, seconds; each delay is 0 (no lag) or at least one step.
        until_s: end of the integration, seconds.
        step_s: the step, seconds; the fourth order requires delays of a whole number of steps.

    Raises:
        InputError: a delay is negative, or above 0 but shorter than a step, or the step is not
            positive or exceeds `until_s`.
    """
    x = np.atleast_1d(np.asarray(start, dtype=np.float64))
    if not (step_s > 0 and until_s >= step_s):
        raise InputError("the step must be positive and at most as long as the run")
    if any(0 < delay < step_s * (1 - 1e-9) or delay < 0 for delay in delays_s):
        raise InputError(f"delays must be 0 or at least a step of {step_s:g} s")
    steps = math.ceil(until_s / step_s - 1e-9)
    past = _Past(np.empty((steps + 1, x.size)), np.empty((steps + 1, x.size)), step_s)
    lags = [delay / step_s for delay in delays_s]

    def at(position: float, now: Floats) -> Floats:
        lagged = [past.at(position - lag) if lag else now for lag in lags]
        return np.asarray(slope(now, np.array(lagged)), dtype=np.float64)

    past.states[0] = x
    past.slopes[0] = at(0.0, x)
    for i in range(steps):
        k1 = past.slopes[i]
        k2 = at(i + 0.5, x + step_s / 2 * k1)
        k3 = at(i + 0.5, x + step_s / 2 * k2)
        k4 = at(i + 1.0, x + step_s * k3)
        x = x + step_s / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        past.states[i + 1] = x
        past.slopes[i + 1] = at(i + 1.0, x)
    return Trajectory(np.arange(steps + 1, dtype=np.float64) * step_s, past.states)


class _Past(msgspec.Struct, frozen=True):
    """The states and slopes at past steps; times are in steps."""

    states: Floats
    slopes: Floats
    step_s: float

    def at(self, position: float) -> Floats:
        """Return the state at a position in steps, by cubic interpolation; before 0, the start."""
        if position <= 0:
            return np.asarray(self.states[0])
        i = math.floor(position)
        u = position - i
        if u < 1e-9:
            return np.asarray(self.states[i])
        if u > 1 - 1e-9:
            return np.asarray(self.states[i + 1])
        h00, h10 = (1 + 2 * u) * (1 - u) ** 2, u * (1 - u) ** 2
        h01, h11 = u * u * (3 - 2 * u), u * u * (u - 1)
        left = h00 * self.states[i] + h10 * self.step_s * self.slopes[i]
        right = h01 * self.states[i + 1] + h11 * self.step_s * self.slopes[i + 1]
        return np.asarray(left + right)


def wtp_trajectory(
    curve: Callable[[float], float],
    *,
    kappa_per_s: float,
    w_inc_per_s: float,
    w_dec: float = 1.0,
    delay_s: float,
    start_pps: float,
    until_s: float,
    step_s: float,
) -> Trajectory:
    """Integrate the total rate of WTP flows on one link: x' = kappa (w_inc - x p(x) / w_dec).

    The right side uses x and p at time t - T.

    Args:
        curve: marking probability p as a function of the arrival rate, packets/s.
        kappa_per_s: kappa, per second; the gain per round trip is kappa T.
        w_inc_per_s: sum of w_inc / T over the flows, marks/s.
        w_dec: the parameter w_dec, per round trip; 1 gives Eq. 2.
        delay_s: T, common to all flows, seconds.
        start_pps: the rate up to time 0.
        until_s: end of the integration, seconds.
        step_s: step of the integration, seconds.

    Raises:
        InputError: as `delayed_trajectory`.
    """

    def slope(_: Floats, lagged: Floats) -> Floats:
        rate = float(lagged[0, 0])
        return np.array([kappa_per_s * (w_inc_per_s - rate * curve(rate) / w_dec)])

    return delayed_trajectory(slope, [start_pps], [delay_s], until_s=until_s, step_s=step_s)


def network_trajectory(
    routes: Sequence[Sequence[int]],
    curves: Sequence[Callable[[float], float]],
    utility: FlowUtility,
    *,
    kappa_per_s: npt.ArrayLike,
    delays_s: Sequence[float] | float,
    start_pps: Sequence[float],
    until_s: float,
    step_s: float,
) -> Trajectory:
    """Integrate Eq. 1 on a network, with w_r(t) = x_r U_r'(x_r).

    `LogUtility(w)` gives constant weights.

    Args:
        routes: for each of S flows, the indices of the links that it crosses.
        curves: marking probability p_j of each link as a function of its arrival rate, packets/s.
        utility: the utility of all flows.
        kappa_per_s: one gain for all flows, or one per flow.
        delays_s: round-trip delays T_r, one for all flows or one per flow; 0 means instantaneous
            feedback.
        start_pps: rates up to time 0, shape (S,).
        until_s: end of the integration, seconds.
        step_s: step of the integration, seconds.

    Raises:
        InputError: as `delayed_trajectory`, or a route crosses a link that does not exist.
    """
    use, kappa = incidence(routes, len(curves)), np.asarray(kappa_per_s, dtype=np.float64)
    each = np.broadcast_to(np.asarray(delays_s, dtype=np.float64), (len(routes),))
    delays, which = np.unique(each, return_inverse=True)
    flows = np.arange(len(routes))

    def slope(now: Floats, lagged: Floats) -> Floats:
        arrivals = lagged @ use  # (delays, links)
        prices = np.array(
            [[p(float(y)) for p, y in zip(curves, row, strict=True)] for row in arrivals]
        )
        path = (prices @ use.T)[which, flows]
        return np.asarray(kappa * (now * utility.marginal(now) - lagged[which, flows] * path))

    return delayed_trajectory(slope, start_pps, delays.tolist(), until_s=until_s, step_s=step_s)


class DeviationCourse(msgspec.Struct, frozen=True):
    """The sign changes and the growth of a deviation from the equilibrium."""

    crossings: int  # number of sign changes
    growth: float  # largest deviation in the last quarter / largest deviation in the first quarter


def course_of(deviation: npt.ArrayLike, *, noise: float = 1e-11) -> DeviationCourse:
    """Return the sign changes and the growth of a deviation x(t) - x*.

    Args:
        deviation: values of x(t) - x* at equal time steps, shape (times,).
        noise: deviations up to this share of the largest deviation are ignored in counting sign
            changes.

    Raises:
        InputError: there are fewer than eight values, all values are 0, or their shape is not
            (times,).
    """
    values = np.asarray(deviation, dtype=np.float64)
    if values.ndim != 1 or values.size < 8 or not np.abs(values).max() > 0:
        raise InputError("expected at least eight values, not all of them 0")
    size = np.abs(values)
    signs = np.sign(values[size > noise * size.max()])
    quarter = values.size // 4
    return DeviationCourse(
        crossings=int((signs[1:] != signs[:-1]).sum()),
        growth=float(size[-quarter:].max() / size[:quarter].max()),
    )
