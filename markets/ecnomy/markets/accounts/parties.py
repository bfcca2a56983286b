# SPDX-License-Identifier: Apache-2.0
"""Who pays whom: from the market part of a scenario to an account on either end of each contract.

    class fee    customer -> application provider of the class
    marks        application provider of the flow's class, else customer -> connectivity provider
    call         customer -> guaranteed stream provider; reimbursement the other way round

A guaranteed stream provider pays the marks of its calls and of its test streams itself. A price
handler is the customer of its flows, which are in no class: it pays their marks itself.

The account of an agent bears its name. A flow whose source no customer lists has `source:<source>`
in the customer's place; marks without a connectivity provider are paid to `unassigned:network`.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ecnomy.agents.errors import InputError
from ecnomy.agents.observation import NO_OFFER, Integers, Offer
from ecnomy.markets.accounts.ledger import Ledger
from ecnomy.markets.plan import Plan
from ecnomy.markets.scenario.marketspec import AgentSpec, MarketSpec

__all__ = [
    "APPLICATION",
    "CONNECTIVITY",
    "CUSTOMER",
    "HANDLER",
    "NOBODY",
    "GUARANTEE",
    "Parties",
    "flows_of",
]

CONNECTIVITY = "connectivity-provider"
APPLICATION = "application-provider"
CUSTOMER = "customer"
HANDLER = "price-handler"
GUARANTEE = "guaranteed-stream-provider"
ROLES = (CONNECTIVITY, APPLICATION, CUSTOMER, HANDLER, GUARANTEE)
NOBODY = "unassigned:network"


def flows_of(plan: Plan) -> dict[str, Integers]:
    """Indices of the rows of flows of each source."""
    first, flows = 0, {}
    for source in plan.sources:
        flows[source.name] = np.arange(first, first + source.row_count, dtype=np.int64)
        first += source.row_count
    return flows


class Parties:
    """The accounts that the contracts of a run name.

    Attributes:
        offers: all classes on sale; flows name theirs by index.
        first_offer: the class each flow starts in, NO_OFFER for none.
        mark_payee: account of the connectivity provider.
        users: account of each flow's customer.
    """

    def __init__(self, plan: Plan, spec: MarketSpec, ledger: Ledger) -> None:
        """Opens the accounts.

        Raises:
            InputError: an unknown role or source, a source with two customers or two classes or
                with a price handler and a class, a name given twice, or more than one
                connectivity provider.
        """
        self._flows = flows_of(plan)
        count = sum(len(rows) for rows in self._flows.values())
        _check_agents(spec.agents)
        accounts = {agent.name: ledger.open(agent.name) for agent in spec.agents}
        sellers = [a for a in spec.agents if a.role == APPLICATION]
        self.offers = tuple(
            Offer(a.name, c.name, c.fee_micro_per_s) for a in sellers for c in a.classes
        )
        self._seller = np.array([accounts[o.provider] for o in self.offers] + [-1], dtype=np.int64)
        self._fees = np.array([o.fee_micro_per_s for o in self.offers] + [0], dtype=np.int64)
        self._accounts = accounts
        self.users = self._users(spec.agents, accounts, count, ledger)
        self._own_marks = self._mark_payers(spec.agents, accounts)
        self.first_offer = self._first_offers(sellers, count)
        self._check_handlers(spec.agents)
        carriers = [accounts[a.name] for a in spec.agents if a.role == CONNECTIVITY]
        self.mark_payee = carriers[0] if carriers else ledger.open(NOBODY)

    def flows(self, sources: Iterable[str]) -> Integers:
        """The flows of these sources, in order.

        Raises:
            InputError: there is no such source.
        """
        rows = [np.zeros(0, dtype=np.int64)]
        for name in sources:
            if name not in self._flows:
                raise InputError(f"market: no source {name!r}")
            rows.append(self._flows[name])
        return np.sort(np.concatenate(rows))

    def fees(self, offer: Integers) -> Integers:
        """Fee per flow, micro-units per second; 0 in no class."""
        return self._fees[offer]

    def sold_by(self, provider: str, offer: Integers) -> Integers:
        """The flows now in a class of `provider`."""
        own = [i for i, o in enumerate(self.offers) if o.provider == provider]
        return np.flatnonzero(np.isin(offer, np.array(own, dtype=np.int64))).astype(np.int64)

    def fee_parties(self, offer: Integers) -> tuple[Integers, Integers]:
        """Payer and payee of the class fee, per flow (payee -1 in no class)."""
        return self.users, self._seller[offer]

    def mark_payers(self, offer: Integers) -> Integers:
        """Who pays a flow's marks, per flow."""
        return np.where(offer == NO_OFFER, self._own_marks, self._seller[offer])

    def account(self, agent: str) -> int:
        """The account of an agent."""
        return self._accounts[agent]

    def _mark_payers(self, agents: tuple[AgentSpec, ...], accounts: dict[str, int]) -> Integers:
        """Who pays the marks of each flow while it is in no class."""
        payers = self.users.copy()
        for agent in agents:
            if agent.role == GUARANTEE:
                payers[self.flows((*agent.sources, *agent.test_streams))] = accounts[agent.name]
        return payers

    def _users(
        self, agents: tuple[AgentSpec, ...], accounts: dict[str, int], count: int, ledger: Ledger
    ) -> Integers:
        users = np.full(count, -1, dtype=np.int64)
        for agent in agents:
            rows = self.flows(agent.sources)
            if agent.role in (CUSTOMER, HANDLER):
                if np.any(users[rows] >= 0) or len(set(agent.sources)) < len(agent.sources):
                    raise InputError(f"market: a source of {agent.name!r} has two customers")
                users[rows] = accounts[agent.name]
        for name, rows in self._flows.items():
            if len(rows) and users[rows[0]] < 0:
                users[rows] = ledger.open(f"source:{name}")
        return users

    def _first_offers(self, sellers: list[AgentSpec], count: int) -> Integers:
        first = np.full(count, NO_OFFER, dtype=np.int64)
        for index, sold in enumerate(c for seller in sellers for c in seller.classes):
            rows = self.flows(sold.sources)
            if np.any(first[rows] != NO_OFFER):
                raise InputError(f"market: a source of class {sold.name!r} is in two classes")
            first[rows] = index
        return first

    def _check_handlers(self, agents: tuple[AgentSpec, ...]) -> None:
        for agent in agents:
            held = self.first_offer[self.flows(agent.sources)]
            if agent.role == HANDLER and np.any(held != NO_OFFER):
                raise InputError(f"market: a source of the price handler {agent.name!r} is sold")


def _check_agents(agents: tuple[AgentSpec, ...]) -> None:
    names = [agent.name for agent in agents]
    for agent in agents:
        if agent.role not in ROLES:
            raise InputError(f"market: agent {agent.name!r} has the unknown role {agent.role!r}")
        if names.count(agent.name) > 1 or ":" in agent.name:
            raise InputError(f"market: the agent name {agent.name!r} is taken or holds a colon")
    if sum(agent.role == CONNECTIVITY for agent in agents) > 1:
        raise InputError("market: more than one connectivity provider: whose marks are whose?")
