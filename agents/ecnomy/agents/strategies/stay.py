# SPDX-License-Identifier: Apache-2.0
"""`stay`: change nothing; the default of customers and connectivity providers."""

from __future__ import annotations

import dataclasses

from ecnomy.agents.decision import Decision
from ecnomy.agents.observation import Observation, PriceObservation

__all__ = ["Stay"]


@dataclasses.dataclass
class Stay:
    """Never changes a flow or a price."""

    def decide_many(self, observation: Observation) -> Decision:
        """Leave all flows unchanged."""
        return Decision()

    def post_price(self, observation: PriceObservation) -> int:
        """Return the current price [micro-units per mark]."""
        return observation.price_micro
