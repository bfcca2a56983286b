# SPDX-License-Identifier: Apache-2.0
"""Replace `auto` of REM links and sources by numbers computed from the plan.

The derivation and its sources are in ecnomy.markets.compile.rem_loops.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from ecnomy.markets.inputs.amounts import AUTO_NUMBER
from ecnomy.markets.plan.law_table import param
from ecnomy.markets.plan.structs import Law, Link, Plan, Source, Tcp
from ecnomy.markets.scenario import Scenario
from ecnomy.markets.scenario.links import Direction
from ecnomy.markets.scenario.marking import MarkingForm
from ecnomy.markets.scenario.rate_laws import Rem as RemSource
from ecnomy.markets.scenario.weighted_classes import DeficitRoundRobin

__all__ = ["link_paths", "with_rem_steps"]

_STEPS: Final = ("phi", "gamma", "alpha")


def link_paths(scenario: Scenario) -> Iterator[tuple[str, Direction]]:
    """Yield (dotted path of the marking, direction) for all directions in the plan's order."""
    for index, link in enumerate(scenario.document.network.links):
        for part, direction in zip(("", "reverse."), link.directions(), strict=False):
            yield f"network.links[{index}].{part}marking", direction


def with_rem_steps(scenario: Scenario, plan: Plan) -> Plan:
    """Return the plan with a number for each `auto` of REM.

    Args:
        scenario: the scenario as written.
        plan: the plan of the scenario, with the law's default for each `auto`.

    Raises:
        ScenarioError: the scenario does not determine an `auto`; the message names its place.
    """
    _refuse_classes(scenario)
    if not any(_any_auto(d.marking) for _, d in link_paths(scenario)) and not _auto_sources(
        scenario
    ):
        return plan
    _refuse_strangers(scenario, plan)
    plan = _with_phi(scenario, plan)
    from ecnomy.markets.compile.rem_loops import loops

    loop_of_link = loops(plan)
    links = list(plan.links)
    for index, (_, direction) in enumerate(link_paths(scenario)):
        marking = direction.marking
        if marking.law != "rem" or index not in loop_of_link:
            continue
        params = links[index].marking.params
        if marking.written("gamma") == AUTO_NUMBER:
            params = params | {"gamma": loop_of_link[index].gamma}
        if marking.written("alpha") == AUTO_NUMBER:
            params = params | {"alpha": loop_of_link[index].alpha(params["gamma"])}
        links[index] = _link(links[index], params)
    return msgspec.structs.replace(plan, links=links)


def _any_auto(marking: MarkingForm) -> bool:
    return marking.law == "rem" and any(marking.written(name) == AUTO_NUMBER for name in _STEPS)


def _auto_sources(scenario: Scenario) -> list[int]:
    return [
        index
        for index, source in enumerate(scenario.document.sources)
        if isinstance(source.transport, RemSource) and source.transport.phi == AUTO_NUMBER
    ]


def _refuse_classes(scenario: Scenario) -> None:
    for path, direction in link_paths(scenario):
        scheduler = direction.scheduler
        classes = scheduler.classes if isinstance(scheduler, DeficitRoundRobin) else ()
        for number, entry in enumerate(classes):
            if _any_auto(entry.marking):
                where = f"{path.removesuffix('marking')}scheduler.classes[{number}].marking"
                raise scenario.places.fault(
                    where,
                    "auto in a class of a scheduler",
                    "numbers, because `auto` needs the capacity of a link",
                )


def _refuse_strangers(scenario: Scenario, plan: Plan) -> None:
    """Refuse links with `auto` whose TCP sources include no REM source."""
    for index, (path, direction) in enumerate(link_paths(scenario)):
        if not _any_auto(direction.marking):
            continue
        users = [s for s in plan.sources if index in s.path and isinstance(s.transport, Tcp)]
        if users and not any(_is_rem(source) for source in users):
            name = next(n for n in _STEPS if getattr(direction.marking, n) == AUTO_NUMBER)
            found = f"auto on a link that carries {users[0].name} and no REM source"
            expected = "a number, because auto is computed from the weights of REM sources"
            raise scenario.places.fault(f"{path}.{name}", found, expected)


def _is_rem(source: Source) -> bool:
    return isinstance(source.transport, Tcp) and source.transport.window.law == "rem"


def _link(link: Link, params: dict[str, float]) -> Link:
    return msgspec.structs.replace(link, marking=Law(link.marking.law, params))


def _with_phi(scenario: Scenario, plan: Plan) -> Plan:
    """Set each phi that is `auto` to the phi written elsewhere, or else to the best phi."""
    written: dict[float, str] = {}
    places: list[str] = []
    links, sources = list(plan.links), list(plan.sources)
    auto_links = []
    for index, (path, direction) in enumerate(link_paths(scenario)):
        if direction.marking.law == "rem":
            places, written = _noted(
                direction.marking.written("phi"), f"{path}.phi", places, written
            )
            auto_links += [index] * (direction.marking.written("phi") == AUTO_NUMBER)
    for index, source in enumerate(scenario.document.sources):
        if isinstance(source.transport, RemSource):
            where = f"sources[{index}].transport.phi"
            places, written = _noted(source.transport.phi, where, places, written)
    if not places:
        return plan
    if len(written) > 1:
        both = " and ".join(f"{phi:g}" for phi in list(written)[:2])
        raise scenario.places.fault(
            places[0], f"auto together with {both}", "one phi for all REM links and sources"
        )
    phi = next(iter(written)) if written else _best(scenario, plan, places[0])
    for index in auto_links:
        links[index] = _link(links[index], links[index].marking.params | {"phi": phi})
    for index in _auto_sources(scenario):
        transport = sources[index].transport
        assert isinstance(transport, Tcp)
        window = Law("rem", transport.window.params | {"phi": phi})
        transport = msgspec.structs.replace(transport, window=window)
        sources[index] = msgspec.structs.replace(sources[index], transport=transport)
    return msgspec.structs.replace(plan, links=links, sources=sources)


def _noted(
    phi: float, where: str, places: list[str], written: dict[float, str]
) -> tuple[list[str], dict[float, str]]:
    if phi == AUTO_NUMBER:
        return [*places, where], written
    return places, written | {phi: where}


def _best(scenario: Scenario, plan: Plan, where: str) -> float:
    from ecnomy.markets.compile.rem_loops import best_phi, paths

    for index, source in enumerate(scenario.document.sources):
        if isinstance(source.transport, RemSource) and source.transport.mark_rate is not None:
            given = f"auto together with the mark_rate of {source.name} (sources[{index}])"
            expected = "a number, or weights instead of mark_rates"
            raise scenario.places.fault(where, given, expected)
    source_paths = paths(plan)
    prices = [path.price for path in source_paths if path.price > 0]
    if not prices:
        expected = "a number, because no REM link reaches a price above 0"
        raise scenario.places.fault(where, "auto", expected)
    phi, most = best_phi(plan, source_paths), param("marking", "rem", "phi").max
    if phi > most:
        given = (
            f"auto at prices from {min(prices):.3g} to {max(prices):.3g}, which gives phi {phi:.3g}"
        )
        expected = f"a phi of at most {most:g} (larger weights raise the prices and lower phi)"
        raise scenario.places.fault(where, given, expected)
    return phi
