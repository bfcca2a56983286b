# SPDX-License-Identifier: Apache-2.0
"""`hill-climbing`: a carrier searches step by step for the most profitable price per mark.

The carrier raises or lowers its price by `step`, at random. Customers have one decision interval to
respond. Over the next interval, the carrier measures its profit per second, as receipts minus
payments, which include debts to other carriers. It compares this profit with the profit before the
change. If the profit is lower, the carrier reverts the change, and measures the old price again
after another response. Otherwise it keeps the change and tries another one. The price stays within
[floor, ceiling]. If customers respond more slowly, response and measurement each take as many
intervals as customers need, up to ten (trial.py).

The carrier does not know demand or rivals. It waits because a higher price earns more until
customers respond. Directions are random because two carriers that reverse after every loss would
move together, each mistaking the other's change for its own (Huck, Normann, Oechssler 2004, on
trial and error).
"""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar, Final

from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import PriceObservation
from ecnomy.agents.parameters import Refused, Unit
from ecnomy.agents.strategies.trial import LONGEST, Trial

__all__ = ["HillClimbing"]

DEAREST: Final = 1e6  # largest price in a market, money


@dataclasses.dataclass
class HillClimbing:
    """Changes the price by a step, and reverts the step if profit falls.

    Attributes:
        step: amount by which one change raises or lowers the price.
        floor: the lowest price.
        ceiling: the highest price.
    """

    roles: ClassVar[tuple[str, ...]] = ("connectivity-provider",)
    waits: ClassVar[int] = LONGEST
    step: Annotated[float, Unit("money")]
    floor: Annotated[float, Unit("money")] = 0.0
    ceiling: Annotated[float, Unit("money")] = DEAREST

    def __post_init__(self) -> None:
        if not 1 / MICRO <= self.step <= DEAREST:
            raise Refused("step", f"{self.step:g} money", "from 0.000001 to 1000000 money")
        if not 0 <= self.floor <= DEAREST:
            raise Refused("floor", f"{self.floor:g} money", "from 0 to 1000000 money")
        if not round(self.floor * MICRO) < round(self.ceiling * MICRO) <= DEAREST * MICRO:
            expected = f"above the floor of {self.floor:g} money and at most 1000000 money"
            raise Refused("ceiling", f"{self.ceiling:g} money", expected)
        self._trial = Trial("hill-climbing")
        self._before: tuple[int, float] | None = None  # the price before the change, and its profit

    def post_price(self, observation: PriceObservation) -> int:
        """Return the new price [micro-units per mark]."""
        earned = self._trial.earned(observation)
        assert observation.agent is not None
        step, low, high = (round(x * MICRO) for x in (self.step, self.floor, self.ceiling))
        price = min(high, max(low, observation.price_micro))
        if earned is None:
            return price
        self._trial.changed()
        before = self._before
        if before is not None and earned < before[1]:
            self._before = None
            return before[0]
        self._before = price, earned
        up = price <= low or (price < high and bool(observation.agent.random.integers(2)))
        return min(high, price + step) if up else max(low, price - step)
