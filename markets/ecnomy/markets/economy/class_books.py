# SPDX-License-Identifier: Apache-2.0
"""Records of each service class: the time of flows in it, their marks and cost, and refusals.

Marks and their cost count in the class to which the flow belongs when they arrive. Records exist
only where they are used: for providers that post fees, and for classes with a cap on their cost.

    recent cost     c <- c + (1 - exp(-dt / 10 s)) (cost of marks in the epoch / dt - c)
    hidden          h <- h exp(-dt / 10 s), plus one with each member that enters

If a member costs w per second from its entry on, c contains one part of this cost, and h the other
part.
"""

from __future__ import annotations

import math
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.economy.contracts import Spans
from ecnomy.markets.economy.readings import Epoch
from ecnomy.markets.economy.shared_columns import held
from ecnomy.markets.plan import Plan

__all__ = ["LATELY_S", "ClassBooks", "ClassCounts"]

LATELY_S: Final = 10.0


class ClassCounts(msgspec.Struct, frozen=True, eq=False):
    """Totals since the run began, one value per class; never modified."""

    flow_s: Floats
    marks: Integers
    charge_micro: Integers
    refused: Integers


class ClassBooks:
    """The books of all classes of a market.

    Attributes:
        counts: totals so far; replaced, never modified in place.
        cost_micro_per_s: recent cost of marks; replaced, never modified in place.
        hidden: members that the recent cost does not include yet.
    """

    def __init__(self, plan: Plan, classes: int) -> None:
        self._spans, self._classes = Spans(plan), classes
        none = held(np.zeros(classes, dtype=np.int64))
        self.counts = ClassCounts(held(np.zeros(classes)), none, none, none)
        self.cost_micro_per_s: Floats = held(np.zeros(classes))
        self.hidden: Floats = np.zeros(classes)

    def close(self, epoch: Epoch) -> None:
        """Count an epoch after it has been booked."""
        flow_s = np.zeros(self._classes + 1)  # the last entry is for flows outside classes
        np.add.at(flow_s, epoch.offer, self._spans.active_ps(epoch) / PS_PER_S)
        spent, came = (self._whole(epoch, c) for c in (epoch.charge_micro, epoch.flows("ce")))
        old = self.counts
        self.counts = ClassCounts(
            held(old.flow_s + flow_s[:-1]),
            held(old.marks + came),
            held(old.charge_micro + spent),
            old.refused,
        )
        dt_s = (epoch.to_ps - epoch.from_ps) / PS_PER_S
        if dt_s > 0:
            weight = -math.expm1(-dt_s / LATELY_S)
            late = self.cost_micro_per_s
            self.cost_micro_per_s = held(late + weight * (spent / dt_s - late))
            self.hidden = self.hidden * (1 - weight)

    def enter(self, offer: int, members: int) -> None:
        """Count members admitted to this class."""
        self.hidden[offer] += members

    def refuse(self, offer: int, flows: int) -> None:
        """Count flows refused by this class."""
        refused = self.counts.refused.copy()
        refused[offer] += flows
        self.counts = msgspec.structs.replace(self.counts, refused=held(refused))

    def _whole(self, epoch: Epoch, of_flows: Integers) -> Integers:
        total = np.zeros(self._classes + 1, dtype=np.int64)
        np.add.at(total, epoch.offer, of_flows)
        return total[:-1]
