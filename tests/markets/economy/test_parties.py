# SPDX-License-Identifier: Apache-2.0
"""Accounts of a run: who uses a flow, who sells its class, who pays for its marks."""

from __future__ import annotations

import numpy as np
import pytest

from ecnomy.agents.errors import InputError, StrategyError
from ecnomy.agents.spec import AgentSpec, ClassSpec
from ecnomy.markets import make_plan
from ecnomy.markets.economy.ledger import Ledger
from ecnomy.markets.economy.parties import Parties
from ecnomy.markets.scenario import scenario_from_text

TEXT = """\
version: 1
duration: 2 s
network: {links: [{name: wire, from: a, to: b, rate: 4 Mbps}]}
sources:
  - {name: one, count: 2, from: a, to: b, transport: {law: newreno}}
  - {name: two, from: a, to: b, transport: {law: newreno}}
  - {name: three, count: 3, from: a, to: b, transport: {law: newreno}, rows: together}
  - {name: four, from: a, to: b, transport: {law: newreno}}
"""
GOLD = ClassSpec("gold", 900, ("one",))
TIN = ClassSpec("tin", 200, ("two",), customer_pays_marks=True)
LEAD = ClassSpec("lead", 300, ("three",))
DEAREST = 10**12


class World:
    """Flows 0 and 1 of `one`, 2 of `two`, the row 3 of `three` and 4 of `four`."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        agents = [AgentSpec(name, "customer") for name in ("ann", "bob", "shop", "rival")]
        self.parties = Parties(make_plan(scenario_from_text(TEXT)), agents, self.ledger)
        self.ann, self.bob, self.shop, self.rival = (
            self.parties.account(agent.name) for agent in agents
        )

    def settled(self) -> Parties:
        """Ann uses `one` and `two`, bob uses `three`; the shop sells gold and tin."""
        parties = self.parties
        assert parties.use("ann", ("two", "one"), alone=False).tolist() == [0, 1, 2]
        parties.use("bob", ("three",), alone=False)
        for who, sold in (("shop", GOLD), ("rival", LEAD), ("shop", TIN)):
            assert parties.sell(who, sold).provider == who
        parties.settle()
        return parties


def test_flows_have_users_classes_and_sellers() -> None:
    """A source without a user has a separate account."""
    world = World()
    parties = world.settled()
    source = world.ledger.names.index("source:four")
    assert parties.users.tolist() == [world.ann] * 3 + [world.bob, source]
    assert parties.first_offer.tolist() == [0, 0, 2, 1, -1]
    offer = np.array([2, 0, -1, 1, -1])
    assert parties.fees(offer).tolist() == [200, 900, 0, 300, 0]
    payer, payee = parties.fee_parties(offer)
    assert payer.tolist() == parties.users.tolist()
    assert payee.tolist() == [world.shop, world.shop, -1, world.rival, -1]
    assert parties.sold_by("shop", offer).tolist() == [0, 1]
    assert parties.sold_by("rival", offer).tolist() == [3]
    assert parties.sold_by("ann", offer).tolist() == []


def test_marks_are_paid_by_the_seller_of_a_class_or_the_user() -> None:
    """The user pays by the class's terms, or without a class, unless an agent took on marks."""
    world = World()
    world.parties.pay_marks("rival", ("two",))
    parties = world.settled()
    source = world.ledger.names.index("source:four")
    offer = np.array([0, 2, -1, 1, -1])
    assert parties.mark_payers(offer).tolist() == [
        *(world.shop, world.ann, world.rival, world.rival, source)
    ]
    parties.carried(1, world.bob)
    parties.carried(4, world.shop)
    parties.carried(0, world.bob)
    assert parties.mark_payers(offer).tolist() == [
        *(world.shop, world.bob, world.rival, world.rival, world.shop)
    ]
    assert parties.mark_payers(np.full(5, -1)).tolist() == [
        *(world.bob, world.bob, world.rival, world.bob, world.shop)
    ]


def test_a_posted_fee_is_that_of_its_class_alone() -> None:
    """A fee is 0 to 10^12 micro-units per row, and applies only to its class."""
    parties = World().settled()
    every = np.array([0, 1, 2])
    kept = parties.fees(np.array([0, 1, 2, -1])), parties.offers
    for who, name, fee, fees in (
        ("shop", "tin", 0, [900, 300, 0]),
        ("rival", "lead", DEAREST // 3, [900, DEAREST // 3, 0]),
        ("shop", "gold", 7, [7, DEAREST // 3, 0]),
        ("shop", "gold", 8, [8, DEAREST // 3, 0]),
    ):
        assert parties.post_fee(who, name, fee)
        assert not parties.post_fee(who, name, fee)
        assert parties.fees(every).tolist() == fees
        assert [offer.fee_micro_per_s for offer in parties.offers] == fees
    assert parties.fees(np.array([-1])).tolist() == [0]
    assert kept[0].tolist() == [900, 300, 200, 0]  # bills already made stay
    assert [offer.name for offer in parties.offers] == ["gold", "lead", "tin"]
    for fee in (-1, DEAREST // 3 + 1):
        with pytest.raises(
            StrategyError, match=f"fee of {fee} micro-units/s for class 'tin', expected 0 to"
        ):
            parties.post_fee("shop", "tin", fee)
    with pytest.raises(StrategyError, match="fee for class 'lead', expected one of gold, tin"):
        parties.post_fee("shop", "lead", 5)
    with pytest.raises(StrategyError, match="class 'lead', expected a provider with classes"):
        parties.post_fee("ann", "lead", 5)


def test_a_class_of_single_flows_may_cost_the_most() -> None:
    """The limit for rows of many flows does not apply to classes of single flows."""
    plan = make_plan(scenario_from_text(TEXT.replace(", rows: together", "")))
    parties = Parties(plan, [AgentSpec("shop", "application-provider")], Ledger())
    parties.sell("shop", GOLD)
    parties.settle()
    assert parties.post_fee("shop", "gold", DEAREST)
    with pytest.raises(StrategyError, match=f"expected 0 to {DEAREST} micro-units"):
        parties.post_fee("shop", "gold", DEAREST + 1)


def test_a_flow_has_one_user_and_one_class() -> None:
    """A second user or class of a flow is refused, even within one list."""
    parties = World().parties
    parties.use("ann", ("one",), alone=False)
    for who, sources in (("ann", ("one",)), ("bob", ("two", "one")), ("bob", ("two", "two"))):
        with pytest.raises(InputError, match=f"a source of '{who}' has two customers"):
            parties.use(who, sources, alone=False)
    parties.sell("shop", GOLD)
    with pytest.raises(InputError, match="a source of class 'gold' is in two classes"):
        parties.sell("rival", GOLD)
    with pytest.raises(InputError, match="source 'five', expected one of one, two, three, four"):
        parties.flows(("one", "five"))


def test_whoever_pays_marks_itself_is_outside_all_classes() -> None:
    """The flows of such an agent may not join a class; other flows may."""
    for source, fits in (("one", False), ("two", True)):
        parties = World().parties
        parties.use("ann", (source,), alone=True)
        parties.sell("shop", GOLD)
        if fits:
            parties.settle()
        else:
            with pytest.raises(InputError, match="a source of 'ann' is in a class"):
                parties.settle()


@pytest.mark.parametrize("names", [("ann", "ann"), ("ann", "b:ob")])
def test_names_of_agents_are_unique_and_without_a_colon(names: tuple[str, ...]) -> None:
    """Colons are reserved for accounts of sources and links."""
    agents = [AgentSpec(name, "customer") for name in names]
    with pytest.raises(InputError, match="is already used or contains a colon"):
        Parties(make_plan(scenario_from_text(TEXT)), agents, Ledger())


def test_accounts_outside_the_market_are_opened_once() -> None:
    """One account is for fixed costs, and one for marks without a carrier."""
    world = World()
    assert world.parties.outside() == world.parties.outside()
    assert world.parties.nobody() not in {world.parties.outside(), world.ann, world.rival}
