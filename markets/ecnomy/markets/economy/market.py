# SPDX-License-Identifier: Apache-2.0
"""The market: a Mesa model that turns reports into bookings, decisions and orders for flows.

At a report the elapsed epoch is booked first, at the prices and in the classes that were in force.
Then the agents that are due act, phase by phase (phases.py). Calls are admitted between reports, as
they come. Last, what agents are willing to pay becomes what flows aim at (aims.py).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ecnomy.agents.decision import Decision
from ecnomy.agents.errors import InputError
from ecnomy.agents.observation import NO_OFFER, Floats, Integers, Offer
from ecnomy.agents.roles import find_role, preset_of
from ecnomy.agents.roles.connectivity_provider import price_posted
from ecnomy.agents.roles.role import Role, Terms
from ecnomy.agents.spec import AgentSpec, ContractSpec, MarketSpec
from ecnomy.markets.bridge.messages import Decide, Record, Report, Request, Verdict
from ecnomy.markets.economy.aims import Aims
from ecnomy.markets.economy.book import Book
from ecnomy.markets.economy.call_desk import CallDesk
from ecnomy.markets.economy.charges import Per
from ecnomy.markets.economy.contracts import ClassFee, Contract
from ecnomy.markets.economy.counts import Counts
from ecnomy.markets.economy.domains import domains_of
from ecnomy.markets.economy.ledger import Ledger
from ecnomy.markets.economy.menus import MarketMenus
from ecnomy.markets.economy.metered import Metered
from ecnomy.markets.economy.parties import Parties
from ecnomy.markets.economy.phases import PHASES, in_order
from ecnomy.markets.economy.readings import Epoch
from ecnomy.markets.economy.seat import MarketSeat
from ecnomy.markets.economy.settlement import Settlement, find_settlement
from ecnomy.markets.economy.sight import Sight
from ecnomy.markets.plan import Plan
from ecnomy.markets.results.journal import PRICE, Journal
from ecnomy.markets.stepped import Stepped

__all__ = ["Market"]


class Market(Stepped):
    """The market of one run.

    Attributes:
        plan: what is run.
        ledger: all money moved.
        journal: what agents did, for the table `agents`.
        parties, domains, desk, aims, sight: see their modules.
        offer: the class each flow is in, an index into `offers` or NO_OFFER.
        warnings: what a user should know; whoever shows them empties the list.
    """

    def __init__(self, plan: Plan, spec: MarketSpec, *, per: Per = "mark") -> None:
        """Builds the agents, has them make their contracts and opens their accounts.

        Args:
            plan: the run's plan.
            spec: the market part of its scenario.
            per: whether contracts charge per mark or per byte of a marked packet.

        Raises:
            InputError: the market and the plan do not fit (see Parties and Domains).
            StrategyError: a role or a strategy cannot be made.
        """
        super().__init__(plan.seed)
        self.plan, self._epoch = plan, 0
        self.ledger, self.journal = Ledger(), Journal()
        self.warnings: list[str] = []
        self.parties = Parties(plan, spec.agents, self.ledger)
        self.desk = CallDesk(self.parties, self.ledger)
        self.aims, self.sight = Aims(plan, self.journal), Sight(plan)
        self.carriers: list[AgentSpec] = []
        self.sold: list[tuple[str, ContractSpec]] = []
        self.added: list[Contract] = []
        self._seats = [self._hire(agent) for agent in spec.agents]
        self._phases = in_order(role for role, _ in self._seats)
        self._seat_of = dict(self._seats)
        self.parties.settle()
        self.offer: Integers = self.parties.first_offer.copy()
        self.domains = domains_of(plan, spec, self.carriers, self.parties)
        self._settlement: Settlement = find_settlement(spec.settlement)(
            plan, self.parties, self.domains, per
        )
        self._counts = Counts(len(self.offer))
        sold = [
            Metered(plan, self.parties, self.domains, self._counts, seller, contract)
            for seller, contract in self.sold
        ]
        self.menus = MarketMenus(sold, self.parties, self.journal, lambda: self.t_ps)
        fees = ClassFee(plan, self.parties)
        contracts = (*self._settlement.contracts, fees, *sold, *self.added)
        self._book = Book(contracts, len(self.offer), self.ledger)
        self._before: Report | None = None
        self._moves: list[tuple[Integers, int]] = []
        self._published = [-1] * len(self.domains.names)
        self._warned: set[str] = set()

    @property
    def offers(self) -> tuple[Offer, ...]:
        """The service classes on sale."""
        return self.parties.offers

    @property
    def price_micro(self) -> int:
        """The price per mark of the first carrier, who is the only one in most markets."""
        return int(self.domains.price_micro[0])

    @property
    def prices_micro(self) -> dict[str, int]:
        """The price per mark of each carrier, micro-units."""
        return dict(zip(self.domains.names, self.domains.price_micro.tolist(), strict=True))

    @property
    def report(self) -> Report | None:
        """The last report that was met; its counters are cumulative."""
        return self._before

    @property
    def fee_micro(self) -> Integers:
        """Fees of each flow so far."""
        return self._book.fee_micro

    @property
    def charge_micro(self) -> Integers:
        """Mark charges of each flow so far."""
        return self._book.charge_micro

    @property
    def roles(self) -> list[Role]:
        """All agents in the order they act."""
        return [role for phase in PHASES for role in self._phases[phase]]

    def row_price_micro(self) -> Integers | Floats:
        """What a mark costs each flow now."""
        return self._settlement.row_price_micro()

    def decide(self, report: Report) -> Decide:
        """Meet a report and answer it at once."""
        self.meet(report)
        return self.orders()

    def meet(self, report: Report) -> None:
        """Book the epoch that ended and let agents decide; nothing is sent.

        After the last epoch nobody decides.

        Raises:
            LedgerError: the books do not close.
            StrategyError: a strategy's decision cannot be carried out.
        """
        self.t_ps, self._epoch = report.t_ps, report.epoch
        self.desk.book(report.t_ps)
        terms = (self.offer, self.domains.price_micro, self.aims.active, self.aims.weight)
        epoch = Epoch(self._before, report, *terms)
        self._book.close_epoch(epoch)
        self._counts.clear()
        self._before = report
        if report.t_ps >= self.plan.duration_ps:
            return
        self.sight.read(report, self._book.charge_micro)
        for phase in PHASES:
            for role in self._phases[phase]:
                if role.due(report.t_ps):
                    role.act(self._seat_of[role])
            if phase == "choose":
                self._carry_out_moves()
            self._publish()
        self._warn_hasty()

    def orders(self) -> Decide:
        """What flows are to aim at from the last report on; only those whose aim changes."""
        if self.t_ps >= self.plan.duration_ps:
            return Decide(self._epoch)
        self._publish()
        return Decide(self._epoch, self.aims.changed(self.t_ps, self.row_price_micro()))

    def post_price(self, price_micro: int, carrier: str = "") -> None:
        """Post a price per mark, micro-units, from the last report on, as a carrier would.

        Args:
            price_micro: in [0, 10^12].
            carrier: its name; "" where there is one domain.

        Raises:
            StrategyError: it is no such price.
            InputError: there is no such carrier.
        """
        names = self.domains.names
        if carrier not in names and (carrier or len(names) > 1):
            raise InputError(f"post_price: found carrier {carrier!r}, expected {', '.join(names)}")
        domain = names.index(carrier) if carrier else 0
        self.domains.post(domain, price_posted("post_price", price_micro))

    def set_willingness(self, source: str, micro_per_s: float) -> None:
        """What each flow of a source pays for, micro-units/s, until an agent sets it again.

        Raises:
            InputError: there is no such source, or the amount is negative or not finite.
        """
        if not 0 <= micro_per_s < np.inf:
            raise InputError(f"set_willingness({source!r}): found {micro_per_s}, expected >= 0")
        rows = self.parties.flows([source])
        wanted = Decision(np.full(len(rows), float(micro_per_s)))
        self.aims.take(self.t_ps, "", rows, np.True_, wanted)

    def set_active(self, source: str, share: float) -> None:
        """Let only this share of a source's flows send, the first ones, whatever agents decide.

        A share of 1 leaves it to agents again. What goes by time is not charged of a flow that is
        held back.

        Args:
            source: its name.
            share: in [0, 1]; of n rows of flows, share x n rounded to the nearest, halves up.

        Raises:
            InputError: there is no such source or share, or the flows are one row
                (`rows: together`), which is held back as a whole, and the share is not 0 or 1.
        """
        rows = self.parties.flows([source])
        together = any(one.name == source and one.row_flows > 1 for one in self.plan.sources)
        if not 0 <= share <= 1 or (together and share not in (0, 1)):
            wanted = "0 or 1, as its flows are one row" if together else "0 to 1"
            raise InputError(f"set_active({source!r}): found {share}, expected {wanted}")
        may = np.arange(len(rows)) < int(share * len(rows) + 0.5)
        self.aims.admit(self.t_ps, rows, may)

    def set_class(self, source: str, name: str) -> None:
        """Move all flows of a source to another class of the provider that serves them.

        They move at the next report, after customers have chosen and before providers say what they
        pay for them, so that fee and payment change together. Customers may move them again.

        Raises:
            InputError: there is no such source, it is in no class, or its provider has no such
                class.
        """
        rows = self.parties.flows([source])
        held = {self.offers[i].provider for i in self.offer[rows].tolist() if i != NO_OFFER}
        found = [i for i, o in enumerate(self.offers) if o.provider in held and o.name == name]
        if not found or np.any(self.offer[rows] == NO_OFFER):
            sold = ", ".join(offer.name for offer in self.offers if offer.provider in held)
            raise InputError(
                f"set_class({source!r}): found {name!r}, expected {sold or 'a source in a class'}"
            )
        self._moves.append((rows, found[0]))

    def request(self, request: Request) -> Verdict:
        """The answer of the agent whose business the call is; refused when it is nobody's.

        Raises:
            StrategyError: the agent's strategy failed.
        """
        accepted = self.desk.admit(request)
        if accepted:
            self._counts.call(request.flow)
        return Verdict(request.id, accepted)

    def record(self, record: Record) -> Record:
        """Calls are judged and get their charge and reimbursement; all else is as it came."""
        if record.table == "transfers":
            self._counts.transferred(record.columns)
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
        role.join(seat)
        return role, seat

    def _carry_out_moves(self) -> None:
        for rows, offer in self._moves:
            moved = rows[self.offer[rows] != offer]
            if len(moved):
                self.offer[moved] = offer
                self.journal.many(self.t_ps, "", moved, "class", self.offer[moved])
        self._moves.clear()

    def _publish(self) -> None:
        prices = self.domains.price_micro.tolist()
        for domain, price in enumerate(prices):
            if price != self._published[domain]:
                self.journal.one(self.t_ps, self.domains.names[domain], PRICE, price)
        self._published = prices

    def _warn_hasty(self) -> None:
        for role in self.roles:
            if role.hasty and role.name not in self._warned:
                self._warned.add(role.name)
                self.warnings.append(
                    f"{role.name} decides faster than its flows settle (3 T / (gain p)): "
                    "it reads transients"
                )
