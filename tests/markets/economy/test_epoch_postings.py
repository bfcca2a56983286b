# SPDX-License-Identifier: Apache-2.0
"""The running accounts of flows, from contracts with given dues."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from ecnomy.agents.errors import LedgerError
from ecnomy.markets.economy.contracts import CHARGE, FEE, Dues
from ecnomy.markets.economy.epoch_postings import Book
from ecnomy.markets.economy.ledger import Ledger
from ecnomy.markets.economy.readings import Epoch
from ecnomy.markets.plan import Plan
from market_world import PS, plan, report, source


def ints(*values: int) -> np.ndarray:
    """An int64 column."""
    return np.array(values, dtype=np.int64)


def dues(kind: str, debit: int, flow: np.ndarray, amount: np.ndarray, counts_as: str = "") -> Dues:
    """Amounts that one account owes to the last one."""
    same = np.full(len(flow), debit, dtype=np.int64)
    return Dues(kind, same, same * 0 + 3, amount, flow, amount, amount * 0 + 1, counts_as)


class Written:
    """A contract with given dues for each epoch. Keeps the charges that the book shows to it."""

    def __init__(self, *each: Dues) -> None:
        self.each, self.charges = list(each), []

    def due(self, epoch: Epoch) -> Dues:
        """See Contract."""
        self.charges.append(epoch.charge_micro.tolist())
        return self.each.pop(0)


def epoch(of: Plan, number: int) -> Epoch:
    """An epoch of a second."""
    before = report(of, number * PS, number)
    after = report(of, (number + 1) * PS, number + 1)
    nowhere, on = np.full(3, -1), np.ones(3, dtype=np.bool_)
    return Epoch(before, after, nowhere, ints(1), on, np.zeros(3))


def test_accounts_of_flows_over_two_epochs() -> None:
    """Fees and charges count all payers; bills and their parts count only the flows' users."""
    of, ledger = plan([source("s", count=3)]), Ledger()
    users = ints(*(ledger.open(name) for name in ("ann", "bob", "eve")))
    assert ledger.open("isp") == 3
    replace = msgspec.structs.replace
    by_user = Dues(
        "marks", users, ints(3, 3, 3), ints(4, 0, 6), ints(0, 1, 2), *[ints(1, 1, 1)] * 2
    )
    marks = replace(by_user, counts_as=CHARGE, whole=True)
    fee = dues("fee", 1, ints(2, 1, 1), ints(7, 8, 9), FEE)
    fee = replace(fee, standing_micro=ints(5, 4, 3), weight_micro=ints(2, 1, 0))
    other = dues("other", 0, ints(-1, 0, 1), ints(30, 20, 10))
    charges, last = (
        Written(marks, replace(marks, amount_micro=ints(1, 2, 3))),
        Written(other, other),
    )
    book = Book((charges, Written(fee, fee), last), users, ledger)
    first = book.bill_micro
    book.close_epoch(epoch(of, 0))
    assert book.charge_micro.tolist() == [4, 0, 6]
    assert book.fee_micro.tolist() == [0, 17, 7]
    assert book.bill_micro.tolist() == [4 + 20, 8 + 9, 6]
    assert book.standing_micro.tolist() == [0, 7, 0]
    assert book.weight_micro.tolist() == [0, 1, 0]
    book.close_epoch(epoch(of, 1))
    assert book.charge_micro.tolist() == [5, 2, 9]
    assert book.fee_micro.tolist() == [0, 34, 14]
    assert book.bill_micro.tolist() == [25 + 20, 34 + 2, 9]
    assert book.standing_micro.tolist() == [0, 14, 0]
    assert book.weight_micro.tolist() == [0, 2, 0]
    assert charges.charges == [[0, 0, 0]] * 2  # of the epoch, from the contracts before
    assert last.charges == [[4, 0, 6], [1, 2, 3]]
    assert not first.any()
    posted = ledger.take()
    assert [rows.t_ps for rows in posted] == [PS] * 3 + [2 * PS] * 3
    assert [rows.kind for rows in posted] == ["marks", "fee", "other"] * 2
    assert posted[0].flow.tolist() == [0, 2]  # rows of 0 are not posted
    assert ledger.balances_micro.tolist() == [-125, -50, -9, 184]


def test_an_epoch_with_an_impossible_due_is_refused() -> None:
    """The ledger refuses the epoch."""
    of, ledger = plan([source("s", count=3)]), Ledger()
    users = ints(*(ledger.open(name) for name in ("ann", "bob", "eve")))
    ledger.open("isp")
    book = Book((Written(dues("fee", 0, ints(0), ints(-1), FEE)),), users, ledger)
    with pytest.raises(LedgerError, match="negative-amount"):
        book.close_epoch(epoch(of, 0))
