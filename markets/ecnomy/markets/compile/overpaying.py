# SPDX-License-Identifier: Apache-2.0
"""Warnings about users who pay beyond their utility, or misjudge their effect on prices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ecnomy.agents.roles import preset_of
from ecnomy.agents.spec import StrategySpec
from ecnomy.agents.strategies import make
from ecnomy.markets.compile.target_marks import largest_probability, marks_alike
from ecnomy.markets.plan import Plan, Source
from ecnomy.markets.scenario import Scenario

if TYPE_CHECKING:
    from ecnomy.agents.utilities import Utility

__all__ = ["anticipated_otherwise", "paid_beyond_worth"]


def paid_beyond_worth(scenario: Scenario, plan: Plan) -> Iterator[str]:
    """Warn about agents whose `pay` exceeds their declared utility at a flow's largest rate.

    A flow's largest rate is the smaller one of its traffic's largest rate and the rate of the
    slowest link on its path. Strategies that derive their payment from the utility have no `pay`.
    """
    for agent in scenario.market.agents if scenario.market else ():
        strategy = agent.strategy
        if strategy is None or "pay" not in strategy.params or not preset_of(agent.role).uses:
            continue
        from ecnomy.agents.strategies.declared_utility import declared_utility  # loads numpy

        utility, pay = declared_utility(strategy), _pay(strategy)
        if utility is None:
            continue
        own = [source for source in plan.sources if source.name in agent.sources]
        worth = max((_most(utility, source, plan) for source in own), default=pay)
        if pay > worth:
            yield (
                f"agent {agent.name}: pays {pay:g} money/s per flow, but by its utility a flow is "
                f"worth at most {worth:.4g} money/s to it, at the largest rate of its paths"
            )


def anticipated_otherwise(scenario: Scenario, plan: Plan) -> Iterator[str]:
    """Warn about `anticipates` if a path has several marking links, or one of fixed probability."""
    for agent in scenario.market.agents if scenario.market else ():
        if agent.strategy is None or not agent.strategy.params.get("anticipates"):
            continue
        for source in (source for source in plan.sources if source.name in agent.sources):
            marking = [plan.links[n] for n in source.path if largest_probability(plan.links[n]) > 0]
            names = ", ".join(link.name for link in marking)
            if len(marking) > 1:
                yield (
                    f"agent {agent.name}: anticipates the price of one link, but several on the "
                    f"path of {source.name} mark: {names}"
                )
            elif marking and marks_alike(marking[0]):
                yield (
                    f"agent {agent.name}: anticipates its effect on the price, but {names} marks "
                    "with a fixed probability"
                )


def _pay(strategy: StrategySpec) -> float:
    pay = getattr(make(strategy.kind, strategy.params), "pay", -1.0)
    return float(pay) if isinstance(pay, int | float) else -1.0


def _most(utility: Utility, source: Source, plan: Plan) -> float:
    import numpy as np

    rate_bps = min(source.most_bps, *(plan.links[link].rate_bps for link in source.path))
    x0_bps = float(utility.x0) if utility.x0 is not None else source.most_bps
    return float(utility.value(np.array([rate_bps / x0_bps]))[0])
