# SPDX-License-Identifier: Apache-2.0
"""The application provider: sells classes at a fee and pays the marks of the flows in them.

Its dynamic price handling is `constant-charge` by default: for each flow it is willing to pay the
fee of the flow's class (Antoniadis et al. 2000, 2.1). A new class counts from the report on at
which the flow enters it, so this role decides at every report unless an interval is set.
"""

from __future__ import annotations

import mesa

from ecnomy.agents.decision import Decision
from ecnomy.agents.observation import Observation, Offer
from ecnomy.agents.role import EVERY_REPORT, Role, Strategist, Terms, settling_ps

__all__ = ["ApplicationProvider"]


class ApplicationProvider(Role):
    """Holds its classes and one strategy for the flows in them.

    Attributes:
        offers: its classes with their fees.
    """

    role = "application-provider"

    def __init__(
        self, model: mesa.Model, name: str, terms: Terms, offers: tuple[Offer, ...]
    ) -> None:
        """See Role; a strategy that cannot be made or used is a StrategyError."""
        super().__init__(model, name, terms, EVERY_REPORT)
        self.offers = offers
        self._strategist = Strategist(name, terms.kind or "constant-charge", terms.params)

    def decide(self, seen: Observation) -> Decision:
        """What it is willing to pay for each flow in its classes."""
        decision = self._strategist.decide(seen)
        self.decided(seen.t_ps, settling_ps(seen.flows))
        return decision
