# SPDX-License-Identifier: Apache-2.0
"""Check that the settlement can enforce the budgets of flows.

A budget counts the cost of marks. It therefore needs a settlement in which a user owes one price
for each delivered mark. This holds for all built-in rules except `direct`, and for custom rules
that declare `by_delivery`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ecnomy.agents.spec import StrategySpec
from ecnomy.agents.strategies import make
from ecnomy.markets.inputs.yamlfile import child_path
from ecnomy.markets.scenario.document import AgentEntry
from ecnomy.markets.scenario.mark_prices import DIRECT
from ecnomy.markets.scenario.places import Places

__all__ = ["check_budgets"]


def check_budgets(agents: tuple[AgentEntry, ...], settlement: str, places: Places) -> None:
    """Refuse strategies with a budget if the settlement cannot enforce it.

    Raises:
        ScenarioError: an agent's strategy sets a budget that the settlement cannot enforce.
    """
    if _by_delivery(settlement):
        return
    for index, agent in enumerate(agents):
        for path, strategy in _strategies(agent, f"market.agents[{index}]"):
            key = getattr(make(strategy.kind, strategy.params), "sets_budget", "")
            if key:
                found = f"a budget, with settlement: {settlement}"
                expected = "no budget, or settlement: retail, cascade or peering"
                raise places.fault(f"{path}.{key}", found, expected)


def _strategies(agent: AgentEntry, path: str) -> Iterator[tuple[str, StrategySpec]]:
    if agent.strategy is not None:
        yield f"{path}.strategy", agent.strategy
    for name, row in (agent.elastic or {}).items():
        if row.strategy is not None:
            yield f"{child_path(f'{path}.elastic', name)}.strategy", row.strategy


def _by_delivery(settlement: str) -> bool:
    if ":" not in settlement:
        return settlement != DIRECT
    from ecnomy.markets.economy.settlement import find_settlement  # numpy

    return bool(getattr(find_settlement(settlement), "by_delivery", False))
