# SPDX-License-Identifier: Apache-2.0
"""`constant-charge`: pay for marks at a constant rate, by default the charge of the class.

As in Antoniadis et al. 2000, 2.1, the sender keeps the charging rate of a flow at the charge of its
class. This is the class's `charge`, or its fee if the class has no `charge`. A flow outside classes
stays unchanged unless the strategy's parameter `charge` is set.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Annotated, ClassVar

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.decision import LEAVE, Decision
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import NO_OFFER, Observation
from ecnomy.agents.parameters import Refused, Unit

__all__ = ["ConstantCharge", "class_charges"]


@dataclasses.dataclass
class ConstantCharge:
    """Pays a constant charge for every flow, or the charge of the flow's class.

    Attributes:
        charge: the target cost of each flow's marks per second; by default the charge of its class.
    """

    roles: ClassVar[tuple[str, ...]] = ("application-provider", "price-handler")
    charge: Annotated[float | None, Unit("money/s")] = None

    def __post_init__(self) -> None:
        if self.charge is not None and not 0 <= self.charge < math.inf:
            raise Refused("charge", f"{self.charge:g} money/s", "0 money/s or more")

    def charge_in(self, class_charge_micro: int) -> int:
        """Return the target cost of a flow's marks if its class has this charge [micro-units/s]."""
        return class_charge_micro if self.charge is None else round(self.charge * MICRO)

    def decide_many(self, observation: Observation) -> Decision:
        """Return the willingness to pay for each flow [micro-units/s]."""
        offer = observation.flows.offer
        if self.charge is not None:
            return Decision(np.full(len(offer), float(round(self.charge * MICRO))))
        return Decision(class_charges(observation))


def class_charges(observation: Observation) -> Floats:
    """Return each flow's target cost of marks by class [micro-units/s]; LEAVE outside any class."""
    offer = observation.flows.offer
    rates = np.array(
        [o.charging_rate_micro for o in observation.offers] + [LEAVE], dtype=np.float64
    )
    charges: Floats = rates[np.where(offer == NO_OFFER, len(observation.offers), offer)]
    return charges
