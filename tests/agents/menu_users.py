# SPDX-License-Identifier: Apache-2.0
"""A user agent that chooses from its provider's menu by a timetable."""

from __future__ import annotations

from dataclasses import dataclass

from ecnomy.agents import Decision, Observation


@dataclass
class Timetable:
    """The first flow takes `steady` at 40 s and `fast` at 80 s; the others stay."""

    def decide_many(self, observation: Observation) -> Decision:
        """See observation.agent.choose."""
        agent = observation.agent
        assert agent is not None
        menu = agent.menus[0]
        for second, choice in ((40, "steady"), (80, "fast")):
            if observation.t_s == second:
                agent.choose(menu, choice, menu.flows[:1])
        return Decision()
