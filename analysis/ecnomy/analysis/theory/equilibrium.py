# SPDX-License-Identifier: Apache-2.0
"""Equilibrium rates: WTP flows on one link, and Kelly's proportional fairness on a network.

A WTP flow sends x = w / (p T). The link marks with the probability p that its law sets at the load.
Source: Siris et al. 2002 (Eq. 1 to 4); Kelly, Maulloo, Tan 1998.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.errors import InputError
from ecnomy.analysis.support.first_use import scipy_part
from ecnomy.analysis.theory.marking import red_probability
from ecnomy.analysis.theory.routes import incidence

__all__ = ["Equilibrium", "proportional_fair", "wtp_equilibrium", "wtp_red_equilibrium"]


class Equilibrium(msgspec.Struct, frozen=True):
    """The operating point at which WTP flows and a marking law agree."""

    load: float
    probability: float
    queue_packets: float  # mean waiting packets; 0 if the model has no queue
    rates_pps: tuple[float, ...]  # packets/s, in the order of the weights


def _checked(
    weights: Sequence[float], rtts_s: Sequence[float], capacity_pps: float
) -> tuple[Floats, Floats]:
    w, t = np.asarray(weights, dtype=np.float64), np.asarray(rtts_s, dtype=np.float64)
    if w.ndim != 1 or w.shape != t.shape or w.size == 0:
        raise InputError(
            f"weights and round trips must have the same shape, got {w.shape} and {t.shape}"
        )
    if not ((w > 0).all() and (t > 0).all() and capacity_pps > 0):
        raise InputError("weights, round trips and capacity must be positive")
    return w, t


def wtp_equilibrium(
    weights: Sequence[float],
    rtts_s: Sequence[float],
    capacity_pps: float,
    curve: Callable[[float], float],
    *,
    max_load: float = 1.0,
) -> Equilibrium:
    """Solve sum_i w_i / (p T_i) = load * capacity with p = curve(load).

    Args:
        weights: willingness to pay of each flow, marks per round trip.
        rtts_s: round-trip times, seconds (held constant).
        capacity_pps: capacity of the link, packets/s.
        curve: the law's marking probability as a non-decreasing function of the load.
        max_load: the load at which the curve ends.

    Raises:
        InputError: an argument has a wrong shape or value, or the flows require more marks than the
            link sets at `max_load`.
    """
    w, t = _checked(weights, rtts_s, capacity_pps)
    demand = float((w / t).sum())

    def excess(load: float) -> float:
        return curve(load) * load * capacity_pps - demand

    top = max_load * (1 - 1e-12)
    if excess(top) < 0:
        given = curve(top) * top * capacity_pps
        raise InputError(
            f"flows demand {demand:g} marks/s, but the law sets only {given:g} at load {max_load:g}"
        )
    load = float(scipy_part("optimize").brentq(excess, 0.0, top, xtol=1e-14))
    # computed from the load rather than the curve, because the curve may be steep
    probability = demand / (load * capacity_pps)
    return Equilibrium(load, probability, 0.0, tuple((w / (probability * t)).tolist()))


def wtp_red_equilibrium(
    weights: Sequence[float],
    base_rtts_s: Sequence[float],
    capacity_pps: float,
    *,
    min_threshold: float,
    max_threshold: float,
    max_probability: float,
    gentle: bool = True,
) -> Equilibrium:
    """Solve the fluid model of a full RED link for its queue q: sum_i w_i / (p(q) (T_i + q/C)) = C.

    q is RED's average queue, which delays every round trip by q/C. Thresholds are in packets, and
    `base_rtts_s` are the round-trip times T_i without the queue. See `wtp_equilibrium` and
    `red_probability` for the other arguments.

    Raises:
        InputError: an argument has a wrong shape or value, or the flows require more marks than RED
            can set.
    """
    w, t = _checked(weights, base_rtts_s, capacity_pps)

    def probability(queue: float) -> float:
        return red_probability(queue, min_threshold, max_threshold, max_probability, gentle=gentle)

    def excess(queue: float) -> float:
        return probability(queue) * capacity_pps - float((w / (t + queue / capacity_pps)).sum())

    top = 2 * max_threshold if gentle else max_threshold
    if excess(top) < 0:
        raise InputError("the flows demand more marks than RED sets on a full link")
    queue = float(scipy_part("optimize").brentq(excess, min_threshold, top, xtol=1e-13))
    rtts = t + queue / capacity_pps
    p = float((w / rtts).sum()) / capacity_pps
    return Equilibrium(1.0, p, queue, tuple((w / (p * rtts)).tolist()))


def proportional_fair(
    routes: Sequence[Sequence[int]], capacities: Sequence[float], weights: Sequence[float]
) -> Floats:
    """Return the rates that maximise sum_i w_i log x_i subject to the capacities (Kelly's dual).

    Rates are in the unit of the capacities. The dual minimises
    sum_j c_j mu_j - sum_i w_i log(sum_{j in i} mu_j). Then x_i = w_i / sum_{j in i} mu_j.

    Args:
        routes: for each flow, the indices of the links that it crosses, at least one.
        capacities: capacities of the links, in any unit.
        weights: weights of the flows, positive.

    Raises:
        InputError: an argument has a wrong shape or value, or the solver did not converge.
    """
    w, c = np.asarray(weights, dtype=np.float64), np.asarray(capacities, dtype=np.float64)
    if len(routes) != w.size or w.size == 0 or not ((w > 0).all() and (c > 0).all()):
        raise InputError("expected one positive weight per route, and positive capacities")
    use = incidence(routes, c.size)
    used = use.any(axis=0)  # prices and rates below are scaled to be near 1 in any unit
    a, c_scaled, w_scaled = use[:, used], c[used] / c[used].max(), w / w.sum()

    def dual(mu: Floats) -> tuple[float, Floats]:
        path = a @ mu
        cost = float(c_scaled @ mu - w_scaled @ np.log(path))
        return cost, c_scaled - a.T @ (w_scaled / path)

    options = {"maxiter": 10_000, "maxfun": 100_000, "ftol": 1e-15, "gtol": 1e-11}
    start, bounds = np.ones(a.shape[1]), [(1e-14, None)] * a.shape[1]
    solution = scipy_part("optimize").minimize(
        dual, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options
    )
    rates = w_scaled / (a @ solution.x)
    overload, spent = float((a.T @ rates - c_scaled).max()), float(c_scaled @ solution.x)
    if overload > 1e-6 or abs(spent - 1) > 1e-6:  # complementary slackness: all weights are spent
        raise InputError(f"the fair rates were not found: {solution.message}")
    return np.asarray(rates * c[used].max(), dtype=np.float64)
