# SPDX-License-Identifier: Apache-2.0
"""The dynamic price handler (DPH): an agent that pays for the marks of its user's flows.

Rate control (WTP, in the engine) adapts to marks within round trips. On a slower time scale, the
handler sets the targets of rate control: a willingness to pay for each flow, and optionally a rate
cap (Antoniadis et al. 2000, 2.2). Its flows are outside any class, so no other agent pays for them.
"""

from __future__ import annotations

from typing import Final

import mesa

from ecnomy.agents.decision import Decision
from ecnomy.agents.observation import Observation, Truths
from ecnomy.agents.roles.role import ADAPT, SHORTEST_PS, Terms, settling_ps
from ecnomy.agents.roles.user import User
from ecnomy.agents.strategies.strategist import Strategist

__all__ = ["PriceHandler"]

LONGER: Final = 2  # largest multiple of the last interval


class PriceHandler(User):
    """Holds one strategy for the flows of its sources; each flow has a separate willingness to pay.

    The handler decides at the first report, so every flow begins with its user's settings. The
    second decision comes after a random delay, and later decisions are an interval apart. An
    adaptive interval is at most twice the last interval, or 5 s if that is longer. Otherwise, the
    next decision could be many minutes away, because a flow that has just started has too few marks
    for an estimate of the marking probability. A handler with an adaptive interval also decides
    when a posted charge by time changes for its flows.
    """

    def __init__(self, model: mesa.Model, name: str, terms: Terms) -> None:
        """Create the agent, or raise StrategyError if its strategy cannot be created or used."""
        super().__init__(model, name, terms, ADAPT)
        self._phase_ps, self.next_ps = self.next_ps, 0
        self._strategist = Strategist(name, terms.kind or "constant-charge", terms.params)

    @property
    def advice(self) -> str:
        """See Role."""
        return self._strategist.advice

    def reconsider(self, t_ps: int, changed: Truths) -> None:
        """See Role. A handler with a configured interval ignores the change."""
        if self.interval_ps == ADAPT and changed[self._rows].any():
            self.next_ps = min(self.next_ps, t_ps)

    def decide(self, observation: Observation) -> Decision:
        """Return the willingness to pay for each flow, and the flow's rate cap."""
        decision = self._strategist.decide(observation)
        if observation.dt_ps == 0:
            self.next_ps = observation.t_ps + self._phase_ps
            return decision
        heeds_lag, inertia = self._strategist.heeds_lag, self._strategist.inertia
        needs_ps = self._strategist.needs_ps
        self.decided(
            observation.t_ps,
            settling_ps(observation.flows),
            heeds_lag=heeds_lag,
            inertia=inertia,
            needs=needs_ps,
        )
        if self.interval_ps == ADAPT:
            longest_ps = max(SHORTEST_PS, LONGER * observation.dt_ps)
            self.next_ps = min(self.next_ps, observation.t_ps + longest_ps)
        return decision
