# SPDX-License-Identifier: Apache-2.0
"""The rates that maximise total utility within the capacities, and the prices that support them.

    max sum_s U_s(x_s),  m_s <= x_s <= M_s,  sum_{s over l} x_s <= c_l     (Eq. 6, 7)
    D(p) = sum_s max_x (U_s(x) - x p^s) + sum_l p_l c_l                    (Eq. 8 to 10)

The solver minimises the dual D over p >= 0. The rates are x_s = U_s'^-1(p^s) within their limits
(Eq. 11). With w log x, the solution is Kelly's optimum. Sources: Athuraliya, Low 2000, section
II-A; Kelly, Maulloo, Tan 1998.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.errors import InputError
from ecnomy.analysis.support.first_use import scipy_part
from ecnomy.analysis.theory.routes import incidence
from ecnomy.analysis.theory.utility import FlowUtility

__all__ = ["FlowProblem", "Optimum", "network_optimum"]

TOLERANCE = 1e-7


class FlowProblem(msgspec.Struct, frozen=True):
    """A network, the utilities of its flows and the bounds of their rates.

    Rates and capacities share a unit, such as packets/ms. Prices are in utility per unit of rate.

    Attributes:
        routes: for each of S flows, the indices of the links that it crosses.
        capacities: capacities c_l of the L links.
        utility: the utility of all flows; array parameters have shape (S,).
        min_rates: smallest rates m_s, one number or one per flow.
        max_rates: largest rates M_s, one number or one per flow; infinite by default.
    """

    routes: tuple[tuple[int, ...], ...]
    capacities: tuple[float, ...]
    utility: FlowUtility
    min_rates: float | tuple[float, ...] = 0.0
    max_rates: float | tuple[float, ...] = np.inf

    def __post_init__(self) -> None:
        capacities, (low, high) = np.asarray(self.capacities), self.limits()
        if not self.routes or not (np.isfinite(capacities) & (capacities > 0)).all():
            raise InputError("expected at least one flow, and positive, finite capacities")
        if not ((low >= 0) & (low <= high) & (high > 0)).all():
            raise InputError("rate limits must satisfy 0 <= smallest <= largest and largest > 0")
        if (self.incidence().T @ low > capacities).any():
            raise InputError("the min_rates of flows on a link add up to more than its capacity")

    def incidence(self) -> Floats:
        """Return 1 where a flow (row) crosses a link (column), otherwise 0; shape (S, L)."""
        return incidence(self.routes, len(self.capacities))

    def limits(self) -> tuple[Floats, Floats]:
        """Return m_s and M_s, each of shape (S,)."""
        flows = len(self.routes)
        pair = [np.asarray(x, dtype=np.float64) for x in (self.min_rates, self.max_rates)]
        if any(x.shape not in ((), (flows,)) for x in pair):
            raise InputError(f"a rate limit must be one number, or one for each of {flows} flows")
        low, high = (np.broadcast_to(x, (flows,)) for x in pair)
        return low, high

    def rates(self, path_prices: Floats) -> Floats:
        """Return x_s(p^s), Eq. 11, the flows' demand at their path prices, shape (..., S)."""
        wanted = np.maximum(self.utility.demand(path_prices), self.min_rates)
        return np.asarray(np.minimum(wanted, self.max_rates), dtype=np.float64)

    def dual(self, prices: Floats) -> Floats:
        """Return D(p), Eq. 8, for prices of shape (..., L).

        Raises:
            InputError: at a path price of 0, a flow without a rate limit has an infinite demand.
        """
        path = prices @ self.incidence().T
        rates = self.rates(path)
        if not np.isfinite(rates).all():
            raise InputError("the dual is infinite: a flow has a price of 0 and no rate limit")
        gains = (self.utility.value(rates) - rates * path).sum(axis=-1)
        return np.asarray(gains + prices @ np.asarray(self.capacities), dtype=np.float64)


class Optimum(msgspec.Struct, frozen=True):
    """The optimal rates; `prices` are the multipliers of the capacity constraints."""

    rates: Floats  # (S,)
    prices: Floats  # (L,), 0 for links with spare capacity
    path_prices: Floats  # (S,)
    utility: float


def network_optimum(problem: FlowProblem) -> Optimum:
    """Solve Eq. 6, 7 by the dual, with L-BFGS-B and then Powell's method for the full links.

    Raises:
        InputError: the solution misses the optimality conditions by more than 1e-7.
    """
    use, c = problem.incidence(), np.asarray(problem.capacities, dtype=np.float64)
    bounded, unit = _bounded(problem, use, c)

    def dual(z: Floats) -> tuple[float, Floats]:
        rates = bounded.rates(use @ z * unit)
        return float(bounded.dual(z * unit)) / (unit * c.max()), (c - use.T @ rates) / c.max()

    start, limits = np.ones(c.size), [(0, None)] * c.size
    options = {"maxiter": 20_000, "maxfun": 200_000, "ftol": 1e-16, "gtol": 1e-12}
    solution = scipy_part("optimize").minimize(
        dual, start, jac=True, method="L-BFGS-B", bounds=limits, options=options
    )
    z = _polished(np.asarray(solution.x, dtype=np.float64), dual)
    if (residual := _residual(z, dual(z)[1])) > TOLERANCE:
        raise InputError(
            f"the optimum was not found: the residual is {residual:.1e}; {solution.message}"
        )
    path = use @ z * unit
    rates = bounded.rates(path)
    return Optimum(rates, z * unit, path, float(problem.utility.value(rates).sum()))


def _bounded(problem: FlowProblem, use: Floats, c: Floats) -> tuple[FlowProblem, float]:
    """Return the problem with finite largest rates, and the expected magnitude of prices.

    A flow gets at most the capacity of its narrowest link. A limit of twice that capacity does not
    change the multipliers.
    """
    low, high = problem.limits()
    narrowest = np.where(use > 0, c, np.inf).min(axis=1)
    high = np.maximum(np.minimum(high, 2 * narrowest), low)
    share = np.where(use > 0, c / np.maximum(use.sum(axis=0), 1), np.inf).min(axis=1)
    unit = float(np.abs(problem.utility.marginal(np.clip(share, low, high))).max())
    bounded = msgspec.structs.replace(problem, min_rates=tuple(low), max_rates=tuple(high))
    return bounded, unit or 1.0


def _residual(z: Floats, slope: Floats) -> float:
    """Return the scaled distance of min(z, dD/dz) from 0, which is 0 only at the optimum."""
    return float(np.abs(np.minimum(z, slope)).max())


def _polished(z: Floats, dual: Callable[[Floats], tuple[float, Floats]]) -> Floats:
    """Return prices that fill all priced links exactly, or `z` if its residual is not larger."""
    full = z > 1e-6
    if not full.any():
        return z

    def trial(part: Floats) -> Floats:
        prices = np.zeros_like(z)
        prices[full] = np.maximum(part, 0)
        return prices

    def excess(part: Floats) -> Floats:
        return dual(trial(part))[1][full]

    root = scipy_part("optimize").root(excess, z[full], method="hybr", options={"xtol": 1e-14})
    better = trial(root.x)
    return better if _residual(better, dual(better)[1]) < _residual(z, dual(z)[1]) else z
