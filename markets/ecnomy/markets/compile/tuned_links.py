# SPDX-License-Identifier: Apache-2.0
"""Refuse strategies that tune a marking law if their links use another law."""

from __future__ import annotations

from ecnomy.agents.roles.find import preset_of
from ecnomy.agents.spec import AgentSpec
from ecnomy.agents.strategies import make
from ecnomy.markets.compile.target_marks import sorts
from ecnomy.markets.plan import Link, Plan
from ecnomy.markets.scenario import Scenario
from ecnomy.markets.terms.ownership import owners_of

__all__ = ["check_tuned"]


def check_tuned(scenario: Scenario, plan: Plan) -> None:
    """Refuse a strategy that cannot tune the marking law of its link.

    The strategy's `tunes` lists the laws that it can tune, and its `link` names the link. Without
    `link`, the strategy tunes its carrier's busiest link. In that case, the carrier must have a
    link with one of these laws, and no link that sorts packets by header (such as a dual queue).

    Raises:
        ScenarioError: the strategy cannot tune the law; the place is the strategy.
    """
    agents = scenario.market.agents if scenario.market else ()
    carriers = [agent for agent in agents if preset_of(agent.role).owns_links]
    if not any(_tunes(agent) for agent in carriers):
        return
    owners = owners_of([(link.name, plan.nodes[link.source]) for link in plan.links], carriers)
    for number, agent in enumerate(agents):
        if agent not in carriers or not (known := _tunes(agent)):
            continue
        assert agent.strategy is not None
        own = carriers.index(agent)
        links = [it for it, owner in zip(plan.links, owners, strict=True) if owner == own]
        if found := _fault(str(agent.strategy.params.get("link", "")), links, known):
            path = f"market.agents[{number}].strategy.link"
            expected = f"a link whose marking law is one of {', '.join(known)}"
            raise scenario.places.fault(path, found, expected)


def _tunes(agent: AgentSpec) -> tuple[str, ...]:
    if agent.strategy is None:
        return ()
    strategy = make(agent.strategy.kind, agent.strategy.params)
    return tuple(getattr(strategy, "tunes", ()))


def _fault(name: str, links: list[Link], known: tuple[str, ...]) -> str:
    """Return the fault of the named link or, without a name, of all links; "" without a fault."""
    if name:
        named = [link for link in links if link.name == name and _law(link) not in known]
        return f"{name!r} with {_law(named[0])}" if named else ""
    unfit = [link for link in links if sorts(link)]
    if not unfit and all(_law(link) not in known for link in links):
        unfit = links
    return f"no link; the law of {unfit[0].name!r} is {_law(unfit[0])}" if unfit else ""


def _law(link: Link) -> str:
    return link.scheduler.law.law if link.scheduler is not None else link.marking.law
