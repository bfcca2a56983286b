# SPDX-License-Identifier: Apache-2.0
"""The customer: uses flows, pays their class fees, and may change their classes (the QoS knob)."""

from __future__ import annotations

import mesa

from ecnomy.agents.decision import Decision
from ecnomy.agents.observation import Observation
from ecnomy.agents.roles.role import ADAPT, Terms, settling_ps
from ecnomy.agents.roles.user import User
from ecnomy.agents.strategies.strategist import Strategist

__all__ = ["Customer"]


class Customer(User):
    """Holds one strategy for the flows of its sources; by default, they stay in their classes."""

    def __init__(self, model: mesa.Model, name: str, terms: Terms) -> None:
        """Create the agent, or raise StrategyError if its strategy cannot be created or used."""
        super().__init__(model, name, terms, ADAPT)
        self._strategist = Strategist(name, terms.kind or "stay", terms.params)

    @property
    def advice(self) -> str:
        """See Role."""
        return self._strategist.advice

    def decide(self, observation: Observation) -> Decision:
        """Return the requested classes, and the payment for flows whose marks the customer pays."""
        decision = self._strategist.decide(observation)
        heeds_lag, inertia = self._strategist.heeds_lag, self._strategist.inertia
        needs_ps = self._strategist.needs_ps
        self.decided(
            observation.t_ps,
            settling_ps(observation.flows),
            heeds_lag=heeds_lag,
            inertia=inertia,
            needs=needs_ps,
        )
        return decision
