# SPDX-License-Identifier: Apache-2.0
"""Convert and check the service classes of a scenario."""

from __future__ import annotations

from collections.abc import Mapping

from ecnomy.agents.money import DEAREST_MICRO, MICRO
from ecnomy.agents.spec import CUSTOMER_PAYS, ClassSpec
from ecnomy.agents.strategies import make
from ecnomy.markets.inputs.yamlfile import child_path
from ecnomy.markets.plan.structs import TOGETHER
from ecnomy.markets.scenario.document import AgentEntry, Document
from ecnomy.markets.scenario.places import Places

__all__ = ["check_classes", "class_spec"]


def class_spec(name: str, agent: AgentEntry) -> ClassSpec:
    """Return the agent's class with this name."""
    entry = agent.classes[name]
    return ClassSpec(
        name,
        entry.fee,
        entry.sources,
        charge_micro_per_s=-1 if entry.charge is None else entry.charge,
        members=-1 if entry.members is None else entry.members,
        cost_micro_per_s=-1 if entry.most_cost is None else entry.most_cost,
        customer_pays_marks=agent.marks_paid_by == CUSTOMER_PAYS,
    )


def check_classes(document: Document, agents: tuple[AgentEntry, ...], places: Places) -> None:
    """Check fees, initial numbers of members, and the keys that strategies need.

    Raises:
        ScenarioError: a check fails.
    """
    for index, agent in enumerate(agents):
        for name in agent.classes:
            path = child_path(f"market.agents[{index}].classes", name)
            _check_fees(document, agent, name, path, places)
            _check_room(document, agent, name, path, places)
        if agent.classes:
            _check_needs(agent, f"market.agents[{index}].classes", places)


def _check_fees(
    document: Document, agent: AgentEntry, name: str, path: str, places: Places
) -> None:
    """Check that the total fee of flows that share a row is at most the largest valid fee."""
    many = {s.name: s.count for s in document.sources if s.rows == TOGETHER}
    dearest = max(c.fee for c in agent.classes.values())
    for source in agent.classes[name].sources:
        if dearest * many.get(source, 1) > DEAREST_MICRO:
            found = f"up to {dearest / MICRO:g} money/s for each flow of {source!r}"
            expected = f"at most {DEAREST_MICRO / MICRO:g} money/s for all its flows together"
            raise places.fault(f"{path}.fee", found, expected)


def _check_room(
    document: Document, agent: AgentEntry, name: str, path: str, places: Places
) -> None:
    entry = agent.classes[name]
    counts = {source.name: source.count for source in document.sources}
    begin = sum(counts[source] for source in entry.sources)
    if entry.members is not None and begin > entry.members:
        found = f"{entry.members}, but {begin} flows begin in the class"
        raise places.fault(f"{path}.members", found, f"at least {begin}")


def _check_needs(agent: AgentEntry, path: str, places: Places) -> None:
    """Check that the agent's classes have the keys that its strategy needs.

    The strategy's `needs_of_classes` contains an example value for each key that every class must
    have. Its `needs_of_one_class` contains one for each key that at least one class must have.
    """
    if agent.strategy is None:
        return
    strategy, kind = make(agent.strategy.kind, agent.strategy.params), agent.strategy.kind
    for key, example in _needed(strategy, "needs_of_classes").items():
        for name, entry in agent.classes.items():
            if getattr(entry, key, None) is None:
                found = f"no {key!r}, which {kind} needs"
                raise places.fault(f"{child_path(path, name)}.{key}", found, _such_as(example))
    for key, example in _needed(strategy, "needs_of_one_class").items():
        if all(getattr(entry, key, None) is None for entry in agent.classes.values()):
            found = f"no class with {key!r}, which {kind} needs"
            raise places.fault(path, found, f"at least one, {key}: {example}")


def _needed(strategy: object, attribute: str) -> dict[str, str]:
    needed = getattr(strategy, attribute, {})
    return dict(needed) if isinstance(needed, Mapping) else {}


def _such_as(example: str) -> str:
    return f"a value such as {example}"
