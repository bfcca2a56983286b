# SPDX-License-Identifier: Apache-2.0
"""A customer that moves to the most expensive class, and back to the cheapest, at set times."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

import numpy as np

from ecnomy.agents.decision import Decision
from ecnomy.agents.observation import Observation
from ecnomy.agents.parameters import Unit
from ecnomy.agents.times import PS_PER_S

__all__ = ["Timed"]


@dataclasses.dataclass
class Timed:
    """Changes the class at set times, so that any effect is due to the class alone.

    Attributes:
        up: time of the change to the most expensive class offered.
        down: time of the change back to the cheapest class.
    """

    roles: ClassVar[tuple[str, ...]] = ("customer",)
    up: Annotated[float, Unit("s")]
    down: Annotated[float, Unit("s")]

    def decide_many(self, observation: Observation) -> Decision:
        """Return a decision with all flows in the current class, or an empty one without offers."""
        if not observation.offers:
            return Decision()
        fees = [offer.fee_micro_per_s for offer in observation.offers]
        dear = self.up * PS_PER_S <= observation.t_ps < self.down * PS_PER_S
        wanted = int(np.argmax(fees) if dear else np.argmin(fees))
        return Decision(offer=np.full(len(observation.flows.flow), wanted, dtype=np.int64))
