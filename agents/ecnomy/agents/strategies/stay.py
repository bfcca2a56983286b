# SPDX-License-Identifier: Apache-2.0
"""`stay`: change nothing, the default of customers and connectivity providers."""

from __future__ import annotations

import dataclasses

from ecnomy.agents.decision import Decision
from ecnomy.agents.observation import Observation, PriceObservation

__all__ = ["Stay"]


@dataclasses.dataclass
class Stay:
    """Never turns a knob or changes a price."""

    def decide_many(self, seen: Observation) -> Decision:
        """Keep every class."""
        return Decision()

    def post_price(self, seen: PriceObservation) -> int:
        """Keep the price, in micro-units per mark."""
        return seen.price_micro
