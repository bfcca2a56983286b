# SPDX-License-Identifier: Apache-2.0
"""The slope of a carrier's profit against the price, as recorded by the strategy or fitted.

The slope s is the relative change of the profit per unit of the log price, and the curvature c is
the decrease of s per unit of the log price. The best price would increase the profit by the share
s^2 / 2c.

`revenue-gradient` records s and c after each round (`profit_slope` and `profit_curvature` in the
table `agents`). The slope is then the mean over the rounds. Its error is twice the standard error,
after subtracting the variation that c and the prices of the rounds explain.

For every other strategy, the ledger gives the profit of each period in which a price held. The
first half of a period does not count, because customers are still responding to the change. A
parabola in the log price, fitted by least squares with the length of each period as its weight,
gives s at the mean log price, its error (twice the standard error) and c. Prices that differ from
the mean by more than a factor of 1.5 do not count, because a profit resembles a parabola only near
its peak. As in curvature.py, the prior of c is 1 with a standard deviation of 3, and c lies between
0.2 and 20.

After a search has chosen its price, it may try too few other prices for this fit. The fit then uses
all periods of the run (`whole`), and s is the slope at the mean log price of the interval that is
judged. This slope can only confirm a price, because other carriers' prices may have moved since,
and a bandit returns to prices that did well at first by chance.
"""

from __future__ import annotations

import math
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.strategies.curvature import GUESS, LEAST, MOST, SPREAD
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.run.carriers import Prices
from ecnomy.markets.results.rawrun import RawRun

__all__ = ["ProfitSlope", "fitted_slope", "noted_slope", "slope_of"]

ROUNDS: Final = 3  # least number of recorded slopes
FEWEST: Final = 8  # least number of fitted periods
NEAR: Final = math.log(1.5)


class ProfitSlope(msgspec.Struct, frozen=True):
    """The slope of a profit at the mean log price.

    Attributes:
        slope: relative change of the profit per unit of the log price.
        error: twice the slope's standard error; infinite for fewer than three recorded slopes.
        curvature: decrease of the slope per unit of the log price, from 0.2 to 20.
        whole: whether the fit used periods before the interval.
    """

    slope: float
    error: float
    curvature: float
    whole: bool = False

    @property
    def flat(self) -> bool:
        """Whether the curvature is at its lower bound."""
        return self.curvature <= LEAST

    def gain(self, slope: float) -> float:
        """Return the share that the best price would add to the profit if the slope is `slope`."""
        return slope**2 / (2 * self.curvature)


def slope_of(
    run: RawRun, carrier: str, prices: Prices, from_ps: int, to_ps: int
) -> ProfitSlope | None:
    """Return the slope of a carrier's profit; None if it cannot be fitted (see fitted_slope).

    Raises:
        ResultsError: a table is unreadable.
    """
    noted = run.agents[run.agents["agent"] == carrier]
    curvature = noted[noted["name"] == "profit_curvature"]["value"]
    if not len(curvature):
        return _from_ledger(run, carrier, prices, from_ps, to_ps)
    slopes = noted[(noted["name"] == "profit_slope") & (noted["t_ps"] > from_ps)]
    own = noted[noted["name"] == "own_price"]
    round_of = np.searchsorted(own["t_ps"], slopes["t_ps"]) - 1  # the round that ended at that time
    return noted_slope(
        slopes["value"].to_numpy(np.float64),
        np.log(own["value"].to_numpy(np.float64)[round_of]),
        float(curvature.iloc[-1]),
    )


def noted_slope(slopes: Floats, log_prices: Floats, curvature: float) -> ProfitSlope:
    """Return the mean of the slopes, [round], that a strategy recorded at these log prices."""
    if len(slopes) < ROUNDS:
        return ProfitSlope(0.0, math.inf, curvature)
    by_chance = slopes + curvature * (log_prices - log_prices.mean())
    error = 2 * float(by_chance.std(ddof=1)) / len(slopes) ** 0.5
    return ProfitSlope(float(slopes.mean()), error, curvature)


def fitted_slope(
    log_prices: Floats, profits: Floats, lengths: Floats, at: float | None = None
) -> ProfitSlope | None:
    """Fit a parabola to the profits per second of periods with constant prices, [period].

    Args:
        log_prices: the log price of each period.
        profits: the profit per second in each period, money/s.
        lengths: the length of each period, seconds.
        at: the log price at which to return the slope, if the periods cover the whole run; None:
            the mean of the log prices near the mean.

    Returns:
        The slope; None for fewer than eight periods or three different prices near the mean price
        (or near `at`), or if the mean profit is 0.
    """
    x = log_prices - (np.average(log_prices, weights=lengths) if at is None else at)
    near = np.abs(x) <= NEAR
    x, profits, lengths = x[near], profits[near], lengths[near]
    if len(x) < FEWEST or len(np.unique(x)) < 3:
        return None
    if at is None:
        x = x - np.average(x, weights=lengths)
    mean = abs(float(np.average(profits, weights=lengths)))
    if not mean:
        return None
    terms = np.stack([np.ones_like(x), x, -(x**2) / 2], axis=1)
    inverse = np.linalg.pinv(terms.T @ (lengths[:, None] * terms))
    coefficients = inverse @ (terms.T @ (lengths * profits))
    left = float(np.sum(lengths * (profits - terms @ coefficients) ** 2)) / (len(x) - 3)
    slope, curvature = coefficients[1:] / mean
    error, spread = np.sqrt(left * np.diag(inverse)[1:]) / mean
    weight = (spread / SPREAD) ** 2
    curvature = (curvature + weight * GUESS) / (1 + weight)
    curvature = min(max(float(curvature), LEAST), MOST)
    return ProfitSlope(float(slope), 2 * float(error), curvature, whole=at is not None)


def _from_ledger(
    run: RawRun, carrier: str, prices: Prices, from_ps: int, to_ps: int
) -> ProfitSlope | None:
    ledger = run.ledger
    signs = (ledger["credit"] == carrier).astype(int) - (ledger["debit"] == carrier).astype(int)
    gained = (signs * ledger["amount_micro"]).groupby(ledger["t_ps"]).sum()
    times = np.unique(run.link_epochs["t_ps"])  # times of reports
    total = np.append(0, np.cumsum(gained.to_numpy()))
    total = total[np.searchsorted(gained.index.to_numpy(), times, side="right")]
    moved = np.flatnonzero(np.append(True, np.diff(prices.money) != 0))
    begins = prices.t_ps[moved]
    ends = np.append(begins[1:], to_ps)
    used = (ends <= to_ps) & (prices.money[moved] > 0)
    begins, ends, money = begins[used], ends[used], prices.money[moved][used]
    first = np.searchsorted(times, (begins + ends) / 2)
    last = np.searchsorted(times, ends, side="right") - 1
    held = last > first
    begins, first, last, money = begins[held], first[held], last[held], money[held]
    lengths = (times[last] - times[first]) / PS_PER_S
    profits, logs = (total[last] - total[first]) / lengths, np.log(money)
    late = begins >= from_ps
    if not late.any():
        return None
    slope = fitted_slope(logs[late], profits[late], lengths[late])
    at = float(np.average(logs[late], weights=lengths[late]))
    return slope or fitted_slope(logs, profits, lengths, at)
