# SPDX-License-Identifier: Apache-2.0
"""Who pays for a flow, and what its class costs, by hand; two providers sell a class `gold`."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

import market_world as world
from ecnomy.agents.errors import InputError, StrategyError
from ecnomy.agents.money import DEAREST_MICRO
from ecnomy.agents.observation import NO_OFFER
from ecnomy.agents.spec import AgentSpec, ClassSpec
from ecnomy.markets.economy.ledger import Ledger
from ecnomy.markets.economy.parties import Parties
from ecnomy.markets.plan import Plan

GOLD, IRON, OTHER = 0, 1, 2


def plan() -> Plan:
    """Sources of two rows, one row of four flows, one row and one row."""
    sources = [world.source(name, count=n) for name, n in (("a", 2), ("b", 4), ("c", 1), ("d", 1))]
    sources[1] = msgspec.structs.replace(sources[1], rows="together")
    return world.plan(sources)


class Fair:
    """Two shops, two users, and the parties of a plan."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        roles = dict.fromkeys(("ann", "bob"), "customer")
        roles = {"east": "application-provider", "west": "application-provider", **roles}
        agents = [AgentSpec(name, role) for name, role in roles.items()]
        self.parties = Parties(plan(), agents, self.ledger)

    def settled(self) -> Parties:
        """Sell three classes, let ann use a and d, and settle; b and c have no user."""
        parties = self.parties
        parties.sell("east", ClassSpec("gold", 30, ("a",), 7))
        parties.sell("east", ClassSpec("iron", 20, ("b",), 5, customer_pays_marks=True))
        parties.sell("west", ClassSpec("gold", 10, ("c",), 3))
        parties.use("ann", ("d", "a"), alone=False)
        parties.settle()
        return parties

    def names(self, accounts: np.ndarray) -> list[str]:
        """Return the names of accounts, "" for none."""
        return [self.ledger.names[i] if i >= 0 else "" for i in accounts.tolist()]


def test_who_pays_for_a_flow() -> None:
    """The seller of its class pays for its marks, unless it leaves them to the user."""
    fair = Fair()
    parties = fair.settled()
    users = ["ann", "ann", "source:b", "source:c", "ann"]
    assert fair.names(parties.users) == users
    assert parties.first_offer.tolist() == [GOLD, GOLD, IRON, OTHER, NO_OFFER]
    offer = np.array([GOLD, IRON, OTHER, NO_OFFER, NO_OFFER])
    assert fair.names(parties.mark_payers(offer)) == ["east", "ann", "west", "source:c", "ann"]
    payers, payees = parties.fee_parties(offer)
    assert (fair.names(payers), fair.names(payees)) == (users, ["east", "east", "west", "", ""])
    assert parties.fees(offer).tolist() == [30, 20, 10, 0, 0]
    assert parties.sold_by("east", offer).tolist() == [0, 1]
    assert parties.sold_by("west", offer).tolist() == [2]
    assert parties.sold_by("ann", offer).tolist() == []
    parties.carried(3, parties.account("bob"))
    parties.carried(0, parties.account("bob"))  # in a class for now
    assert fair.names(parties.mark_payers(offer))[::3] == ["east", "bob"]
    assert fair.names(parties.mark_payers(np.full(5, NO_OFFER)))[0] == "bob"


def test_an_agent_pays_marks_of_flows_that_another_uses() -> None:
    """Where they are outside any class; the user still pays all else."""
    fair = Fair()
    fair.parties.pay_marks("bob", ("a",))
    parties = fair.settled()
    outside = np.full(5, NO_OFFER)
    assert fair.names(parties.mark_payers(outside)) == ["bob", "bob", "source:b", "source:c", "ann"]
    assert fair.names(parties.mark_payers(parties.first_offer))[:2] == ["east", "east"]
    assert fair.names(parties.users)[:2] == ["ann", "ann"]


def test_fees_are_posted_by_provider_and_class() -> None:
    """A class of another provider with the same name keeps its fee; a change back is a change."""
    parties = Fair().settled()
    now = np.array([GOLD, IRON, OTHER])
    for provider, name, fee, changes, fees in (
        ("west", "gold", 12, True, [30, 20, 12]),
        ("west", "gold", 12, False, [30, 20, 12]),
        ("east", "gold", 0, True, [0, 20, 12]),
        ("east", "iron", 25, True, [0, 25, 12]),
        ("west", "gold", 10, True, [0, 25, 10]),
        ("east", "gold", 30, True, [30, 25, 10]),
    ):
        assert parties.post_fee(provider, name, fee) is changes
        assert parties.fees(now).tolist() == fees
        assert [offer.fee_micro_per_s for offer in parties.offers] == fees
    assert [offer.provider for offer in parties.offers] == ["east", "east", "west"]


def test_fees_that_cannot_be_posted() -> None:
    """The largest fee is for the largest row of flows together; nothing changes."""
    parties = Fair().settled()
    for provider, name, fee in (
        ("west", "iron", 5),
        ("ann", "gold", 5),
        ("east", "gold", -1),
        ("east", "gold", DEAREST_MICRO // 4 + 1),
    ):
        with pytest.raises(StrategyError, match=f"{provider} posted a fee of"):
            parties.post_fee(provider, name, fee)
    assert parties.fees(np.array([GOLD, IRON, OTHER])).tolist() == [30, 20, 10]
    assert parties.post_fee("east", "gold", DEAREST_MICRO // 4)


def test_sources_have_one_user_and_one_class() -> None:
    """Others are refused, as is a class for a flow whose user is outside all classes."""
    parties = Fair().parties
    parties.use("ann", ("a",), alone=True)
    for sources in (("a",), ("d", "d"), ("d", "a")):
        with pytest.raises(InputError, match="a source of 'bob' has two customers"):
            parties.use("bob", sources, alone=False)
    parties.sell("east", ClassSpec("gold", 30, ("b",), 7))
    with pytest.raises(InputError, match="'iron' is in two classes"):
        parties.sell("east", ClassSpec("iron", 20, ("c", "b"), 5))
    with pytest.raises(InputError, match="found no source 'e', expected one of a, b, c, d"):
        parties.flows(("a", "e"))
    parties.sell("east", ClassSpec("late", 30, ("a",), 7))
    with pytest.raises(InputError, match="a source of 'ann' is in a class"):
        parties.settle()


def test_the_account_for_fixed_costs_is_opened_once() -> None:
    """All agents pay to the same one."""
    fair = Fair()
    before = len(fair.ledger.names)
    assert fair.parties.outside() == fair.parties.outside() == before
    assert list(fair.ledger.names[before:]) == ["outside:costs"]
