# SPDX-License-Identifier: Apache-2.0
"""`tuned-marking`: a carrier keeps its price and tunes how its link marks, to a target utilization.

Siris et al. 2002, section 7: no parameters of a marking law are best for all mixes of traffic, so
how can their tuning be automated? Here by one parameter a law, on a slow time scale:

    load-based      slope             log v <- log v + log(u / target)
    red             max_probability   the same
    virtual-queue   theta             log v <- log v - log(u / target)

The idea of a parameter that follows utilization is the adaptive virtual queue's (Kunniyur and
Srikant 2001, [21] there), and adaptive RED's for max_p (Floyd, Gummadi, Shenker 2001). The gain is
1 for the reason given in target_utilization.py. Users with a demand of elasticity e buy u with

    log u = -e log(P p),      p = v f(u): k = u f'/f      or      p = f(u / theta): k likewise

    slope, max_probability    -d log u / d log v     = e / (1 + e k)      the same as of the price:
                                                                          P v is what counts
    theta                      d log u / d log theta = e k / (1 + e k)

Both are above 0 and, for k >= 1, below 1, so that a decision leaves a positive part of the error,
and there is no swing. A virtual queue comes to the target the faster the steeper it is: a decision
leaves 1 / (1 + e k). It mends as much of what is chance in u, so that the interval between two
decisions had better be long. The two others have the bound of target_utilization.py on what 30
decisions leave of a change. RED marks by a queue that a link below its capacity hardly has: there k
is large, and the target had better be close to 1.

The marking probability at the target follows from price and demand, spending W a second buying
W / P marks: where W / P is more marks a second than packets, no parameter helps, and the price is
too low. A virtual queue's theta is 1 at most: where that marks too much at the target, the price is
too high. The value stays within a factor of 100 of the first one, and in the law's own range.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import ClassVar, Final

from ecnomy.agents.errors import StrategyError
from ecnomy.agents.observation import PriceObservation
from ecnomy.agents.strategies.target_utilization import share_of, watched_link

__all__ = ["TunedMarking"]

# Law -> its parameter, in which direction that goes where a link is too busy, the largest value.
TUNED: Final = {
    "load-based": ("slope", 1, 1e6),
    "red": ("max_probability", 1, 1.0),
    "virtual-queue": ("theta", -1, 1.0),
}
RANGE: Final = math.log(100.0)
LONGEST_STEP: Final = math.log(2.0)


@dataclasses.dataclass
class TunedMarking:
    """Tunes a link's marking law so that the link is busy for a given share of the time.

    Attributes:
        target: the utilization to hold [share of the time that the link is busy].
        link: which of its links; "" for the busiest at the first decision with traffic.
    """

    roles: ClassVar[tuple[str, ...]] = ("connectivity-provider",)
    target: float
    link: str = ""

    def __post_init__(self) -> None:
        share_of("target", self.target)
        self._name = self.link
        self._log_first = self._log_value = math.nan

    def post_price(self, seen: PriceObservation) -> int:
        """The price that there is."""
        return seen.price_micro

    def tune(self, seen: PriceObservation) -> Mapping[str, Mapping[str, float]]:
        """The new value of the parameter, of the one link."""
        if not seen.dt_ps:
            return {}
        at = watched_link(seen, self._name, "tuned-marking")
        used = float(seen.utilization[at])
        if not self._name and not used:
            return {}
        self._name = seen.names[at]
        law = seen.laws[at]
        if law.law not in TUNED:
            raise StrategyError(
                f"tuned-marking: found the law {law.law} on link {self._name}, expected one of "
                f"{', '.join(TUNED)}"
            )
        name, sign, most = TUNED[law.law]
        if math.isnan(self._log_value):
            self._log_first = self._log_value = self._log_of(law.params[name], name)
        step = math.log(max(used, 1e-9) / self.target)
        self._log_value += sign * max(step, -LONGEST_STEP)
        high = min(self._log_first + RANGE, math.log(most))
        self._log_value = min(max(self._log_value, self._log_first - RANGE), high)
        return {self._name: {name: math.exp(self._log_value)}}

    def _log_of(self, value: float, name: str) -> float:
        if value <= 0:
            raise StrategyError(
                f"tuned-marking: found {name} 0 on link {self._name}, expected a value above 0 "
                "to begin with"
            )
        return math.log(value)
