# SPDX-License-Identifier: Apache-2.0
"""Warnings about calls with promises: admission without a threshold, and claims without effect."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from ecnomy.agents.call_tariff import DEFAULT_ADMISSION, SUBSCRIBER_SEES
from ecnomy.agents.spec import StrategySpec
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.plan import Plan
from ecnomy.markets.scenario import Scenario

__all__ = ["claims_without_effect", "unguarded_admission"]


def claims_without_effect(scenario: Scenario) -> Iterator[str]:
    """Warn if subscribers overclaim although no tariff has quality_seen_by: subscriber."""
    agents = scenario.market.agents if scenario.market else ()
    tariffs = [line.tariff for agent in agents for line in agent.lines]
    if any(tariff.quality_seen_by == SUBSCRIBER_SEES for tariff in tariffs):
        return
    for agent in agents:
        if agent.strategy and agent.strategy.params.get("overclaims"):
            yield (
                f"agent {agent.name}: overclaims has no effect because the provider decides "
                "whether a promise is broken, unless its tariff has quality_seen_by: subscriber"
            )


def unguarded_admission(scenario: Scenario, plan: Plan) -> Iterator[str]:
    """Warn if an agent never has a threshold for admission, or its test streams stop too early."""
    stops = {source.name: source.stop_ps for source in plan.sources}
    for agent in scenario.market.agents if scenario.market else ():
        if not agent.lines:
            continue
        for name in agent.test_streams:
            if 0 <= stops[name] < plan.duration_ps:
                yield (
                    f"agent {agent.name}: its test stream {name} stops before the run ends. From "
                    "then on the agent measures nothing and admits all calls"
                )
        for line in agent.lines:
            strategy = line.strategy or agent.strategy or StrategySpec(DEFAULT_ADMISSION)
            learning = (_number(strategy.params, *d) for d in (("learning", 10), ("sample", 180.0)))
            learning_s = math.prod(learning)
            if strategy.kind == DEFAULT_ADMISSION and learning_s * PS_PER_S > plan.duration_ps:
                yield (
                    f"agent {agent.name}: learns for {learning_s:g} s, longer than the run, so "
                    "it never blocks a call"
                )


def _number(params: Mapping[str, object], name: str, default: float) -> float:
    value = params.get(name, default)
    return float(value) if isinstance(value, int | float) else default
