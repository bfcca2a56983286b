# SPDX-License-Identifier: Apache-2.0
"""Accounts, users of flows, and service classes on sale.

An agent's account has the agent's name. For a source without a user, the account `source:<source>`
takes the user's place. If links have no carrier, their marks are paid to `unassigned:network`. The
seller of a flow's service class pays for the flow's marks, unless the class makes the customer pay.
In such a class and outside classes, the flow's user pays, or the agent that took over the payment
(Seat.pay_marks).
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np

from ecnomy.agents.arrays import Integers
from ecnomy.agents.errors import InputError, StrategyError
from ecnomy.agents.money import DEAREST_MICRO
from ecnomy.agents.observation import NO_OFFER, Offer
from ecnomy.agents.spec import AgentSpec, ClassSpec
from ecnomy.markets.economy.ledger import Ledger
from ecnomy.markets.plan import Plan

__all__ = ["Parties", "flows_of"]

NOBODY = "unassigned:network"
OUTSIDE = "outside:costs"


def flows_of(plan: Plan) -> dict[str, Integers]:
    """Return the indices of each source's rows of flows."""
    first, flows = 0, {}
    for source in plan.sources:
        flows[source.name] = np.arange(first, first + source.row_count, dtype=np.int64)
        first += source.row_count
    return flows


class Parties:
    """The accounts, users and offers that the contracts of a run use.

    Attributes:
        agents: all agents, in the scenario's order.
        offers: all service classes on sale; flows refer to them by index.
        first_offer: initial class of each flow; NO_OFFER outside classes.
        users: account of each flow's user.
    """

    def __init__(self, plan: Plan, agents: Iterable[AgentSpec], ledger: Ledger) -> None:
        """Open the agents' accounts.

        Raises:
            InputError: two agents have the same name, or a name contains a colon.
        """
        self._flows = flows_of(plan)
        self._ledger = ledger
        self.agents = tuple(agents)
        _check_names([agent.name for agent in self.agents])
        self._accounts = {agent.name: ledger.open(agent.name) for agent in self.agents}
        self.offers: tuple[Offer, ...] = ()
        self._dearest = DEAREST_MICRO // max([1, *(s.row_flows for s in plan.sources)])
        count = sum(len(rows) for rows in self._flows.values())
        self.first_offer: Integers = np.full(count, NO_OFFER, dtype=np.int64)
        self.users: Integers = np.full(count, -1, dtype=np.int64)
        self._own_marks: Integers = np.full(count, -1, dtype=np.int64)
        self._outside = -1
        self._alone: list[tuple[str, Integers]] = []  # agents that pay for marks, rows

    # ---- while agents join
    def use(self, who: str, sources: tuple[str, ...], *, alone: bool) -> Integers:
        """Make an agent the user of the flows of these sources, and return the flows.

        With `alone`, `settle` checks that the flows are outside classes, so the agent pays for
        their marks.

        Raises:
            InputError: a source does not exist, is listed twice, or already has a user.
        """
        rows = self.flows(sources)
        if np.any(self.users[rows] >= 0) or len(set(sources)) < len(sources):
            raise InputError(f"market: a source of {who!r} has two customers, expected one")
        self.users[rows] = self._accounts[who]
        if alone:
            self._alone.append((who, rows))
        return rows

    def pay_marks(self, who: str, sources: tuple[str, ...]) -> None:
        """Make an agent pay for the marks of these sources, unless the seller of a class pays."""
        self._own_marks[self.flows(sources)] = self._accounts[who]

    def sell(self, who: str, sold: ClassSpec) -> Offer:
        """Put a service class on sale.

        Raises:
            InputError: a source of the class is already in another class.
        """
        rows = self.flows(sold.sources)
        if np.any(self.first_offer[rows] != NO_OFFER):
            raise InputError(
                f"market: a source of class {sold.name!r} is in two classes, expected one"
            )
        self.first_offer[rows] = len(self.offers)
        terms = sold.charge_micro_per_s, sold.customer_pays_marks
        offer = Offer(who, sold.name, sold.fee_micro_per_s, *terms)
        self.offers = (*self.offers, offer)
        return offer

    def settle(self) -> None:
        """Open accounts for sources without a user, after all agents have joined.

        Raises:
            InputError: a flow that must be outside classes belongs to a class.
        """
        for name, rows in self._flows.items():
            if len(rows) and self.users[rows[0]] < 0:
                self.users[rows] = self._ledger.open(f"source:{name}")
        self._own_marks = np.where(self._own_marks < 0, self.users, self._own_marks)
        for who, rows in self._alone:
            if np.any(self.first_offer[rows] != NO_OFFER):
                raise InputError(
                    f"market: a source of {who!r} is in a class, expected a source outside all "
                    "classes"
                )
        sellers = [self._accounts[offer.provider] for offer in self.offers]
        self._seller = np.array([*sellers, -1], dtype=np.int64)
        leave = [offer.customer_pays_marks for offer in self.offers]
        self._mark_payer = np.where([*leave, True], -1, self._seller)
        fees = [offer.fee_micro_per_s for offer in self.offers]
        self._fees = np.array([*fees, 0], dtype=np.int64)

    # ---- afterwards
    def flows(self, sources: Iterable[str]) -> Integers:
        """Return the flows of these sources, in ascending order.

        Raises:
            InputError: a source does not exist.
        """
        rows = [np.zeros(0, dtype=np.int64)]
        for name in sources:
            if name not in self._flows:
                known = ", ".join(self._flows)
                raise InputError(
                    f"market: found the unknown source {name!r}, expected one of {known}"
                )
            rows.append(self._flows[name])
        return np.sort(np.concatenate(rows))

    def fees(self, offer: Integers) -> Integers:
        """Return the class fee of each flow [micro-units/s], 0 outside classes."""
        return self._fees[offer]

    def sold_by(self, provider: str, offer: Integers) -> Integers:
        """Return the flows that are currently in a class of `provider`."""
        own = [i for i, o in enumerate(self.offers) if o.provider == provider]
        return np.flatnonzero(np.isin(offer, np.array(own, dtype=np.int64))).astype(np.int64)

    def fee_parties(self, offer: Integers) -> tuple[Integers, Integers]:
        """Return the payer and the payee of each flow's class fee (payee -1 outside classes)."""
        return self.users, self._seller[offer]

    def mark_payers(self, offer: Integers) -> Integers:
        """Return the payer of each flow's marks."""
        payer = self._mark_payer[offer]
        return np.where(payer < 0, self._own_marks, payer)

    def post_fee(self, provider: str, name: str, fee_micro_per_s: int) -> bool:
        """Set the fee of a class, and return whether the fee has changed.

        Raises:
            StrategyError: the class does not exist, or the fee is negative or so large that the fee
                of a row of many flows could overflow.
        """
        known = {o.name: number for number, o in enumerate(self.offers) if o.provider == provider}
        if name not in known:
            listed = f"one of {', '.join(known)}" if known else "a provider with classes"
            raise StrategyError(f"{provider}: found a fee for class {name!r}, expected {listed}")
        number = known[name]
        if self.offers[number].fee_micro_per_s == fee_micro_per_s:
            return False
        if not 0 <= fee_micro_per_s <= self._dearest:
            raise StrategyError(
                f"{provider}: found a fee of {fee_micro_per_s} micro-units/s for class {name!r}, "
                f"expected 0 to {self._dearest} micro-units/s"
            )
        posted = msgspec.structs.replace(self.offers[number], fee_micro_per_s=fee_micro_per_s)
        self.offers = (*self.offers[:number], posted, *self.offers[number + 1 :])
        self._fees = self._fees.copy()
        self._fees[number] = fee_micro_per_s
        return True

    def nobody(self) -> int:
        """Open the account that is paid for marks if links have no carrier, and return it."""
        return self._ledger.open(NOBODY)

    def outside(self) -> int:
        """Return the account that is paid for fixed costs. The first call opens this account."""
        if self._outside < 0:
            self._outside = self._ledger.open(OUTSIDE)
        return self._outside

    def carried(self, flow: int, account: int) -> None:
        """Make this account pay for the flow's marks, unless the seller of its class pays."""
        self._own_marks[flow] = account

    def account(self, agent: str) -> int:
        """Return the account of an agent."""
        return self._accounts[agent]


def _check_names(names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1 or ":" in name:
            raise InputError(f"market: the agent name {name!r} is already used or contains a colon")
