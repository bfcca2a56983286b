# SPDX-License-Identifier: Apache-2.0
"""Carriers in parallel: the closed form against best replies by search, home by home."""

from __future__ import annotations

import math

import pytest
from scipy.optimize import brentq, minimize_scalar

from ecnomy.agents.errors import InputError
from ecnomy.analysis.theory import ParallelCarriers

Market = dict[str, float]
CASES = {
    "the acceptance test's": dict(capacity=500, threshold=0.2, slope=0.3, a=10, x0=200, homes=4),
    "much unmarked": dict(capacity=1000, threshold=0.4, slope=0.5, a=3, x0=170, homes=11),
    "steep": dict(capacity=80, threshold=0.25, slope=2.0, a=0.2, x0=30, homes=5),
}


def closed(case: Market, links: int = 2) -> ParallelCarriers:
    return ParallelCarriers(
        links=links,
        capacity_pps=case["capacity"],
        threshold=case["threshold"],
        slope=case["slope"],
        satiation_pps=case["homes"] * case["x0"],
        worth=case["homes"] * case["a"],
    )


def cleared(case: Market, prices: tuple[float, ...]) -> tuple[float, list[float]]:
    """The cost of a packet, and each link's traffic: by search over links and homes."""

    def sold(price: float, cost: float) -> float:
        def dearer(load: float) -> float:
            return price * case["slope"] * max(load - case["threshold"], 0) - cost

        return case["capacity"] * brentq(dearer, case["threshold"], 1e6, xtol=1e-15, rtol=1e-14)

    def wanted(cost: float) -> float:
        def surplus(x: float) -> float:
            r = x / case["x0"]
            return cost * x - case["a"] * (r - r * r / 2)

        best = minimize_scalar(surplus, bounds=(0, case["x0"]), method="bounded")
        return case["homes"] * float(best.x)

    def over(cost: float) -> float:
        return sum(sold(price, cost) for price in prices) - wanted(cost)

    cost = brentq(over, 1e-12, 0.999 * case["a"] / case["x0"], xtol=1e-15, rtol=1e-10)
    return cost, [sold(price, cost) for price in prices]


def best(case: Market, rivals: tuple[float, ...], guess: float) -> float:
    """The price with the largest income, by search over three decades."""

    def loss(log: float) -> float:
        cost, rates = cleared(case, (math.exp(log), *rivals))
        return -cost * rates[0]

    around = math.log(guess) - 3.5, math.log(guess) + 3.5
    minimum = minimize_scalar(loss, bounds=around, method="bounded", options={"xatol": 1e-5})
    return math.exp(float(minimum.x))


@pytest.mark.parametrize("name", CASES)
def test_best_replies_found_by_search_come_to_the_closed_form(name: str) -> None:
    """The search starts far away in both directions, and alternates carriers."""
    case, wanted = CASES[name], closed(CASES[name]).competition()
    prices = [8 * wanted.prices[0], wanted.prices[0] / 8]
    for _ in range(14):
        prices = [best(case, (prices[1],), prices[0]), prices[1]]
        prices = [prices[0], best(case, (prices[0],), prices[1])]
    assert prices == pytest.approx(wanted.prices, rel=5e-3)
    cost, rates = cleared(case, wanted.prices)
    assert cost == pytest.approx(wanted.packet_price, rel=1e-5)
    assert rates == pytest.approx(wanted.rates, rel=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_a_reply_and_what_it_earns(name: str) -> None:
    """The reply to any price, and the resulting incomes, agree with the search."""
    case, model = CASES[name], closed(CASES[name])
    for rival in (0.3 * model.competition().prices[0], 5 * model.competition().prices[0]):
        mine = model.reply((rival,))
        assert mine == pytest.approx(best(case, (rival,), mine), rel=2e-3)
        posted, (cost, rates) = model.posted((mine, rival)), cleared(case, (mine, rival))
        assert posted.packet_price == pytest.approx(cost, rel=1e-5)
        assert posted.rates == pytest.approx(rates, rel=1e-5)
        assert posted.incomes == pytest.approx([cost * rate for rate in rates], rel=1e-5)


def test_a_monopolist_by_search() -> None:
    """With one price for all links the best one equals the closed form, and is far higher."""
    case, model = CASES["the acceptance test's"], closed(CASES["the acceptance test's"])

    def loss(log: float) -> float:
        cost, rates = cleared(case, (math.exp(log),) * 2)
        return -cost * sum(rates)

    minimum = minimize_scalar(loss, bounds=(-9, 3), method="bounded", options={"xatol": 1e-5})
    alone, two = model.monopoly(), model.competition()
    assert alone.prices[0] == pytest.approx(math.exp(minimum.x), rel=5e-3)
    assert alone.prices[0] == pytest.approx(10 * two.prices[0])
    assert (alone.packet_price, two.packet_price) == pytest.approx((0.025, 0.00625))
    assert (alone.welfare, two.welfare) == pytest.approx((15.0, 19.6875))
    assert two.welfare < model.welfare(model.satiation_pps) == pytest.approx(model.worth / 2)


def test_where_trying_prices_rests() -> None:
    """At rest, incomes at the prices above and below are equal. Smaller steps rest nearer.

    With half the step h, the distance falls to a quarter.
    """
    case, model, h = CASES["steep"], closed(CASES["steep"]), 0.2
    at = model.tried(h)
    mine = at.prices[0]
    incomes = {-1: 0.0, 1: 0.0}
    for own in (-1, 1):
        for other in (-1, 1):
            cost, rates = cleared(case, (mine * math.exp(own * h), mine * math.exp(other * h)))
            incomes[own] += cost * rates[0]
    assert incomes[1] == pytest.approx(incomes[-1], rel=1e-7)
    assert sum(at.incomes) == pytest.approx(sum(incomes.values()) / 2, rel=1e-5)
    best = model.competition().prices[0]
    assert (mine / best - 1) / (model.tried(h / 2).prices[0] / best - 1) == pytest.approx(
        4, rel=0.1
    )
    alone = model.tried(h, monopoly=True)
    cost = [cleared(case, (alone.prices[0] * math.exp(sign * h),) * 2) for sign in (-1, 1)]
    below, above = (price * sum(rates) for price, rates in cost)
    assert above == pytest.approx(below, rel=1e-7)
    with pytest.raises(InputError, match="probe: found 0"):
        model.tried(0)


def test_more_carriers_and_one() -> None:
    """None of three carriers gains from another price; a single carrier is a monopolist."""
    three = closed(CASES["the acceptance test's"] | {"homes": 6, "threshold": 0.48}, links=3)
    outcome = three.competition()
    assert three.reply(outcome.prices[1:]) == pytest.approx(outcome.prices[0])
    alone = closed(CASES["the acceptance test's"] | {"homes": 2}, links=1)
    assert alone.competition() == alone.monopoly()
    assert alone.reply(()) == pytest.approx(alone.monopoly().prices[0])


def test_what_it_refuses() -> None:
    """The formula is refused for links that would be full or unmarked."""
    case = CASES["the acceptance test's"]
    with pytest.raises(InputError, match="carries 550 packets/s"):
        closed(case | {"homes": 6}).competition()
    with pytest.raises(InputError, match="carries 87.5 packets/s, expected more than the 100 "):
        closed(case | {"homes": 1.375}).competition()
    with pytest.raises(InputError, match="prices fall to 0; expected more than 200 packets"):
        closed(case | {"homes": 6}, links=3).competition()
    with pytest.raises(InputError, match="unlimited"):
        closed(case | {"homes": 1.4}).reply((1.0,))
    with pytest.raises(InputError, match="no link is full"):
        closed(case | {"homes": 8}).posted((1e-6, 1e-6))
    with pytest.raises(InputError, match="expected 2 prices above 0"):
        closed(case).posted((1.0,))
    with pytest.raises(InputError, match="expected more than 200, which the links"):
        closed(case | {"homes": 1}).posted((1.0, 1.0))
    with pytest.raises(InputError, match="threshold: found 1, expected a load below 1"):
        closed(case | {"threshold": 1})
    with pytest.raises(InputError, match="slope: found 0, expected a finite value above 0"):
        closed(case | {"slope": 0})
