# SPDX-License-Identifier: Apache-2.0
"""The dynamic price handler (DPH): an agent at the user who pays the marks of its flows itself.

Rate control (WTP, in the engine) adapts to marks within round trips and runs by itself. The
handler resets what it aims at, a willingness to pay per flow and perhaps a rate cap, on a time
scale slower than that (Antoniadis et al. 2000, 2.2). Its flows have no class: no other agent pays
for them.
"""

from __future__ import annotations

from typing import Final

import mesa

from ecnomy.agents.decision import Decision
from ecnomy.agents.observation import Observation
from ecnomy.agents.roles.role import ADAPT, SHORTEST_PS, Strategist, Terms, settling_ps
from ecnomy.agents.roles.user import User

__all__ = ["PriceHandler"]

LONGER: Final = 2  # times the last interval


class PriceHandler(User):
    """Holds one strategy for the flows of its sources; each flow has a willingness of its own.

    It decides at the first report, so that no flow begins on terms its user did not set, then at
    a random phase, then at its interval. Where that adapts to what it measures it is at most
    twice the time just watched: a flow that gathers speed has met one mark or two, which taken for
    its marking probability would put the handler to sleep for many minutes.
    """

    def __init__(self, model: mesa.Model, name: str, terms: Terms) -> None:
        """See Role; a strategy that cannot be made or used is a StrategyError."""
        super().__init__(model, name, terms, ADAPT)
        self._phase_ps, self.next_ps = self.next_ps, 0
        self._strategist = Strategist(name, terms.kind or "constant-charge", terms.params)

    def decide(self, seen: Observation) -> Decision:
        """Its willingness to pay for each flow, and the flow's rate cap."""
        decision = self._strategist.decide(seen)
        if seen.dt_ps == 0:
            self.next_ps = seen.t_ps + self._phase_ps
            return decision
        heeds_lag, inertia = self._strategist.heeds_lag, self._strategist.inertia
        self.decided(seen.t_ps, settling_ps(seen.flows), heeds_lag=heeds_lag, inertia=inertia)
        if self.interval_ps == ADAPT:
            longest_ps = max(SHORTEST_PS, LONGER * seen.dt_ps)
            self.next_ps = min(self.next_ps, seen.t_ps + longest_ps)
        return decision
