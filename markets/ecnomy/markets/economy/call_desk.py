# SPDX-License-Identifier: Apache-2.0
"""The call desk admits single calls, charges callers for them, and reimburses callers.

    call            caller -> provider: the tariff's price when the request is accepted, and the
                    charges for the call's time and packets when the call ends
    reimbursement   provider -> caller, if the parties that the tariff's `quality_seen_by` names
                    report a broken promise

The caller's agent (CallBuyer) ranks the providers of the caller's source. Without an agent,
providers are ranked by price, from the cheapest. If a provider refuses, the next provider decides.
The desk posts its charges in the ledger at the end of each epoch. The posting of a call's price has
the time of the request, and every other posting the time at which the call ended. A call in
progress at the end of the run is charged for its time and packets so far and is not reimbursed. If
a flow has several providers, or its user has an agent that ranks providers, the provider of its
latest call pays for its marks (after a best-effort call, its user).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.call_tariff import BOTH, PROVIDER_SEES, CallTariff
from ecnomy.agents.calls import BEST_EFFORT, Call, CallAsk, CallOffer, EndedCalls
from ecnomy.agents.errors import LedgerError, StrategyError
from ecnomy.agents.seat import CallBuyer, CallSeller
from ecnomy.markets.bridge.messages import Columns, Request
from ecnomy.markets.economy.ended_calls import CallsEnded
from ecnomy.markets.economy.ledger import Ledger, Postings
from ecnomy.markets.economy.parties import Parties
from ecnomy.markets.terms.ledger_kinds import CALL, REIMBURSEMENT
from ecnomy.markets.terms.money import LARGEST_MICRO

__all__ = ["CALL", "REIMBURSEMENT", "CallDesk", "unsold"]

MOST_LINES: Final = 62  # entries of all tariff tables, each of which has a bit for refusals


class _Line(msgspec.Struct):
    """An entry of a tariff table, with its seller and its ended calls."""

    who: str
    seller: CallSeller
    account: int
    tariff: CallTariff
    ended: CallsEnded
    trunk: tuple[str, str]


class _Sold(msgspec.Struct, frozen=True):
    """A requested call: its line (or BEST_EFFORT), its tariff, and the lines that refused it."""

    line: int
    tariff: CallTariff | None
    refused_by: int


class _Due(msgspec.Struct, frozen=True, order=True):
    """An amount not yet posted."""

    t_ps: int
    flow: int
    amount_micro: int
    line: int


class CallDesk:
    """Sells the calls of all providers in a run."""

    def __init__(self, parties: Parties, ledger: Ledger) -> None:
        self._parties, self._ledger = parties, ledger
        self._lines: list[_Line] = []
        self._under_way: Counter[tuple[str, str]] = Counter()  # by trunk
        self._buyers: list[tuple[CallBuyer, CallsEnded]] = []
        count = len(parties.first_offer)
        self._of_flow: dict[int, tuple[int, ...]] = {}
        self._buyer: Integers = np.full(count, -1, dtype=np.int64)
        self._open: dict[int, _Sold] = {}  # calls whose record has not arrived, by id
        self._due: dict[str, list[_Due]] = {CALL: [], REIMBURSEMENT: []}

    # ---- while agents join
    def open(
        self, who: str, seller: CallSeller, tariff: CallTariff, rows: Integers, trunk: str = ""
    ) -> int:
        """Let `who` sell calls of these flows at this tariff.

        `seller` decides on admission. Calls in progress are counted over all tariffs of `who` with
        the same `trunk`.

        Returns:
            the number of the new tariff entry (line).

        Raises:
            StrategyError: providers already sell calls under MOST_LINES tariffs.
        """
        number = len(self._lines)
        if number == MOST_LINES:
            raise StrategyError(
                f"{who}: found too many tariffs for calls, expected at most {MOST_LINES} tariffs "
                "in the market"
            )
        account = self._parties.account(who)
        self._lines.append(_Line(who, seller, account, tariff, CallsEnded(), (who, trunk)))
        for flow in rows.tolist():
            self._of_flow[flow] = (*self._of_flow.get(flow, ()), number)
        return number

    def buy(self, buyer: CallBuyer, rows: Integers) -> None:
        """Let this buyer rank the providers for calls of these flows."""
        self._buyer[rows] = len(self._buyers)
        self._buyers.append((buyer, CallsEnded()))

    # ---- between reports
    def post(self, line: int, price_micro: int) -> bool:
        """Set the price of calls on a line, and return whether the tariff has changed."""
        known = self._lines[line]
        if known.tariff.price_micro == price_micro and not known.tariff.hours:
            return False
        tariff = msgspec.structs.replace(known.tariff, hours=())
        known.tariff = tariff.posted(price_micro)
        return True

    def tariff(self, line: int, t_ps: int) -> CallTariff:
        """Return the tariff of a call on this line at `t_ps`."""
        return self._lines[line].tariff.at(t_ps)

    def admit(self, request: Request, mark_price: Callable[[], Integers | Floats]) -> bool:
        """Charge a call if a provider admits it, and return whether the call may proceed.

        Args:
            request: the engine's request.
            mark_price: function that returns the current price of a mark for each flow.

        Raises:
            StrategyError: a strategy failed.
        """
        flow = request.flow
        lines = self._of_flow.get(flow, ())
        if request.kind != CALL or not lines:
            return False
        price = float(mark_price()[flow])
        offers = tuple(
            CallOffer(self._lines[n].who, n, self.tariff(n, request.t_ps)) for n in lines
        )
        refused = 0
        for choice in self._wanted(CallAsk(request.t_ps, flow, offers, price)):
            if choice == BEST_EFFORT:
                self._parties.carried(flow, int(self._parties.users[flow]))
                self._open[request.id] = _Sold(BEST_EFFORT, None, refused)
                return True
            offer = offers[choice]
            line = self._lines[offer.number]
            call = Call(request.t_ps, flow, offer.tariff, price, self._under_way[line.trunk])
            if line.seller.admit(call):
                self._sell(request, offer, refused)
                return True
            refused |= 1 << offer.number
        self._open[request.id] = _Sold(BEST_EFFORT, None, refused)
        return False

    def _wanted(self, ask: CallAsk) -> Sequence[int]:
        buyer = int(self._buyer[ask.flow])
        if buyer >= 0:
            return self._buyers[buyer][0].order(ask)
        prices = [offer.tariff.price_micro for offer in ask.offers]
        return sorted(range(len(prices)), key=prices.__getitem__)

    def _sell(self, request: Request, offer: CallOffer, refused: int) -> None:
        if len(self._of_flow[request.flow]) > 1 or self._buyer[request.flow] >= 0:
            self._parties.carried(request.flow, self._lines[offer.number].account)
        self._open[request.id] = _Sold(offer.number, offer.tariff, refused)
        self._under_way[self._lines[offer.number].trunk] += 1
        due = _Due(request.t_ps, request.flow, offer.tariff.price_micro, offer.number)
        self._due[CALL].append(due)

    # ---- when calls are over
    def judge(self, calls: Columns) -> Columns:
        """Add tariffs, charges and reimbursements to the records of calls.

        Args:
            calls: the columns of the record table `calls`.

        Returns:
            the columns, and `charge_micro`, `reimbursement_micro`, `tariff` and `refused_by`.

        Raises:
            LedgerError: overflow (the charge for a call is 2^62 micro-units or more).
        """
        judged = unsold(calls)
        names = ("id", "flow", "start_ps", "end_ps", "complete", "sent", "late", "lost", "ce")
        for row, values in enumerate(zip(*(calls[n].tolist() for n in names), strict=True)):
            sold = self._open.pop(values[0], None)
            if sold is None:
                continue
            judged["tariff"][row], judged["refused_by"][row] = sold.line, sold.refused_by
            if sold.line >= 0:
                self._under_way[self._lines[sold.line].trunk] -= 1
            charge, back = self._settle(sold, *values[1:8])
            judged["charge_micro"][row], judged["reimbursement_micro"][row] = charge, back
            if values[4] and calls["accepted"][row]:
                self._tell(sold, values, charge, back)
        return judged

    def _settle(
        self, sold: _Sold, flow: int, start: int, end: int, complete: int, *bad: int
    ) -> tuple[int, int]:
        """Return the charge and the reimbursement for a call."""
        if sold.tariff is None:
            return 0, 0
        sent, late, lost = bad
        use_micro = sold.tariff.use_charge_micro(end - start, sent)
        charge = sold.tariff.price_micro + use_micro
        if charge >= LARGEST_MICRO:
            raise LedgerError("overflow", f"a call of flow {flow} costs {charge} micro-units")
        if use_micro:
            self._due[CALL].append(_Due(end, flow, use_micro, sold.line))
        broken = sold.tariff.broken(sent, late + lost)
        if not complete or not self._acknowledged(sold.tariff, flow, broken):
            return charge, 0
        back = sold.tariff.back_micro(charge)
        self._due[REIMBURSEMENT].append(_Due(end, flow, back, sold.line))
        return charge, back

    def _acknowledged(self, tariff: CallTariff, flow: int, broken: bool) -> bool:
        """Return whether every party that `quality_seen_by` names reports a broken promise.

        A caller without an agent reports the truth.
        """
        buyer = int(self._buyer[flow])
        if tariff.quality_seen_by == PROVIDER_SEES or buyer < 0:
            return broken
        claimed = self._buyers[buyer][0].claims(broken)
        return claimed and (broken or tariff.quality_seen_by != BOTH)

    def _tell(self, sold: _Sold, values: Sequence[int], charge: int, back: int) -> None:
        _, flow, start, end, _, sent, late, lost, marks = values
        known = (flow, sold.line, start, end, sent, marks)
        if sold.tariff is not None:
            provider_sees = sold.tariff.quality_seen_by in (PROVIDER_SEES, BOTH)
            bad = late + lost if provider_sees else -1
            self._lines[sold.line].ended.add((*known, bad, back > 0, charge, back))
        if self._buyer[flow] >= 0:
            row = (*known, late + lost, back > 0, charge, back)
            self._buyers[int(self._buyer[flow])][1].add(row)

    def ended(self, line: int) -> EndedCalls:
        """Return the calls on a line that have ended since the line's calls were last returned."""
        return self._lines[line].ended.take()

    def spread(self) -> None:
        """Pass the outcomes of ended calls to their buyers. Call this once per report."""
        for buyer, ended in self._buyers:
            buyer.hear(ended.take())

    def book(self, t_ps: int) -> None:
        """Post the charges and reimbursements of the epoch that ends at `t_ps`.

        Raises:
            LedgerError: overflow.
        """
        for kind, due in self._due.items():
            if due:
                self._ledger.usage(self._postings(kind, sorted(due)))
                due.clear()

    def _postings(self, kind: str, due: list[_Due]) -> Postings:
        columns = zip(*((d.t_ps, d.flow, d.amount_micro, d.line) for d in due), strict=True)
        t_ps, flow, amount, line = (np.array(column, dtype=np.int64) for column in columns)
        accounts = np.array([one.account for one in self._lines], dtype=np.int64)
        user, seller = self._parties.users[flow], accounts[line]
        debit, credit = (user, seller) if kind == CALL else (seller, user)
        ones = np.ones(len(flow), dtype=np.int64)
        return Postings(t_ps, kind, debit, credit, amount, flow, ones, amount)


def unsold(calls: Columns) -> Columns:
    """Add the market's columns to records of calls, as for calls that no provider sold."""
    count = len(calls["id"])
    none = {name: np.zeros(count, dtype=np.int64) for name in ("charge_micro", "refused_by")}
    back, tariff = np.zeros(count, dtype=np.int64), np.full(count, BEST_EFFORT, dtype=np.int64)
    return {**calls, **none, "reimbursement_micro": back, "tariff": tariff}
