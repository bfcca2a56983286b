# SPDX-License-Identifier: Apache-2.0
"""The base class of roles that choose classes for flows, switch flows on and off, and pay."""

from __future__ import annotations

from ecnomy.agents.decision import Decision
from ecnomy.agents.observation import Observation
from ecnomy.agents.roles.role import Role
from ecnomy.agents.seat import Seat

__all__ = ["User"]


class User(Role):
    """Uses the flows of its sources. A derived role controls these flows in `decide`."""

    def join(self, seat: Seat) -> None:
        """Become the user of the sources' flows."""
        self._rows = seat.use(seat.spec.sources)

    def act(self, seat: Seat) -> None:
        """Choose classes, switch flows on and off, and pay for flows outside any class."""
        decision = self.decide(seat.flows(self._rows))
        seat.move(self._rows, decision)
        seat.switch(self._rows, decision)
        seat.pay(self._rows, decision, all_of_them=False)

    def decide(self, observation: Observation) -> Decision:
        """Return the user's decisions on the observed flows."""
        raise NotImplementedError
