# SPDX-License-Identifier: Apache-2.0
"""The market: a Mesa model that turns reports into bookings, decisions and orders for flows.

At a report, the market first books the elapsed epoch, at the prices and classes that were in force.
Then the agents whose decision interval has passed act, phase by phase (turn_order.py). Finally,
agents' willingness to pay becomes targets of flows (willingness.py). Between reports, calls are
admitted when they arrive.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.find import guarded
from ecnomy.agents.observation import Offer
from ecnomy.agents.roles import ROLES, find_role, preset_of
from ecnomy.agents.roles.role import Role, Terms
from ecnomy.agents.spec import AgentSpec, ContractSpec, MarketSpec
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.bridge.messages import Decide, Record, Report, Request, Verdict
from ecnomy.markets.economy.call_desk import CallDesk
from ecnomy.markets.economy.charges import Per
from ecnomy.markets.economy.class_desk import ClassDesk
from ecnomy.markets.economy.contracts import ClassFee, Contract
from ecnomy.markets.economy.counts import FlowCounts
from ecnomy.markets.economy.custom_contracts import settlement_of
from ecnomy.markets.economy.epoch_postings import Book
from ecnomy.markets.economy.file_desk import FileDesk
from ecnomy.markets.economy.journal import PRICE, Journal
from ecnomy.markets.economy.ledger import Ledger
from ecnomy.markets.economy.link_laws import LinkLaws
from ecnomy.markets.economy.menus import MarketMenus, StrategyMenus
from ecnomy.markets.economy.metered import MeteredContract
from ecnomy.markets.economy.observations import Sight
from ecnomy.markets.economy.parties import Parties
from ecnomy.markets.economy.posted_prices import domains_of
from ecnomy.markets.economy.readings import Epoch
from ecnomy.markets.economy.settlement import Settlement
from ecnomy.markets.economy.standing_charges import StandingCharges
from ecnomy.markets.economy.turn_order import PHASES, POST, in_order, posting_fees
from ecnomy.markets.economy.willingness import Aims
from ecnomy.markets.model.by_hand import ByHand
from ecnomy.markets.model.seat import MarketSeat
from ecnomy.markets.plan import Plan

__all__ = ["Market"]


class Market(ByHand):
    """The market of one run.

    Attributes:
        plan: the plan of the run.
        ledger: all postings.
        journal: actions of agents, for the table `agents`.
        parties, domains, desk, files, classes, aims, sight, laws: see their modules.
        offer: class of each flow, an index into `offers` or NO_OFFER.
        warnings: messages for the user; the code that shows them clears the list.
    """

    def __init__(self, plan: Plan, spec: MarketSpec, *, per: Per = "mark") -> None:
        """Create the agents, let them make contracts, and open accounts.

        Args:
            plan: the plan of the run.
            spec: the market part of the scenario.
            per: unit of mark charges: a mark, or a byte of a marked packet.

        Raises:
            InputError: the market and the plan do not match (see Parties and Domains).
            StrategyError: a role or a strategy cannot be created.
        """
        super().__init__(plan.seed)
        self.plan, self._epoch = plan, 0
        self.ledger, self.journal = Ledger(), Journal()
        self.warnings: list[str] = []
        self.parties = Parties(plan, spec.agents, self.ledger)
        self.desk = CallDesk(self.parties, self.ledger)
        self.files = FileDesk(self.parties, self.ledger)
        self.classes = ClassDesk(plan, self.parties, self.journal)
        self.aims, self.sight = Aims(plan, self.journal), Sight(plan)
        self.laws = LinkLaws(plan)
        self.carriers: list[AgentSpec] = []
        self.sold: list[tuple[str, ContractSpec]] = []
        self.added: list[Contract] = []
        self.strategies: dict[str, tuple[str, ...]] = {}  # provider -> names on its menu
        self._seats = [self._hire(agent) for agent in spec.agents]
        self._phases = in_order(role for role, _ in self._seats)
        self._fees = posting_fees(role for role, _ in self._seats)
        self._seat_of = dict(self._seats)
        self.parties.settle()
        self.classes.settle()
        self.offer: Integers = self.parties.first_offer.copy()
        self.domains = domains_of(plan, spec, self.carriers, self.parties)
        self._settlement: Settlement = settlement_of(
            spec.settlement, plan, self.parties, self.domains, per
        )
        self.aims.by_delivery = per == "mark" and getattr(self._settlement, "by_delivery", False)
        self._counts = FlowCounts(len(self.offer))
        sold = [
            MeteredContract(plan, self.parties, self.domains, self._counts, seller, contract)
            for seller, contract in self.sold
        ]
        picked = StrategyMenus(self.strategies, self.parties, self.offer)
        self.menus = MarketMenus(sold, picked, self.parties, self.journal, lambda: self.t_ps)
        self._standing = StandingCharges(self.parties, sold)
        self._posted: Floats = np.zeros(len(self.offer))  # charges by time at the last report
        own = (*self._settlement.contracts, ClassFee(plan, self.parties))
        self._book = Book((*own, *sold, *self.added), self.parties.users, self.ledger)
        self._before: Report | None = None
        self._published = [-1] * len(self.domains.names)
        self._warned: set[str] = set()
        self._advised: set[str] = set()

    @property
    def offers(self) -> tuple[Offer, ...]:
        """Return the service classes on sale."""
        return self.parties.offers

    @property
    def price_micro(self) -> int:
        """Return the price per mark of the first carrier, often the only one [micro-units]."""
        return int(self.domains.price_micro[0])

    @property
    def prices_micro(self) -> dict[str, int]:
        """Return the price per mark of each carrier [micro-units]."""
        return dict(zip(self.domains.names, self.domains.price_micro.tolist(), strict=True))

    def __repr__(self) -> str:
        """Return one line with the scenario, progress, agents and prices."""
        prices = [f"{name or 'a mark'} {price:g}" for name, price in list(self.prices.items())[:4]]
        more = ", ..." if len(self.prices) > len(prices) else ""
        state = "running" if self.running else "ended"
        return (
            f"<Market of {self.plan.title!r}, seed {self.plan.seed}, {state}: {self.time:g} of "
            f"{self.plan.duration_ps / PS_PER_S:g} s, {len(self.roles)} agents, "
            f"price per mark: {', '.join(prices)}{more}>"
        )

    @property
    def report(self) -> Report | None:
        """Return the last processed report, or None; its counters are cumulative."""
        return self._before

    @property
    def fee_micro(self) -> Integers:
        """Return the fees of each flow so far [micro-units]."""
        return self._book.fee_micro

    @property
    def charge_micro(self) -> Integers:
        """Return the charges for marks of each flow so far [micro-units]."""
        return self._book.charge_micro

    @property
    def roles(self) -> list[Role]:
        """Return all agents in the order in which they act."""
        return [role for phase in PHASES for role in self._phases[phase]]

    def row_price_micro(self) -> Integers | Floats:
        """Return the current price of a mark for each flow [micro-units]."""
        return self._settlement.row_price_micro()

    def decide(self, report: Report) -> Decide:
        """Process a report and answer it immediately."""
        self.meet(report)
        return self.orders()

    def meet(self, report: Report) -> None:
        """Book the elapsed epoch and let agents decide, without sending an answer.

        After the last epoch, agents do not decide.

        Raises:
            LedgerError: an amount overflows, a counter ran backwards, or the books do not balance.
            StrategyError: a strategy failed, or its decision cannot be carried out.
        """
        self.t_ps, self._epoch = report.t_ps, report.epoch
        self.desk.book(report.t_ps)
        self.files.book()
        terms = (self.offer, self.domains.price_micro, self.aims.active, self.aims.weight)
        epoch = Epoch(self._before, report, *terms)
        self._book.close_epoch(epoch)
        self.classes.close(epoch)
        self._counts.clear()
        self._before = report
        if report.t_ps >= self.plan.duration_ps:
            return
        book = self._book
        bills = book.bill_micro, book.standing_micro, book.weight_micro
        standing = self._standing.at(report.t_ps, self.offer)
        self.sight.read(report, (book.charge_micro, *bills), standing)
        if standing is not self._posted:
            changed, self._posted = standing != self._posted, standing
            for role in self.roles if changed.any() else ():
                role.reconsider(report.t_ps, changed)
        self.aims.read(report, self._book.charge_micro)
        self.desk.spread()
        for phase in PHASES:
            for role in self._phases[phase]:
                if role.due(report.t_ps):
                    role.act(self._seat_of[role])
            for role in self._fees if phase == POST else ():
                if role.due(report.t_ps):
                    role.post_fees(self._seat_of[role])
            if phase == "choose":
                self.carry_out_moves()
            self._publish()
        self._warn_hasty()
        self._warn_advised()

    def orders(self) -> Decide:
        """Return the flows' targets and links' parameters that changed since the last answer."""
        if self.t_ps >= self.plan.duration_ps:
            return Decide(self._epoch)
        self._publish()
        flows = self.aims.changed(self.t_ps, self.row_price_micro())
        return Decide(self._epoch, flows, self.laws.changed())

    def request(self, request: Request) -> Verdict:
        """Return whether a call may proceed (see CallDesk.admit).

        Raises:
            StrategyError: a strategy failed.
        """
        accepted = self.desk.admit(request, self.row_price_micro)
        if accepted:
            self._counts.call(request.flow)
        return Verdict(request.id, accepted)

    def record(self, record: Record) -> Record:
        """Judge calls and transfers, and add the columns of CallDesk.judge to records of calls."""
        if record.table == "transfers":
            self._counts.transferred(record.columns)
            self.files.judge(record.columns)
        if record.table != "calls":
            return record
        return replace(record, columns=self.desk.judge(record.columns))

    def _hire(self, spec: AgentSpec) -> tuple[Role, MarketSeat]:
        role = find_role(spec.role).made(self, Terms.of(spec, self.plan.seed), spec)
        role.role = spec.role
        seat = MarketSeat(self, spec, preset_of(spec.role), role.stream)
        role.notes = seat.agent.notes
        for contract in spec.contracts:
            seat.sell(contract)
        if spec.role not in ROLES:  # a custom role
            who = f"{spec.name} ({spec.role})"
            for method in ("join", "act"):
                setattr(role, method, guarded(who, StrategyError, getattr(role, method)))
        role.join(seat)
        return role, seat

    def _publish(self) -> None:
        prices = self.domains.price_micro.tolist()
        for domain, price in enumerate(prices):
            if price != self._published[domain]:
                self.journal.one(self.t_ps, self.domains.names[domain], PRICE, price)
        self._published = prices

    def _warn_advised(self) -> None:
        for role in self.roles:
            if role.advice and role.name not in self._advised:
                self._advised.add(role.name)
                self.warnings.append(f"{role.name} {role.advice}")

    def _warn_hasty(self) -> None:
        for role in self.roles:
            if role.hasty and role.name not in self._warned:
                self._warned.add(role.name)
                apart = f"{role.settles_ps / PS_PER_S:.3g} s now"
                response = f"its flows settle (3 T / (gain p), {apart})"
                if role.phase == POST:
                    response = (
                        f"customers respond to a price ({apart}), even if it keeps each price "
                        "for ten decisions"
                    )
                self.warnings.append(
                    f"{role.name} decides faster than {response}, so it responds to transients"
                )
