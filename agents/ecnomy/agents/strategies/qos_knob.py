# SPDX-License-Identifier: Apache-2.0
"""`qos-knob`: move flows between classes by goodput and marks (Antoniadis et al. 2000, 2.1).

    up    goodput below satisfied x (best mean goodput so far) for `patience`, with marks in that
          time, and the provider's next more expensive class within `budget`
    down  no mark for `patience`: without congestion the cheaper class gets the same service

Means are over the time between two decisions. Congestion does not limit a flow that had no mark for
`patience`. A more expensive class would not help such a flow, so it never goes up. Every move
restarts both waiting times, so the next move is at least `patience` later, and the knob cannot
oscillate faster. The strategy ignores flows that may not send.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Annotated, ClassVar, Final

import numpy as np

from ecnomy.agents.arrays import Integers
from ecnomy.agents.decision import Decision
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import NO_OFFER, Observation, Offer
from ecnomy.agents.parameters import Refused, Unit, positive
from ecnomy.agents.times import PS_PER_S

__all__ = ["QosKnob"]

_NONE: Final = np.array([NO_OFFER])


@dataclasses.dataclass
class QosKnob:
    """Turns the knob of each flow by one class at a time.

    Attributes:
        patience: time for which a condition must hold before the customer acts.
        satisfied: share of the best mean goodput below which the customer is not satisfied
            [from 0 to 1].
        budget: the largest fee per flow that the customer accepts; unlimited by default.
    """

    roles: ClassVar[tuple[str, ...]] = ("customer",)
    patience: Annotated[float, Unit("s")] = 10.0
    satisfied: float = 0.9
    budget: Annotated[float, Unit("money/s")] = math.inf

    def __post_init__(self) -> None:
        positive("patience", self.patience, "s")
        if not 0 <= self.satisfied <= 1:
            raise Refused("satisfied", f"{self.satisfied:g}", "from 0 to 1")
        if not self.budget >= 0:
            raise Refused("budget", f"{self.budget:g} money/s", "0 or more")
        self._patience_ps = round(self.patience * PS_PER_S)
        self._on_offer: tuple[Offer, ...] = ()
        self._steps = _ladder((), 0.0)
        self._start(0, 0)

    def decide_many(self, observation: Observation) -> Decision:
        """Return the new class of each flow."""
        flows = observation.flows
        if len(self._best_bps) != len(flows.flow):
            self._start(len(flows.flow), observation.t_ps - observation.dt_ps)
        if observation.dt_ps == 0 or not observation.offers:
            return Decision()
        self._watch(observation)
        latest_ps = np.array([observation.t_ps - self._patience_ps])
        below, unmarked = self._content_ps <= latest_ps, self._marked_ps <= latest_ps
        if not np.count_nonzero(below | unmarked):
            return Decision(offer=flows.offer)
        if self._on_offer is not observation.offers:
            budget_micro = self.budget * MICRO
            self._on_offer, self._steps = (
                observation.offers,
                _ladder(observation.offers, budget_micro),
            )
        dearer, cheaper = (steps[flows.offer] for steps in self._steps)
        up = below & ~unmarked & (dearer != _NONE)
        down = unmarked & (cheaper != _NONE)
        moved = up | down
        if not np.count_nonzero(moved):
            return Decision(offer=flows.offer)
        self._content_ps[moved] = self._marked_ps[moved] = observation.t_ps
        return Decision(offer=np.where(up, dearer, np.where(down, cheaper, flows.offer)))

    def _start(self, flows: int, t_ps: int) -> None:
        self._best_bps = np.zeros(flows)
        self._content_ps = np.full(flows, t_ps)  # last time at which the flow was satisfied
        self._marked_ps = np.full(flows, t_ps)  # time of the last mark

    def _watch(self, observation: Observation) -> None:
        """Update the times at which each flow was last satisfied and last marked."""
        flows = observation.flows
        active = flows.active.astype(np.bool_)
        best_bps = np.maximum(self._best_bps, flows.goodput_bps)
        if np.count_nonzero(active) < len(active):
            best_bps[~active] = self._best_bps[~active]
        self._best_bps = best_bps
        below = active & (flows.goodput_bps < self.satisfied * best_bps)
        self._content_ps[~below] = observation.t_ps
        self._marked_ps[~active | flows.marks.astype(np.bool_)] = observation.t_ps


def _ladder(offers: tuple[Offer, ...], budget_micro: float) -> tuple[Integers, Integers]:
    """Return, for each class, the next dearer class within budget and the next cheaper class.

    A missing class is NO_OFFER. The additional last row, with the index NO_OFFER, is for flows
    outside classes.
    """
    dearer = np.full(len(offers) + 1, NO_OFFER, dtype=np.int64)
    cheaper = np.full(len(offers) + 1, NO_OFFER, dtype=np.int64)
    for index, offer in enumerate(offers):
        rivals = [
            (o.fee_micro_per_s, i) for i, o in enumerate(offers) if o.provider == offer.provider
        ]
        above = [pair for pair in rivals if offer.fee_micro_per_s < pair[0]]
        below = [pair for pair in rivals if pair[0] < offer.fee_micro_per_s]
        if above and min(above)[0] <= budget_micro:
            dearer[index] = min(above)[1]
        if below:
            cheaper[index] = max(below)[1]
    return dearer, cheaper
