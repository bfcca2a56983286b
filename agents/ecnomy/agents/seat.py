# SPDX-License-Identifier: Apache-2.0
"""An agent's seat at the market: what its role may make contracts of, look at and do.

The market gives one to each agent. `join` is the time for contracts; what looks and acts is for an
agent's turn in a meeting. Rows are rows of flows of the run, ascending.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ecnomy.agents.agent_view import AgentView
from ecnomy.agents.arrays import Integers
from ecnomy.agents.call_tariff import CallTariff
from ecnomy.agents.calls import Call, CallAsk, EndedCalls, StreamObservation
from ecnomy.agents.classes import ClassObservation, ClassRequest
from ecnomy.agents.decision import Decision
from ecnomy.agents.elastic_tariff import ElasticTariff
from ecnomy.agents.observation import Observation, Offer, PriceObservation, Truths
from ecnomy.agents.spec import AgentSpec, ClassSpec, ContractSpec

__all__ = ["CallBuyer", "CallSeller", "ClassSeller", "Seat", "Truths"]


class CallSeller(Protocol):
    """An agent that admits or refuses calls within an epoch."""

    def admit(self, call: Call) -> bool:
        """The answer."""


class CallBuyer(Protocol):
    """A caller: chooses among offers at each call, and learns the outcomes of calls."""

    def order(self, ask: CallAsk) -> Sequence[int]:
        """Offers to ask for in this order, until one lets the call in: indices into `ask.offers`.

        BEST_EFFORT may stand last; whoever is refused by all gives up.
        """

    def claims(self, broken: bool) -> bool:
        """Whether it says that the promise of a call was broken, `broken` being the truth."""

    def hear(self, ended: EndedCalls) -> None:
        """Calls that ended."""


class ClassSeller(Protocol):
    """An agent that decides whether a flow may enter one of its classes.

    Attributes:
        asked: whether it wants to be.
        watches_classes: whether it looks at its classes (Seat.classes).
    """

    asked: bool
    watches_classes: bool

    def let_in(self, request: ClassRequest) -> bool:
        """The answer."""


class Seat(Protocol):
    """The interface of an agent's role to the market.

    Attributes:
        spec: what the scenario says of the agent.
        agent: its money, random numbers and notes.
    """

    spec: AgentSpec
    agent: AgentView

    @property
    def account(self) -> int:
        """The number of its account."""

    def account_of(self, agent: str) -> int:
        """The number of another agent's account.

        Raises:
            StrategyError: there is no such agent.
        """

    @property
    def t_ps(self) -> int:
        """The time of the report that is answered."""

    # ---- contracts, while it joins
    def own_links(self) -> None:
        """Marks on the links that the spec names are set in its domain, and are paid to it."""

    def use(self, sources: tuple[str, ...]) -> Integers:
        """The flows of these sources are its own: it pays for them. Returns their rows."""

    def pay_marks(self, sources: tuple[str, ...]) -> None:
        """It pays the marks of these flows while they are in no class, whoever uses them."""

    def sell_class(self, sold: ClassSpec, seller: ClassSeller | None = None) -> Offer:
        """It sells a service class for a fee.

        It pays the marks of the flows in it, unless the class says that customers do. `seller` is
        asked about flows that are to enter it.
        """

    def offer_strategies(self, names: tuple[str, ...]) -> None:
        """Customers pick one of these for each flow in its classes (FlowColumns.choice)."""

    def sell_calls(self, seller: CallSeller, sources: tuple[str, ...], tariff: CallTariff) -> int:
        """It sells the calls of these sources; `seller` is asked at each.

        Returns the row's number in the market's list of tariffs.
        """

    def buy_calls(self, buyer: CallBuyer, rows: Integers) -> None:
        """`buyer` decides who carries the calls of these flows, and hears how they went."""

    def sell_files(self, sources: tuple[str, ...], tariff: ElasticTariff) -> None:
        """It sells the files of these sources, each for a price and by a deadline."""

    def pay_fixed_costs(self, micro: int, per_ps: int) -> None:
        """It pays so much for so much time, whatever it sells, to `outside:costs`."""

    def sell(self, contract: ContractSpec) -> None:
        """It sells what is metered to the users of the contract's sources."""

    def add(self, contract: Any) -> None:
        """A contract of one's own: `due(epoch)` says what is owed (economy/contracts.py)."""

    # ---- looking; the next look counts from here
    def flows(self, rows: Integers) -> Observation:
        """Flows as agents see them."""

    def links(self) -> PriceObservation:
        """The links of its domain."""

    def responds_ps(self) -> int:
        """The time users take to respond to a price: the slowest of them, as last measured."""

    def streams(self, rows: Integers, line: int) -> StreamObservation:
        """Test streams, late by the largest delay of a tariff it sells on, and that one's calls."""

    def classes(self) -> ClassObservation:
        """The classes that it sells; it has to have said that it watches them (ClassSeller)."""

    def users_of(self, rows: Integers) -> Integers:
        """The accounts of whose flows these are."""

    def payers_of(self, rows: Integers) -> Integers:
        """The accounts that pay the marks of these rows, in the classes they are in now."""

    def rows_of(self, sources: tuple[str, ...]) -> Integers:
        """The rows of these sources."""

    def sold_rows(self) -> Integers:
        """The flows now in a class that it sells."""

    # ---- acting
    def post_price(self, price_micro: int) -> None:
        """The price per mark in its domain from now on."""

    def post_fee(self, name: str, fee_micro_per_s: int) -> None:
        """The fee of a class that it sells, from now on."""

    def tune(self, link: str, values: Mapping[str, object]) -> None:
        """New values of parameters of the marking law of a link of its domain."""

    def post_call_price(self, line: int, price_micro: int) -> None:
        """The price of a call on a tariff that it sells on, from now on."""

    def switch(self, rows: Integers, decision: Decision) -> None:
        """Which of these flows may send."""

    def move(self, rows: Integers, decision: Decision) -> None:
        """Flows change class as decided, as far as they are let in."""

    def pay(self, rows: Integers, decision: Decision, *, all_of_them: bool) -> None:
        """Willingness to pay and rate caps: for all of these flows, or those in no class."""

    def note(self, name: str, value: float) -> None:
        """A figure for the table `agents`."""
