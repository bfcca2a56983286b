# SPDX-License-Identifier: Apache-2.0
"""The market's implementation of Seat (ecnomy.agents.seat documents the methods)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

import msgspec
import numpy as np

from ecnomy.agents.agent_view import AgentView
from ecnomy.agents.arrays import Integers
from ecnomy.agents.call_tariff import CallTariff
from ecnomy.agents.calls import StreamObservation
from ecnomy.agents.classes import ClassObservation
from ecnomy.agents.decision import Decision
from ecnomy.agents.elastic_tariff import ElasticTariff
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.observation import NO_OFFER, Observation, Offer, PriceObservation
from ecnomy.agents.roles.preset import Preset
from ecnomy.agents.seat import CallBuyer, CallSeller, ClassSeller
from ecnomy.agents.spec import AgentSpec, ClassSpec, ContractSpec
from ecnomy.markets.economy.custom_contracts import Guarded
from ecnomy.markets.economy.fixed_costs import FixedCosts
from ecnomy.markets.economy.journal import CALL_PRICE, FEE, NAMES, PREFIXES

if TYPE_CHECKING:
    from ecnomy.agents.roles.role import Role
    from ecnomy.markets.economy.call_desk import CallDesk
    from ecnomy.markets.economy.class_desk import ClassDesk
    from ecnomy.markets.economy.contracts import Contract
    from ecnomy.markets.economy.file_desk import FileDesk
    from ecnomy.markets.economy.journal import Journal
    from ecnomy.markets.economy.ledger import Ledger
    from ecnomy.markets.economy.link_laws import LinkLaws
    from ecnomy.markets.economy.menus import MarketMenus
    from ecnomy.markets.economy.observations import Sight
    from ecnomy.markets.economy.parties import Parties
    from ecnomy.markets.economy.posted_prices import Domains
    from ecnomy.markets.economy.willingness import Aims
    from ecnomy.markets.plan import Plan

__all__ = ["MarketSeat"]

_NONE = np.array([NO_OFFER])


class Parts(Protocol):
    """The parts of a market that MarketSeat uses (see market.py)."""

    plan: Plan
    t_ps: int
    ledger: Ledger
    journal: Journal
    parties: Parties
    desk: CallDesk
    files: FileDesk
    classes: ClassDesk
    aims: Aims
    sight: Sight
    laws: LinkLaws
    domains: Domains
    menus: MarketMenus
    carriers: list[AgentSpec]
    sold: list[tuple[str, ContractSpec]]
    added: list[Contract]
    strategies: dict[str, tuple[str, ...]]
    offer: Integers

    @property
    def offers(self) -> tuple[Offer, ...]:
        """Return the service classes on sale."""

    @property
    def roles(self) -> tuple[Role, ...]:
        """Return all agents."""

    def row_price_micro(self) -> Integers:
        """Return the price of a mark for each flow [micro-units]."""


class MarketSeat:
    """One agent's interface to the market."""

    def __init__(
        self, market: Parts, spec: AgentSpec, preset: Preset, stream: np.random.Generator
    ) -> None:
        self._market, self._preset = market, preset
        self.spec = spec
        self._name = spec.name
        self.agent = AgentView(spec.name, stream, market.ledger, self.note, lambda: market.menus)

    @property
    def account(self) -> int:
        """See Seat."""
        return self._market.parties.account(self._name)

    def account_of(self, agent: str) -> int:
        """See Seat."""
        known = [one.name for one in self._market.parties.agents]
        if agent not in known:
            names = ", ".join(known)
            raise StrategyError(
                f"{self._name}: found the unknown agent {agent!r}, expected one of {names}"
            )
        return self._market.parties.account(agent)

    @property
    def t_ps(self) -> int:
        """See Seat."""
        return self._market.t_ps

    # ---- contracts
    def own_links(self) -> None:
        """See Seat."""
        self._market.carriers.append(self.spec)

    def use(self, sources: tuple[str, ...]) -> Integers:
        """See Seat."""
        return self._market.parties.use(self._name, sources, alone=self._preset.pays_itself)

    def pay_marks(self, sources: tuple[str, ...]) -> None:
        """See Seat."""
        self._market.parties.pay_marks(self._name, sources)

    def sell_class(self, sold: ClassSpec, seller: ClassSeller | None = None) -> Offer:
        """See Seat."""
        self._market.classes.open(sold, seller)
        return self._market.parties.sell(self._name, sold)

    def offer_strategies(self, names: tuple[str, ...]) -> None:
        """See Seat."""
        self._market.strategies[self._name] = names

    def sell_calls(
        self, seller: CallSeller, sources: tuple[str, ...], tariff: CallTariff, trunk: str = ""
    ) -> int:
        """See Seat."""
        rows = self._market.parties.flows(sources)
        return self._market.desk.open(self._name, seller, tariff, rows, trunk)

    def buy_calls(self, buyer: CallBuyer, rows: Integers) -> None:
        """See Seat."""
        self._market.desk.buy(buyer, rows)

    def sell_files(self, sources: tuple[str, ...], tariff: ElasticTariff) -> None:
        """See Seat."""
        self._market.files.open(self._name, tariff, self._market.parties.flows(sources))

    def pay_fixed_costs(self, micro: int, per_ps: int) -> None:
        """See Seat."""
        outside = self._market.parties.outside()
        self._market.added.append(FixedCosts(self.account, outside, micro, per_ps))

    def sell(self, contract: ContractSpec) -> None:
        """See Seat."""
        self._market.sold.append((self._name, contract))

    def add(self, contract: Contract) -> None:
        """See Seat."""
        if not callable(getattr(contract, "due", None)):
            added = f"a contract of type {type(contract).__name__}, which has no method due(epoch)"
            raise StrategyError(f"{self._name} ({self.spec.role}) added {added}")
        self._market.added.append(Guarded(f"{self._name} ({self.spec.role})", contract))

    # ---- observing
    def flows(self, rows: Integers, part: int = 0) -> Observation:
        """See Seat."""
        market = self._market
        price, aims = market.row_price_micro(), market.aims
        looker = f"{self._name}:flows:{part}" if part else self._name
        observation = market.sight.flows(
            looker, rows, price, market.offers, market.offer, aims, self.agent
        )
        if self._name in market.strategies:
            choice = market.menus.picked(self._name)[rows]
            flows = msgspec.structs.replace(observation.flows, choice=choice)
            observation = msgspec.structs.replace(observation, flows=flows)
        return observation

    def links(self) -> PriceObservation:
        """See Seat."""
        domain = self._domain()
        domains = self._market.domains
        price, own = int(domains.price_micro[domain]), domains.links(domain)
        laws = self._market.laws.of(own)
        return self._market.sight.links(self._name, own, price, self.agent, laws)

    def responds_ps(self) -> int:
        """See Seat."""
        return max(role.responds_ps for role in self._market.roles)

    def streams(self, rows: Integers, line: int) -> StreamObservation:
        """See Seat."""
        market = self._market
        tariff, calls = market.desk.tariff(line, self.t_ps), market.desk.ended(line)
        late = market.plan.record.delay_thresholds_ps.index(tariff.max_delay_ps)
        looker, price = f"{self._name}:{line}", market.row_price_micro()
        observation = market.sight.streams(looker, rows, price, late)
        return msgspec.structs.replace(observation, calls=calls, tariff=tariff, agent=self.agent)

    def classes(self) -> ClassObservation:
        """See Seat."""
        market = self._market
        return market.classes.observation(
            self._name, self.t_ps, market.offer, market.aims.active, self.agent
        )

    def users_of(self, rows: Integers) -> Integers:
        """See Seat. The result is valid after all agents have joined."""
        return self._market.parties.users[rows]

    def payers_of(self, rows: Integers) -> Integers:
        """See Seat."""
        return self._market.parties.mark_payers(self._market.offer)[rows]

    def rows_of(self, sources: tuple[str, ...]) -> Integers:
        """See Seat."""
        return self._market.parties.flows(sources)

    def sold_rows(self) -> Integers:
        """See Seat."""
        return self._market.parties.sold_by(self._name, self._market.offer)

    # ---- acting
    def post_price(self, price_micro: int) -> None:
        """See Seat."""
        self._market.domains.post(self._domain(), price_micro)

    def post_fee(self, name: str, fee_micro_per_s: int) -> None:
        """See Seat."""
        if self._market.parties.post_fee(self._name, name, fee_micro_per_s):
            self._market.journal.one(self.t_ps, self._name, f"{FEE}{name}", fee_micro_per_s)

    def post_call_price(self, line: int, price_micro: int) -> None:
        """See Seat."""
        if self._market.desk.post(line, price_micro):
            name = self._market.desk.tariff(line, self.t_ps).name
            self._market.journal.one(self.t_ps, self._name, f"{CALL_PRICE}{name}", price_micro)

    def tune(self, link: str, values: Mapping[str, object]) -> None:
        """See Seat. The table `agents` records each change as `<link>.<parameter>`."""
        market = self._market
        owned = {market.plan.links[row].name: row for row in market.domains.links(self._domain())}
        if link not in owned:
            known = f"one of its links: {', '.join(owned)}" if owned else "an agent that owns links"
            raise StrategyError(f"{self._name} tuned link {link!r}, expected {known}")
        for name, value in market.laws.tune(self._name, owned[link], values).items():
            self.agent.note(f"{link}.{name}", value)

    def switch(self, rows: Integers, decision: Decision) -> None:
        """See Seat."""
        self._market.aims.switch(self.t_ps, self._name, rows, decision)

    def move(self, rows: Integers, decision: Decision) -> None:
        """See Seat."""
        offer = self._market.offer
        if decision.offer is None:
            return
        asks = decision.offer != offer[rows]
        moved, wanted = rows[asks], decision.offer[asks]
        if len(moved):
            moved = moved[self._market.classes.admit(self.t_ps, moved, offer, wanted)]
            self._market.journal.many(self.t_ps, self._name, moved, "class", offer[moved])

    def pay(self, rows: Integers, decision: Decision, *, all_of_them: bool) -> None:
        """See Seat."""
        said = (decision.willingness_micro_per_s, decision.rate_cap_bps, decision.weight)
        if all(column is None for column in (*said, decision.budget_micro)):
            return
        own = np.True_ if all_of_them else self._market.offer[rows] == _NONE
        self._market.aims.take(self.t_ps, self._name, rows, own, decision)

    def note(self, name: str, value: float) -> None:
        """See Seat."""
        if name in NAMES or name.startswith(PREFIXES):
            raise StrategyError(
                f"{self._name}: the note {name!r} has the name of a column of the table `agents`; "
                "rename it"
            )
        self._market.journal.one(self.t_ps, self._name, name, value)

    def _domain(self) -> int:
        names = self._market.domains.names
        if self._name not in names:
            raise StrategyError(f"{self._name} ({self.spec.role}) owns no domain")
        return names.index(self._name)
