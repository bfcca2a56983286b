# SPDX-License-Identifier: Apache-2.0
"""Record the active time, marks, mark charges and refusals of flows in each service class.

Marks and their cost count towards the class to which their flow belongs when the marks arrive. A
market keeps these records only if a provider observes its classes or a class has a cap on its cost.

    recent cost     c <- c + (1 - exp(-dt / 10 s)) (cost of marks in the epoch / dt - c)
    hidden          h <- h exp(-dt / 10 s), plus one with each member that enters

If a member costs w per second from its entry on, c includes part of this cost, and h w adds the
rest.
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
    """Totals of each class since the start of the run, in read-only columns."""

    flow_s: Floats
    marks: Integers
    charge_micro: Integers
    refused: Integers


class ClassBooks:
    """The records of all classes in a market.

    Attributes:
        counts: totals so far; replaced, never modified in place.
        cost_micro_per_s: recent cost c of each class's marks; replaced, never modified in place.
        hidden: number h of members in each class that c does not include yet.
    """

    def __init__(self, plan: Plan, classes: int) -> None:
        self._spans, self._classes = Spans(plan), classes
        none = held(np.zeros(classes, dtype=np.int64))
        self.counts = ClassCounts(held(np.zeros(classes)), none, none, none)
        self.cost_micro_per_s: Floats = held(np.zeros(classes))
        self.hidden: Floats = np.zeros(classes)

    def close(self, epoch: Epoch) -> None:
        """Add an epoch whose mark charges have been booked."""
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
        """Add members admitted to a class."""
        self.hidden[offer] += members

    def refuse(self, offer: int, flows: int) -> None:
        """Add flows refused by a class."""
        refused = self.counts.refused.copy()
        refused[offer] += flows
        self.counts = msgspec.structs.replace(self.counts, refused=held(refused))

    def _whole(self, epoch: Epoch, of_flows: Integers) -> Integers:
        total = np.zeros(self._classes + 1, dtype=np.int64)
        np.add.at(total, epoch.offer, of_flows)
        return total[:-1]
