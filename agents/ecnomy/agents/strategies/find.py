# SPDX-License-Identifier: Apache-2.0
"""Finds the class of a strategy by name, and creates an object from its parameters."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Final

from ecnomy.agents import find as families
from ecnomy.agents.errors import EcnomyError, StrategyError
from ecnomy.agents.find import Family

__all__ = ["BUILT_IN", "FOR_FLOWS", "GROUP", "METHODS", "STRATEGIES", "blame", "find", "make"]

GROUP: Final = "ecnomy.strategies"
FOR_FLOWS: Final = ("decide", "decide_many")  # methods of strategies that decide about flows
METHODS: Final = (*FOR_FLOWS, "post_price", "admit", "order")
BUILT_IN: Final[dict[str, str]] = {
    "accept-all": "ecnomy.agents.strategies.accept_all:AcceptAll",
    "aggressiveness-knob": "ecnomy.agents.strategies.aggressiveness_knob:AggressivenessKnob",
    "all-or-nothing": "ecnomy.agents.strategies.all_or_nothing:AllOrNothing",
    "average-rate": "ecnomy.agents.strategies.average_rate:AverageRate",
    "best-choice": "ecnomy.agents.strategies.best_choice:BestChoice",
    "best-offer": "ecnomy.agents.strategies.best_offer:BestOffer",
    "cheapest-call": "ecnomy.agents.strategies.cheapest_call:CheapestCall",
    "constant-charge": "ecnomy.agents.strategies.constant_charge:ConstantCharge",
    "constant-throughput": "ecnomy.agents.strategies.constant_throughput:ConstantThroughput",
    "cost-plus": "ecnomy.agents.strategies.cost_plus:CostPlus",
    "elastic-utility": "ecnomy.agents.strategies.elastic_utility:ElasticUtility",
    "fill-classes": "ecnomy.agents.strategies.fill_classes:FillClasses",
    "file-budget": "ecnomy.agents.strategies.file_budget:FileBudget",
    "expected-profit": "ecnomy.agents.strategies.expected_profit:ExpectedProfit",
    "fee-limit": "ecnomy.agents.strategies.fee_limit:FeeLimit",
    "hill-climbing": "ecnomy.agents.strategies.hill_climbing:HillClimbing",
    "lines": "ecnomy.agents.strategies.lines:Lines",
    "marking-quantile": "ecnomy.agents.strategies.marking_quantile:MarkingQuantile",
    "menu": "ecnomy.agents.strategies.menu:Menu",
    "price-demand": "ecnomy.agents.strategies.price_demand:PriceDemand",
    "price-memory": "ecnomy.agents.strategies.price_memory:PriceMemory",
    "price-schedule": "ecnomy.agents.strategies.price_schedule:PriceSchedule",
    "probe-threshold": "ecnomy.agents.strategies.probe_threshold:ProbeThreshold",
    "qos-knob": "ecnomy.agents.strategies.qos_knob:QosKnob",
    "revenue-bandit": "ecnomy.agents.strategies.revenue_bandit:RevenueBandit",
    "revenue-gradient": "ecnomy.agents.strategies.revenue_gradient:RevenueGradient",
    "stay": "ecnomy.agents.strategies.stay:Stay",
    "target-utilization": "ecnomy.agents.strategies.target_utilization:TargetUtilization",
    "tuned-marking": "ecnomy.agents.strategies.tuned_marking:TunedMarking",
    "worth-of-call": "ecnomy.agents.strategies.worth_of_call:WorthOfCall",
}


STRATEGIES: Final = Family(
    noun="strategy", group=GROUP, methods=METHODS, error=StrategyError, built_in=BUILT_IN
)


@functools.cache
def find(kind: str) -> type:
    """Return a strategy's class by built-in name, `module:Class` or entry point.

    Raises:
        StrategyError: the class does not exist, cannot be imported, or is not a strategy (see
            ecnomy.agents.find.find).
    """
    return families.find(STRATEGIES, kind)


def make(kind: str, params: Mapping[str, object]) -> object:
    """Return a new strategy object; `params` are in the units of the class's annotations.

    Raises:
        StrategyError: as for `find`; or the class does not accept these parameters.
    """
    return families.make(STRATEGIES, kind, find(kind), params)


def blame(who: str, error: Exception) -> EcnomyError:
    """Return the error to raise for an exception in a strategy; the message names `who`."""
    return families.blame(who, error, StrategyError)
