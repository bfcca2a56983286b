# SPDX-License-Identifier: Apache-2.0
"""Warnings about marks that are too cheap to limit the demand to a link's rate.

A marking law sets a price by its marking probability p. The largest p is the law's ceiling, or 1 if
the law marks every packet beyond the ceiling. At a price of m money per mark and packets of b bits,
a rate of 1 bit/s costs p m / b money/s. If the users' total demand at the largest p exceeds the
link's rate, queues grow, and each flow takes fewer marks than it is willing to pay for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from ecnomy.agents.money import MICRO
from ecnomy.agents.spec import AgentSpec
from ecnomy.markets.compile.target_marks import (
    bottlenecks,
    constant_charge_micro,
    largest_probability,
    most_marked,
)
from ecnomy.markets.plan import Plan, Source
from ecnomy.markets.scenario import Scenario
from ecnomy.markets.scenario.mark_prices import mark_prices

__all__ = ["cheap_marks"]

_UNIT_BPS: Final = 1e6  # replaces a missing x0 of a utility, where x0 has no effect
_FOLLOWS: Final = "elastic-utility"


def cheap_marks(scenario: Scenario, plan: Plan) -> Iterator[str]:
    """Warn about links whose users want more than the link's rate at the law's largest probability.

    A source counts if it is greedy, sends throughout the measured window, has one marking link, and
    pays only for marks, at a constant price. Its agent must pay a constant charge, or follow the
    demand of a utility.
    """
    if scenario.market is None:
        return
    agents = scenario.market.agents
    payers = {name: agent for agent in agents for name in agent.sources if _pays(agent)}
    charged = {name for agent in agents for entry in agent.contracts for name in entry.sources}
    prices = mark_prices(scenario.market, plan)
    moving = {agent.name for agent in agents if agent.strategy is not None}
    users = [
        source
        for source in plan.sources
        if source.name in payers
        and source.name not in charged
        and prices[source.name].low == prices[source.name].high > 0
        and moving.isdisjoint(prices[source.name].domains)
        and _sends_throughout(source, plan)
        and sum(largest_probability(plan.links[link]) > 0 for link in source.path) == 1
    ]
    for link, sources in bottlenecks(plan, users).items():
        line, most = plan.links[link], most_marked(plan.links[link])
        wanted_bps = 0.0
        for source in sources:
            per_bit = most * prices[source.name].low / MICRO / (8 * source.packet_bytes)
            wanted_bps += source.count * _demand_bps(payers[source.name])(per_bit)
        if wanted_bps > line.rate_bps:
            yield (
                f"link {line.name}: even at its law's largest marking probability, {most:.3g}, the "
                f"demand of {', '.join(source.name for source in sources)} is "
                f"{wanted_bps / 1e6:.4g} Mbps, but the link carries {line.rate_bps / 1e6:.4g} "
                "Mbps. Queues grow, and flows take fewer marks than they pay for. Raise "
                "price_per_mark, or let the law mark more"
            )


def _sends_throughout(source: Source, plan: Plan) -> bool:
    started = source.start.at_ps <= plan.warmup_ps and source.traffic.law == "greedy"
    return started and source.weighted and not 0 <= source.stop_ps < plan.duration_ps


def _pays(agent: AgentSpec) -> bool:
    strategy = agent.strategy
    if strategy is None or agent.classes:
        return False
    return constant_charge_micro(strategy) > 0 or (
        strategy.kind == _FOLLOWS and not strategy.params.get("anticipates")
    )


def _demand_bps(agent: AgentSpec) -> Callable[[float], float]:
    """Return the demand of a flow [bit/s] as a function of the cost of a bit [money]."""
    assert agent.strategy is not None
    charge = constant_charge_micro(agent.strategy) / MICRO
    if charge:
        return lambda per_bit: charge / per_bit
    import numpy as np

    from ecnomy.agents.strategies.declared_utility import declared_utility  # loads numpy

    utility = declared_utility(agent.strategy)
    budget = float(agent.strategy.params.get("budget", np.inf))  # type: ignore[arg-type]
    assert utility is not None
    x0_bps = utility.x0 or _UNIT_BPS

    def demand_bps(per_bit: float) -> float:
        r = float(utility.demand(np.array([per_bit * x0_bps]))[0])
        return min(r * x0_bps, budget / per_bit)

    return demand_bps
