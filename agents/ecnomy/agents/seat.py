# SPDX-License-Identifier: Apache-2.0
"""The interface through which a role makes contracts, observes and acts for its agent.

A role makes contracts in `join`, and observes and acts in its turn of a meeting. `rows` are indices
of the run's flows, in ascending order.
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
        """Return whether the call is admitted."""


class CallBuyer(Protocol):
    """A caller, who chooses among the offers for each call and learns the outcomes of calls."""

    def order(self, ask: CallAsk) -> Sequence[int]:
        """Return the offers to request, in order of preference, as indices into `ask.offers`.

        The first provider that admits the call carries it. BEST_EFFORT may be last. Without it,
        a caller that all providers refuse gives up.
        """

    def claims(self, broken: bool) -> bool:
        """Return whether the caller claims that the promise was broken; `broken` is the truth."""

    def hear(self, ended: EndedCalls) -> None:
        """Learn the outcomes of calls that ended."""


class ClassSeller(Protocol):
    """An agent that decides whether a flow may enter one of its classes.

    Attributes:
        decides_requests: whether the agent decides on requests for its classes.
        watches_classes: whether the agent observes its classes (Seat.classes).
    """

    decides_requests: bool
    watches_classes: bool

    def let_in(self, request: ClassRequest) -> bool:
        """Return whether the flow may enter the requested class."""


class Seat(Protocol):
    """The interface of an agent's role to the market.

    Attributes:
        spec: the agent's entry in the scenario.
        agent: money, random numbers and notes of the agent.
    """

    spec: AgentSpec
    agent: AgentView

    @property
    def account(self) -> int:
        """Return the number of the agent's account."""

    def account_of(self, agent: str) -> int:
        """Return the number of another agent's account.

        Raises:
            StrategyError: the agent does not exist.
        """

    @property
    def t_ps(self) -> int:
        """Return the time of the current report."""

    # ---- contracts, in `join`
    def own_links(self) -> None:
        """Make the agent the owner of the links in its spec, which form the agent's domain."""

    def use(self, sources: tuple[str, ...]) -> Integers:
        """Make the agent the user and payer of these sources' flows, and return their rows."""

    def pay_marks(self, sources: tuple[str, ...]) -> None:
        """Pay for the marks of these sources' flows, unless the seller of a flow's class pays."""

    def sell_class(self, sold: ClassSpec, seller: ClassSeller | None = None) -> Offer:
        """Sell a service class for a fee.

        The agent pays for the marks of flows in the class, unless customers pay for them. `seller`
        decides on flows that request the class.
        """

    def offer_strategies(self, names: tuple[str, ...]) -> None:
        """Let customers pick strategies for flows in the agent's classes (FlowColumns.choice)."""

    def sell_calls(
        self, seller: CallSeller, sources: tuple[str, ...], tariff: CallTariff, trunk: str = ""
    ) -> int:
        """Sell the calls of these sources; `seller` decides on each call.

        The agent's tariffs with the same `trunk` share one count of calls in progress. Return the
        tariff's index in the market's list of tariffs.
        """

    def buy_calls(self, buyer: CallBuyer, rows: Integers) -> None:
        """Let `buyer` choose a provider for each call of these flows, and learn the outcomes."""

    def sell_files(self, sources: tuple[str, ...], tariff: ElasticTariff) -> None:
        """Sell the transfer of these sources' files, each for a price and by a deadline."""

    def pay_fixed_costs(self, micro: int, per_ps: int) -> None:
        """Pay `micro` micro-units every `per_ps` to `outside:costs`, regardless of sales."""

    def sell(self, contract: ContractSpec) -> None:
        """Sell a metered product to the users of the contract's sources."""

    def add(self, contract: Any) -> None:
        """Add a custom contract: `due(epoch)` returns the amounts due (economy/contracts.py)."""

    # ---- observations, each covering the time since the previous observation
    def flows(self, rows: Integers, part: int = 0) -> Observation:
        """Observe these flows over the time since the last observation of the group `part`."""

    def links(self) -> PriceObservation:
        """Observe the links of the agent's domain."""

    def responds_ps(self) -> int:
        """Return the last estimate of the slowest users' response time to a price [ps]."""

    def streams(self, rows: Integers, line: int) -> StreamObservation:
        """Observe calls on a tariff line, and test streams with the line's delay bound."""

    def classes(self) -> ClassObservation:
        """Observe the classes that the agent sells; requires `watches_classes` (ClassSeller)."""

    def users_of(self, rows: Integers) -> Integers:
        """Return the accounts of these flows' users."""

    def payers_of(self, rows: Integers) -> Integers:
        """Return the accounts that pay for the marks of these flows in their current classes."""

    def rows_of(self, sources: tuple[str, ...]) -> Integers:
        """Return the rows of these sources' flows."""

    def sold_rows(self) -> Integers:
        """Return the rows of flows that are now in a class of the agent."""

    # ---- actions
    def post_price(self, price_micro: int) -> None:
        """Post a new price per mark in the agent's domain."""

    def post_fee(self, name: str, fee_micro_per_s: int) -> None:
        """Post a new fee for a class that the agent sells."""

    def tune(self, link: str, values: Mapping[str, object]) -> None:
        """Set parameters of the marking law of a link in the agent's domain."""

    def post_call_price(self, line: int, price_micro: int) -> None:
        """Post a new price of calls on one tariff line."""

    def switch(self, rows: Integers, decision: Decision) -> None:
        """Switch these flows on or off as decided."""

    def move(self, rows: Integers, decision: Decision) -> None:
        """Move flows to the classes decided, if the classes admit them."""

    def pay(self, rows: Integers, decision: Decision, *, all_of_them: bool) -> None:
        """Set payments, caps, weights and budgets of these flows.

        Unless `all_of_them` is true, flows in classes keep theirs.
        """

    def note(self, name: str, value: float) -> None:
        """Record a value in the table `agents`."""
