# SPDX-License-Identifier: Apache-2.0
"""Manual changes of activity and class in a running market, against reports and books."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import market_world as world
from ecnomy.agents.errors import InputError, NotRunningError
from ecnomy.agents.spec import AgentSpec, StrategySpec
from ecnomy.markets import open_market
from ecnomy.markets.bridge.messages import Decide
from ecnomy.markets.model.market import Market
from ecnomy.markets.plan import Law
from market_world import PS

CLASSES = {"gold": (4_000_000, ("gold",)), "silver": (1_000_000, ("silver",))}


def _active(decide: Decide) -> dict[int, int]:
    return dict(zip(decide.flows["flow"].tolist(), decide.flows["active"].tolist(), strict=True))


@pytest.mark.parametrize(
    ("share", "on"), [(0.0, 0), (0.1, 0), (0.125, 1), (0.5, 2), (0.6, 2), (0.63, 3), (1.0, 4)]
)
def test_a_share_of_flows_may_send(share: float, on: int) -> None:
    """The first flows send, and engines get orders only for flows that change."""
    plan = world.plan([world.source("web", count=4), world.source("tv", count=2)])
    market = Market(plan, world.shop({}))
    market.decide(world.report(plan, 0, 0))
    market.set_active("web", share)
    orders = market.orders()
    assert _active(orders) == dict.fromkeys(range(on, 4), 0) if on < 4 else orders.flows == {}
    assert market.aims.active.tolist() == [i < on for i in range(4)] + [True, True]
    market.set_active("web", 1)
    again = market.orders()
    assert again.flows == {} if on == 4 else _active(again) == dict.fromkeys(range(on, 4), 1)


def test_what_is_held_back_owes_no_fee() -> None:
    """Fees of 4 money/s are charged for two flows in the first second, and for one in the next."""
    plan = world.plan([world.source("gold", count=2)])
    market = Market(plan, world.shop({"gold": (4_000_000, ("gold",))}))
    market.decide(world.report(plan, 0, 0))
    market.decide(world.report(plan, PS, 1))
    assert market.ledger.balance_micro("source:gold") == -8_000_000
    market.set_active("gold", 0.5)
    market.decide(world.report(plan, 2 * PS, 2))
    assert market.ledger.balance_micro("source:gold") == -12_000_000


def test_agents_decide_on_beneath_the_share() -> None:
    """A flow held back can still switch carriers. Its last decision applies on release."""
    kind = {"kind": "log", "a": 1.0, "x0": 1e6}
    choice = StrategySpec("best-offer", {"utility": kind, "pay": 1.0})
    users = AgentSpec("users", "customer", (), ("a", "b"), choice, decision_interval_ps=0)
    plan = world.plan([world.source("a", count=6), world.source("b", count=6)])
    market = Market(plan, world.shop({}, users))
    market.decide(world.report(plan, 0, 0))
    chosen = market.aims.switched_on.copy()
    assert np.array_equal(chosen[:6], ~chosen[6:])
    for source in ("a", "b"):
        market.set_active(source, 0.5)
    admitted = np.array([i % 6 < 3 for i in range(12)])
    for epoch in range(1, 5):
        market.decide(world.report(plan, epoch * PS, epoch))
        assert np.array_equal(market.aims.active, market.aims.switched_on & admitted)
    for source in ("a", "b"):
        market.set_active(source, 1.0)
    assert np.array_equal(market.aims.active, market.aims.switched_on)
    assert market.aims.active.sum() == 6


def test_rows_of_many_are_on_or_off() -> None:
    """A row that stands for many flows cannot be switched on in part."""
    many = msgspec.structs.replace(world.source("web", count=4), rows="together")
    plan = world.plan([many])
    market = Market(plan, world.shop({}))
    with pytest.raises(
        InputError, match="found 0.5, expected 0 or 1, because its flows are one row"
    ):
        market.set_active("web", 0.5)
    market.set_active("web", 0)
    assert market.aims.active.tolist() == [False]


def test_a_class_by_hand_changes_fee_and_payment_together() -> None:
    """Silver's flow moves to gold at the next report, and pays 4 money/s only from then on."""
    plan = world.plan([world.source("gold"), world.source("silver")])
    market = Market(plan, world.shop(CLASSES))
    market.decide(world.report(plan, 0, 0))
    market.set_class("silver", "gold")
    assert market.orders().flows == {}
    orders = market.decide(world.report(plan, PS, 1))
    assert market.ledger.balance_micro("source:silver") == -1_000_000
    assert orders.flows["flow"].tolist() == [1] and orders.flows["mark_rate"].tolist() == [4000.0]
    market.decide(world.report(plan, 2 * PS, 2))
    assert market.ledger.balance_micro("source:silver") == -5_000_000


def test_by_hand_has_the_last_word_over_customers() -> None:
    """A customer's knob that would move down at this report does not undo a manual move."""
    plan = world.plan([world.source("gold"), world.source("silver")])
    knob = world.customer("ann", "gold", kind="qos-knob", patience=1.0)
    market = Market(plan, world.shop(CLASSES, knob))
    for epoch in range(6):  # nothing is marked: left alone, the knob goes to silver and stays
        market.decide(world.report(plan, epoch * PS, epoch, delivered=[9 * epoch] * 2))
        market.set_class("gold", "gold")
    assert market.offers[market.offer[0]].name == "gold"
    market.decide(world.report(plan, 6 * PS, 6))
    for epoch in range(7, 10):
        market.decide(world.report(plan, epoch * PS, epoch))
    assert market.offers[market.offer[0]].name == "silver"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.set_active("web", 1.5), r"set_active\('web'\): found 1.5, expected 0 to 1"),
        (lambda m: m.set_active("web", float("nan")), r"\(0 to 1\), got nan"),
        (lambda m: m.set_active("tin", 1.0), "unknown source 'tin'"),
        (lambda m: m.set_class("web", "gold"), "found 'gold', expected a source in a class"),
        (lambda m: m.set_class("silver", "lead"), "found 'lead', expected one of gold, silver"),
        (lambda m: m.set_willingness("lone", 1.0), "no weight, expected one of gold, silver, web$"),
    ],
)
def test_useless_changes_by_hand_are_refused(change: Any, message: str) -> None:
    """The refusal is one line, and nothing changes."""
    lone = world.source("lone", transport=world.tcp(Law("newreno", {})))
    sources = [world.source("gold"), world.source("silver"), world.source("web"), lone]
    plan = world.plan(sources)
    market = Market(plan, world.shop(CLASSES))
    market.decide(world.report(plan, 0, 0))
    with pytest.raises(InputError, match=message) as refused:
        change(market)
    assert "\n" not in str(refused.value)
    assert market.decide(world.report(plan, PS, 1)).flows == {}


def test_the_engine_carries_it_out(scene: Path, tmp_path: Path) -> None:
    """On the real engine half of gold's flows stop sending and are reported as off."""
    with open_market(scene, out=tmp_path / "r") as market:
        for _ in range(4):
            market.step()
        assert market.report is not None and market.report.flows["active"].tolist() == [1, 1, 1]
        market.set_active("gold", 0.5)
        for _ in range(3):
            market.step()
        before = market.report.flows["sent"].copy()
        market.step()
        assert market.report.flows["active"].tolist() == [1, 0, 1]
        grown = market.report.flows["sent"] - before
        assert grown[0] > 0 and grown[1] == 0 and grown[2] > 0
        market.set_active("gold", 1.0)
        market.step()
        market.step()
        assert market.report.flows["active"].tolist() == [1, 1, 1]
        for price in (0.5, 0.5, 0.75):  # a repeated value is not a change
            market.post_price("", price)
        result = market.close()
    assert result is not None
    assert list(map(str, result.manifest.by_hand)) == [
        "active share of gold (2 values, the first at 4 s)",
        "price of a mark (2 values, the first at 10 s)",
    ]
    with pytest.raises(
        NotRunningError, match="the run has ended, so the price of '' cannot change"
    ):
        market.post_price("", 1.0)
    said = result.raw.agents.query("name == 'active'")
    rows = list(zip(said["t_ps"] // PS, said["flow"], said["value"], strict=True))
    assert rows == [(4, 1, 0.0), (8, 1, 1.0)]
