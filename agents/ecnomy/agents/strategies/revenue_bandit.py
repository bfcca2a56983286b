# SPDX-License-Identifier: Apache-2.0
"""`revenue-bandit`: a carrier tries the prices of a list and settles on the most profitable one.

The list has `arms` prices from floor to ceiling, in equal ratios. Kleinberg and Leighton 2003 show
that a list suffices, and how many prices it needs. Revenue is flat near its maximum, so a gap
between prices costs little. With a ratio of e^d, the logarithm of the best price of the list is
within d/2 of the optimum. This loses at most a share c d^2 / 8 of the largest revenue, where c is
the curvature over log P (e (e - 1) for a demand of constant elasticity e and a cost per mark).

The carrier tries all prices twice, each time in random order. Then it chooses by Thompson sampling
(Thompson 1933; Agrawal and Goyal 2017 for normal rewards). It draws a profit for each price,

    draw_k ~ N(mean_k, s^2 / n_k)        s^2 = sum of all (R - mean)^2 / (trials - arms)

from the mean of its n_k trials. The largest draw gives the next price. So the carrier tries each
price with its estimated probability of being the best, which keeps prices near the best in use and
makes other prices rarer. The strategy assumes that demand is constant in time, but makes no
assumption about its shape, so revenue may have several peaks.

A trial takes one decision, or two if the price changes, because customers respond during the first.
It takes more decisions if customers respond more slowly (trial.py). Trying all prices twice takes
about 4 x arms times the `decision_interval`, or more.
"""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import PriceObservation
from ecnomy.agents.parameters import Refused, Unit
from ecnomy.agents.strategies.trial import LONGEST, Trial, check_range

__all__ = ["RevenueBandit"]


@dataclasses.dataclass
class RevenueBandit:
    """Chooses from fixed prices by their profit so far.

    Attributes:
        floor: the lowest price of the list.
        ceiling: the highest price of the list.
        arms: the number of prices [from 2 to 100].
    """

    roles: ClassVar[tuple[str, ...]] = ("connectivity-provider",)
    waits: ClassVar[int] = LONGEST
    floor: Annotated[float, Unit("money")]
    ceiling: Annotated[float, Unit("money")]
    arms: int = 10

    def __post_init__(self) -> None:
        check_range(self.floor, self.ceiling)
        if not 2 <= self.arms <= 100:
            raise Refused("arms", f"{self.arms}", "from 2 to 100 prices")
        prices = np.geomspace(self.floor * MICRO, self.ceiling * MICRO, self.arms)
        self._prices: Integers = np.rint(prices).astype(np.int64)
        if len(np.unique(self._prices)) < self.arms:
            expected = f"{self.arms} prices between floor and ceiling at least 0.000001 money apart"
            raise Refused("ceiling", f"{self.ceiling:g} money", expected)
        self._count = np.zeros(self.arms, dtype=np.int64)
        self._sum: Floats = np.zeros(self.arms)
        self._squares: Floats = np.zeros(self.arms)
        self._trial = Trial("revenue-bandit")
        self._due: list[int] = []  # pending trials of the first round
        self._tried = -1

    def post_price(self, observation: PriceObservation) -> int:
        """Return the new price [micro-units per mark]."""
        earned = self._trial.earned(observation)
        if observation.agent is None:
            raise StrategyError("revenue-bandit: random draws require a market")
        if self._tried < 0:
            twice = (observation.agent.random.permutation(self.arms) for _ in range(2))
            self._due = [int(arm) for order in twice for arm in order]
            self._tried = self._due.pop(0)
        elif earned is not None:
            self._learn(earned)
            before, self._tried = self._tried, self._next(observation.agent.random)
            if self._tried != before:
                self._trial.changed()
            observation.agent.note("best_price", self._prices[int(self._means().argmax())] / MICRO)
        return int(self._prices[self._tried])

    def _learn(self, earned: float) -> None:
        self._count[self._tried] += 1
        self._sum[self._tried] += earned
        self._squares[self._tried] += earned**2

    def _means(self) -> Floats:
        """Return the mean profit of each price, or -inf for untried prices."""
        tried = self._count > 0
        return np.where(tried, self._sum / np.maximum(self._count, 1), -np.inf)

    def _next(self, random: np.random.Generator) -> int:
        if self._due:
            return self._due.pop(0)
        inside = float((self._squares - self._sum**2 / self._count).sum())
        variance = max(inside, 0.0) / (int(self._count.sum()) - self.arms)
        draws = random.normal(self._means(), np.sqrt(variance / self._count))
        return int(draws.argmax())
