# SPDX-License-Identifier: Apache-2.0
"""`price-demand`: users take part while what a MB costs is no more than it is worth to them.

Each flow is a user with a limit [money/MB], drawn from a demand curve (demands.py), so that at a
price q a share D(q) of those present takes part, in the mean. Others have their flows switched off.
With traffic of kind `web` this is the background of Antoniadis et al. 2000, section 5: on-off users
whose pages and think times are drawn (by the traffic), and who react to prices by what a page is
worth to them.

The price that users see is what a MB of data has cost this agent's users since the last decision:
their whole bill (marks, class fees, contracts), smoothed with weight 1/2. They tell each other.
If no user accepts the price, nobody sends, and nobody sees the price. Then the user with the
highest limit looks again, from one decision to the next: after a time `retry`, then after twice as
long each time, up to 8 times. What a MB costs it is what all know then.

    arrival     present for a time drawn from `stay`, then away for one drawn from `away`, who comes
                back with a new limit; without the two everybody is always there
    patience    whose limit the price exceeds leaves once it has for a time drawn from `patience`
    inertia     a share `looks` of users considers to change at a decision, drawn each time

Inertia is for stability. Be e the elasticity of D, and k that of the marking law at its load: one
decision leaves 1 - looks (1 + e k) of an error of the number of users. Up to looks = 1 / (1 + e k)
that is positive, and there is no swing; where all look at once at a price that depends on how many
they are, they come and go as a herd. At a price that does not depend on load, 1 is right.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.decision import LEAVE, Decision
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import Observation, Truths
from ecnomy.agents.parameters import OneOf, Refused, Unit, positive
from ecnomy.agents.strategies.demands import DEMANDS, TIMES, Demand, TimeDraw

__all__ = ["PriceDemand"]

SMOOTHING: Final = 0.5
BITS_PER_MB: Final = 8e6
LONGEST: Final = 8  # times `retry`


@dataclasses.dataclass
class PriceDemand:
    """Lets those users send who accept the price that they see.

    Attributes:
        demand: kind and parameters of the demand curve.
        pay: what a user who takes part spends on marks; negative: as it was, as for traffic whose
            transport no mark rate steers.
        looks: share of users that consider to change at a decision [above 0, up to 1].
        even: limits spread evenly over the curve, in place of drawn ones [truth value].
        stay: how long a user is there, left out: always.
        away: how long it is away then.
        patience: how long it puts up with a price above its limit; left out: not at all.
        retry: time after which one user looks at the price again where all have left.
    """

    roles: ClassVar[tuple[str, ...]] = ("customer", "price-handler")
    demand: Annotated[Mapping[str, object], OneOf(DEMANDS)]
    pay: Annotated[float, Unit("money/s")] = -1.0
    looks: float = 0.1
    even: bool = False
    stay: Annotated[Mapping[str, object] | None, OneOf(TIMES)] = None
    away: Annotated[Mapping[str, object] | None, OneOf(TIMES)] = None
    patience: Annotated[Mapping[str, object] | None, OneOf(TIMES)] = None
    retry: Annotated[float, Unit("s")] = 30.0

    def __post_init__(self) -> None:
        if not 0 < self.looks <= 1:
            raise Refused("looks", f"{self.looks:g}", "a share above 0, up to 1")
        if (self.stay is None) != (self.away is None):
            key = "away" if self.away is None else "stay"
            raise Refused(key, f"no {key!r}", "both 'stay' and 'away', or neither")
        positive("retry", self.retry, "s")
        self._wait_s, self._again_s, self._probe = self.retry, math.inf, -1  # -1: nobody probes
        self._demand: Demand = _made("demand", self.demand, DEMANDS)
        self._stay = _time("stay", self.stay)
        self._away = _time("away", self.away)
        self._patience = _time("patience", self.patience)
        self._price = math.nan  # money/MB
        self._limit: Floats = np.zeros(0)
        self._active: Truths = np.zeros(0, dtype=np.bool_)
        self._here: Truths = np.zeros(0, dtype=np.bool_)
        self._until_s: Floats = np.zeros(0)  # when the user comes or goes
        self._leaves_s: Floats = np.zeros(0)  # when its patience ends; infinite while content

    @property
    def inertia(self) -> float:
        """The share of users that do not look at a decision."""
        return 1 - self.looks

    def decide_many(self, seen: Observation) -> Decision:
        """The flows that may send, and their payments."""
        if seen.agent is None:
            raise StrategyError("price-demand: random users require a market")
        random, count = seen.agent.random, len(seen.flows.flow)
        if len(self._limit) != count:
            self._meet(count, seen.t_s, random)
        self._look(seen)
        self._come_and_go(seen.t_s, random)
        self._choose(seen.t_s, random)
        if not math.isnan(self._price):
            seen.agent.note("price_per_mb", self._price)
        seen.agent.note("users", int(self._active.sum()))
        pay = np.full(count, LEAVE if self.pay < 0 else float(round(self.pay * MICRO)))
        return Decision(pay, active=self._active)

    def _meet(self, count: int, t_s: float, random: np.random.Generator) -> None:
        """Everybody is there at first, and nobody knows a price."""
        even = random.permutation((np.arange(count) + 0.5) / count)
        self._limit = self._demand.limit(even if self.even else _shares(random, count))
        self._active, self._here = np.ones(count, np.bool_), np.ones(count, np.bool_)
        self._leaves_s = np.full(count, np.inf)
        self._until_s = np.full(count, np.inf)
        if self._stay is not None:
            self._until_s = t_s + self._stay.draw(random, count)

    def _look(self, seen: Observation) -> None:
        flows = seen.flows
        megabytes = float(np.nansum(flows.payload_bps)) * seen.dt_s / BITS_PER_MB
        if megabytes > 0:
            price = float(flows.bill_micro.sum()) / MICRO / megabytes
            known = price if math.isnan(self._price) or self._probe >= 0 else self._price
            self._price = known + SMOOTHING * (price - known)

    def _come_and_go(self, t_s: float, random: np.random.Generator) -> None:
        if self._stay is None or self._away is None:
            return
        turns = t_s >= self._until_s
        comes, goes = turns & ~self._here, turns & self._here
        self._here = self._here ^ turns
        self._until_s[comes] = t_s + self._stay.draw(random, int(comes.sum()))
        self._until_s[goes] = t_s + self._away.draw(random, int(goes.sum()))
        if not self.even:
            self._limit[comes] = self._demand.limit(_shares(random, int(comes.sum())))
        self._leaves_s[turns] = np.inf
        self._active = self._active & self._here

    def _choose(self, t_s: float, random: np.random.Generator) -> None:
        content = np.ones(len(self._limit), np.bool_)
        if not math.isnan(self._price):
            content = self._limit >= self._price
        upset = self._active & ~content & np.isinf(self._leaves_s)
        wait = np.zeros(int(upset.sum()))
        if self._patience is not None:
            wait = self._patience.draw(random, len(wait))
        self._leaves_s[upset] = t_s + wait
        self._leaves_s[content] = np.inf
        looks = random.random(len(content)) < self.looks
        joins = looks & self._here & content
        leaves = looks & ~content & (t_s >= self._leaves_s)
        active = (self._active | joins) & ~leaves
        self._active = self._probed(t_s, active, content)
        self._leaves_s[~self._active] = np.inf

    def _probed(self, t_s: float, active: Truths, content: Truths) -> Truths:
        """Who sends; where nobody would, one user does from time to time."""
        if self._probe >= 0 and not content[self._probe]:
            active[self._probe] = False
        self._probe = -1
        if active.any():
            self._again_s = math.inf
            self._wait_s = self.retry if (active & content).any() else self._wait_s
        elif math.isinf(self._again_s):
            self._again_s = t_s + self._wait_s
        elif t_s >= self._again_s and self._here.any():
            self._probe = int(np.where(self._here, self._limit, -np.inf).argmax())
            active[self._probe] = True
            self._again_s = math.inf
            self._wait_s = min(2 * self._wait_s, LONGEST * self.retry)
        return active


def _shares(random: np.random.Generator, count: int) -> Floats:
    """Uniform in (0, 1): neither end, where limits may be infinite."""
    return (random.integers(2**52, size=count) + 0.5) / 2**52


def _made(key: str, given: Mapping[str, object], kinds: Mapping[str, type]) -> Any:
    params = {name: value for name, value in given.items() if name != "kind"}
    try:
        return kinds[str(given["kind"])](**params)
    except Refused as refused:
        raise Refused(f"{key}.{refused.key}", refused.found, refused.expected) from None


def _time(key: str, given: Mapping[str, object] | None) -> TimeDraw | None:
    made: TimeDraw | None = None if given is None else _made(key, given, TIMES)
    return made
