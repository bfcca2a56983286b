# SPDX-License-Identifier: Apache-2.0
"""`fee-limit`: each flow takes the most expensive class within its user's limit.

A user's limit [money/s] is log-uniform between `low` and `high`. So among N users, an average of

    N log(high / F) / log(high / low)

can afford a class with the fee F, which gives the elasticity 1 / log(high / F). With `even`, limits
are evenly spaced instead of random. A flow that a class refuses keeps its current class, and
repeats the request at the next decision. A flow whose user cannot afford the cheapest class is
switched off. Users compare the classes of their current provider. This strategy is the QoS knob of
Antoniadis et al. 2000, 2.1, for users who know their limits. `qos-knob` is for users who learn from
experience.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Annotated, ClassVar

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.decision import Decision
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import NO_OFFER, Observation
from ecnomy.agents.parameters import Refused, Unit, positive

__all__ = ["FeeLimit"]


@dataclasses.dataclass
class FeeLimit:
    """Takes for each flow the most expensive class within its user's limit.

    Attributes:
        low: the lowest limit [above 0], which is the highest fee that the least willing user pays.
        high: the highest limit [at least `low`], which is the highest fee that the most willing
            user pays.
        even: whether limits are evenly spaced on a logarithmic scale instead of random [Boolean].
    """

    roles: ClassVar[tuple[str, ...]] = ("customer",)
    heeds_lag: ClassVar[bool] = True  # because it uses only fees
    low: Annotated[float, Unit("money/s")]
    high: Annotated[float, Unit("money/s")]
    even: bool = False

    def __post_init__(self) -> None:
        positive("low", self.low, "money/s")
        if not self.low <= self.high < math.inf:
            found, expected = f"{self.high:g} money/s", f"at least {self.low:g} money/s"
            raise Refused("high", found, f"{expected}, the lowest limit")
        self._limit_micro: Floats = np.zeros(0)

    def decide_many(self, observation: Observation) -> Decision:
        """Return the new class of each flow, and whether the flow may send."""
        if observation.agent is None:
            raise StrategyError("fee-limit: random limits require a market")
        flows = observation.flows
        count = len(flows.flow)
        if len(self._limit_micro) != count:
            self._limit_micro = self._limits(count, observation.agent.random)
        wanted, affords = flows.offer.copy(), np.ones(count, dtype=np.bool_)
        for held in np.unique(flows.offer).tolist():
            if held == NO_OFFER:
                continue
            sold_by = observation.offers[held].provider
            own = [k for k, offer in enumerate(observation.offers) if offer.provider == sold_by]
            own.sort(key=lambda k: observation.offers[k].fee_micro_per_s)
            fees = np.array([observation.offers[k].fee_micro_per_s for k in own])
            at = np.flatnonzero(flows.offer == held)
            step = np.searchsorted(fees, self._limit_micro[at], side="right") - 1
            affords[at] = step >= 0
            wanted[at] = np.array(own)[np.maximum(step, 0)]
        return Decision(offer=wanted, active=affords)

    def _limits(self, count: int, random: np.random.Generator) -> Floats:
        evenly = (np.arange(count) + 0.5) / max(count, 1)
        share = random.permutation(evenly) if self.even else random.random(count)
        limits: Floats = MICRO * self.low * (self.high / self.low) ** share
        return limits
