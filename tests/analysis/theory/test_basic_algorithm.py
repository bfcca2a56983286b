# SPDX-License-Identifier: Apache-2.0
"""The basic algorithm and the price rules of Athuraliya, Low 2000, II-B and C, step by step."""

from __future__ import annotations

import numpy as np
import pytest

from ecnomy.agents.errors import InputError
from ecnomy.analysis import theory
from ecnomy.analysis.theory import FlowProblem, LogUtility

ONE = FlowProblem(((0,),) * 4, (12.0,), LogUtility(12.0), 0.1, 24.0)
RING = FlowProblem(
    ((0, 1), (1, 2), (2, 0), (0,), (1, 2, 0)),
    (12.0, 8.0, 20.0),
    LogUtility(np.array([12.0, 3.0, 6.0, 9.0, 5.0])),
    0.1,
    24.0,
)


def _generator(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(seed))


def test_two_periods_by_hand() -> None:
    """Rates follow the price of the previous period, and prices the excess of that period."""
    got = theory.basic_prices(ONE, [6.0], gamma=0.1, periods=2)
    assert got.rates[:, 0] == pytest.approx([2, 2, 12 / 5.6])
    assert got.prices[:, 0] == pytest.approx([6, 6 + 0.1 * (8 - 12), 5.6 + 0.1 * (8 - 12)])


def test_prices_do_not_fall_below_zero() -> None:
    """If demand is below capacity at any price, the price ends at 0, the rates at their maximum."""
    idle = FlowProblem(((0,),), (12.0,), LogUtility(1.0), 0.0, 5.0)
    got = theory.basic_prices(idle, [1.0], gamma=0.05, periods=50)
    assert (got.prices[-1, 0], got.rates[-1, 0]) == (0, 5)


@pytest.mark.parametrize("problem", [ONE, RING], ids=["one", "ring"])
def test_both_versions_converge_to_the_optimum(problem: FlowProblem) -> None:
    """After 6,000 periods, rates are within 1e-9 of the optimum, even with delays of 20 periods."""
    best = theory.network_optimum(problem).rates
    start = np.full(len(problem.capacities), 3.0)
    together = theory.basic_prices(problem, start, gamma=0.005, periods=6000)
    assert together.rates[-1] == pytest.approx(best.tolist(), rel=1e-9)
    settings = {"gamma": 0.005, "periods": 6000, "longest_delay": 20}
    apart = theory.asynchronous_prices(problem, start, _generator(1), **settings)
    assert apart.rates[-1] == pytest.approx(best.tolist(), rel=1e-9)
    settings["periods"] = 100
    other = theory.asynchronous_prices(problem, start, _generator(2), **settings)
    again = theory.asynchronous_prices(problem, start, _generator(1), **settings)
    assert (again.prices == apart.prices[:101]).all()
    assert (other.prices[100] != apart.prices[100]).any()


def test_asynchronous_without_delay_is_synchronous() -> None:
    """If all act in every period on current values, both courses are exactly equal."""
    start = [3.0, 2.0, 1.0]
    plain = theory.basic_prices(RING, start, gamma=0.01, periods=200)
    got = theory.asynchronous_prices(
        RING, start, _generator(3), gamma=0.01, periods=200, longest_delay=0, activity=1.0
    )
    assert got.prices == pytest.approx(plain.prices, rel=1e-12)


def test_too_large_a_step_does_not_converge() -> None:
    """Prices one period late, p(t+1) = p(t) - h gamma p(t-1), diverge if h gamma > 1; h = 3."""
    start, best = [4.01], theory.network_optimum(ONE).rates
    small = theory.basic_prices(ONE, start, gamma=0.3, periods=400)
    large = theory.basic_prices(ONE, start, gamma=0.36, periods=400)
    assert np.abs(small.rates[-20:] / best - 1).max() < 1e-6
    assert np.abs(large.rates[-20:] / best - 1).max() > 0.1


def test_price_rules_on_one_link_by_hand() -> None:
    """Eq. 14 and the three rules agree with two periods by hand, from p = 2 and 10 packets."""
    settings = {"gamma": 0.01, "periods": 2}
    pc1 = theory.rule_prices(ONE, [2.0], rule="pc1", capacity_share=0.85, backlogs=10.0, **settings)
    assert pc1.backlogs[:, 0] == pytest.approx([10, 22, 34])
    assert pc1.prices[:, 0] == pytest.approx([2, 2 + 0.01 * 13.8, 2 + 0.02 * 13.8])
    pc2 = theory.rule_prices(ONE, [2.0], rule="pc2", **settings)
    assert pc2.backlogs[:, 0] == pytest.approx([200, 212, 224])
    assert pc2.prices[:, 0] == pytest.approx([2, 2.12, 2.24])
    pc3 = theory.rule_prices(ONE, [2.0], rule="pc3", alpha=0.1, backlogs=10.0, **settings)
    assert pc3.backlogs[:, 0] == pytest.approx([10, 22, 34])
    assert pc3.prices[:, 0] == pytest.approx([2, 2 + 0.01 * 13, 2.13 + 0.01 * 14.2])


def test_a_link_behind_a_bottleneck_gets_what_that_lets_through() -> None:
    """The first link passes six packets per period, so the second, with eight, queues none."""
    line = FlowProblem(((0, 1), (0, 1)), (6.0, 8.0), LogUtility(np.array([6.0, 12.0])), 0.1, 50.0)
    got = theory.rule_prices(line, [0.5, 0.5], rule="pc1", gamma=1e-6, periods=30)
    sent = 18.0  # weights over the path's price of 1
    assert got.rates[0].sum() == pytest.approx(sent)
    assert got.backlogs[:, 0] == pytest.approx((sent - 6) * np.arange(31), rel=1e-3)
    assert (got.backlogs[:, 1] == 0).all()
    back = FlowProblem(((1, 0), (1, 0)), (6.0, 8.0), line.utility, 0.1, 50.0)
    turned = theory.rule_prices(back, [0.5, 0.5], rule="pc1", gamma=1e-6, periods=30)
    assert turned.backlogs[1:, 1] == pytest.approx((sent - 8) * np.arange(1, 31), rel=1e-3)
    assert turned.backlogs[1:, 0] == pytest.approx(2 * np.arange(30), rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("rule", ["pc1", "pc2", "pc3"])
def test_every_rule_ends_in_its_equilibrium(rule: str) -> None:
    """Rates equal the optimum, and backlogs equal those of `rem_equilibrium`."""
    got = theory.rule_prices(RING, [3.0] * 3, rule=rule, gamma=0.005, periods=6000)
    rest = theory.rem_equilibrium(RING, [10.0] * 5, phi=1.1, rule=rule, gamma=0.005)
    assert got.rates[-1] == pytest.approx(rest.rates.tolist(), rel=1e-8)
    assert got.prices[-1] == pytest.approx(rest.prices.tolist(), rel=1e-6, abs=1e-9)
    if rule != "pc1":  # PC1 keeps its start beside p / gamma
        assert got.backlogs[-1] == pytest.approx(rest.backlogs.tolist(), rel=1e-6, abs=1e-6)


def test_what_it_refuses() -> None:
    """Errors name rules, steps, starts and delays that do not fit."""
    free = FlowProblem(((0,),), (1.0,), LogUtility(1.0))
    settings = {"gamma": 0.1, "periods": 2}
    for make, message in (
        (lambda: theory.rule_prices(ONE, [1.0], rule="red", **settings), "price rule"),
        (lambda: theory.basic_prices(ONE, [1.0, 2.0], **settings), "price per link"),
        (lambda: theory.basic_prices(ONE, [1.0], gamma=0.0, periods=2), "gamma"),
        (lambda: theory.basic_prices(free, [0.0], **settings), "start from positive prices"),
        (
            lambda: theory.asynchronous_prices(
                ONE, [1.0], _generator(1), longest_delay=-1, **settings
            ),
            "delays must be 0 or more",
        ),
    ):
        with pytest.raises(InputError, match=message):
            make()
