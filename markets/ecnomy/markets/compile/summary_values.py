# SPDX-License-Identifier: Apache-2.0
"""The output of `ecnomy check --json`: the resolved scenario in plain values.

Times are in s, rates in bit/s, and amounts in units of money. Missing values are null.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from ecnomy.agents.money import MICRO
from ecnomy.agents.spec import AgentSpec
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.plan import Law, Link, Plan, Source, Tcp
from ecnomy.markets.plan.law_table import MARKING
from ecnomy.markets.scenario import Scenario

__all__ = ["summary_values"]

_NONE: Final = -1


def summary_values(scenario: Scenario, plan: Plan, warnings: list[str]) -> dict[str, Any]:
    """Return times, links, sources, market and warnings under stable names."""
    market = scenario.market
    return {
        "file": scenario.places.file,
        "title": plan.title,
        "plan": plan.digest,
        "seed": plan.seed,
        "duration_s": plan.duration_ps / PS_PER_S,
        "warmup_s": plan.warmup_ps / PS_PER_S,
        "epoch_s": plan.epoch_ps / PS_PER_S,
        "links": [_link(link, plan) for link in plan.links],
        "sources": [_source(source, plan) for source in plan.sources],
        "market": None
        if market is None
        else {
            "price_per_mark": market.price_micro_per_mark / MICRO,
            "settlement": market.settlement,
            "classic_price_ratio": market.classic_price_ratio,
            "agents": [_agent(agent) for agent in market.agents],
        },
        "warnings": warnings,
    }


def _there(value: int) -> int | None:
    return None if value == _NONE else value


def _law(law: Law) -> dict[str, Any]:
    """Return a marking law with its parameters; choices are words."""
    table = {param.name: param.choices for param in MARKING[law.law]}
    chosen = {
        name: table[name][int(value)] if table.get(name) else value
        for name, value in law.params.items()
    }
    return {"law": law.law, "parameters": chosen}


def _link(link: Link, plan: Plan) -> dict[str, Any]:
    scheduler = link.scheduler
    return {
        "name": link.name,
        "from": plan.nodes[link.source],
        "to": plan.nodes[link.target],
        "rate_bps": link.rate_bps,
        "delay_s": link.delay_ps / PS_PER_S,
        "buffer_packets": _there(link.buffer_packets),
        "buffer_bytes": _there(link.buffer_bytes),
        "loss": link.loss,
        "reordering": 0.0 if link.reordering is msgspec.UNSET else link.reordering.probability,
        "marking": None if scheduler else _law(link.marking),
        "scheduler": scheduler.law.law if scheduler else None,
        "classes": list(scheduler.names) if scheduler else [],
    }


def _source(source: Source, plan: Plan) -> dict[str, Any]:
    transport = source.transport
    both = [*source.path, *source.ack_path]
    rtt_s = sum(plan.links[link].delay_ps for link in both) / PS_PER_S
    return {
        "name": source.name,
        "flows": source.count,
        "traffic": source.traffic.law,
        "transport": transport.window.law if isinstance(transport, Tcp) else "udp",
        "links": [plan.links[link].name for link in source.path],
        "rtt_s": rtt_s if source.ack_path else None,  # without queueing
        "start_s": source.start.at_ps / PS_PER_S,
    }


def _agent(agent: AgentSpec) -> dict[str, Any]:
    price = agent.price_micro_per_mark
    return {
        "name": agent.name,
        "role": agent.role,
        "strategy": agent.strategy.kind if agent.strategy else None,
        "price_per_mark": None if price < 0 else price / MICRO,
        "classes": [entry.name for entry in agent.classes],
        "contracts": [contract.name for contract in agent.contracts],
        "sources": list(agent.sources),
    }
