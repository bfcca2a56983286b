# SPDX-License-Identifier: Apache-2.0
"""The target marks per second of sources on links, and the marks that a law can set."""

from __future__ import annotations

from ecnomy.agents.spec import AgentSpec, StrategySpec
from ecnomy.agents.strategies import make
from ecnomy.markets.plan import Law, Link, Plan, Source, Tcp
from ecnomy.markets.plan.law_table import trait_value, with_trait
from ecnomy.markets.scenario import Scenario
from ecnomy.markets.scenario.header_queues import HEADERS
from ecnomy.markets.scenario.mark_prices import mark_prices

__all__ = [
    "bottlenecks",
    "charges_micro",
    "constant_charge_micro",
    "constant_rates",
    "largest_probability",
    "mark_rates",
    "marks_alike",
    "most_marked",
    "sorts",
    "sorts_by",
    "takes_marks",
]


def sorts(link: Link) -> bool:
    """Return whether a link sorts packets by header rather than by the class of their source."""
    return any(sorts_by(link, trait) for trait in HEADERS)


def sorts_by(link: Link, trait: str) -> bool:
    """Return whether a link's scheduler has a trait such as by_codepoint or by_flow."""
    scheduler = link.scheduler
    return scheduler is not None and scheduler.law.law in with_trait("scheduling", trait)


def takes_marks(source: Source, link: Link) -> bool:
    """Return whether a link may mark the packets of an ECN-capable source."""
    classic = not source.l4s and sorts_by(link, "drops_classic")
    return largest_probability(link) > 0 and not classic


def largest_probability(link: Link) -> float:
    """Return a law's ceiling: the largest marking probability at which it can set a price.

    A law may briefly exceed its ceiling. RED marks every packet beyond its maximum threshold, and a
    load-based law marks more under overload.
    """
    scheduler = link.scheduler
    if scheduler is None:
        return _largest(link.marking)
    own = 1.0 if sorts(link) or scheduler.law.params.get("regulation") else 0.0
    return max((_largest(law) for law in scheduler.marking), default=own)


def most_marked(link: Link) -> float:
    """Return the largest share of packets that a law marks: 1 if it saturates, or its ceiling."""
    return (
        1.0 if link.marking.law in with_trait("marking", "saturates") else largest_probability(link)
    )


def marks_alike(link: Link) -> bool:
    """Return whether a link's law marks with a constant probability at any load."""
    return link.marking.law in with_trait("marking", "per_load", "0")


def _largest(law: Law) -> float:
    ceiling = trait_value("marking", law.law, "ceiling", law.params)
    return min(1.0, max(0.0, ceiling))


def mark_rates(scenario: Scenario, plan: Plan) -> dict[str, float]:
    """Return the target marks per second of a flow, by source, if known before the run."""
    rates = {
        source.name: source.transport.initial_mark_rate
        for source in plan.sources
        if isinstance(source.transport, Tcp) and source.transport.initial_mark_rate >= 0
    }
    if scenario.market is not None:
        prices = mark_prices(scenario.market, plan)
        for agent in scenario.market.agents:
            charges = charges_micro(agent)
            for entry in agent.classes if charges else ():
                charge_micro = charges[entry.name]
                rates |= {name: charge_micro / prices[name].low for name in entry.sources}
    return rates


def constant_rates(scenario: Scenario, plan: Plan) -> dict[str, float]:
    """Return the target marks per second of a flow, for sources that pay a constant charge.

    Only agents without classes are included, because a class has a known number of flows. Many
    flows with constant charges may want more marks in total than a link can set.
    """
    if scenario.market is None:
        return {}
    rates: dict[str, float] = {}
    prices = mark_prices(scenario.market, plan)
    for agent in scenario.market.agents:
        if agent.strategy is None or agent.classes:
            continue
        if (charge_micro := constant_charge_micro(agent.strategy)) > 0:
            rates |= {name: charge_micro / prices[name].low for name in agent.sources}
    return rates


def constant_charge_micro(strategy: StrategySpec) -> int:
    """Return the constant charge of a flow outside classes [micro-units/s]; 0 if it has none."""
    charge_in = getattr(make(strategy.kind, strategy.params), "charge_in", None)
    return int(charge_in(0)) if callable(charge_in) else 0


def charges_micro(agent: AgentSpec) -> dict[str, int]:
    """Return the initial target cost of a flow's marks in each class of the agent [micro-units/s].

    The agent's strategy may state this cost in `charge_in`. The result is {} if the strategy
    decides for each flow.
    """
    charges = {sold.name: sold.charging_rate_micro for sold in agent.classes}
    if agent.strategy is None or not charges:
        return charges
    strategy = make(agent.strategy.kind, agent.strategy.params)
    charge_in = getattr(strategy, "charge_in", None)
    if not callable(charge_in):
        return {}
    return {name: int(charge_in(charge)) for name, charge in charges.items()}


def bottlenecks(plan: Plan, askers: list[Source]) -> dict[int, list[Source]]:
    """Group the sources in `askers` by the slowest marking link on their path."""
    users: dict[int, list[Source]] = {}
    for source in askers:
        if marking := [link for link in source.path if largest_probability(plan.links[link]) > 0]:
            rates = {link: plan.links[link].rate_bps for link in marking}
            users.setdefault(min(marking, key=lambda link: (rates[link], link)), []).append(source)
    return users
