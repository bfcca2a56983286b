# SPDX-License-Identifier: Apache-2.0
"""`tuned-marking`: a carrier keeps its price and tunes a link's marking to a target utilisation.

Siris et al. 2002, section 7, ask how to automate the tuning of a marking law, since the best
parameters depend on the mix of traffic. This strategy tunes one parameter of each law on a slow
time scale:

    load-based      slope             log v <- log v + log(u / target)
    red             max_probability   the same
    virtual-queue   theta             log v <- log v - log(u / target)

The idea that a parameter follows utilisation comes from the adaptive virtual queue (Kunniyur and
Srikant 2001, [21] there), and from adaptive RED for max_p (Floyd, Gummadi, Shenker 2001). The gain
is 1 for the reason given in target_utilization.py. Users with a demand of elasticity e buy u with

    log u = -e log(P p),      p = v f(u): k = u f'/f      or      p = f(u / theta): k likewise

    slope, max_probability    -d log u / d log v     = e / (1 + e k)      as for the price, because
                                                                          only P v matters
    theta                      d log u / d log theta = e k / (1 + e k)

Both slopes are above 0 and, for k >= 1, below 1. So a decision leaves a positive share of the
error, and u does not oscillate. A steeper virtual queue reaches the target faster, because a
decision leaves 1 / (1 + e k) of an error. It responds to noise in u just as fast, so decision
intervals should be long. The other two laws have the bound of target_utilization.py on the error
after 30 decisions. RED marks by the queue, which is small on a link below its capacity. On such a
link, k is large, and the target should be close to 1. Price and demand determine the marking
probability at the target, because spending of W per second buys W / P marks. If W / P exceeds the
packets per second, the price is too low for any parameter. A virtual queue's theta is at most 1. If
theta = 1 marks too much at the target, the price is too high. The value stays within a factor of
100 of the first value, and within the law's range.
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

# Law -> its parameter, the direction of change for a link that is too busy, and the largest value.
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
        target: the target share of the time for which the link is busy [above 0, below 1].
        link: name of the carrier's link; "" for its busiest link at the first decision with
            traffic.
        tunes: the marking laws that the strategy can tune.
    """

    roles: ClassVar[tuple[str, ...]] = ("connectivity-provider",)
    tunes: ClassVar[tuple[str, ...]] = tuple(TUNED)
    names_link: ClassVar[str] = "link"
    target: float
    link: str = ""

    def __post_init__(self) -> None:
        share_of("target", self.target)
        self._name = self.link
        self._log_first = self._log_value = math.nan

    def post_price(self, observation: PriceObservation) -> int:
        """Return the current price [micro-units per mark]."""
        return observation.price_micro

    def tune(self, observation: PriceObservation) -> Mapping[str, Mapping[str, float]]:
        """Return link -> parameter of its marking law -> new value, or {} to change nothing."""
        if not observation.dt_ps:
            return {}
        at = watched_link(observation, self._name, "tuned-marking")
        used = float(observation.utilization[at])
        if not self._name and not used:
            return {}
        self._name = observation.names[at]
        law = observation.laws[at]
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
                f"tuned-marking: found {name} = {value:g} on link {self._name}, expected an "
                "initial value above 0"
            )
        return math.log(value)
