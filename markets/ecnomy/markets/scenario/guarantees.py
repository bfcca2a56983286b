# SPDX-License-Identifier: Apache-2.0
"""What a guaranteed stream provider and its sources must agree on."""

from __future__ import annotations

from ecnomy.agents.call_tariff import DEFAULT_ADMISSION
from ecnomy.agents.spec import StrategySpec
from ecnomy.agents.strategies import make
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.scenario.document import AgentEntry, Document, Source
from ecnomy.markets.scenario.places import Places
from ecnomy.markets.scenario.traffic import Cbr, Poisson, Voip

__all__ = ["check_guarantees"]


def check_guarantees(
    document: Document,
    agents: tuple[AgentEntry, ...],
    taken: dict[str, str],
    places: Places,
) -> None:
    """Calls and test streams are of the right kind, and no other provider's or handler's.

    Args:
        document: the scenario.
        agents: its agents, groups of sources laid out.
        taken: sources that classes and price handlers have, with their owners; grows.
        places: for messages.

    Raises:
        ScenarioError: such a source, or an admission by test streams without any.
    """
    sources = {source.name: source for source in document.sources}
    for index, agent in enumerate(agents):
        if agent.tariff is None:
            continue
        for key, names in (("sources", agent.sources), ("test_streams", agent.test_streams)):
            for item, name in enumerate(names):
                path = f"market.agents[{index}].{key}[{item}]"
                if name not in sources:
                    found = f"the unknown source {name!r}"
                    raise places.fault(path, found, known_name(name, sources))
                if name in taken:
                    found = f"{name!r}, which {taken[name]} has already"
                    raise places.fault(path, found, "a source that nobody else sells or handles")
                taken[name] = f"{agent.role} {agent.name!r}"
                _check_stream(sources[name], key, path, places)
        _check_needs(agent, f"market.agents[{index}].test_streams", places)


def _check_needs(agent: AgentEntry, path: str, places: Places) -> None:
    strategy = agent.strategy or StrategySpec(kind=DEFAULT_ADMISSION)
    needy = getattr(make(strategy.kind, strategy.params), "needs_streams", False)
    if needy and not agent.test_streams:
        expected = f"sources that send test streams, which {strategy.kind} goes by"
        raise places.fault(path, "no test streams", expected)


def _check_stream(source: Source, key: str, path: str, places: Places) -> None:
    found = f"{source.name!r}, whose traffic is {source.traffic.__struct_config__.tag}"
    if key == "sources" and not isinstance(source.traffic, Voip):
        raise places.fault(path, found, "a source of voip calls")
    if key == "test_streams" and not isinstance(source.traffic, Cbr | Poisson):
        expected = "a source of cbr or poisson traffic"
        raise places.fault(path, found, expected)
