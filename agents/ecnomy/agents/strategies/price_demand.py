# SPDX-License-Identifier: Apache-2.0
"""`price-demand`: users are active while the cost of a MB is within their limit.

Each flow is a user with a limit [money/MB], drawn from a demand curve (demands.py). At a price q,
an expected share D(q) of the users present takes part. The flows of other users are switched off.
With traffic of kind `web`, these users are the background of Antoniadis et al. 2000, section 5:
on-off users with random pages and think times (drawn by the traffic), who react to prices by the
value of a page.

All users of the agent share one price: the cost of a MB of their data since the last decision, from
their total bill (marks, class fees, contracts), smoothed with weight 1/2.

If no user accepts the price, nobody sends, so nobody observes the price. In this case, the user
with the highest limit among those present sends for one decision interval as a trial. The first
trial comes after a time `retry`, and the wait doubles each time, up to 8 times `retry`. The cost of
a MB in the trial becomes the price for all users.

    arrival     a user is present for a time drawn from `stay`, then away for one drawn from `away`;
                it returns with a new limit unless `even` is set; without these times, all users
                are always present
    patience    a user may leave once the price has exceeded its limit for a time drawn from
                `patience`
    inertia     a random share `looks` of users considers a change at each decision

Inertia makes the number of users stable. Let e be the elasticity of D, and k the elasticity of the
marking law at the link's load. One decision leaves a share 1 - looks (1 + e k) of an error in the
number of users. Up to looks = 1 / (1 + e k), this share is positive, and the number does not
oscillate. If all users decide simultaneously at a price that depends on their number, they come and
go as a herd. If the price does not depend on the load, use looks = 1.
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
from ecnomy.agents.volumes import BITS_PER_MB

__all__ = ["PriceDemand"]

SMOOTHING: Final = 0.5
LONGEST: Final = 8  # longest wait, as a multiple of `retry`


@dataclasses.dataclass
class PriceDemand:
    """Allows only users who accept the price to send.

    Attributes:
        demand: kind and parameters of the demand curve.
        pay: an active user's spending on marks; a negative value keeps the payment unchanged, for
            transports without a mark rate.
        looks: share of users that consider a change at a decision [above 0, up to 1].
        even: whether limits are evenly spaced over the curve instead of random [Boolean].
        stay: time for which a user is present, used with `away`; by default, users are always
            present.
        away: time for which a user is away after each stay, used with `stay`.
        patience: time for which a user tolerates a price above its limit; by default 0.
        retry: time until one user tries the price again after all have left.
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
            raise Refused("looks", f"{self.looks:g}", "a share above 0 and at most 1")
        if (self.stay is None) != (self.away is None):
            key = "away" if self.away is None else "stay"
            raise Refused(key, f"no {key!r}", "both 'stay' and 'away', or neither")
        positive("retry", self.retry, "s")
        self._wait_s, self._again_s, self._probe = self.retry, math.inf, -1  # -1 means no trial
        self._demand: Demand = _made("demand", self.demand, DEMANDS)
        self._stay = _time("stay", self.stay)
        self._away = _time("away", self.away)
        self._patience = _time("patience", self.patience)
        self._price = math.nan  # money/MB
        self._limit: Floats = np.zeros(0)
        self._active: Truths = np.zeros(0, dtype=np.bool_)
        self._here: Truths = np.zeros(0, dtype=np.bool_)
        self._until_s: Floats = np.zeros(0)  # time of the next arrival or departure
        self._leaves_s: Floats = np.zeros(0)  # end of patience; infinite while satisfied

    @property
    def inertia(self) -> float:
        """The share of users that skip a decision."""
        return 1 - self.looks

    def decide_many(self, observation: Observation) -> Decision:
        """Return which flows may send, and the payments for their marks."""
        if observation.agent is None:
            raise StrategyError("price-demand: random users require a market")
        random, count = observation.agent.random, len(observation.flows.flow)
        if len(self._limit) != count:
            self._meet(count, observation.t_s, random)
        self._look(observation)
        self._come_and_go(observation.t_s, random)
        self._choose(observation.t_s, random)
        if not math.isnan(self._price):
            observation.agent.note("price_per_mb", self._price)
        observation.agent.note("users", int(self._active.sum()))
        pay = np.full(count, LEAVE if self.pay < 0 else float(round(self.pay * MICRO)))
        return Decision(pay, active=self._active)

    def _meet(self, count: int, t_s: float, random: np.random.Generator) -> None:
        even = random.permutation((np.arange(count) + 0.5) / count)
        self._limit = self._demand.limit(even if self.even else _shares(random, count))
        self._active, self._here = np.ones(count, np.bool_), np.ones(count, np.bool_)
        self._leaves_s = np.full(count, np.inf)
        self._until_s = np.full(count, np.inf)
        if self._stay is not None:
            self._until_s = t_s + self._stay.draw(random, count)

    def _look(self, observation: Observation) -> None:
        flows = observation.flows
        megabytes = float(np.nansum(flows.payload_bps)) * observation.dt_s / BITS_PER_MB
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
        considers = random.random(len(content)) < self.looks
        joins = considers & self._here & content
        leaves = considers & ~content & (t_s >= self._leaves_s)
        active = (self._active | joins) & ~leaves
        self._active = self._probed(t_s, active, content)
        self._leaves_s[~self._active] = np.inf

    def _probed(self, t_s: float, active: Truths, content: Truths) -> Truths:
        """Return the users who send; if nobody sends, one user tries from time to time."""
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
    """Draw uniformly from (0, 1) without the end points, at which limits may be infinite."""
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
