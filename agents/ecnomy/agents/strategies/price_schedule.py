# SPDX-License-Identifier: Apache-2.0
"""`price-schedule`: a carrier posts prices at given times, such as a step or prices by the hour.

A price holds from its time to the time of the next price. Without a `period`, times count from the
start of the run. Until the first time, the price is unchanged. The last price stays in force. With
a `period` (24 h for prices by the hour), times are within the period. Simulated time 0 is `offset`
into a period, and the last price continues into the next period. The carrier posts a new price at
the first report at or after its time.
"""

from __future__ import annotations

import bisect
import dataclasses
import math
from collections.abc import Mapping
from typing import Annotated, ClassVar

from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import PriceObservation
from ecnomy.agents.parameters import ByTime, Refused, Unit, positive
from ecnomy.agents.strategies.trial import DEAREST

__all__ = ["PriceSchedule"]


@dataclasses.dataclass
class PriceSchedule:
    """Posts prices that are known in advance, such as a step or prices by the hour.

    Attributes:
        prices: prices of a mark, by the time from which each holds.
        period: time after which the prices repeat; without it, they do not repeat.
        offset: position within a period at which the run begins.
    """

    roles: ClassVar[tuple[str, ...]] = ("connectivity-provider",)
    prices: Annotated[Mapping[float, float], ByTime("money")]
    period: Annotated[float | None, Unit("s")] = None
    offset: Annotated[float, Unit("s")] = 0.0

    def __post_init__(self) -> None:
        self._times = sorted(self.prices)
        if self.period is not None:
            positive("period", self.period, "s")
        if not 0 <= self.offset < math.inf:
            raise Refused("offset", f"{self.offset:g} s", "a time of 0 s or more")
        if self.offset and self.period is None:
            raise Refused("offset", f"{self.offset:g} s without 'period'", "both, or neither")
        for time_s in self._times:
            self._check(time_s, self.prices[time_s])

    def _check(self, time_s: float, price: float) -> None:
        if time_s < 0:
            raise Refused("prices", f"a price from {time_s:g} s on", "times of 0 s or more")
        if self.period is not None and time_s >= self.period:
            expected = f"times before the end of the period at {self.period:g} s"
            raise Refused("prices", f"a price from {time_s:g} s on", expected)
        if not 0 <= price <= DEAREST:
            raise Refused("prices", f"{price:g} money", "prices from 0 to 1000000 money")

    def post_price(self, observation: PriceObservation) -> int:
        """Return the new price [micro-units per mark]."""
        at_s = (
            observation.t_s
            if self.period is None
            else (observation.t_s + self.offset) % self.period
        )
        index = bisect.bisect_right(self._times, at_s) - 1
        if index < 0 and self.period is None:
            return observation.price_micro
        return round(self.prices[self._times[index]] * MICRO)
