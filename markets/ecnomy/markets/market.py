# SPDX-License-Identifier: Apache-2.0
"""The market: a Mesa model that turns reports into bookings, agents' decisions and mark rates.

At a report the elapsed epoch is booked first, at the price and in the classes that were in force.
Then the agents that are due decide, in fixed order: connectivity provider, customers and price
handlers, application providers, guaranteed stream providers (who look at their test streams), each
group as the scenario lists it. Calls are admitted between reports, as they come. Last, and only
here,

    marks per second = willingness to pay [micro-units/s] / price per mark [micro-units/mark].

Agents see and decide for one flow. Where all flows of a source are one row, the row gets so much
for each of them and pays the class fee of each.

Only flows under the window law `wtp` are given a mark rate; others keep what they have and pay all
the same. At a price of 0 marks cost nothing and no rate follows from it: none is given. Rate caps
bind whatever the window law.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ecnomy.agents.application_provider import ApplicationProvider
from ecnomy.agents.connectivity_provider import ConnectivityProvider, price_posted
from ecnomy.agents.customer import Customer
from ecnomy.agents.decision import LEAVE, NO_CAP, Decision
from ecnomy.agents.errors import InputError
from ecnomy.agents.guaranteed_stream_provider import GuaranteedStreamProvider
from ecnomy.agents.observation import NO_OFFER, Floats, Integers, Observation
from ecnomy.agents.price_handler import PriceHandler
from ecnomy.agents.role import Role, Terms
from ecnomy.markets.accounts.book import Book
from ecnomy.markets.accounts.call_desk import CallDesk
from ecnomy.markets.accounts.contracts import Per
from ecnomy.markets.accounts.ledger import Ledger
from ecnomy.markets.accounts.meter import Meter
from ecnomy.markets.accounts.parties import (
    APPLICATION,
    CONNECTIVITY,
    CUSTOMER,
    GUARANTEE,
    HANDLER,
    Parties,
)
from ecnomy.markets.bridge.messages import (
    Columns,
    Decide,
    Record,
    Report,
    Request,
    Verdict,
)
from ecnomy.markets.plan import Plan
from ecnomy.markets.results.journal import Journal
from ecnomy.markets.scenario.marketspec import AgentSpec, MarketSpec
from ecnomy.markets.stepped import Stepped

__all__ = ["Market"]

Truths = npt.NDArray[np.bool_]
_NONE = np.array([NO_OFFER])


class Market(Stepped):
    """The market of one run.

    Attributes:
        ledger: all money moved.
        journal: what agents did, for the table `agents`.
        offers: the classes on sale.
        offer: the class each flow is in, an index into `offers` or NO_OFFER.
        price_micro: the price per mark in force.
        warnings: what a user should know; whoever shows them empties the list.
    """

    def __init__(self, plan: Plan, spec: MarketSpec, *, per: Per = "mark") -> None:
        """Builds the agents and opens their accounts.

        Args:
            plan: the run's plan.
            spec: the market part of its scenario.
            per: whether contracts charge per mark or per byte of a marked packet.

        Raises:
            InputError: the market and the plan do not fit (see Parties).
            StrategyError: a strategy cannot be made.
        """
        super().__init__(plan.seed)
        self._plan = plan
        self.ledger, self.journal = Ledger(), Journal()
        self._parties = Parties(plan, spec, self.ledger)
        self._book = Book(plan, self._parties, self.ledger, per)
        self._meter = Meter(plan)
        self._steered = _steered(plan)
        self._flows = np.array([s.row_flows for s in plan.row_sources()], dtype=np.float64)
        self.offers, self.offer = self._parties.offers, self._parties.first_offer.copy()
        self.price_micro = spec.price_micro_per_mark
        self.warnings: list[str] = []
        self._carriers: list[ConnectivityProvider] = []
        self._customers: list[tuple[Customer | PriceHandler, Integers]] = []
        self._sellers: list[ApplicationProvider] = []
        self._guarantors: list[tuple[GuaranteedStreamProvider, Integers, int]] = []
        self._desk = CallDesk(self._parties, self.ledger)
        for agent in spec.agents:
            self._hire(agent)
        self._pay: Floats = np.full(len(self.offer), LEAVE)
        self._mark_rate: Floats = np.full(len(self.offer), LEAVE)
        self._cap_bps: Floats = np.full(len(self.offer), NO_CAP)
        self._sent_cap_bps: Floats = self._cap_bps.copy()
        self._published_micro, self._epoch = -1, 0
        self._warned: set[str] = set()

    @property
    def fee_micro(self) -> Integers:
        """Class fees of each flow so far."""
        return self._book.fee_micro

    @property
    def charge_micro(self) -> Integers:
        """Mark charges of each flow so far."""
        return self._book.charge_micro

    @property
    def roles(self) -> list[Role]:
        """All agents in the order they act."""
        return [
            *self._carriers,
            *(customer for customer, _ in self._customers),
            *self._sellers,
            *(guarantor for guarantor, *_ in self._guarantors),
        ]

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
        self._desk.book(report.t_ps)
        self._book.close_epoch(report, self.price_micro, self.offer)
        if report.t_ps >= self._plan.duration_ps:
            return
        self._meter.read(report, self._book.charge_micro)
        self._post_prices(report.t_ps)
        self._ask_customers(report.t_ps)
        self._ask_sellers(report.t_ps)
        self._show_streams(report.t_ps)
        self._warn_hasty()

    def orders(self) -> Decide:
        """What flows are to aim at from the last report on; only those whose aim changes."""
        if self.t_ps >= self._plan.duration_ps:
            return Decide(self._epoch)
        self._publish_price(self.t_ps)
        return Decide(self._epoch, self._changed_rates(self.t_ps))

    def post_price(self, price_micro: int) -> None:
        """Post a price per mark, micro-units, from the last report on; StrategyError as agents."""
        self.price_micro = price_posted("post_price", price_micro)

    def set_willingness(self, source: str, micro_per_s: float) -> None:
        """What each flow of a source pays for, micro-units/s, until an agent sets it again.

        Raises:
            InputError: there is no such source, or the amount is negative or not finite.
        """
        if not 0 <= micro_per_s < np.inf:
            raise InputError(f"set_willingness({source!r}): found {micro_per_s}, expected >= 0")
        rows = self._parties.flows([source])
        wanted = Decision(np.full(len(rows), float(micro_per_s)))
        self._take(self.t_ps, "", rows, np.True_, wanted)

    def request(self, request: Request) -> Verdict:
        """The answer of the provider whose business the call is; refused when it is nobody's.

        Raises:
            StrategyError: the provider's strategy failed.
        """
        return Verdict(request.id, self._desk.admit(request))

    def record(self, record: Record) -> Record:
        """Calls are judged and get their charge and reimbursement; all else is as it came."""
        if record.table != "calls":
            return record
        return replace(record, columns=self._desk.judge(record.columns))

    def _hire(self, agent: AgentSpec) -> None:
        terms = _terms(agent, self._plan.seed)
        if agent.role == CONNECTIVITY:
            self._carriers.append(ConnectivityProvider(self, agent.name, terms))
        elif agent.role in (CUSTOMER, HANDLER):
            kind = Customer if agent.role == CUSTOMER else PriceHandler
            customer = kind(self, agent.name, terms)
            self._customers.append((customer, self._parties.flows(agent.sources)))
        elif agent.role == APPLICATION:
            own = tuple(offer for offer in self.offers if offer.provider == agent.name)
            self._sellers.append(ApplicationProvider(self, agent.name, terms, own))
        elif agent.role == GUARANTEE and agent.tariff is not None:
            guarantor = GuaranteedStreamProvider(self, agent.name, terms, agent.tariff)
            self._desk.open(guarantor, self._parties.flows(agent.sources))
            streams = self._parties.flows(agent.test_streams)
            late = self._plan.record.delay_thresholds_ps.index(agent.tariff.max_delay_ps)
            self._guarantors.append((guarantor, streams, late))

    def _post_prices(self, t_ps: int) -> None:
        for carrier in self._carriers:
            if carrier.due(t_ps):
                seen = self._meter.links(carrier.name, self.price_micro)
                self.price_micro = carrier.post_price(seen)
        self._publish_price(t_ps)

    def _publish_price(self, t_ps: int) -> None:
        if self.price_micro != self._published_micro:
            who = self._carriers[0].name if self._carriers else ""
            self.journal.one(t_ps, who, "price_micro_per_mark", self.price_micro)
            self._published_micro = self.price_micro

    def _ask_customers(self, t_ps: int) -> None:
        for customer, rows in self._customers:
            if not customer.due(t_ps):
                continue
            seen = self._seen_by(customer.name, rows)
            decision = customer.decide(seen)
            if decision.offer is not None and decision.offer is not seen.flows.offer:
                moved = rows[decision.offer != self.offer[rows]]
                self.offer[rows] = decision.offer
                self.journal.many(t_ps, customer.name, moved, "class", self.offer[moved])
            if decision.willingness_micro_per_s is not None or decision.rate_cap_bps is not None:
                self._take(t_ps, customer.name, rows, self.offer[rows] == _NONE, decision)

    def _ask_sellers(self, t_ps: int) -> None:
        for seller in self._sellers:
            if not seller.due(t_ps):
                continue
            rows = self._parties.sold_by(seller.name, self.offer)
            decision = seller.decide(self._seen_by(seller.name, rows))
            self._take(t_ps, seller.name, rows, np.True_, decision)

    def _show_streams(self, t_ps: int) -> None:
        for guarantor, rows, late in self._guarantors:
            if guarantor.due(t_ps):
                before = guarantor.readings
                guarantor.watch(self._meter.streams(guarantor.name, rows, self.price_micro, late))
                for name, value in guarantor.readings.items():
                    if before.get(name) != value:
                        self.journal.one(t_ps, guarantor.name, name, value)

    def _seen_by(self, who: str, rows: Integers) -> Observation:
        return self._meter.flows(who, rows, self.price_micro, self.offers, self.offer)

    def _take(
        self, t_ps: int, who: str, rows: Integers, own: Truths | np.bool_, of: Decision
    ) -> None:
        """What `who` pays for the flows that are its `own` to pay for, and their rate caps."""
        given = (
            ("willingness_micro_per_s", of.willingness_micro_per_s, self._pay),
            ("rate_cap_bps", of.rate_cap_bps, self._cap_bps),
        )
        for name, wanted, column in given:
            if wanted is not None:
                new = own & (wanted != column[rows])
                count = np.count_nonzero(new)
                if count == 0:
                    continue
                moved, value = (rows, wanted) if count == len(rows) else (rows[new], wanted[new])
                column[moved] = value
                self.journal.many(t_ps, who, moved, name, value)

    def _warn_hasty(self) -> None:
        for role in self.roles:
            if role.hasty and role.name not in self._warned:
                self._warned.add(role.name)
                self.warnings.append(
                    f"{role.name} decides faster than its flows settle (3 T / (gain p)): "
                    "it reads transients"
                )

    def _changed_rates(self, t_ps: int) -> Columns:
        wanted = np.full(len(self._pay), LEAVE)
        if self.price_micro > 0:
            asked = self._steered & (self._pay >= 0)
            wanted[asked] = self._pay[asked] / self.price_micro
        new = (wanted >= 0) & (wanted != self._mark_rate)
        rows = np.flatnonzero(new | (self._cap_bps != self._sent_cap_bps)).astype(np.int64)
        if len(rows) == 0:
            return {}
        self._mark_rate[new], self._sent_cap_bps[rows] = wanted[new], self._cap_bps[rows]
        self.journal.many(t_ps, "", np.flatnonzero(new).astype(np.int64), "mark_rate", wanted[new])
        flows = self._flows[rows]
        return {
            "flow": rows,
            "mark_rate": _of_row(wanted[rows], flows),
            "rate_cap_bps": _of_row(self._cap_bps[rows], flows),
            "mark_cap": np.full(len(rows), -1, dtype=np.int64),
            "active": np.ones(len(rows), dtype=np.int64),
        }


def _terms(agent: AgentSpec, seed: int) -> Terms:
    interval_ps = None if agent.decision_interval_ps < 0 else agent.decision_interval_ps
    if agent.strategy is None:
        return Terms(seed, interval_ps=interval_ps)
    return Terms(seed, agent.strategy.kind, agent.strategy.params, interval_ps)


def _of_row(each: Floats, flows: Floats) -> Floats:
    """What a row of flows gets where each of them is to get `each`; -1 says nothing of any."""
    return np.where(each >= 0, each * flows, each)


def _steered(plan: Plan) -> Truths:
    """Which flows a mark rate can steer (truth values)."""
    return np.array([s.weighted for s in plan.row_sources()], dtype=np.bool_)
