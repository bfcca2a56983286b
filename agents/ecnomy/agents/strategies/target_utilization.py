# SPDX-License-Identifier: Apache-2.0
"""`target-utilization`: a carrier raises or lowers its price per mark until a link is used as told.

Siris et al. 2002, section 7: given the aggregate demand, determine the price per mark that achieves
a target utilization. The demand is not given here. The carrier measures the utilization u of the
link since its last decision and integrates, on a scale of ratios:

    log P <- log P + log(u / target)

The gain is 1, for any demand and any marking law that marks in more than proportion to the load.
Why: a packet costs P p(u), p the marking probability. Be e the elasticity of demand, u going with
(P p(u))^-e, and k = u p'/p the elasticity of the marking law. Then

    d log u = -e (d log P + k d log u),    S = -d log u / d log P = e / (1 + e k)

and one decision leaves 1 - S of an error. S is below 1/k whatever e is, hence below 1 where k >= 1:
the error never changes its sign, so there is no swing. A law that begins to mark at a load
u0 > 0 and then rises at least linearly has k >= u / (u - u0) > 1. Even where u is seen a
whole interval late, z^2 - z + S = 0 has roots with |z|^2 = S < 1. With k below 1 (a law that marks
at any load alike has k = 0), S can be as much as e: it then takes a demand of e < 2, else it
swings.

How long it takes follows from the same S. A demand that changes by the factor f moves log u by
S log f, and n decisions later there is left

    S (1 - S)^n log f   <=   log f / (e_0 (n + 1)),    e_0 = 2.718

a law that is steep keeps the utilization close by itself (S small), and one that is not is soon
steered back. After a doubling 30 decisions leave 0.8 % of the target at most, whatever S is.

That holds while P moves u. Where users fill the link at any price near P, u is 1 and log P rises by
log(1 / target) at a decision: 0.16 at a target of 0.85, 0.05 at 0.95. A first price that is too low
by much takes as many decisions as that needs. One decision lowers P by a factor of 2 at most, and P
stays within [floor, ceiling], so that it need not come back from far when nobody was there for a
while. `decision_interval` is the time that users get to respond: three of their time constants
(T / (gain p) of WTP) or more, so that u is that of the price. Steadily bursty arrivals make u a
figure of chance; the longer the interval, the less so.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Annotated, ClassVar, Final

from ecnomy.agents.errors import StrategyError
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import PriceObservation
from ecnomy.agents.parameters import Refused, Unit
from ecnomy.agents.strategies.trial import DEAREST, check_range

__all__ = ["TargetUtilization", "share_of", "watched_link"]

LONGEST_STEP: Final = math.log(2.0)


@dataclasses.dataclass
class TargetUtilization:
    """Steers the price per mark so that a link is busy for a given share of the time.

    Attributes:
        target: the utilization to hold [share of the time that the link is busy].
        link: which of its links; "" for the busiest since the last decision.
        floor: the lowest price.
        ceiling: the highest price.
    """

    roles: ClassVar[tuple[str, ...]] = ("connectivity-provider",)
    target: float
    link: str = ""
    floor: Annotated[float, Unit("money")] = 1 / MICRO
    ceiling: Annotated[float, Unit("money")] = DEAREST

    def __post_init__(self) -> None:
        share_of("target", self.target)
        check_range(self.floor, self.ceiling)
        self._log_price = math.nan  # of micro-units; exact, as what is posted is rounded
        self._posted = -1

    def post_price(self, seen: PriceObservation) -> int:
        """The price from now on, micro-units per mark."""
        low, high = math.log(self.floor * MICRO), math.log(self.ceiling * MICRO)
        if seen.price_micro != self._posted:  # its first price, or one that somebody else posted
            self._log_price = math.log(max(seen.price_micro, 1))
        if seen.dt_ps:
            used = float(seen.utilization[watched_link(seen, self.link, "target-utilization")])
            step = math.log(max(used, 1e-9) / self.target)
            self._log_price += max(step, -LONGEST_STEP)
        self._log_price = min(max(self._log_price, low), high)
        self._posted = round(math.exp(self._log_price))
        return self._posted


def share_of(key: str, value: float) -> None:
    """Refuses a utilization that no link can be held at.

    Raises:
        Refused: it is not above 0 and below 1.
    """
    if not 0 < value < 1:
        raise Refused(key, f"{value:g}", "a share above 0 and below 1, such as 0.85")


def watched_link(seen: PriceObservation, name: str, who: str) -> int:
    """Index of the link of this name among those seen, of the busiest one for "".

    Raises:
        StrategyError: none is called so, or the carrier owns none.
    """
    if name in seen.names:
        return seen.names.index(name)
    if name or not len(seen.links.busy_ps):
        owned = ", ".join(seen.names) or "no links"
        raise StrategyError(f"{who}: found link {name!r}, expected one of its own: {owned}")
    return int(seen.utilization.argmax())
