# SPDX-License-Identifier: Apache-2.0
"""Optimal rates against closed forms, another solver on the primal problem, and perturbation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

from ecnomy.agents.errors import InputError
from ecnomy.analysis import theory
from ecnomy.analysis.theory import (
    DistortedUtility,
    FlowProblem,
    FlowUtility,
    LogUtility,
    MixedUtility,
    PowerUtility,
    QuadraticUtility,
)


def _generator(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def _random_problem(seed: int) -> FlowProblem:
    """Six flows of four kinds over four links, each flow over one to three of them."""
    rng = _generator(seed)
    routes = tuple(tuple(rng.permutation(4)[: rng.integers(1, 4)].tolist()) for _ in range(6))
    a, b, c = rng.uniform(1, 5, 6), rng.uniform(4, 9, 6), rng.uniform(5, 12, 4)
    parts: tuple[FlowUtility, ...] = (
        LogUtility(float(a[0])),
        LogUtility(float(a[1])),
        PowerUtility(float(a[2]), 2.0),
        PowerUtility(float(a[3]), 0.5),
        QuadraticUtility(float(b[4]), float(a[4])),
        DistortedUtility(LogUtility(float(a[5])), 0.3),
    )
    return FlowProblem(routes, tuple(c.tolist()), MixedUtility(parts), 0.05, 8.0)


@pytest.mark.parametrize("seed", range(6))
def test_another_solver_finds_nothing_better(seed: int) -> None:
    """SLSQP on the primal problem gives the same rates, and the dual has the same value."""
    problem = _random_problem(seed)
    got = theory.network_optimum(problem)
    use, c = problem.incidence(), np.array(problem.capacities)
    theirs = optimize.minimize(
        lambda x: -problem.utility.value(x).sum(),
        np.full(6, 0.5),
        jac=lambda x: -problem.utility.marginal(x),
        bounds=[(0.05, 8.0)] * 6,
        constraints={"type": "ineq", "fun": lambda x: c - use.T @ x, "jac": lambda _: -use.T},
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    assert (use.T @ theirs.x <= c * (1 + 1e-9)).all()
    assert got.rates == pytest.approx(theirs.x.tolist(), rel=1e-4)
    assert got.utility == pytest.approx(-theirs.fun, rel=1e-8)
    assert problem.dual(got.prices) == pytest.approx(got.utility, rel=1e-7)


@pytest.mark.parametrize("seed", range(3))
def test_one_percent_beside_the_optimum_is_worse(seed: int) -> None:
    """A rate 1 % higher (with others cut to fit) or 1 % lower reduces the total utility."""
    problem = _random_problem(seed)
    use, c = problem.incidence(), np.array(problem.capacities)
    best = theory.network_optimum(problem)
    tried = 0
    for flow in range(6):
        for factor in (1.01, 0.99):
            moved = best.rates.copy()
            moved[flow] *= factor
            moved /= np.maximum((use * (use.T @ moved / c)).max(axis=1), 1.0)
            # flows over a link that is too full are cut, each by its fullest link, so that all fit
            assert (use.T @ moved <= c * (1 + 1e-12)).all()
            if np.abs(moved / best.rates - 1).max() > 1e-4 and moved[flow] <= 8.0:
                tried += 1  # a flow alone on its link was cut back to its former rate
                assert problem.utility.value(moved).sum() < best.utility
    assert tried >= 6


def test_logarithms_are_kelly_fair() -> None:
    """The optimum for w log x equals `proportional_fair`, in any unit of rate."""
    routes = ((0, 1), (1, 2), (0,), (2,), (0, 1, 2))
    weights = np.array([1.0, 2.0, 0.5, 3.0, 1.5])
    for unit in (1e-3, 1.0, 1e6):
        capacities = (3.0 * unit, 5.0 * unit, 2.0 * unit)
        got = theory.network_optimum(FlowProblem(routes, capacities, LogUtility(weights)))
        fair = theory.proportional_fair(routes, capacities, weights.tolist())
        assert got.rates == pytest.approx(fair.tolist(), rel=1e-5)


def test_quadratic_sources_share_a_link() -> None:
    """The sum of M - w p is the capacity; from price M / w on only the other source sends."""
    ceilings, weights = np.array([8.0, 6.0]), np.array([2.0, 1.0])

    def solve(capacity: float) -> tuple[list[float], float]:
        utility = QuadraticUtility(ceilings, weights)
        got = theory.network_optimum(FlowProblem(((0,), (0,)), (capacity,), utility))
        return got.rates.tolist(), float(got.prices[0])

    rates, price = solve(8.0)  # 14 - 3 p = 8
    assert (price, rates) == (pytest.approx(2), pytest.approx([4, 4]))
    rates, price = solve(1.0)  # the first is silent from p = 4 on, and 6 - p = 1
    assert (price, rates) == (pytest.approx(5), pytest.approx([0, 1], abs=1e-7))
    rates, price = solve(20.0)  # no source sends above its ceiling
    assert (price, rates) == (pytest.approx(0, abs=1e-9), pytest.approx([8, 6]))


def test_limits_of_rates_hold() -> None:
    """A low maximum rate leaves the rest to the other; a minimum holds at any price."""
    routes = ((0,), (0,))
    capped = FlowProblem(routes, (10.0,), LogUtility(1.0), 0.0, (2.0, 20.0))
    assert theory.network_optimum(capped).rates == pytest.approx([2, 8])
    floored = FlowProblem(routes, (10.0,), LogUtility(np.array([1.0, 99.0])), (3.0, 0.0))
    assert theory.network_optimum(floored).rates == pytest.approx([3, 7])


def test_a_marginal_price_is_what_capacity_is_worth() -> None:
    """p_l is the gain in total utility per unit of capacity (section II-A)."""
    problem = _random_problem(1)
    got = theory.network_optimum(problem)
    step = 1e-3
    for link, capacity in enumerate(problem.capacities):
        ends = []
        for moved in (capacity - step, capacity + step):
            changed = list(problem.capacities)
            changed[link] = moved
            other = FlowProblem(problem.routes, tuple(changed), problem.utility, 0.05, 8.0)
            ends.append(theory.network_optimum(other).utility)
        assert (ends[1] - ends[0]) / (2 * step) == pytest.approx(got.prices[link], abs=1e-3)


def test_demand_undoes_the_marginal_utility() -> None:
    """U' is the slope of U, and demand its inverse, for every kind."""
    rates, step = np.array([0.5, 1.0, 3.0]), 1e-5
    for utility in (
        LogUtility(2.0),
        PowerUtility(2.0, 0.5),
        PowerUtility(np.array([1.0, 2.0, 3.0]), 3.0),
        QuadraticUtility(4.0, 2.0),
        DistortedUtility(PowerUtility(2.0, 2.0), -0.25),
    ):
        slope = (utility.value(rates + step) - utility.value(rates - step)) / (2 * step)
        assert utility.marginal(rates) == pytest.approx(slope.tolist(), rel=1e-6)
        assert utility.demand(utility.marginal(rates)) == pytest.approx(rates.tolist())


def test_what_it_refuses() -> None:
    """Errors name problems without a solution, and parameters that do not fit."""
    log = LogUtility(1.0)
    for make, message in (
        (lambda: FlowProblem(((0,),), (1.0,), log, 2.0), "add up to more than its capacity"),
        (lambda: FlowProblem(((0,),), (0.0,), log), "positive, finite capacities"),
        (lambda: FlowProblem(((1,),), (1.0,), log), "route 0 must cross"),
        (lambda: FlowProblem(((0,),), (1.0,), log, 0.5, 0.2), "smallest <= largest"),
        (lambda: FlowProblem(((0,),), (1.0,), log, (0.1, 0.2)), "one for each of 1"),
        (lambda: FlowProblem(((0,),), (1.0,), log).dual(np.zeros(1)), "dual is infinite"),
        (lambda: LogUtility(np.array([1.0, -1.0])), "weight must be positive"),
        (lambda: PowerUtility(1.0, 1.0), "use LogUtility"),
        (lambda: MixedUtility((log,)).demand(np.ones(2)), "got 1 for 2 flows"),
    ):
        with pytest.raises(InputError, match=message):
            make()
