# SPDX-License-Identifier: Apache-2.0
"""Users who anticipate prices (Johari, Tsitsiklis 2004) against best replies and closed forms."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize, minimize_scalar

from ecnomy.agents.errors import InputError
from ecnomy.analysis import theory
from ecnomy.analysis.theory import LinearUtility, LogUtility, PowerUtility, nash_equilibrium
from tiers import in_full


@dataclasses.dataclass
class Root:
    """a sqrt(x + b) - a sqrt(b): concave, 0 at 0, with a finite slope there for b > 0."""

    a: np.ndarray
    b: np.ndarray

    def value(self, rates):
        return self.a * (np.sqrt(rates + self.b) - np.sqrt(self.b))

    def marginal(self, rates):
        return self.a / (2 * np.sqrt(rates + self.b))


@dataclasses.dataclass
class Bent:
    """Piecewise linear with slope s until k and t s beyond: slopes are flat and jump."""

    s: np.ndarray
    k: np.ndarray
    t: np.ndarray

    def value(self, rates):
        return self.s * np.minimum(rates, self.k) + self.t * self.s * np.maximum(rates - self.k, 0)

    def marginal(self, rates):
        return np.where(rates < self.k, self.s, self.t * self.s)


@dataclasses.dataclass
class Mixed:
    """A user's utility is the sum of its utilities of each kind."""

    parts: tuple

    def value(self, rates):
        return sum(part.value(rates) for part in self.parts)

    def marginal(self, rates):
        return sum(part.marginal(rates) for part in self.parts)


def replied(utility, users: int, capacity: float) -> np.ndarray:
    """Rates after rounds of best bids, each found by a search over U(C w / (w + W)) - w."""
    bids = np.ones(users)
    for _ in range(200):
        before = bids.copy()
        for i in range(users):
            others = bids.sum() - bids[i]

            def loss(log_bid: float, i: int = i, others: float = others) -> float:
                rates = np.zeros(users)
                rates[i] = capacity * np.exp(log_bid) / (np.exp(log_bid) + others)
                return float(np.exp(log_bid) - utility.value(rates)[i])

            best = minimize_scalar(
                loss, bounds=(-25, 15), method="bounded", options={"xatol": 1e-9}
            )
            bids[i] = (bids[i] + np.exp(best.x)) / 2
        if np.abs(bids - before).max() < 1e-7 * bids.sum():
            break
    return capacity * bids / bids.sum()


def test_rounds_of_best_replies_come_to_the_same() -> None:
    """Users who each only search for their own best bid reach the same equilibrium."""
    utility = Root(np.array([1.0, 2.0, 5.0, 0.7]), np.array([0.5, 1.0, 0.1, 2.0]))
    equilibrium = nash_equilibrium(utility, 4, 3.0)
    assert equilibrium.rates == pytest.approx(replied(utility, 4, 3.0), rel=2e-4, abs=2e-5)
    assert equilibrium.rates.sum() == pytest.approx(3.0, rel=1e-14)
    assert (equilibrium.bids > 0).tolist() == [
        True,
        True,
        True,
        False,
    ]  # 0.7 / 2 sqrt(2) is too little


def test_nobody_gains_by_another_bid() -> None:
    """Around the equilibrium no other bid gives a user more, including a bid of 0."""
    utility = Bent(np.array([3.0, 1.0, 1.2, 0.1]), np.array([0.3, 0.5, 0.1, 1.0]), np.full(4, 0.4))
    equilibrium = nash_equilibrium(utility, 4, 1.0)
    assert equilibrium.rates[3] == 0 and equilibrium.bids[3] == 0  # 0.1 a unit is below the price
    gains = utility.value(equilibrium.rates) - equilibrium.bids
    for i in range(4):
        others = equilibrium.bids.sum() - equilibrium.bids[i]
        for bid in np.concatenate([[0], np.geomspace(1e-4, 5, 4000)]):
            rates = np.zeros(4)
            rates[i] = bid / (bid + others)
            assert utility.value(rates)[i] - bid <= gains[i] + 1e-12


def test_it_maximises_the_modified_utilities() -> None:
    """By Theorem 2 the equilibrium maximises the sum of (1 - x/C) U + (1/C) integral of U."""
    utility, c = Root(np.array([1.0, 3.0, 2.0]), np.array([0.4, 0.2, 1.0])), 2.0

    def modified(x: np.ndarray) -> float:
        a, b = utility.a, utility.b
        area = a * (2 / 3 * ((x + b) ** 1.5 - b**1.5) - np.sqrt(b) * x)
        return -float(((1 - x / c) * utility.value(x) + area / c).sum())

    fill = {"type": "eq", "fun": lambda x: x.sum() - c}
    options = {"ftol": 1e-15, "maxiter": 500}
    best = minimize(
        modified, np.full(3, c / 3), bounds=[(0, c)] * 3, constraints=fill, options=options
    )
    assert nash_equilibrium(utility, 3, c).rates == pytest.approx(best.x, abs=1e-5)


@pytest.mark.parametrize("users", [2, 3, 10, 1000])
@pytest.mark.parametrize("slope", [0.4, 0.5, 0.9])
def test_linear_utilities_by_hand(users: int, slope: float) -> None:
    """One user with slope 1, n - 1 with slope d: 1 - x1 = rho, 1 - xj = rho / d, sum x = 1."""
    equilibrium = nash_equilibrium(
        LinearUtility(np.array([1.0] + [slope] * (users - 1))), users, 1.0
    )
    rho = (users - 1) / (1 + (users - 1) / slope)
    first, each = 1 - rho, max(1 - rho / slope, 0)
    if users == 2 or each > 0:
        assert equilibrium.price == pytest.approx(rho, rel=1e-12)
        assert equilibrium.rates[0] == pytest.approx(first, rel=1e-9)
        assert equilibrium.rates[1:] == pytest.approx(each, rel=1e-9)
    assert equilibrium.optimum == pytest.approx(1.0, rel=1e-12)
    assert equilibrium.ratio == pytest.approx(first + (users - 1) * each * slope, rel=1e-9)


def test_three_quarters_is_approached_and_nothing_worse() -> None:
    """With n users of slope 1/2 the ratio falls to 3/4; 1 - d + d^2 is least at d = 1/2."""
    ratios = [
        nash_equilibrium(LinearUtility(np.array([1.0] + [0.5] * n)), n + 1, 1.0).ratio
        for n in (1, 2, 5, 20, 100, 5000)
    ]
    assert (np.diff(ratios) < 0).all()
    assert theory.NASH_BOUND < ratios[-1] < theory.NASH_BOUND + 1e-4
    for slope in (0.3, 0.45, 0.55, 0.8) if in_full() else (0.45, 0.55):
        other = nash_equilibrium(LinearUtility(np.array([1.0] + [slope] * 5000)), 5001, 1.0).ratio
        assert other == pytest.approx(1 - slope + slope**2, abs=1e-3)
        assert other > ratios[-1]


@settings(max_examples=30 if in_full() else 4)
@given(data=st.data(), users=st.integers(2, 8), capacity=st.floats(0.01, 1e8))
def test_never_below_three_quarters(data, users: int, capacity: float) -> None:
    """The ratio is at least 3/4 for random concave utilities, in any unit of rate."""

    def column(low: float, high: float) -> np.ndarray:
        values = st.lists(st.floats(low, high), min_size=users, max_size=users)
        return np.array(data.draw(values))

    utility = Mixed(
        (
            Root(column(0, 5), column(1e-3, 3) * capacity),
            Bent(column(0, 5) / capacity, column(0.01, 1) * capacity, column(0, 1)),
            LinearUtility(column(1e-3, 5) / capacity),
        )
    )
    equilibrium = nash_equilibrium(utility, users, capacity)
    assert theory.NASH_BOUND - 1e-9 <= equilibrium.ratio <= 1 + 1e-9
    assert equilibrium.rates.sum() == pytest.approx(capacity, rel=1e-12)
    assert equilibrium.bids.sum() == pytest.approx(equilibrium.price * capacity, rel=1e-12)
    assert equilibrium.price <= equilibrium.optimum_price * (1 + 1e-9)  # users shade their bids


def test_the_optimum_is_that_of_the_convex_solver() -> None:
    """The optimum is `network_optimum` of the same users, and equal users get equal shares."""
    utility = PowerUtility(np.array([1.0, 2.0, 3.0]), 0.5)
    problem = theory.FlowProblem(((0,),) * 3, (7.0,), utility)
    best, nash = theory.network_optimum(problem), nash_equilibrium(utility, 3, 7.0)
    assert nash.optimum_rates == pytest.approx(best.rates, rel=1e-6)
    assert nash.optimum_price == pytest.approx(best.prices[0], rel=1e-6)
    alike = nash_equilibrium(PowerUtility(2.0, 0.5), 4, 8.0)
    assert alike.rates == pytest.approx([2.0] * 4)
    assert alike.price == pytest.approx(0.75 * 2 / np.sqrt(2))  # (1 - 1/4) U'(2)
    assert alike.ratio == pytest.approx(1.0)


def test_a_ratio_needs_a_positive_optimum() -> None:
    """Logarithms have an equilibrium, but no ratio if the optimum is not above 0."""
    equilibrium = nash_equilibrium(LogUtility(np.array([1.0, 2.0])), 2, 1.0)
    assert equilibrium.optimum < 0 and np.isnan(equilibrium.ratio)


def test_what_has_no_equilibrium_is_refused() -> None:
    """One user, no capacity, utilities that do not grow, invalid slopes."""
    with pytest.raises(InputError, match="two or more users"):
        nash_equilibrium(LinearUtility(1.0), 1, 1.0)
    with pytest.raises(InputError, match="capacity above 0"):
        nash_equilibrium(LinearUtility(1.0), 2, 0.0)
    with pytest.raises(InputError, match="does not grow"):
        nash_equilibrium(theory.QuadraticUtility(0.4, 1.0), 2, 1.0)
    with pytest.raises(InputError, match="slope: found 0"):
        LinearUtility(0.0)
