# SPDX-License-Identifier: Apache-2.0
"""`target-utilization`: a carrier adjusts its price per mark to reach a target utilisation.

Siris et al. 2002, section 7: given the aggregate demand, determine the price per mark that achieves
a target utilisation. Here the demand is unknown. The carrier measures the utilisation u of the link
since its last decision and integrates logarithmically:

    log P <- log P + log(u / target)

A gain of 1 suits any demand and any marking law whose probability rises at least in proportion to
the load, for the following reason. A packet costs P p(u), where p is the marking probability. Let e
be the elasticity of demand, so u varies as (P p(u))^-e, and let k = u p'/p be the elasticity of the
marking law. Then

    d log u = -e (d log P + k d log u),    S = -d log u / d log P = e / (1 + e k)

and one decision leaves a share 1 - S of an error. S is below 1/k for any e, so it is below 1 for
k >= 1. The error never changes its sign, so u does not oscillate. A law that begins to mark at a
load u0 > 0 and then rises at least linearly has k >= u / (u - u0) > 1. If u is observed a whole
interval late, z^2 - z + S = 0 still has roots with |z|^2 = S < 1. With k below 1 (k = 0 for a
constant marking probability), S can be as large as e. The price is then stable only for a demand
with e < 2. The same S determines the settling time. A change of demand by the factor f moves log u
by S log f. After n decisions, the remaining error is

    S (1 - S)^n log f   <=   log f / (e_0 (n + 1)),    e_0 = 2.718

A steep law (with a small S) keeps the utilisation close to the target by itself. With other laws,
the price soon restores the target. After demand has doubled, 30 decisions leave an error of at most
0.8 % of the target for any S. This bound holds while P affects u. If users fill the link at any
price near P, u is 1, and log P rises by log(1 / target) per decision: 0.16 at a target of 0.85, and
0.05 at 0.95. If the first price is far too low, its rise takes a corresponding number of decisions.
One decision lowers P by a factor of at most 2, and P stays within [floor, ceiling], so P does not
fall too far while no users are active. `decision_interval` gives users time to respond. It must
be at least three of their time constants (T / (gain p) of WTP), so that u reflects the price.
Bursty arrivals make u noisy, and a longer interval reduces the noise.
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
    """Adjusts the price per mark so that a link is busy for a given share of the time.

    Attributes:
        target: the target share of the time for which the link is busy [above 0, below 1].
        link: name of the carrier's link; "" for its busiest link since the last decision.
        floor: the lowest price per mark.
        ceiling: the highest price per mark.
    """

    roles: ClassVar[tuple[str, ...]] = ("connectivity-provider",)
    names_link: ClassVar[str] = "link"
    target: float
    link: str = ""
    floor: Annotated[float, Unit("money")] = 1 / MICRO
    ceiling: Annotated[float, Unit("money")] = DEAREST

    def __post_init__(self) -> None:
        share_of("target", self.target)
        check_range(self.floor, self.ceiling)
        self._log_price = math.nan  # log of micro-units; exact, whereas posted prices are rounded
        self._posted = -1

    def post_price(self, observation: PriceObservation) -> int:
        """Return the new price [micro-units per mark]."""
        low, high = math.log(self.floor * MICRO), math.log(self.ceiling * MICRO)
        if (
            observation.price_micro != self._posted
        ):  # the first price, or a price posted by someone else
            self._log_price = math.log(max(observation.price_micro, 1))
        if observation.dt_ps:
            used = float(
                observation.utilization[watched_link(observation, self.link, "target-utilization")]
            )
            step = math.log(max(used, 1e-9) / self.target)
            self._log_price += max(step, -LONGEST_STEP)
        self._log_price = min(max(self._log_price, low), high)
        self._posted = round(math.exp(self._log_price))
        return self._posted


def share_of(key: str, value: float) -> None:
    """Check that a target utilisation is above 0 and below 1.

    Raises:
        Refused: the target is out of this range.
    """
    if not 0 < value < 1:
        raise Refused(key, f"{value:g}", "a share above 0 and below 1, such as 0.85")


def watched_link(observation: PriceObservation, name: str, who: str) -> int:
    """Return the index of the link `name` in the observation, or of the busiest link for "".

    Raises:
        StrategyError: the carrier does not own this link, or owns no link.
    """
    if name in observation.names:
        return observation.names.index(name)
    if name or not len(observation.links.busy_ps):
        if not observation.names:
            raise StrategyError(f"{who}: the carrier has no links, expected at least one")
        owned = ", ".join(observation.names)
        raise StrategyError(
            f"{who}: found link {name!r}, expected one of the carrier's links: {owned}"
        )
    return int(observation.utilization.argmax())
