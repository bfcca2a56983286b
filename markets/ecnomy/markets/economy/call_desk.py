# SPDX-License-Identifier: Apache-2.0
"""The desk where calls are sold one by one: admitted, charged, judged and, if need be, paid back.

    call            at the moment of an accepted request: customer -> provider, the tariff's price
    reimbursement   when the call's record says that its promise was broken: provider -> customer

Postings of an epoch are handed to the ledger in two batches at its end, each row with its own time:
a call's is that of the request, a reimbursement's that of the call's end. A call that is still
under way when the run ends has been charged and is not judged.
"""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.call_tariff import CallTariff
from ecnomy.agents.calls import Call
from ecnomy.agents.observation import Integers
from ecnomy.agents.seat import CallSeller
from ecnomy.markets.bridge.messages import Columns, Request
from ecnomy.markets.economy.kinds import CALL, REIMBURSEMENT
from ecnomy.markets.economy.ledger import Ledger, Postings
from ecnomy.markets.economy.parties import Parties

__all__ = ["CALL", "REIMBURSEMENT", "CallDesk", "unsold"]

_NOBODY: Final = -1


class _Sold(msgspec.Struct, frozen=True):
    """Calls on sale: by whom, in which account, on what tariff."""

    seller: CallSeller
    account: int
    tariff: CallTariff


class CallDesk:
    """All calls of one run that are sold."""

    def __init__(self, parties: Parties, ledger: Ledger) -> None:
        self._parties, self._ledger = parties, ledger
        self._sold: list[_Sold] = []
        self._seller = np.full(len(parties.first_offer), _NOBODY, dtype=np.int64)
        self._charged: dict[int, int] = {}  # price of each accepted call not yet judged, by id
        self._due: dict[str, list[tuple[int, int, int]]] = {CALL: [], REIMBURSEMENT: []}

    def open(self, who: str, seller: CallSeller, tariff: CallTariff, rows: Integers) -> None:
        """Calls on these flows are sold by `who`, on this tariff; `seller` admits them."""
        self._seller[rows] = len(self._sold)
        self._sold.append(_Sold(seller, self._parties.account(who), tariff))

    def admit(self, request: Request) -> bool:
        """Let the call's seller decide; an accepted call is charged. Nobody's is refused.

        Raises:
            StrategyError: the seller's strategy failed.
        """
        seller = int(self._seller[request.flow])
        if request.kind != CALL or seller == _NOBODY:
            return False
        sold = self._sold[seller]
        if not sold.seller.admit(Call(request.t_ps, request.flow)):
            return False
        price_micro = sold.tariff.price_micro
        self._charged[request.id] = price_micro
        self._due[CALL].append((request.t_ps, request.flow, price_micro))
        return True

    def judge(self, calls: Columns) -> Columns:
        """Records of calls with who sold them, what they cost and what was paid back.

        Args:
            calls: the columns of the record table `calls`.

        Returns:
            The same with `charge_micro` and `reimbursement_micro`.
        """
        charge = np.zeros(len(calls["id"]), dtype=np.int64)
        back = np.zeros(len(calls["id"]), dtype=np.int64)
        names = ("id", "flow", "end_ps", "complete", "sent", "late", "lost")
        for row, values in enumerate(zip(*(calls[n].tolist() for n in names), strict=True)):
            number, flow, end_ps, complete, sent, late, lost = values
            price_micro = self._charged.pop(number, None)
            if price_micro is None:
                continue
            charge[row] = price_micro
            tariff = self._sold[int(self._seller[flow])].tariff
            if complete and tariff.broken(sent, late + lost):
                back[row] = tariff.reimbursement_micro
                self._due[REIMBURSEMENT].append((end_ps, flow, tariff.reimbursement_micro))
        return {**calls, "charge_micro": charge, "reimbursement_micro": back}

    def book(self, t_ps: int) -> None:
        """Hand the postings of the epoch that ends at `t_ps` to the ledger.

        Raises:
            LedgerError: overflow.
        """
        for kind, due in self._due.items():
            if due:
                self._ledger.usage(self._postings(kind, sorted(due)))
                due.clear()

    def _postings(self, kind: str, due: list[tuple[int, int, int]]) -> Postings:
        t_ps, flow, amount = (np.array(column, dtype=np.int64) for column in zip(*due, strict=True))
        seller = np.array(
            [self._sold[i].account for i in self._seller[flow].tolist()], dtype=np.int64
        )
        user = self._parties.users[flow]
        debit, credit = (user, seller) if kind == CALL else (seller, user)
        ones = np.ones(len(flow), dtype=np.int64)
        return Postings(t_ps, kind, debit, credit, amount, flow, ones, amount)


def unsold(calls: Columns) -> Columns:
    """Records of calls in a run without a market: they cost nothing."""
    none = np.zeros(len(calls["id"]), dtype=np.int64)
    return {**calls, "charge_micro": none, "reimbursement_micro": none}
