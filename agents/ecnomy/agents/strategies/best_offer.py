# SPDX-License-Identifier: Apache-2.0
"""`best-offer`: users with a choice take the source that leaves them most, and change when it pays.

The agent's sources are the alternatives, such as the same traffic over several carriers; member i
of each is user i, who sends over one of them and has the others switched off. What an alternative
leaves a user per second is its surplus

    s = U(x) - bill        [money/s], x the goodput

of the time between two decisions, smoothed with weight 1/2. The bill is all that the user pays for
its flow: marks where it pays them itself, class fees, and contracts on a meter. Of an alternative
that a user is not in it goes by the mean of those who are (word of mouth), else by what was last
known of it; what nobody knows yet is taken for as good as the best known. A user changes where

    (s' - s) x horizon > switching_cost

s' being the best alternative's. A share `loyalty` of users does not look at a decision, and a share
`curiosity` of the others tries something else whatever it knows. If all looked at once, they would
move as a herd. First choices are drawn at random. Each change counts in the figure `switches` of
the table `agents`.
Discrete choice with switching costs: Farrell and Klemperer 2007, section 2.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Annotated, ClassVar, Final

import numpy as np

from ecnomy.agents.decision import LEAVE, Decision
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.observation import Floats, FlowColumns, Integers, Observation, Truths
from ecnomy.agents.parameters import OneOf, Refused, Unit
from ecnomy.agents.utilities import UTILITIES, find_utility, utility_of

__all__ = ["BestOffer"]

MICRO: Final = 1e6
SMOOTHING: Final = 0.5
LEAST: Final = 1e-3  # of x0: U of no rate at all may be minus infinity


@dataclasses.dataclass
class BestOffer:
    """A choice between sources for each of the agent's users.

    Attributes:
        utility: kind and parameters (see ecnomy.agents.utilities), concave or not.
        pay: what a user spends on marks while it pays for them itself; negative: as it was.
        switching_cost: what a change costs a user, in its own reckoning: nobody is paid.
        horizon: the time over which a gain must make up for it.
        loyalty: share of users that do not look at a decision.
        curiosity: share of those who look that try something else.
    """

    roles: ClassVar[tuple[str, ...]] = ("customer",)
    utility: Annotated[Mapping[str, object], OneOf(UTILITIES, find_utility)]
    pay: Annotated[float, Unit("money/s")] = -1.0
    switching_cost: Annotated[float, Unit("money")] = 0.0
    horizon: Annotated[float, Unit("s")] = 60.0
    loyalty: float = 0.9
    curiosity: float = 0.02

    def __post_init__(self) -> None:
        try:
            self._utility = utility_of(self.utility)
        except Refused as refused:
            raise Refused(f"utility.{refused.key}", refused.found, refused.expected) from None
        if self._utility.x0 is None:
            raise Refused("utility.x0", "no 'x0'", "a rate such as 1 Mbps")
        if not 0 <= self.switching_cost < math.inf:
            raise Refused("switching_cost", f"{self.switching_cost:g} money", "0 or more")
        if not 0 < self.horizon < math.inf:
            raise Refused("horizon", f"{self.horizon:g} s", "a time above 0 s")
        for name in ("loyalty", "curiosity"):
            if not 0 <= getattr(self, name) <= 1:
                raise Refused(name, f"{getattr(self, name):g}", "a share from 0 to 1")
        self._rows: Integers = np.zeros((0, 0), dtype=np.int64)  # [alternative, user]
        self._known: Floats = np.zeros((0, 0))  # surplus, money/s; NaN: not known
        self._choice: Integers = np.zeros(0, dtype=np.int64)
        self._switches = 0

    def decide_many(self, seen: Observation) -> Decision:
        """Which flows may send, and what they pay."""
        if seen.agent is None:
            raise StrategyError("best-offer: users are drawn at random, which takes a market")
        if not len(seen.flows.flow):
            return Decision()
        random = seen.agent.random
        if self._rows.size != len(seen.flows.flow):
            self._meet(seen.flows)
            alternatives, users = self._rows.shape
            self._choice = np.asarray(random.integers(alternatives, size=users), dtype=np.int64)
        elif seen.dt_ps:
            self._learn(seen)
            choice = self._better(random)
            moved = int(np.count_nonzero(choice != self._choice))
            self._choice = choice
            if moved:
                self._switches += moved
                seen.agent.note("switches", self._switches)
        return self._decision(len(seen.flows.flow))

    def _meet(self, flows: FlowColumns) -> None:
        """Rows of each alternative by user."""
        sources = np.unique(flows.source)
        rows = [np.flatnonzero(flows.source == source) for source in sources]
        if len({len(own) for own in rows}) > 1 or len(rows) < 2:
            counts = ", ".join(str(len(own)) for own in rows)
            raise StrategyError(
                f"best-offer: its sources have {counts} flows, expected two or more sources with "
                "as many flows each, one for each user"
            )
        self._rows = np.array(rows, dtype=np.int64)
        self._known = np.full(self._rows.shape, np.nan)

    def _learn(self, seen: Observation) -> None:
        """What the alternative in use left each user since the last decision."""
        self._learn_of(seen, self._rows[self._choice, np.arange(len(self._choice))])

    def _learn_of(self, seen: Observation, used: Integers) -> None:
        """What each user's flow of the choice in use left it; `used` are rows of those seen."""
        flows = seen.flows
        assert self._utility.x0 is not None
        ratio = np.maximum(flows.goodput_bps[used] / self._utility.x0, LEAST)
        cost = flows.bill_micro[used] / MICRO / seen.dt_s
        surplus = self._utility.value(ratio) - cost
        at = self._choice, np.arange(len(self._choice))
        before = self._known[at]
        fresh = np.isnan(before)
        self._known[at] = np.where(fresh, surplus, before + SMOOTHING * (surplus - before))

    def _told(self) -> Floats:
        """What each user takes each alternative to leave it, [alternative, user]."""
        told = self._known.copy()
        for k in range(len(told)):
            inside = self._choice == k
            if inside.any():
                told[k, ~inside] = np.nanmean(self._known[k, inside])
        if np.isnan(told).all():
            return np.zeros_like(told)
        return np.where(np.isnan(told), np.nanmax(told), told)

    def _better(self, random: np.random.Generator) -> Integers:
        """Each user's next choice."""
        told, users = self._told(), np.arange(len(self._choice))
        best = told.argmax(axis=0)
        gain = (told[best, users] - told[self._choice, users]) * self.horizon
        looks = random.random(len(users)) >= self.loyalty
        moves: Truths = looks & (gain > self.switching_cost)
        choice = np.where(moves, best, self._choice)
        tries = looks & (random.random(len(users)) < self.curiosity)
        other = (self._choice + random.integers(1, len(told), size=len(users))) % len(told)
        return np.where(tries, other, choice)

    def _decision(self, flows: int) -> Decision:
        active = np.zeros(flows, dtype=np.bool_)
        active[self._rows[self._choice, np.arange(len(self._choice))]] = True
        pay = np.full(flows, LEAVE if self.pay < 0 else float(round(self.pay * MICRO)))
        return Decision(pay, active=active)
