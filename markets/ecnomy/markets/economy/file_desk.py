# SPDX-License-Identifier: Apache-2.0
"""The file desk sells files with a deadline. It charges and judges each file at its end.

    transfer        when a file is complete: the flow's user -> provider, the price of a file
    reimbursement   at the same time, if it took longer than promised: provider -> the flow's user

A file that was abandoned, or is incomplete at the end of the run, is not charged or judged.
Postings go to the ledger at the end of the epoch, each with its own time.
"""

from __future__ import annotations

import numpy as np

from ecnomy.agents.arrays import Integers
from ecnomy.agents.elastic_tariff import ElasticTariff
from ecnomy.markets.bridge.messages import Columns
from ecnomy.markets.economy.ledger import Ledger, Postings
from ecnomy.markets.economy.parties import Parties
from ecnomy.markets.terms.ledger_kinds import REIMBURSEMENT, TRANSFER

__all__ = ["FileDesk"]


class FileDesk:
    """All files on sale in a run."""

    def __init__(self, parties: Parties, ledger: Ledger) -> None:
        self._parties, self._ledger = parties, ledger
        count = len(parties.first_offer)
        self._price, self._back = (np.zeros(count, dtype=np.int64) for _ in range(2))
        self._deadline = np.full(count, -1, dtype=np.int64)  # -1: not on sale
        self._account = np.zeros(count, dtype=np.int64)
        self._due: dict[str, list[tuple[Integers, ...]]] = {TRANSFER: [], REIMBURSEMENT: []}

    def open(self, who: str, tariff: ElasticTariff, rows: Integers) -> None:
        """Let `who` sell the files of these flows at this tariff."""
        self._price[rows], self._back[rows] = tariff.price_micro, tariff.reimbursement_micro
        self._deadline[rows] = tariff.deadline_ps
        self._account[rows] = self._parties.account(who)

    def judge(self, files: Columns) -> None:
        """Judge records of the table `transfers`."""
        flow = files["flow"].astype(np.int64)
        sold = files["complete"].astype(np.bool_) & (self._deadline[flow] >= 0)
        end_ps, flow = files["end_ps"][sold].astype(np.int64), flow[sold]
        time_ps = end_ps - files["start_ps"][sold].astype(np.int64)
        late = time_ps > self._deadline[flow]
        user, seller = self._parties.users[flow], self._account[flow]
        self._due[TRANSFER].append((end_ps, flow, user, seller, self._price[flow]))
        back = (end_ps, flow, seller, user, self._back[flow])
        self._due[REIMBURSEMENT].append(tuple(column[late] for column in back))

    def book(self) -> None:
        """Post the amounts of the epoch in the ledger, in order of time and flow.

        Raises:
            LedgerError: overflow.
        """
        for kind, due in self._due.items():
            if due:
                columns = [np.concatenate(parts) for parts in zip(*due, strict=True)]
                order = np.lexsort((columns[1], columns[0]))
                t_ps, flow, debit, credit, amount = (column[order] for column in columns)
                ones = np.ones(len(flow), dtype=np.int64)
                rows = Postings(t_ps, kind, debit, credit, amount, flow, ones, amount)
                self._ledger.usage(rows)
                due.clear()
