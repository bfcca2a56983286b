# SPDX-License-Identifier: Apache-2.0
"""`revenue-gradient` and `revenue-bandit` against demands that are known exactly."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import ClassVar

import numpy as np
import pytest

from carrier_books import NO_LINKS, CarrierBooks
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.observation import PriceObservation
from ecnomy.agents.parameters import Refused
from ecnomy.agents.strategies.curvature import Curvature
from ecnomy.agents.strategies.revenue_bandit import RevenueBandit
from ecnomy.agents.strategies.revenue_gradient import RevenueGradient

BIG = 10**9
COST = 100_000.0  # micro-units a mark
PAIR = ((0, 250_000), (1, 500_000))  # carriers, and their first prices


def isoelastic(elasticity: float) -> Callable[[float], float]:
    """Profit per interval at a price, as a share of the maximum; the best price is known."""
    best = COST * elasticity / (elasticity - 1)

    def left(price: float) -> float:
        return (price / best) ** -elasticity * (price - COST) / (best - COST)

    return left


def linear(price: float) -> float:
    """A demand that ends at 0.4 money, without a cost: best at 0.2."""
    return max(price * (400_000 - price), 0.0) / 200_000**2


def settle(
    carrier: CarrierBooks, left: Callable[[float], float], decisions: int, noise: float = 0.0
) -> None:
    """Customers who respond at once; income has a normally distributed relative error `noise`."""
    random = np.random.default_rng(7)
    carrier.decide()
    for _ in range(decisions):
        earned = BIG * left(carrier.price) * (1 + noise * random.standard_normal())
        carrier.decide(max(round(earned), 0), max(round(-earned), 0))


def own(carrier: CarrierBooks) -> list[float]:
    """The prices at the centre of the search's rounds, in micro-units."""
    return [value * 1e6 for name, value in carrier.notes if name == "own_price"]


def test_it_tries_above_and_below_and_measures_after_a_response() -> None:
    """Each price lasts for two intervals. The first of them does not count."""
    carrier = CarrierBooks(RevenueGradient(probe=0.1), 100_000)
    posted = [carrier.decide()]
    for earned in (250, 245, 249, 246):
        posted += [carrier.decide(BIG * 1000), carrier.decide(earned)]
    high, low = round(100_000 * math.exp(0.1)), round(100_000 * math.exp(-0.1))
    assert posted[0:8:2] == posted[1:8:2]
    assert posted[0:8:2] in ([high, low] * 2, [low, high] * 2)
    step = (250 + 249 - 245 - 246) / 990 / 0.1 * (1 if posted[0] == high else -1)
    assert own(carrier)[1] == pytest.approx(100_000 * math.exp(step), rel=1e-9)


@pytest.mark.parametrize("start", [0.6, 4.0])
@pytest.mark.parametrize("elasticity", [1.5, 2.0, 4.0])
def test_the_gradient_comes_to_lerners_price(elasticity: float, start: float) -> None:
    """P = cost e / (e - 1), apart from the bias of a finite probe: 3 % of it with h = 0.02."""
    best = COST * elasticity / (elasticity - 1)
    carrier = CarrierBooks(RevenueGradient(probe=0.02), round(start * best))
    settle(carrier, isoelastic(elasticity), 8 * 200)
    assert np.mean(own(carrier)[-50:]) == pytest.approx(best, rel=0.03)


def test_chance_moves_it_by_as_much_as_it_says() -> None:
    """With noise of 2 %, e = 2 (c = 2) and h = 0.1, log P varies by 0.016, as stated.

    The step of a tenth of the slope is an average over 10 / c rounds: the spread is
    (s / (2 h)) / sqrt(10 c (2 - c / 10)), which is what the docstring has, to 5 %.
    """
    carrier = CarrierBooks(RevenueGradient(), 200_000)
    settle(carrier, isoelastic(2.0), 4 * 3000, noise=0.02)
    spread = float(np.log(own(carrier)[200:]).std())
    assert spread == pytest.approx(0.02 / (2 * 0.1 * math.sqrt(40)), rel=0.2)


def test_a_loss_leads_out_of_itself() -> None:
    """The search starts at half the cost, where every mark loses money."""
    carrier = CarrierBooks(RevenueGradient(), round(COST / 2))
    settle(carrier, isoelastic(2.0), 4 * 60)
    assert own(carrier)[-1] == pytest.approx(2 * COST, rel=0.03)


def test_the_gradient_stays_within_floor_and_ceiling() -> None:
    """The price stays within its limits, even if prices beyond them earn more."""
    carrier = CarrierBooks(RevenueGradient(floor=0.1, ceiling=0.15), 90_000)
    settle(carrier, isoelastic(2.0), 200)  # wants 0.2
    assert own(carrier)[0] == pytest.approx(100_000)
    assert own(carrier)[-1] == pytest.approx(150_000)


def test_two_that_search_at_the_same_time_do_not_drift_together() -> None:
    """On links 0 and 2, with demand 1 - p - q and no cost, each price is 1/3 within 3 %.

    If both try in the same order, they end between 0.5 and 1.44 of it.
    """
    carriers = [CarrierBooks(RevenueGradient(), start, link=2 * k, busy=0.5) for k, start in PAIR]
    earned = [0.0, 0.0]
    for _ in range(8 * 60):
        prices = [
            carrier.decide(round(BIG * e)) for carrier, e in zip(carriers, earned, strict=True)
        ]
        earned = [p / 1e6 * max(1 - sum(prices) / 1e6, 0.0) for p in prices]
    for carrier in carriers:
        assert np.abs(np.log(np.array(own(carrier)[-20:]) * 3e-6)).max() < 0.03


def test_a_slope_is_a_share_of_what_is_lost_too() -> None:
    """Losses of 1.02 above and 0.98 below give a slope of 0.04 / 2 over h, and such a step."""
    carrier = CarrierBooks(RevenueGradient(probe=0.1), 100_000)
    settle(carrier, lambda price: -1.02 if price > 100_000 else -0.98, 8)
    assert own(carrier) == pytest.approx([100_000, 100_000 * math.exp(-0.02 / 0.1)])


def test_each_turn_shortens_the_longest_step() -> None:
    """The longest step is four probes, then four over the stretch's number, and at least one."""
    carrier = CarrierBooks(RevenueGradient(probe=0.1), 100_000)
    carrier.decide()
    for up in (True, False, True, False, True):
        middle = own(carrier)[-1]
        for _ in range(8):
            carrier.decide(BIG * (3 if (carrier.price > middle) == up else 1))
    steps = np.diff(np.log(own(carrier)))
    assert steps == pytest.approx([0.4, -0.2, 0.4 / 3, -0.1, 0.1])


def test_it_goes_back_where_customers_are_lost() -> None:
    """The search leaves a price that loses customers, although higher prices earn more."""
    carrier = CarrierBooks(RevenueGradient(), 100_000)
    settle(carrier, lambda price: price / 1e6, 8 * 2)
    settle(carrier, lambda price: price / 1e6 if price < 120_000 else price / 1e8, 8 * 40)
    assert own(carrier)[-1] < 140_000


def test_it_goes_back_to_the_better_of_two_peaks_that_it_left() -> None:
    """Two groups buy 1 - P / 0.2 and 1 - P / 0.5: best at 1 / 7, the second alone at 1 / 4.

    A first round in which income rises with the price takes it beyond 0.2. The first group leaves
    and stays away for two rounds, so that income seems to rise further.
    """
    carrier = CarrierBooks(RevenueGradient(), 140_000)
    settle(carrier, lambda price: price**3 / 2e16, 8)
    away = 0
    for _ in range(8 * 30):
        price = carrier.price / 1e6
        away = 16 if price > 0.2 else max(away - 1, 0)
        bought = (0 if away else 1 - price / 0.2) + 1 - price / 0.5
        carrier.decide(round(BIG * price * bought))
    assert max(own(carrier)) > 200_000
    assert own(carrier)[-1] == pytest.approx(1e6 / 7, rel=0.1)


def test_nobody_there_is_no_reason_to_stay() -> None:
    """If the link is busy for less than 0.1 % of the time, the price falls by 4 h per round."""
    carrier = CarrierBooks(RevenueGradient(), 800_000, link=0)
    carrier.decide()
    for _ in range(8 * 3):
        carrier.decide(round(carrier.price))  # the income from a few marks, at any cost
    assert own(carrier)[3] == pytest.approx(800_000 * math.exp(-1.2), rel=1e-6)


@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_the_bandit_settles_for_the_best_of_its_list(noise: float) -> None:
    """The list contains the best price; in the end its choices leave 97 % of the most or more."""
    carrier = CarrierBooks(RevenueBandit(floor=0.05, ceiling=0.8, arms=9), 1)
    settle(carrier, linear, 400, noise)
    posted: list[int] = []
    for _ in range(100):
        carrier.decide(round(BIG * linear(carrier.price)))
        posted.append(carrier.price)
    assert linear(float(np.median(posted))) > 0.99
    assert np.mean([linear(price) for price in posted]) > 0.97


def test_the_bandit_tries_all_twice_first() -> None:
    """The order comes from its random numbers, so another seed gives another order."""

    def order(seed: int) -> list[int]:
        carrier = CarrierBooks(RevenueBandit(floor=0.001, ceiling=0.016, arms=5), 1, seed)
        prices = [carrier.decide()]
        while len(prices) < 19:
            prices.append(carrier.decide(1000))
        return prices

    prices = order(1)
    counts = {price: prices.count(price) for price in (1000, 2000, 4000, 8000, 16000)}
    assert sum(counts.values()) == 19 and min(counts.values()) >= 3
    assert order(1) == prices
    assert order(2) != prices


def test_the_bandit_draws_by_the_variance_within_each_price() -> None:
    """The bandit draws with s^2 = (2 x 10^2 + 2 x 20^2) / (4 - 2) for these four profits."""

    class Noting(np.random.Generator):
        """Keeps the means and deviations of its draws."""

        drawn: ClassVar[list[np.ndarray]] = []

        def normal(self, *given: np.ndarray) -> np.ndarray:  # type: ignore[override]
            """Draw, and keep the means and deviations."""
            self.drawn.extend(given)
            return super().normal(*given)

    carrier = CarrierBooks(RevenueBandit(floor=0.1, ceiling=0.2, arms=2), 1)
    carrier.view.random = Noting(np.random.PCG64(1))
    earned = {100_000: [900, 1100], 200_000: [2800, 3200]}  # in 10 s
    carrier.decide()
    for _ in range(20):
        if left := earned[carrier.price]:
            before = len(carrier.notes)
            carrier.decide(left[0])
            del left[: len(carrier.notes) - before]  # nothing while customers respond
    mean, deviation = Noting.drawn
    assert not any(earned.values())
    assert mean == pytest.approx([100, 300])
    assert deviation == pytest.approx([math.sqrt(1000 / 2 / 2)] * 2)


def test_the_bandit_finds_the_higher_of_two_peaks() -> None:
    """A gradient from the left stays on the lower peak."""

    def left(price: float) -> float:
        low, high = math.log(price / 50_000), math.log(price / 400_000)
        return 0.7 * math.exp(-8 * low**2) + math.exp(-8 * high**2)

    bandit = CarrierBooks(RevenueBandit(floor=0.025, ceiling=0.8, arms=11), 1)
    settle(bandit, left, 300, 0.02)
    assert left(bandit.notes[-1][1] * 1e6) > 0.95
    gradient = CarrierBooks(RevenueGradient(), 40_000)
    settle(gradient, left, 400)
    assert own(gradient)[-1] == pytest.approx(50_000, rel=0.1)


@pytest.mark.parametrize(
    ("made", "params", "key"),
    [
        (RevenueGradient, {"probe": 0.0}, "probe"),
        (RevenueGradient, {"probe": float("nan")}, "probe"),
        (RevenueGradient, {"floor": 0.0}, "floor"),
        (RevenueGradient, {"floor": 0.2, "ceiling": 0.1}, "ceiling"),
        (RevenueBandit, {"floor": 0.1, "ceiling": 0.1}, "ceiling"),
        (RevenueBandit, {"floor": 0.1, "ceiling": 0.2, "arms": 1}, "arms"),
        (RevenueBandit, {"floor": 0.000001, "ceiling": 0.000003, "arms": 5}, "ceiling"),
    ],
)
def test_values_that_make_no_sense_are_refused(
    made: type, params: dict[str, float], key: str
) -> None:
    """The error names the parameter."""
    with pytest.raises(Refused) as caught:
        made(**params)
    assert caught.value.key == key


@pytest.mark.parametrize("strategy", [RevenueGradient(), RevenueBandit(floor=0.1, ceiling=0.2)])
def test_without_a_market_they_say_so(strategy: RevenueGradient | RevenueBandit) -> None:
    """Both strategies depend only on their earnings, so they need a market."""
    with pytest.raises(StrategyError, match="requires? a market"):
        strategy.post_price(PriceObservation(0, 0, 1, NO_LINKS))


def test_a_price_is_held_until_customers_have_responded() -> None:
    """With a response in 25 s, a price is held for three intervals of 10 s, and three more."""
    carrier = CarrierBooks(RevenueGradient(probe=0.1), 100_000, responds_s=25)
    posted = [carrier.decide()]
    for earned in (*(BIG,) * 3, 250, 300, 350, *(BIG,) * 3, 290, 290, 290) * 2:
        posted.append(carrier.decide(earned))
    assert len(set(posted[:6])) == 1 and len(set(posted[6:12])) == 1
    step = (900 - 870) / 1770 / 0.1 * (1 if posted[0] > 100_000 else -1)
    assert own(carrier)[1] == pytest.approx(100_000 * math.exp(step), rel=1e-9)


def test_it_waits_for_ten_intervals_at_most() -> None:
    """Customers who never settle do not stop the search."""
    carrier = CarrierBooks(RevenueGradient(probe=0.1), 100_000, responds_s=1e6)
    posted = [carrier.decide() for _ in range(81)]
    changes = [i for i in range(1, 81) if posted[i] != posted[i - 1]]
    assert changes[0] == 20 and len(own(carrier)) == 2


def test_the_curvature_is_that_of_a_regression_over_all_rounds() -> None:
    """Ridge regression towards 1 on what is known so far, after each of 40 rounds; 0.2 to 20."""
    rng = np.random.Generator(np.random.Philox(3))
    found = Curvature()
    assert (found.value, found.noise) == (1.0, 0.0)
    for true in (0.05, 2.5, 60.0):
        found, rounds = Curvature(), []
        for k in range(40):
            x = float(rng.normal(13, 0.5))
            spread = 0.3 if k < 20 else 0.02
            rounds.append((x, true * (12.8 - x) + float(rng.normal(0, 0.1)), spread**2))
            found.learn(*rounds[-1])
            if k == 0:
                assert (found.value, found.noise) == (1.0, spread**2)
                continue
            prices, slopes, noises = np.array(rounds).T
            off, off_s = prices - prices.mean(), slopes - slopes.mean()
            noise = noises.mean()
            if k > 1:
                line = np.polyfit(off, off_s, 1)
                rest = off_s - np.polyval(line, off)
                noise = min(float(rest @ rest) / (k - 1), noise)
            weight = noise / 9
            value = (weight - off @ off_s) / (off @ off + weight)
            assert found.noise == pytest.approx(noise, rel=1e-6)
            assert found.value == pytest.approx(min(max(value, 0.2), 20.0), rel=1e-6)
        assert found.value == {0.05: 0.2, 60.0: 20.0}.get(true, pytest.approx(true, rel=0.1))
