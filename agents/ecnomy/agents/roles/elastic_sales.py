# SPDX-License-Identifier: Apache-2.0
"""A line of a provider's table of elastic connections: files or pages with a deadline.

The provider pays for the marks of these flows. A strategy such as `file-budget` sets the target
cost of each flow's marks, and the window law (WTP) sends at the rate that this cost buys.
"""

from __future__ import annotations

from ecnomy.agents.decision import Decision
from ecnomy.agents.observation import Observation
from ecnomy.agents.spec import ElasticLine
from ecnomy.agents.strategies.strategist import Strategist

__all__ = ["ElasticSales"]


class ElasticSales:
    """Sells the transfer of its sources' files, each at a fixed price.

    Attributes:
        tariff: the tariff, as in the scenario.
        sources: the sources of the files.
    """

    def __init__(self, who: str, line: ElasticLine) -> None:
        """Create the strategy, or raise StrategyError if it cannot be created or used."""
        self.tariff, self.sources = line.tariff, line.sources
        name = f"{who}, {line.tariff.name}"
        self._strategist = Strategist(name, line.strategy.kind, line.strategy.params)

    def decide(self, observation: Observation) -> Decision:
        """Return the target cost of each flow's marks.

        Raises:
            StrategyError: as for Strategist.decide.
        """
        return self._strategist.decide(observation)
