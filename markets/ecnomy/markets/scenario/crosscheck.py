# SPDX-License-Identifier: Apache-2.0
"""What the parts of a scenario must agree on: names, nodes, who provides for whom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.inputs.yamlfile import child_path
from ecnomy.markets.scenario.document import AgentEntry, Document
from ecnomy.markets.scenario.marketspec import AgentSpec, ClassSpec, MarketSpec
from ecnomy.markets.scenario.places import Places

__all__ = ["check_names", "market_spec"]


def check_names(document: Document, places: Places) -> None:
    """Refuses duplicate names and nodes that no link reaches.

    Raises:
        ScenarioError: such a name.
    """
    _unique("network.links", (link.name for link in document.network.links), places)
    _unique("sources", (source.name for source in document.sources), places)
    nodes = document.network.nodes()
    for index, source in enumerate(document.sources):
        for key, node in (("from", source.sender), ("to", source.receiver)):
            if node not in nodes:
                path = f"sources[{index}].{key}"
                raise places.fault(path, f"the unknown node {node!r}", known_name(node, nodes))


def _unique(path: str, names: Iterable[str], places: Places) -> None:
    first: dict[str, int] = {}
    for index, name in enumerate(names):
        if name in first:
            here, there = f"{path}[{index}].name", places.place(f"{path}[{first[name]}].name")
            known = f" (first in line {there.line})" if there.line else ""
            raise places.fault(here, f"the name {name!r} again", f"a name of its own{known}")
        first[name] = index


def market_spec(document: Document, places: Places) -> MarketSpec | None:
    """The market of a document, its agents' sources known to exist and shared by nobody.

    Raises:
        ScenarioError: an unknown source, one with two providers, or not one ISP.
    """
    market = document.market
    if market is None:
        return None
    _unique("market.agents", (agent.name for agent in market.agents), places)
    _check_owners(document, list(_class_sources(market.agents)), "class", places)
    _check_owners(document, list(_customer_sources(market.agents)), "customer", places)
    _check_isp(market.agents, places)
    agents = tuple(_agent(agent) for agent in market.agents)
    return MarketSpec(price_micro_per_mark=market.price_per_mark, agents=agents)


def _agent(agent: AgentEntry) -> AgentSpec:
    interval = agent.decision_interval
    return AgentSpec(
        name=agent.name,
        role=agent.role,
        classes=tuple(ClassSpec(n, c.fee, c.sources) for n, c in agent.classes.items()),
        sources=agent.sources,
        strategy=agent.strategy,
        decision_interval_ps=-1 if interval is None else interval,
    )


def _class_sources(agents: Iterable[AgentEntry]) -> Iterator[tuple[str, str, str]]:
    """(source, its owner as messages name it, path) of each class."""
    for index, agent in enumerate(agents):
        for name, entry in agent.classes.items():
            path = child_path(f"market.agents[{index}].classes", name) + ".sources"
            for item, source in enumerate(entry.sources):
                yield source, f"class {name!r} of {agent.name!r}", f"{path}[{item}]"


def _customer_sources(agents: Iterable[AgentEntry]) -> Iterator[tuple[str, str, str]]:
    for index, agent in enumerate(agents):
        path = f"market.agents[{index}].sources"
        for item, source in enumerate(agent.sources):
            yield source, f"customer {agent.name!r}", f"{path}[{item}]"


def _check_owners(
    document: Document, owned: list[tuple[str, str, str]], kind: str, places: Places
) -> None:
    known = [source.name for source in document.sources]
    owners: dict[str, str] = {}
    for source, owner, path in owned:
        if source not in known:
            found = f"the unknown source {source!r}"
            raise places.fault(path, found, known_name(source, known))
        if source in owners:
            found = f"{source!r}, which {owners[source]} has already"
            raise places.fault(path, found, f"each source in one {kind}")
        owners[source] = owner


def _check_isp(agents: tuple[AgentEntry, ...], places: Places) -> None:
    role = "connectivity-provider"
    isps = [index for index, agent in enumerate(agents) if agent.role == role]
    if not isps:
        path = "market.agents"
        raise places.fault(path, f"no {role}", f"one agent with role: {role}, who is paid")
    if len(isps) > 1:
        path = f"market.agents[{isps[1]}].role"
        raise places.fault(path, f"a second {role}", "one, as there is one price per mark")
