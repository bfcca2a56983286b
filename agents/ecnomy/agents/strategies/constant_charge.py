# SPDX-License-Identifier: Apache-2.0
"""`constant-charge`: pay for marks at a constant rate, the class fee unless told otherwise.

Antoniadis et al. 2000, 2.1: the sender keeps the charging rate of a flow at (not above) the charge
of its class. A flow in no class is left alone unless `charge` is given.
"""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar, Final

import numpy as np

from ecnomy.agents.decision import LEAVE, Decision
from ecnomy.agents.observation import NO_OFFER, Observation
from ecnomy.agents.parameters import Unit

__all__ = ["ConstantCharge"]

MICRO: Final = 1_000_000


@dataclasses.dataclass
class ConstantCharge:
    """Pays the fee of the flow's class, or `charge` [money/s] for every flow when it is >= 0."""

    roles: ClassVar[tuple[str, ...]] = ("application-provider", "price-handler")
    charge: Annotated[float, Unit("money/s")] = -1.0

    def decide_many(self, seen: Observation) -> Decision:
        """Willingness to pay per flow, in micro-units per second."""
        offer = seen.flows.offer
        if self.charge >= 0:
            return Decision(np.full(len(offer), float(round(self.charge * MICRO))))
        fees = np.array([o.fee_micro_per_s for o in seen.offers] + [LEAVE], dtype=np.float64)
        return Decision(fees[np.where(offer == NO_OFFER, len(seen.offers), offer)])
