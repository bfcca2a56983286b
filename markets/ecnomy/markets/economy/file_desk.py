# SPDX-License-Identifier: Apache-2.0
"""The file desk sells file transfers with a deadline, and charges each file when it is complete.

    transfer        the flow's user -> provider: the price of a file
    reimbursement   provider -> the flow's user, if the transfer took longer than promised

A file that was abandoned, or is incomplete at the end of the run, is neither charged nor
reimbursed. The desk posts its charges at the end of each epoch, with the time at which each file
was completed.
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
    """Sells the files of all providers in a run."""

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
        """Compute charges and reimbursements from records of the table `transfers`."""
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
        """Post the charges and reimbursements of the epoch, in order of time and flow.

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
