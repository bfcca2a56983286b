# SPDX-License-Identifier: Apache-2.0
"""The application provider: sells classes at a fee and pays the marks of the flows in them.

Its dynamic price handling is `constant-charge` by default: for each flow it is willing to pay the
fee of the flow's class (Antoniadis et al. 2000, 2.1). A new class counts from the report on at
which the flow enters it, so this role decides at every report unless an interval is set.
"""

from __future__ import annotations

from typing import ClassVar, Self

import mesa

from ecnomy.agents.decision import Decision
from ecnomy.agents.observation import Observation, Offer
from ecnomy.agents.roles.role import EVERY_REPORT, Role, Strategist, Terms, settling_ps
from ecnomy.agents.seat import Seat
from ecnomy.agents.spec import AgentSpec

__all__ = ["ApplicationProvider"]


class ApplicationProvider(Role):
    """Holds its classes and one strategy for the flows in them.

    Attributes:
        offers: its classes with their fees.
    """

    phase: ClassVar[str] = "provide"

    def __init__(
        self, model: mesa.Model, name: str, terms: Terms, offers: tuple[Offer, ...]
    ) -> None:
        """See Role; a strategy that cannot be made or used is a StrategyError."""
        super().__init__(model, name, terms, EVERY_REPORT)
        self.offers = offers
        self._strategist = Strategist(name, terms.kind or "constant-charge", terms.params)

    @classmethod
    def made(cls, model: mesa.Model, terms: Terms, spec: AgentSpec) -> Self:
        """See Role."""
        offers = tuple(Offer(spec.name, c.name, c.fee_micro_per_s) for c in spec.classes)
        return cls(model, spec.name, terms, offers)

    def join(self, seat: Seat) -> None:
        """Its classes are on sale."""
        for sold in seat.spec.classes:
            seat.sell_class(sold)

    def act(self, seat: Seat) -> None:
        """Say what it pays for the flows in its classes."""
        rows = seat.sold_rows()
        seat.pay(rows, self.decide(seat.flows(rows)), all_of_them=True)

    def decide(self, seen: Observation) -> Decision:
        """What it is willing to pay for each flow in its classes."""
        decision = self._strategist.decide(seen)
        self.decided(seen.t_ps, settling_ps(seen.flows))
        return decision
