# SPDX-License-Identifier: Apache-2.0
"""The demand of a payer at a price, against brute force over a grid of rates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecnomy.agents.utilities import (
    AlphaFair,
    AtRate,
    Log,
    Quadratic,
    RateUtility,
    Sigmoid,
    Sqrt,
    Step,
    Target,
    Utility,
)
from ecnomy.analysis.theory.utility import LogUtility, PowerUtility, QuadraticUtility
from lab_utilities import Logistic, Saturating
from tiers import examples

GRID = np.concatenate([[0.0, 1.0], np.geomspace(1e-4, 1e4, 8001)])
amount = st.floats(0.01, 100.0)
price = st.floats(-7.0, 5.0).map(lambda decades: 10.0**decades)  # of a, per x0
shape = st.floats(0.1, 20.0)
utilities = st.one_of(
    st.builds(Log, a=amount),
    st.builds(Sqrt, a=amount),
    st.builds(AlphaFair, a=amount, alpha=shape),
    st.builds(AlphaFair, a=amount, alpha=st.just(1.0)),
    st.builds(Quadratic, a=amount),
    st.builds(Target, a=amount),
    st.builds(Sigmoid, a=amount, steepness=st.floats(0.05, 100.0)),
    st.builds(Step, a=amount),
)


def gain(utility: Utility, r: np.ndarray, p: float) -> np.ndarray:
    """The utility of rate r less the payment for it."""
    with np.errstate(divide="ignore"):
        return utility.value(r) - p * r


@settings(max_examples=examples(400), derandomize=True)
@given(utilities, price)
def test_no_rate_of_a_grid_leaves_more(utility: RateUtility, price: float) -> None:
    """Surplus at the demand is at least that at every rate of the grid."""
    p = price * utility.a
    best = utility.demand(np.array([p]))
    assert best.shape == (1,) and np.isfinite(best).all() and best[0] >= 0
    left, most = gain(utility, best, p)[0], gain(utility, GRID, p).max()
    assert left >= most - 1e-9 * (abs(most) + utility.a)


@settings(max_examples=examples(200), derandomize=True)
@given(utilities, price, st.floats(1.0, 10.0))
def test_a_higher_price_never_sells_more(utility: RateUtility, price: float, by: float) -> None:
    """The law of demand holds for any utility, concave or not."""
    p = price * utility.a
    less, more = utility.demand(np.array([p * by, p]))
    assert less <= more * (1 + 1e-9)


@settings(max_examples=examples(200), derandomize=True)
@given(amount, st.floats(0.05, 100.0))
def test_a_sigmoid_is_bought_below_its_dearest_price_only(a: float, k: float) -> None:
    """Just below p* the demand exceeds x0, and above p* it is 0; at p* the surplus is 0."""
    utility = Sigmoid(a=a, steepness=k)
    below, above = utility.demand(utility.dearest * np.array([1 - 1e-9, 1 + 1e-9]))
    assert below > 1.0 and above == 0.0
    assert gain(utility, np.array([below]), utility.dearest)[0] == pytest.approx(0, abs=1e-6 * a)
    assert gain(utility, GRID, utility.dearest).max() <= 1e-9 * a


def test_a_step_is_bought_whole_or_not_at_all() -> None:
    """The demand is x0 below the price at which x0 costs a, and 0 from that price on."""
    at = AtRate(Step(a=2.0, x0=1e6))
    assert at.demand(np.array([0.0, 1.99e-6, 2e-6, 3e-6])).tolist() == [1e6, 1e6, 0.0, 0.0]
    assert at.value(np.array([0.0, 999_999.0, 1e6, 2e6])).tolist() == [0.0, 0.0, 2.0, 2.0]


def test_what_costs_nothing() -> None:
    """At a price of 0 the demand is the lowest rate that saturates the utility, or infinite."""
    free = np.zeros(1)
    for utility in (Log(a=1.0), Sqrt(a=1.0), AlphaFair(a=1.0, alpha=2.0), Sigmoid(a=1.0)):
        assert np.isposinf(utility.demand(free)).all()
    for sated in (Quadratic(a=1.0), Target(a=1.0), Step(a=1.0)):
        assert sated.demand(free).tolist() == [1.0]


def test_a_users_own_is_searched_for_its_best_rate() -> None:
    """Custom utilities have no closed form: here a concave one, and a sigmoid that jumps to 0."""
    p = np.geomspace(1e-2, 20.0, 200)
    mine = Saturating(a=2.0, patience=0.5)
    assert mine.demand(p) == pytest.approx(np.maximum(0.5 * np.log(4.0 / p), 0.0), abs=1e-3)
    ours, theirs = Sigmoid(a=2.0, steepness=8.0), Logistic(a=2.0)
    assert theirs.demand(p) == pytest.approx(ours.demand(p), rel=1e-6)
    assert 0 < np.count_nonzero(theirs.demand(p)) < len(p)
    assert float(theirs.demand(np.array(0.1))) == pytest.approx(float(ours.demand(np.array(0.1))))


def test_theory_has_the_same_demand() -> None:
    """analysis.theory states its own utilities, per flow and without units; they agree."""
    a, x0 = 3.0, 4e6
    lam = np.geomspace(1e-8, 1.4e-6, 50)  # money per bit
    pairs = [
        (AlphaFair(a=a, alpha=1.0, x0=x0), LogUtility(a)),
        (AlphaFair(a=a, alpha=2.5, x0=x0), PowerUtility(a * x0**1.5, 2.5)),
        (Sqrt(a=a, x0=x0), PowerUtility(a / 2 / np.sqrt(x0), 0.5)),
        (Quadratic(a=a, x0=x0), QuadraticUtility(x0, x0**2 / (2 * a))),
    ]
    rates = np.array([1e5, 1e6, 3.9e6])
    for ours, theirs in pairs:
        assert AtRate(ours).demand(lam) == pytest.approx(theirs.demand(lam))
        assert AtRate(ours).slope(rates) == pytest.approx(theirs.marginal(rates))
