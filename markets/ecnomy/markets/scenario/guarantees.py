# SPDX-License-Identifier: Apache-2.0
"""Check the sources of guaranteed stream providers."""

from __future__ import annotations

from collections.abc import Iterator

from ecnomy.agents.call_tariff import DEFAULT_ADMISSION
from ecnomy.agents.roles.find import preset_of
from ecnomy.agents.spec import CallLine, ElasticLine, StrategySpec
from ecnomy.agents.strategies import make
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.inputs.amounts import Names
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.scenario.document import AgentEntry, Document, Source
from ecnomy.markets.scenario.places import Places
from ecnomy.markets.scenario.traffic import FILES, Cbr, Poisson, Voip
from ecnomy.markets.scenario.transport import Udp

__all__ = ["check_guarantees"]

Line = CallLine | ElasticLine


def check_guarantees(
    document: Document,
    agents: tuple[AgentEntry, ...],
    taken: dict[str, str],
    places: Places,
) -> None:
    """Check the sources of calls, files and test streams, and their sellers.

    These sources must send the right kind of traffic and must not have a seller of another kind.
    Several providers may sell the calls of a source if their tariffs have the same limits.

    Args:
        document: the scenario.
        agents: agents of the scenario, with groups replaced by their sources.
        taken: sources of classes and price handlers, with their owners; this function adds sources
            of files and test streams.
        places: the places of the values, for messages.

    Raises:
        ScenarioError: a source has the wrong traffic or a seller of another kind, a source does not
            fit its tariff, or admission needs test streams that do not exist.
    """
    sources = {source.name: source for source in document.sources}
    on_sale: dict[str, tuple[str, CallLine]] = {}
    for index, agent in enumerate(agents):
        own: dict[str, str] = {}
        for path, names, line in _listed(agent, f"market.agents[{index}]"):
            for item, name in enumerate(names):
                here = f"{path}[{item}]"
                sold = {} if line is not None else {n: who for n, (who, _) in on_sale.items()}
                _check_free(name, {**taken, **sold, **own}, sources, here, places)
                own[name] = f"{agent.role} {agent.name!r}"
                _check_stream(sources[name], line, here, places)
                if isinstance(line, CallLine):
                    _check_rivals(agent.name, name, line, on_sale, here, places)
        taken |= {name: owner for name, owner in own.items() if name not in on_sale}
        _check_needs(agent, f"market.agents[{index}].test_streams", places)
        _check_firm(agent, agents, f"market.agents[{index}].integrated_with", places)


def _listed(agent: AgentEntry, path: str) -> Iterator[tuple[str, Names, Line | None]]:
    """Yield (path, sources, tariff) of a provider; test streams have the tariff None."""
    for line in agent.lines():
        row = f"{path}.tariffs.{line.tariff.name}" if agent.tariffs else path
        yield f"{row}.sources", line.sources, line
    for files in agent.files():
        yield f"{path}.elastic.{files.tariff.name}.sources", files.sources, files
    if agent.lines() or agent.files():
        yield f"{path}.test_streams", agent.test_streams, None


def _check_free(
    name: str, taken: dict[str, str], sources: dict[str, Source], path: str, places: Places
) -> None:
    if name not in sources:
        found = f"the unknown source {name!r}"
        raise places.fault(path, found, known_name(name, sources))
    if name in taken:
        found = f"{name!r}, which already belongs to {taken[name]}"
        raise places.fault(path, found, "a source that no agent sells or handles yet")


def _check_rivals(
    owner: str,
    name: str,
    line: CallLine,
    on_sale: dict[str, tuple[str, CallLine]],
    path: str,
    places: Places,
) -> None:
    """Check that all sellers of a source's calls set equal limits: engines keep only one set."""
    rival, other = on_sale.setdefault(name, (owner, line))
    own, its = line.tariff, other.tariff
    limits = (
        ("max_delay", own.max_delay_ps, its.max_delay_ps),
        ("max_time", own.max_time_ps, its.max_time_ps),
    )
    for key, here_ps, there_ps in limits:
        if here_ps != there_ps:
            found = f"{name!r} with {_limit(key, here_ps)}"
            raise places.fault(path, found, f"the limit of {rival!r}, {_limit(key, there_ps)}")


def _limit(key: str, time_ps: int) -> str:
    return f"no {key}" if time_ps < 0 else f"a {key} of {time_ps / PS_PER_S:g} s"


def _check_needs(agent: AgentEntry, path: str, places: Places) -> None:
    for line in agent.lines():
        strategy = line.strategy or agent.strategy or StrategySpec(kind=DEFAULT_ADMISSION)
        needy = getattr(make(strategy.kind, strategy.params), "needs_streams", False)
        if needy and not agent.test_streams and agent.integrated_with is None:
            expected = f"sources that send test streams, which {strategy.kind} needs"
            raise places.fault(path, "no test streams", expected)


def _check_firm(
    agent: AgentEntry, agents: tuple[AgentEntry, ...], path: str, places: Places
) -> None:
    carriers = [other.name for other in agents if preset_of(other.role).owns_links]
    if agent.integrated_with is not None and agent.integrated_with not in carriers:
        raise places.fault(path, repr(agent.integrated_with), known_name("", carriers))


def _check_stream(source: Source, line: Line | None, path: str, places: Places) -> None:
    traffic = source.traffic
    found = f"{source.name!r}, whose traffic is {traffic.__struct_config__.tag}"
    if line is None:
        if not isinstance(traffic, Cbr | Poisson):
            raise places.fault(path, found, "a source of cbr or poisson traffic")
        return
    if isinstance(line, ElasticLine):
        if not isinstance(traffic, FILES) or isinstance(source.transport, Udp):
            raise places.fault(path, found, "a source of files or pages over tcp")
        return
    if not isinstance(traffic, Voip):
        raise places.fault(path, found, "a source of voip calls")
    rate_pps, most = PS_PER_S / traffic.interval, line.tariff.peak_pps
    if 0 <= most < rate_pps * (1 - 1e-9):
        found = f"{source.name!r}, which sends {rate_pps:g} packets/s in a call"
        raise places.fault(path, found, f"at most the tariff's peak_rate of {most:g} packets/s")
