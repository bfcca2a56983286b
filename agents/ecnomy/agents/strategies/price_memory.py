# SPDX-License-Identifier: Apache-2.0
"""`price-memory`: short files begin at what their rate costs, as flows before them found it.

Antoniadis et al. 2000, 5: short flows "might be completed in a few round trip times, or even in
less than one. One approach for tackling this problem is to use cached information from previous
flows that shared the same path, and hence have experienced the same congestion prices." A flow
that is to have the rate x (of payload) where a bit costs lambda pays

    w = x lambda

as WTP is at rest at w / lambda. lambda is remembered for each source, whose flows share a path,
from all of its flows (cost_memory.py), and fades by exp(-dt / memory) with the time in which some
of them send. Every flow is told w at every decision, under way or between files, so that a file
begins with what is known at that time; one flow alone would find out only when its file is over.
"""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar, Final

import numpy as np

from ecnomy.agents.decision import Decision
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import Observation
from ecnomy.agents.parameters import Unit, positive
from ecnomy.agents.strategies.cost_memory import CostMemory

__all__ = ["PriceMemory"]

LEAST_MICRO: Final = 1.0


@dataclasses.dataclass
class PriceMemory:
    """Pays what a rate costs by what is remembered of the path.

    Attributes:
        rate: payload rate at which a file is to be sent.
        memory: time over which the cost of a byte is averaged.
        cost: what a byte costs: a guess, until the first file was seen.
        most: the most that is paid per second for a flow.
    """

    roles: ClassVar[tuple[str, ...]] = ("application-provider", "price-handler")
    rate: Annotated[float, Unit("bit/s")]
    memory: Annotated[float, Unit("s")] = 30.0
    cost: Annotated[float, Unit("money/MB")] = 1.0
    most: Annotated[float, Unit("money/s")] = 1000.0

    def __post_init__(self) -> None:
        for name, unit in (("rate", "bit/s"), ("memory", "s"), ("cost", "money/MB")):
            positive(name, getattr(self, name), unit)
        positive("most", self.most, "money/s")
        self._costs = CostMemory(self.memory, self.cost)  # money/MB are micro-units a byte

    def decide_many(self, seen: Observation) -> Decision:
        """The same willingness for all flows of a source."""
        self._costs.learn(seen)
        pay = self.rate / 8 * self._costs.micro_per_byte(seen.flows.source)
        return Decision(np.rint(np.clip(pay, LEAST_MICRO, self.most * MICRO)))
