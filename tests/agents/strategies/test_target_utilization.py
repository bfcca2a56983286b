# SPDX-License-Identifier: Apache-2.0
"""`target-utilization`: the law of its price, and the stability that its docstring claims."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ecnomy.agents.errors import StrategyError
from ecnomy.agents.observation import LinkColumns, PriceObservation
from ecnomy.agents.parameters import Refused
from ecnomy.agents.strategies.target_utilization import TargetUtilization

S = 10**12


def observation(
    price: int, used: list[float], names: tuple[str, ...], t_s: int = 10
) -> PriceObservation:
    """Links that were busy for these shares of the last 10 s; at 0 s, the first look."""
    dt_ps = 10 * S if t_s else 0
    busy = np.array([round(u * dt_ps) for u in used], dtype=np.int64)
    zero = np.zeros(len(used), dtype=np.int64)
    links = LinkColumns(zero, zero + 10**7, zero, zero, zero, busy, zero)
    return PriceObservation(t_s * S, dt_ps, price, links, names=names)


def test_the_price_goes_with_the_ratio_of_use_and_target() -> None:
    """The price is P u / target of the named link; the first observation has no data."""
    strategy = TargetUtilization(target=0.8, link="b")
    assert strategy.post_price(observation(1000, [0, 0], ("a", "b"), 0)) == 1000
    assert strategy.post_price(observation(1000, [0.1, 0.96], ("a", "b"))) == 1200
    assert strategy.post_price(observation(1200, [0.1, 0.6], ("a", "b"))) == 900


def test_without_a_link_it_goes_by_the_busiest() -> None:
    """Without a link, the price follows the busiest link, which may change."""
    strategy = TargetUtilization(target=0.5)
    assert strategy.post_price(observation(1000, [0.6, 0.2], ("a", "b"))) == 1200
    assert strategy.post_price(observation(1200, [0.1, 0.55], ("a", "b"))) == 1320


def test_an_empty_link_halves_the_price_down_to_the_floor() -> None:
    """A full link with a small target doubles the price, up to the ceiling."""
    strategy = TargetUtilization(target=0.25, floor=0.0004, ceiling=0.003)
    prices, price = [], 1000
    for used in (0.0, 0.0, 1.0, 1.0, 1.0):
        price = strategy.post_price(observation(price, [used], ("a",)))
        prices.append(price)
    assert prices == [500, 400, 1600, 3000, 3000]


def test_what_is_rounded_off_is_kept() -> None:
    """At a price of a few micro-units, steps of less than one micro-unit still add up."""
    strategy = TargetUtilization(target=0.5)
    price = 3
    for _ in range(50):
        price = strategy.post_price(observation(price, [0.505], ("a",)))
    assert price == round(3 * 1.01**50)


def test_a_price_that_somebody_else_posts_is_taken_up() -> None:
    """A user may post a price between two steps of a market."""
    strategy = TargetUtilization(target=0.5)
    strategy.post_price(observation(1000, [0.5], ("a",)))
    assert strategy.post_price(observation(5000, [0.5], ("a",))) == 5000


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("elasticity", [0.3, 1.0, 3.0, 30.0])
@pytest.mark.parametrize("start", [0.05, 0.6])
def test_no_swing_whatever_the_demand(elasticity: float, start: float, late: bool) -> None:
    """Users' u = D (P p(u))^-e, where p is a line from `start` on, solved exactly; demand doubles.

    It starts far below or far above the right price. The error keeps its sign, and is less than log
    2 / (e_0 31) after 30 decisions. It also settles with a delay of a whole interval.
    """
    target, price, demand = 0.8, 200_000, 1.0
    strategy = TargetUtilization(target=target)

    def use(price_micro: int, demand: float) -> float:
        low, high = start, 1.0
        for _ in range(60):
            u = (low + high) / 2
            wants = demand * (price_micro / 1e6 * (u - start)) ** -elasticity
            low, high = (u, high) if wants > u else (low, u)
        return low

    def settle(count: int, price: int) -> tuple[int, list[float]]:
        used, before = [], use(price, demand)
        for _ in range(count):
            now = use(price, demand)
            used.append(now)
            price = strategy.post_price(observation(price, [before if late else now], ("a",)))
            before = now
        return price, used

    price, _ = settle(300, price)
    assert use(price, demand) == pytest.approx(target, rel=1e-4)
    demand = 2.0
    price, used = settle(200, price)
    errors = [math.log(u / target) for u in used]
    assert abs(errors[-1]) < 1e-3
    if not late:
        assert min(errors) > -1e-4
        assert errors[30] <= math.log(2) / (math.e * 31) + 1e-4


def test_a_law_that_ignores_load_may_swing_where_demand_is_very_elastic() -> None:
    """At k = 0 and e = 3, S = 3 exceeds 2 as the docstring says. At e = 1 one step suffices."""
    swings = {}
    for elasticity in (1.0, 3.0):
        strategy, price, errors = TargetUtilization(target=0.5), 1_010_000, []
        for _ in range(12):
            u = 0.5 * (price / 1e6) ** -elasticity
            errors.append(abs(math.log(min(u, 1.0) / 0.5)))
            price = strategy.post_price(observation(price, [min(u, 1.0)], ("a",)))
        swings[elasticity] = errors
    assert swings[1.0][1] < 1e-5
    assert swings[3.0][5] > 10 * swings[3.0][0]


@pytest.mark.parametrize(
    ("params", "key"),
    [
        ({"target": 0.0}, "target"),
        ({"target": 1.0}, "target"),
        ({"target": float("nan")}, "target"),
        ({"target": 0.5, "floor": 0.0}, "floor"),
        ({"target": 0.5, "floor": 0.2, "ceiling": 0.2}, "ceiling"),
        ({"target": 0.5, "ceiling": 2e6}, "ceiling"),
    ],
)
def test_values_that_make_no_sense_are_refused(params: dict[str, float], key: str) -> None:
    """The error names the parameter."""
    with pytest.raises(Refused) as caught:
        TargetUtilization(**params)
    assert caught.value.key == key


def test_a_link_of_somebody_else_is_named() -> None:
    """The error also lists its own links."""
    strategy = TargetUtilization(target=0.5, link="other")
    with pytest.raises(StrategyError, match=r"'other', expected one of the carrier's links: a, b"):
        strategy.post_price(observation(1000, [0.5, 0.5], ("a", "b")))
