# SPDX-License-Identifier: Apache-2.0
"""`price-memory`: pay for the rate of short files at a cost learnt from earlier flows.

Antoniadis et al. 2000, 5: short flows "might be completed in a few round trip times, or even in
less than one. One approach for tackling this problem is to use cached information from previous
flows that shared the same path, and hence have experienced the same congestion prices." For a
payload rate x at the cost lambda of a bit, a flow pays

    w = x lambda

because WTP settles at the rate w / lambda. The flows of a source share a path, so the agent
averages lambda over all flows of a source (cost_memory.py). Older payments fade by exp(-dt /
memory) over each time dt in which some flows send. At every decision, all flows get w, even between
files, so a file begins with the current estimate. A single flow would learn the price only at the
end of its file.
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
    """Pays the cost of a rate, as observed by earlier flows on the same path.

    Attributes:
        rate: target payload rate of a file.
        memory: time over which the cost of a byte is averaged.
        cost: initial estimate of the cost of bytes, until the first bytes of the source arrive.
        most: the largest payment per second for a flow.
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
        self._costs = CostMemory(self.memory, self.cost)  # money/MB equals micro-units per byte

    def decide_many(self, observation: Observation) -> Decision:
        """Return the same willingness to pay for all flows of a source."""
        self._costs.learn(observation)
        pay = self.rate / 8 * self._costs.micro_per_byte(observation.flows.source)
        return Decision(np.rint(np.clip(pay, LEAST_MICRO, self.most * MICRO)))
