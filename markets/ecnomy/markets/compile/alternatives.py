# SPDX-License-Identifier: Apache-2.0
"""Warnings about carriers whose links no path uses, and about choices between equal paths."""

from __future__ import annotations

from collections.abc import Iterator

from ecnomy.agents.roles.find import preset_of
from ecnomy.agents.strategies import find
from ecnomy.markets.plan import Plan
from ecnomy.markets.scenario import Scenario
from ecnomy.markets.terms.ownership import owners_of

__all__ = ["empty_domains", "shared_paths"]


def empty_domains(scenario: Scenario, plan: Plan) -> Iterator[str]:
    """Warn about carriers whose links carry no data."""
    agents = scenario.market.agents if scenario.market else ()
    carriers = [agent for agent in agents if preset_of(agent.role).owns_links]
    if len(carriers) < 2:
        return
    owners = owners_of([(link.name, plan.nodes[link.source]) for link in plan.links], carriers)
    used = {owners[link] for source in plan.sources for link in source.path}
    for index, carrier in enumerate(carriers):
        if index not in used:
            yield (
                f"agent {carrier.name}: no source sends over its links, so it earns nothing. "
                "Routing takes the best path; to choose other links, set 'path' of a source"
            )


def shared_paths(scenario: Scenario, plan: Plan) -> Iterator[str]:
    """Warn if a strategy chooses between sources that use the same links."""
    paths = {source.name: tuple(source.path) for source in plan.sources}
    for agent in scenario.market.agents if scenario.market else ():
        if agent.strategy is None or not agent.sources:
            continue
        if not getattr(find(agent.strategy.kind), "chooses_sources", False):
            continue
        first: dict[tuple[int, ...], str] = {}
        for name in agent.sources:
            other = first.setdefault(paths[name], name)
            if other != name:
                links = ", ".join(plan.links[link].name for link in paths[name])
                yield (
                    f"agent {agent.name}: its alternatives {other} and {name} use the same links "
                    f"({links}); to choose other links, set 'path' of a source"
                )
