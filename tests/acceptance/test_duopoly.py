# SPDX-License-Identifier: Apache-2.0
"""Two parallel carriers, and one that owns both links, against closed forms, by seed.

Carriers find their prices by trials: half of the runs begin at twice, half at half the price of
theory. Their rest points are `ParallelCarriers.tried`, 8 % above the equilibrium of two and
1 % above the monopolist's price with trials 20 % up and down. With narrower trials
the difference falls with the square, and noise grows. `report` has all figures with theory's.

Two figures are slightly below theory for known reasons. Welfare, by 0.2 %: the rate of each
home fluctuates from report to report, and U is concave. The monopolist's income, by 1.2 %: homes
estimate the cost of a packet from 3 s of marks, with an error of 5 % of the choke price l0. At the
monopolist's price their payment is at its maximum, A (y - y^2) l0 at y = 1/2, so errors
lower it by 4 times the variance of y, which is 1 %.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import pytest

from duopoly_world import MODEL, PROBE, CycleMeans, outcome
from ecnomy.analysis.statistics.intervals import Interval, t_interval
from ecnomy.analysis.theory import PostedPriceOutcome
from tiers import in_full, seeds

pytestmark = pytest.mark.xdist_group("duopoly")  # one worker makes the runs, once
SEEDS = seeds(10)
FIGURES: dict[str, tuple[Callable[[CycleMeans], float], Callable[[PostedPriceOutcome], float]]] = {
    "price of a mark [money]": (lambda o: _mean_log(o.prices), lambda p: p.prices[0]),
    "price of a packet [money]": (lambda o: o.packet_price, lambda p: p.packet_price),
    "traffic [packets/s]": (lambda o: sum(o.rates), lambda p: sum(p.rates)),
    "traffic share of the first": (lambda o: o.traffic_share, lambda p: 0.5),
    "income share of the first": (lambda o: o.income_share, lambda p: 0.5),
    "income [money/s]": (lambda o: o.income, lambda p: sum(p.incomes)),
    "welfare [money/s]": (lambda o: o.welfare, lambda p: p.welfare),
}
PRICE, PACKET, TRAFFIC, SHARE, INCOME_SHARE, INCOME, WELFARE = FIGURES
LENGTHS = {False: (14, 7), True: (8, 4)}  # cycles of four prices; cycles not measured


def _mean_log(prices: tuple[float, ...]) -> float:
    return math.exp(sum(map(math.log, prices)) / len(prices))


@functools.cache
def outcomes(monopoly: bool) -> tuple[CycleMeans, ...]:
    cycles, skipped = LENGTHS[monopoly]
    return tuple(outcome(seed, monopoly=monopoly, cycles=cycles, skipped=skipped) for seed in SEEDS)


def measured(figure: str, monopoly: bool, level: float = 0.95) -> Interval:
    """A figure's interval over the seeds."""
    return t_interval([FIGURES[figure][0](one) for one in outcomes(monopoly)], level)


def bounds(found: Interval) -> tuple[float, float]:
    """The interval to compare with theory, or the mean if the seeds are too few."""
    return (found.low, found.high) if in_full() else (found.mean, found.mean)


def theory(figure: str, monopoly: bool) -> tuple[float, float]:
    """Theory at the rest point of trials, and in equilibrium."""
    best = MODEL.monopoly() if monopoly else MODEL.competition()
    of = FIGURES[figure][1]
    return of(MODEL.tried(PROBE, monopoly=monopoly)), of(best)


def report() -> str:
    """Each figure of both markets: interval over the seeds, rest point of trials, equilibrium."""
    lines = []
    for monopoly in (False, True):
        lines += ["", "one owner of both links" if monopoly else "two carriers"]
        for figure in FIGURES:
            found, (rest, best) = measured(figure, monopoly), theory(figure, monopoly)
            span = f"{found.mean:.5g} [{found.low:.5g}, {found.high:.5g}]"
            lines.append(f"  {figure:27} {span:30} rest {rest:.5g}, equilibrium {best:.5g}")
    return "\n".join(
        [*lines, f"  most welfare there can be: {MODEL.welfare(MODEL.satiation_pps):g}"]
    )


@pytest.mark.parametrize(
    ("figure", "monopoly", "margin"),
    [
        *((PRICE, False, 0.15), (PACKET, False, 0.12), (TRAFFIC, False, 0.02)),
        *((SHARE, False, 0.04), (INCOME_SHARE, False, 0.04), (INCOME, False, 0.12)),
        *((PRICE, True, 0.15), (PACKET, True, 0.05), (TRAFFIC, True, 0.04)),
        *((SHARE, True, 0.01), (INCOME_SHARE, True, 0.01)),
    ],
)
def test_it_comes_to_the_closed_form(figure: str, monopoly: bool, margin: float) -> None:
    """The 99.9 % interval contains theory, and the 95 % interval is within a margin of it.

    With eleven figures at 95 % one of them would miss by chance in two runs of five.
    With ten seeds the interval of a price is 6 to 8 % wide on either side, that of welfare 1.5 %.
    With three seeds the mean is within the margin.
    """
    found, (rest, _) = measured(figure, monopoly), theory(figure, monopoly)
    wide, (low, high) = measured(figure, monopoly, 0.999), bounds(found)
    assert wide.low <= rest <= wide.high, report()
    assert rest * (1 - margin) <= low and high <= rest * (1 + margin), report()


def test_it_is_neither_bertrand_nor_cournot() -> None:
    """The price per packet of two carriers is between 0 and Cournot's third of the choke price."""
    low, high = bounds(measured(PACKET, False))
    cournot = MODEL.choke_price / 3
    assert 0.3 * cournot < low and high < 0.5 * cournot, report()


def test_every_seed_goes_towards_it() -> None:
    """From twice or half the price, all runs end nearer to it."""
    for monopoly in (False, True):
        for one in outcomes(monopoly):
            for price in one.prices:
                away = math.log(price / theory(PRICE, monopoly)[0])
                assert abs(away) < 0.6 * math.log(2), report()


def test_a_monopolist_is_dearer_and_welfare_less() -> None:
    """In every seed a mark costs nine times as much, and welfare is three quarters."""
    print(report())
    for two, one in zip(outcomes(False), outcomes(True), strict=True):
        assert min(one.prices) > 5 * max(two.prices), report()
        assert one.income > 1.7 * two.income and one.welfare < 0.8 * two.welfare, report()
    for monopoly in (False, True):
        found, (rest, _) = measured(WELFARE, monopoly), theory(WELFARE, monopoly)
        spare = 0.01 * rest  # their own noise
        assert 0.994 * rest - spare < found.mean < 1.002 * rest + spare, report()
    most = MODEL.welfare(MODEL.satiation_pps)
    two, one = bounds(measured(WELFARE, False)), bounds(measured(WELFARE, True))
    assert two[0] > 0.97 * most > 0.8 * most > one[1], report()


def test_the_monopolists_income_is_short_by_what_reading_marks_costs() -> None:
    """The income is 1.2 % below the closed form in these seeds, as explained above."""
    found, (rest, _) = measured(INCOME, True), theory(INCOME, True)
    assert 0.975 * rest < found.mean < rest, report()
