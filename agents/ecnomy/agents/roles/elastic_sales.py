# SPDX-License-Identifier: Apache-2.0
"""A row of a provider's table of elastic connection types: files or pages that are there in time.

The provider pays the marks of these flows and says what they may cost, flow by flow, by a strategy
such as `file-budget`: the window law (WTP) carries them as fast as that buys.
"""

from __future__ import annotations

from ecnomy.agents.decision import Decision
from ecnomy.agents.observation import Observation
from ecnomy.agents.roles.role import Strategist
from ecnomy.agents.spec import ElasticLine

__all__ = ["ElasticSales"]


class ElasticSales:
    """Carries the files of its sources at a fixed price each.

    Attributes:
        tariff: as in the scenario.
        sources: whose files it carries.
    """

    def __init__(self, who: str, line: ElasticLine) -> None:
        """A strategy that cannot be made or used is a StrategyError."""
        self.tariff, self.sources = line.tariff, line.sources
        name = f"{who}, {line.tariff.name}"
        self._strategist = Strategist(name, line.strategy.kind, line.strategy.params)

    def decide(self, seen: Observation) -> Decision:
        """The allowed cost of each flow's marks.

        Raises:
            StrategyError: as Strategist.decide.
        """
        return self._strategist.decide(seen)
