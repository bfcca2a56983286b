# SPDX-License-Identifier: Apache-2.0
"""Check the names and nodes of a scenario, and the owners of its sources and links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from ecnomy.agents.errors import EcnomyError
from ecnomy.agents.roles.find import ROLES, preset_of
from ecnomy.agents.roles.preset import with_article
from ecnomy.agents.spec import RETAIL, AgentSpec, ContractSpec, MarketSpec
from ecnomy.agents.strategies import find, make
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.inputs.yamlfile import child_path
from ecnomy.markets.plan.structs import TOGETHER
from ecnomy.markets.scenario.budgets import check_budgets
from ecnomy.markets.scenario.classes import check_classes, class_spec
from ecnomy.markets.scenario.document import AgentEntry, ContractEntry, Document
from ecnomy.markets.scenario.guarantees import check_guarantees
from ecnomy.markets.scenario.places import Places
from ecnomy.markets.scenario.traffic import FILES, RateCapped
from ecnomy.markets.terms.ownership import REVERSE, Misowned, owners_of
from ecnomy.markets.terms.tariffs import Posted, choices

__all__ = ["check_names", "market_spec"]


def check_names(document: Document, places: Places) -> None:
    """Refuse duplicate names, and sources at nodes without a link.

    Raises:
        ScenarioError: a name is used twice, or a source's node has no link.
    """
    _unique("network.links", (link.name for link in document.network.links), places)
    _unique("sources", (source.name for source in document.sources), places)
    _check_groups(document, places)
    nodes = document.network.nodes()
    for index, source in enumerate(document.sources):
        for key, node in (("from", source.sender), ("to", source.receiver)):
            if node not in nodes:
                path = f"sources[{index}].{key}"
                raise places.fault(path, f"the unknown node {node!r}", known_name(node, nodes))


def _check_groups(document: Document, places: Places) -> None:
    names = {source.name for source in document.sources}
    for index, source in enumerate(document.sources):
        if source.group in names:
            expected = (
                "a name that no source has, because agents refer to groups and sources by name"
            )
            raise places.fault(f"sources[{index}].group", f"the name {source.group!r}", expected)


def _unique(path: str, names: Iterable[str], places: Places) -> None:
    first: dict[str, int] = {}
    for index, name in enumerate(names):
        if name in first:
            here, there = f"{path}[{index}].name", places.place(f"{path}[{first[name]}].name")
            known = f" (first in line {there.line})" if there.line else ""
            raise places.fault(here, f"the name {name!r} twice", f"a unique name{known}")
        first[name] = index


def market_spec(document: Document, places: Places) -> MarketSpec | None:
    """Check the document's market and return it, or None if there is no market.

    Raises:
        ScenarioError: a check fails. For example, a source is unknown or has two owners, or a link
            is not in exactly one domain.
    """
    market = document.market
    if market is None:
        return None
    _check_sources(document, market.agents, places)
    agents = _with_members(document, market.agents)
    _unique("market.agents", (agent.name for agent in agents), places)
    _check_owners(document, list(_class_sources(agents)), "each source in one class", places)
    of_users = "each source of one customer or price handler"
    _check_owners(document, list(_customer_sources(agents)), of_users, places)
    _check_contracts(document, agents, places)
    check_classes(document, agents, places)
    _check_handlers(document, agents, places)
    _check_alternatives(document, agents, places)
    check_guarantees(document, agents, dict(_sellers(agents)), places)
    specs = tuple(_agent(agent) for agent in agents)
    _check_domains(document, specs, places)
    if market.settlement and ":" in market.settlement:
        _check_settlement(market.settlement, places)
    check_budgets(agents, market.settlement or RETAIL, places)
    settlement, ratio = market.settlement or RETAIL, market.classic_price_ratio
    return MarketSpec(market.price_per_mark, specs, settlement, 1.0 if ratio is None else ratio)


def _check_sources(document: Document, agents: tuple[AgentEntry, ...], places: Places) -> None:
    """Check that the sources of each agent exist."""
    groups = _groups(document)
    known = {source.name for source in document.sources} | set(groups)
    shown = list(groups) + [s.name for s in document.sources if s.group is None]
    for index, agent in enumerate(agents):
        for item, source in enumerate(agent.sources):
            if source not in known:
                path = f"market.agents[{index}].sources[{item}]"
                expected = known_name(source, shown)
                raise places.fault(path, f"the unknown source {source!r}", expected)


def _with_members(document: Document, agents: tuple[AgentEntry, ...]) -> tuple[AgentEntry, ...]:
    """Return the agents, with each group replaced by its sources."""
    groups = _groups(document)

    def members(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(source for name in names for source in groups.get(name, (name,)))

    return tuple(
        msgspec.structs.replace(
            agent,
            sources=members(agent.sources),
            test_streams=members(agent.test_streams),
            elastic=agent.elastic
            and {
                name: msgspec.structs.replace(row, sources=members(row.sources))
                for name, row in agent.elastic.items()
            },
            tariffs=agent.tariffs
            and {
                name: msgspec.structs.replace(row, sources=members(row.sources))
                for name, row in agent.tariffs.items()
            },
            classes={
                name: msgspec.structs.replace(entry, sources=members(entry.sources))
                for name, entry in agent.classes.items()
            },
            contracts=agent.contracts
            and tuple(
                msgspec.structs.replace(entry, sources=members(entry.sources))
                for entry in agent.contracts
            ),
        )
        for agent in agents
    )


def _groups(document: Document) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for source in document.sources:
        if source.group is not None:
            groups.setdefault(source.group, []).append(source.name)
    return groups


def _agent(agent: AgentEntry) -> AgentSpec:
    interval, costs = agent.decision_interval, agent.fixed_costs
    return AgentSpec(
        name=agent.name,
        role=agent.role,
        params=agent.role_spec.params,
        classes=tuple(class_spec(name, agent) for name in agent.classes),
        sources=agent.sources,
        strategy=agent.strategy,
        decision_interval_ps=-1 if interval is None else interval,
        test_streams=agent.test_streams,
        lines=agent.lines(),
        elastic=agent.files(),
        integrated_with=agent.integrated_with or "",
        fixed_costs=None if costs is None else (costs.micro, costs.per),
        contracts=tuple(
            ContractSpec(_kind(c), c.meter, c.tariff, c.sources) for c in agent.contracts or ()
        ),
        links=agent.links or (),
        nodes=agent.nodes or (),
        price_micro_per_mark=-1 if agent.price_per_mark is None else agent.price_per_mark,
    )


def _class_sources(agents: Iterable[AgentEntry]) -> Iterator[tuple[str, str, str]]:
    """Yield (source, owner as named in messages, path) for the sources of each class."""
    for index, agent in enumerate(agents):
        for name, entry in agent.classes.items():
            path = child_path(f"market.agents[{index}].classes", name) + ".sources"
            for item, source in enumerate(entry.sources):
                yield source, f"class {name!r} of {agent.name!r}", f"{path}[{item}]"


def _customer_sources(agents: Iterable[AgentEntry]) -> Iterator[tuple[str, str, str]]:
    for index, agent in enumerate(agents):
        if not preset_of(agent.role).uses:
            continue
        path = f"market.agents[{index}].sources"
        for item, source in enumerate(agent.sources):
            yield source, f"{agent.role} {agent.name!r}", f"{path}[{item}]"


def _check_owners(
    document: Document, owned: list[tuple[str, str, str]], expected: str, places: Places
) -> None:
    known = {source.name for source in document.sources}
    shown = list(_groups(document)) + [s.name for s in document.sources if s.group is None]
    owners: dict[str, str] = {}
    for source, owner, path in owned:
        if source not in known:
            found = f"the unknown source {source!r}"
            raise places.fault(path, found, known_name(source, shown))
        if source in owners:
            found = f"{source!r}, which already belongs to {owners[source]}"
            raise places.fault(path, found, expected)
        owners[source] = owner


def _check_contracts(document: Document, agents: tuple[AgentEntry, ...], places: Places) -> None:
    """Check that the sources, names, meters and tariffs of contracts are valid."""
    known = {source.name: source for source in document.sources}
    for index, agent in enumerate(agents):
        for number, entry in enumerate(agent.contracts or ()):
            path = f"market.agents[{index}].contracts[{number}]"
            for item, source in enumerate(entry.sources):
                if source not in known:
                    found = f"the unknown source {source!r}"
                    here = f"{path}.sources[{item}]"
                    raise places.fault(here, found, known_name(source, known))
                if preset_of(agent.role).uses and source in agent.sources:
                    here = f"{path}.sources[{item}]"
                    raise places.fault(
                        here,
                        f"{source!r}, a source of the agent itself",
                        "a source of another agent",
                    )
            for other in (agent.contracts or ())[:number]:
                if _kind(other) == _kind(entry) and set(other.sources) & set(entry.sources):
                    found = f"two contracts {_kind(entry)!r} for a source"
                    raise places.fault(
                        f"{path}.name", found, "another name, because bills refer to names"
                    )
            carrier = preset_of(agent.role).owns_links
            if entry.meter == "marks-set" and not carrier:
                found = f"marks-set of {with_article(agent.role)}, which has no domain"
                raise places.fault(f"{path}.meter", found, "another meter, or a carrier's contract")
            for at, tariff in choices(entry.tariff):
                if isinstance(tariff, Posted) and not (carrier and tariff.unit == "mark"):
                    expected = "another kind, because only carriers post prices, and only per mark"
                    raise places.fault(f"{path}.tariff{at}", "posted", expected)
            if entry.meter == "transfers" and not document.record.transfers:
                found = "transfers, which record.transfers disables"
                raise places.fault(f"{path}.meter", found, "record: {transfers: true}")


def _kind(contract: ContractEntry) -> str:
    """Return the ledger kind of the contract's postings."""
    return contract.name or f"{contract.meter}-charge"


def _check_handlers(document: Document, agents: tuple[AgentEntry, ...], places: Places) -> None:
    """Check that price handlers pay for their flows, and that traffic fits agents' strategies."""
    sold = {source: owner for source, owner, _ in _class_sources(agents)}
    for index, agent in enumerate(agents):
        steered: list[tuple[str, str]] = []  # (path, source)
        if preset_of(agent.role).pays_itself:
            steered = [
                (f"market.agents[{index}].sources[{i}]", s) for i, s in enumerate(agent.sources)
            ]
            for path, source in steered:
                if source in sold:
                    expected = (
                        f"a source outside any class, because a {agent.role} pays for marks itself"
                    )
                    raise places.fault(
                        path, f"{source!r}, which belongs to {sold[source]}", expected
                    )
        for name, entry in agent.classes.items():
            path = child_path(f"market.agents[{index}].classes", name)
            steered += [(f"{path}.sources[{i}]", s) for i, s in enumerate(entry.sources)]
        if agent.strategy is not None and steered:
            _check_traffic(document, f"market.agents[{index}]", agent, steered, places)


def _check_alternatives(document: Document, agents: tuple[AgentEntry, ...], places: Places) -> None:
    """Check that users who choose between sources have two or more, with equal numbers of rows."""
    rows = {s.name: 1 if s.rows == TOGETHER else s.count for s in document.sources}
    for index, agent in enumerate(agents):
        kind = agent.strategy.kind if agent.strategy else ""
        if not kind or not getattr(find(kind), "chooses_sources", False):
            continue
        counts = [rows[name] for name in agent.sources]
        if len(counts) < 2 or len(set(counts)) > 1:
            listed = ", ".join(f"{name} with {rows[name]}" for name in agent.sources)
            raise places.fault(
                f"market.agents[{index}].sources",
                listed or "no source",
                f"two or more sources with equal count for {kind}, because flow i of each source "
                "belongs to user i",
            )


def _check_traffic(
    document: Document,
    agent_path: str,
    agent: AgentEntry,
    steered: list[tuple[str, str]],
    places: Places,
) -> None:
    assert agent.strategy is not None
    traffic = {source.name: source.traffic for source in document.sources}
    transport = {source.name: source.transport for source in document.sources}
    strategy = make(agent.strategy.kind, agent.strategy.params)
    rate_key = getattr(strategy, "needs_rate", "")
    for path, source in steered:
        if getattr(strategy, "needs_files", False) and not isinstance(traffic[source], FILES):
            found = f"{source!r}, whose traffic is not files"
            expected = f"file traffic (file, on-off or web) for {agent.strategy.kind}"
            raise places.fault(path, found, expected)
        if getattr(strategy, "needs_weight", False):
            _check_weight(path, source, transport[source], agent.strategy.kind, places)
        if rate_key and not isinstance(traffic[source], RateCapped):
            key = rate_key.rpartition(".")[2]
            found = f"no {key!r}, and source {source!r} has no rate"
            raise places.fault(
                f"{agent_path}.strategy.{rate_key}", found, "a rate above 0 such as 1 Mbps"
            )


def _check_weight(
    path: str, source: str, transport: msgspec.Struct, kind: str, places: Places
) -> None:
    from ecnomy.markets.plan.law_table import weights  # late, because plans import scenarios

    law = transport.__struct_config__.tag
    if law not in weights():
        found = f"{source!r}, whose transport {law} has no weight"
        expected = f"a source over one of {', '.join(weights())} for {kind}"
        raise places.fault(path, found, expected)


def _sellers(agents: Iterable[AgentEntry]) -> Iterator[tuple[str, str]]:
    """Yield each source in a class, or of a price handler, with its owner as named in messages."""
    for source, owner, _ in _class_sources(agents):
        yield source, owner
    for agent in agents:
        if preset_of(agent.role).pays_itself:
            for source in agent.sources:
                yield source, f"{agent.role} {agent.name!r}"


def _check_settlement(word: str, places: Places) -> None:
    from ecnomy.markets.economy.settlement import find_settlement  # numpy

    try:
        find_settlement(word)
    except EcnomyError as error:
        expected = "a settlement rule that can be imported"
        raise places.fault("market.settlement", f"{word!r} ({error})", expected) from None


def _check_domains(document: Document, agents: tuple[AgentSpec, ...], places: Places) -> None:
    """Check that every link belongs to the domain of exactly one carrier."""
    carriers = [i for i, agent in enumerate(agents) if preset_of(agent.role).owns_links]
    if not carriers:
        role = next(word for word, preset in ROLES.items() if preset.owns_links)
        path = "market.agents"
        raise places.fault(
            path, f"no {role}", f"one agent with role: {role}, which receives the payments"
        )
    links = [(way.name, way.source) for way in document.network.directions()]
    try:
        owners = owners_of(links, [agents[i] for i in carriers])
    except Misowned as error:
        path = "market.agents"
        if error.carrier >= 0:
            path += f"[{carriers[error.carrier]}].{error.key}"
        raise places.fault(path, error.found, error.expected) from None
    for number, index in enumerate(carriers):
        own = [name for (name, _), owner in zip(links, owners, strict=True) if owner == number]
        _check_named_link(agents[index], own, f"market.agents[{index}].strategy", places)


def _check_named_link(agent: AgentSpec, own: list[str], path: str, places: Places) -> None:
    """Check that a link named by a carrier's strategy is in the carrier's domain."""
    if agent.strategy is None:
        return
    strategy = make(agent.strategy.kind, agent.strategy.params)
    key = getattr(strategy, "names_link", "")
    name = getattr(strategy, key) if key else ""
    if name and name not in own:
        shown = [link for link in own if not link.endswith(REVERSE)] or own
        raise places.fault(f"{path}.{key}", f"the link {name!r}", known_name(name, shown))
