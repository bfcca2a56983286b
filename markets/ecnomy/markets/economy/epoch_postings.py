# SPDX-License-Identifier: Apache-2.0
"""Compute the amounts due for each epoch, and post them in the ledger.

Marks are charged at the price in force when they arrive, and the class of a flow determines its
fee. Mark charges and fees are computed from the counters and times in reports. Their totals over a
run therefore depend on the length of epochs only if a price or a class changes.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from ecnomy.agents.arrays import Integers
from ecnomy.markets.economy.contracts import CHARGE, FEE, Contract, Dues
from ecnomy.markets.economy.ledger import Ledger, Postings
from ecnomy.markets.economy.readings import Epoch
from ecnomy.markets.economy.shared_columns import held

__all__ = ["Book"]


class Book:
    """All contracts of a run, and the totals of each flow so far.

    Attributes:
        fee_micro: fees of each flow so far. All columns are replaced, never modified in place.
        charge_micro: mark charges of each flow so far.
        bill_micro: payments for each flow by its user so far, under these contracts.
        standing_micro: the part of each bill that is charged by time.
        weight_micro: the part of each standing charge that depends on the flow's weight.
    """

    def __init__(self, contracts: Sequence[Contract], users: Integers, ledger: Ledger) -> None:
        """Create the book. `users` contains the account of each flow's user."""
        self._contracts, self._users, self._ledger = contracts, users, ledger
        none: Integers = held(np.zeros(len(users), dtype=np.int64))
        self.fee_micro = self.charge_micro = self.bill_micro = none
        self.standing_micro = self.weight_micro = none

    def close_epoch(self, epoch: Epoch) -> None:
        """Post the amounts due for an epoch, and add them to the totals.

        Raises:
            LedgerError: overflow; negative-amount (a counter ran backwards); unbalanced.
            StrategyError: a custom contract failed.
        """
        for contract in self._contracts:
            dues = contract.due(epoch)
            self._post(epoch.to_ps, dues)
            self._bill(dues)
            if dues.counts_as == FEE:
                self.fee_micro = _added(self.fee_micro, dues)
            elif dues.counts_as == CHARGE:
                self.charge_micro = _added(self.charge_micro, dues)
                epoch.charge_micro = _added(epoch.charge_micro, dues)
        self._ledger.check()

    def _bill(self, dues: Dues) -> None:
        """Add the amounts paid by each flow's user to the flow's bill."""
        flow = dues.flow
        if not len(self._users) or not len(flow):
            return
        own = (flow >= 0) & (dues.debit == self._users[flow])
        billed = msgspec.structs.replace(dues, amount_micro=np.where(own, dues.amount_micro, 0))
        self.bill_micro = _added(self.bill_micro, billed)
        if dues.standing_micro is not None:
            standing = np.where(own, dues.standing_micro, 0)
            billed = msgspec.structs.replace(dues, amount_micro=standing)
            self.standing_micro = _added(self.standing_micro, billed)
        if dues.weight_micro is not None:
            weighed = np.where(own, dues.weight_micro, 0)
            billed = msgspec.structs.replace(dues, amount_micro=weighed)
            self.weight_micro = _added(self.weight_micro, billed)

    def _post(self, t_ps: int, dues: Dues) -> None:
        rows = np.flatnonzero(dues.amount_micro).astype(np.int64)
        self._ledger.usage(
            Postings(
                t_ps=t_ps,
                kind=dues.kind,
                debit=dues.debit[rows],
                credit=dues.credit[rows],
                amount_micro=dues.amount_micro[rows],
                flow=dues.flow[rows],
                quantity=dues.quantity[rows],
                price_micro=dues.price_micro[rows],
            )
        )


def _added(column: Integers, dues: Dues) -> Integers:
    """Return a copy of the column, with the amounts due added to their flows."""
    if dues.whole:
        return held(column + dues.amount_micro)
    added = column.copy()
    np.add.at(added, dues.flow, dues.amount_micro)
    return held(added)
