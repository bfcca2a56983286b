# SPDX-License-Identifier: Apache-2.0
"""Admission to classes of limited size or cost, on scripted reports; rows stand for many flows.

Users with `fee-limit` request gold at every report until they are in it.
"""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest

import market_world as world
from ecnomy.agents.spec import AgentSpec, ClassSpec, MarketSpec, StrategySpec
from ecnomy.markets.economy.class_books import LATELY_S
from ecnomy.markets.model.market import Market
from ecnomy.markets.plan import Plan, Source
from market_world import PS

GOLD, IRON = 0, 1
CHARGE_MICRO = 1_000_000  # of a flow in gold


def crowd(name: str, flows: int, stop_s: int = -1) -> Source:
    """A source of many flows in one row."""
    one = world.source(name, count=flows, stop_ps=stop_s * PS if stop_s >= 0 else -1)
    return msgspec.structs.replace(one, rows="together")


def market(sources: list[Source], *, kind: str = "", **limits: int) -> tuple[Plan, Market]:
    """All sources begin in iron, and their users can pay for gold."""
    plan = world.plan(sources, duration_ps=30 * PS)
    names = tuple(source.name for source in sources)
    gold = ClassSpec("gold", 2_000_000, (), CHARGE_MICRO, **limits)
    sold = gold, ClassSpec("iron", 500_000, names)
    pricing = StrategySpec(kind, {"every": 1.0, "share": 0.8}) if kind else None
    agents = (
        AgentSpec("isp", "connectivity-provider"),
        AgentSpec("shop", "application-provider", sold, (), pricing),
        *(world.customer(f"of-{name}", name, kind="fee-limit", low=9, high=9) for name in names),
    )
    return plan, Market(plan, MarketSpec(1000, agents))


def entries(plan: Plan, run: Market, until_s: int = 12, **counts: list[int]) -> dict[str, int]:
    """The time in s at which each source has entered gold; counters grow by `counts` a second."""
    entered: dict[str, int] = {}
    for t in range(until_s + 1):
        columns = {name: t * np.array(each) for name, each in counts.items()}
        run.decide(world.report(plan, t * PS, t, **columns))
        inside = np.flatnonzero(run.offer == GOLD).tolist()
        entered |= {name: t for row in inside if (name := plan.sources[row].name) not in entered}
    return entered


def test_members_whose_source_has_stopped_leave_their_places() -> None:
    """Six of ten places are taken until 3 s. Then five enter, and six others find no room."""
    sources = [crowd("first", 6, stop_s=3), crowd("second", 5), crowd("third", 6)]
    assert entries(*market(sources, members=10)) == {"first": 0, "second": 3}


def test_a_row_enters_as_all_of_its_flows_or_not_at_all() -> None:
    """Three members at 1 money/s each leave room for one more under a cost of 4, but not two."""
    sources = [crowd("three", 3), crowd("two", 2), world.source("one")]
    run = market(sources, cost_micro_per_s=4 * CHARGE_MICRO)
    assert entries(*run, until_s=0) == {"three": 0, "one": 0}


def test_who_costs_nothing_makes_room_as_its_cost_is_known() -> None:
    """Three members have no marks. At t, the cost does not yet include 3 exp(-t / 10 s) of them."""
    sources = [crowd("three", 3), crowd("two", 2)]
    limit = dict(cost_micro_per_s=4 * CHARGE_MICRO)
    enters_s = math.ceil(LATELY_S * math.log(3 / 2))
    assert entries(*market(sources, **limit)) == {"three": 0, "two": enters_s}
    # Marks for 3 money/s as foreseen: known cost and hidden members stay at 3 money/s in all.
    assert entries(*market(sources, **limit), ce=[3000, 0]) == {"three": 0}


def test_all_flows_of_a_refused_row_raise_the_fee() -> None:
    """With two members, six refusals and a target of four, the fee rises by sqrt(8 / 4)."""
    plan, run = market([crowd("two", 2), crowd("six", 6)], kind="fill-classes", members=5)
    fees = []
    for t in range(3):
        run.decide(world.report(plan, t * PS, t))
        fees.append(run.offers[GOLD].fee_micro_per_s)
    assert fees == pytest.approx([2e6, 2e6 * 2**0.5, 4e6], abs=1)


@pytest.mark.parametrize("limit", [{"members": 6}, {"cost_micro_per_s": 6 * CHARGE_MICRO}])
def test_a_class_is_filled_to_its_limit(limit: dict[str, int]) -> None:
    """Four and two make six, with no room for one more; a limit of 0 admits nobody."""
    sources = [crowd("four", 4), crowd("two", 2), world.source("one")]
    assert entries(*market(sources, **limit), until_s=0) == {"four": 0, "two": 0}
    none = dict.fromkeys(limit, 0)
    assert entries(*market(sources, **none), until_s=0) == {}
