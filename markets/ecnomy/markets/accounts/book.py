# SPDX-License-Identifier: Apache-2.0
"""Booking: after each report, what the elapsed epoch costs goes into the ledger.

Marks are charged at the price that was in force while they arrived, fees at the class held. Both
follow from the report's own counters and time, so their sum over a run does not depend on the
epochs as long as price and class do not change.
"""

from __future__ import annotations

import numpy as np

from ecnomy.agents.errors import LedgerError
from ecnomy.agents.observation import NO_OFFER, Integers
from ecnomy.markets.accounts.contracts import CLASS_FEE, MARK_CHARGE, ClassFees, MarkCharge, Per
from ecnomy.markets.accounts.ledger import Ledger, Postings
from ecnomy.markets.accounts.meter import integers
from ecnomy.markets.accounts.parties import Parties
from ecnomy.markets.bridge.messages import Report
from ecnomy.markets.plan import Plan

__all__ = ["Book"]


class Book:
    """The running accounts of all flows.

    Attributes:
        fee_micro: class fees of each flow so far; replaced, never written to.
        charge_micro: mark charges of each flow so far; replaced, never written to.
    """

    def __init__(self, plan: Plan, parties: Parties, ledger: Ledger, per: Per) -> None:
        self._parties, self._ledger = parties, ledger
        self._fees, self._marks = _class_fees(plan), MarkCharge(per)
        flows = len(parties.first_offer)
        self._flows = np.array([s.row_flows for s in plan.row_sources()], dtype=np.int64)
        self._t_ps = 0
        self._seen = (np.zeros(flows, dtype=np.int64), np.zeros(flows, dtype=np.int64))
        self.fee_micro = np.zeros(flows, dtype=np.int64)
        self.charge_micro = np.zeros(flows, dtype=np.int64)

    def close_epoch(self, report: Report, price_micro: int, offer: Integers) -> None:
        """Book the time since the last report, at this price and with flows in these classes.

        Raises:
            LedgerError: overflow; negative-amount, when a counter ran backwards.
        """
        self._book_marks(report, price_micro, offer)
        self._book_fees(report.t_ps, offer)
        self._t_ps = report.t_ps
        self._ledger.check()

    def _book_marks(self, report: Report, price_micro: int, offer: Integers) -> None:
        now = (integers(report.flows, "ce"), integers(report.flows, "ce_bytes"))
        marks, marked_bytes = now[0] - self._seen[0], now[1] - self._seen[1]
        if np.any(marks < 0) or np.any(marked_bytes < 0):
            raise LedgerError("negative-amount", "a count of marks delivered ran backwards")
        amount, quantity = self._marks.due(price_micro, marks, marked_bytes)
        payer = self._parties.mark_payers(offer)
        payee = np.full(len(payer), self._parties.mark_payee, dtype=np.int64)
        price = np.full(len(payer), price_micro, dtype=np.int64)
        self._post(report.t_ps, MARK_CHARGE, payer, payee, amount, quantity, price)
        self.charge_micro = self.charge_micro + amount
        self._seen = now

    def _book_fees(self, t_ps: int, offer: Integers) -> None:
        fee = self._parties.fees(offer) * self._flows
        amount, active_ps = self._fees.accrue(self._t_ps, t_ps, fee)
        amount = np.where(offer == NO_OFFER, 0, amount)
        payer, payee = self._parties.fee_parties(offer)
        self._post(t_ps, CLASS_FEE, payer, payee, amount, active_ps, fee)
        self.fee_micro = self.fee_micro + amount

    def _post(
        self,
        t_ps: int,
        kind: str,
        payer: Integers,
        payee: Integers,
        amount: Integers,
        quantity: Integers,
        price: Integers,
    ) -> None:
        rows = np.flatnonzero(amount).astype(np.int64)
        self._ledger.usage(
            Postings(
                t_ps=t_ps,
                kind=kind,
                debit=payer[rows],
                credit=payee[rows],
                amount_micro=amount[rows],
                flow=rows,
                quantity=quantity[rows],
                price_micro=price[rows],
            )
        )


def _class_fees(plan: Plan) -> ClassFees:
    spans = [
        (s.start.at_ps, s.stop_ps if s.stop_ps >= 0 else plan.duration_ps)
        for s in plan.row_sources()
    ]
    table = np.array(spans, dtype=np.int64).reshape(-1, 2)
    return ClassFees(table[:, 0], table[:, 1])
