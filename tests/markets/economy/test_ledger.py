# SPDX-License-Identifier: Apache-2.0
"""The ledger: debits equal credits; impossible postings are refused by name and change nothing."""

from __future__ import annotations

import hypothesis.strategies as st
import msgspec
import numpy as np
import pytest
from hypothesis import given

from ecnomy.agents.errors import LedgerError
from ecnomy.markets.economy.ledger import Ledger, Postings
from ecnomy.markets.terms.money import LARGEST_MICRO

NAMES = ("a", "b", "c", "poor")
ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 10**12)).filter(
        lambda row: row[0] != row[1]
    ),
    max_size=20,
)


def ledger() -> Ledger:
    """Three postpaid accounts, and an empty prepaid account."""
    book = Ledger()
    for name in NAMES:
        book.open(name, prepaid=name == "poor")
    return book


def usage(rows: list[tuple[int, int, int]], kind: str = "marks") -> Postings:
    """Rows (debit, credit, amount); the quantity is the amount at price 1."""
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    flow, one = np.full(len(table), -1), np.ones(len(table), dtype=np.int64)
    return Postings(5, kind, table[:, 0], table[:, 1], table[:, 2], flow, table[:, 2], one)


@given(st.lists(ROWS, max_size=5))
def test_every_micro_unit_paid_is_received(batches: list[list[tuple[int, int, int]]]) -> None:
    """For any postings, debits equal credits, balances add up to 0, and rows explain balances."""
    book = ledger()
    for batch in batches:
        book.usage(usage(batch))
        book.check()
    posted = book.take()
    assert sum(book.balances_micro.tolist()) == 0
    assert sum(sum(rows.amount_micro.tolist()) for rows in posted) == book.total_micro
    assert book.total_micro == sum(amount for batch in batches for *_, amount in batch)
    rebuilt = [0] * len(book.names)
    for rows in posted:
        columns = (rows.debit.tolist(), rows.credit.tolist(), rows.amount_micro.tolist())
        for debit, credit, amount in zip(*columns, strict=True):
            rebuilt[debit] -= amount
            rebuilt[credit] += amount
    assert rebuilt == book.balances_micro.tolist()


@given(st.integers(0, 2 * 10**12), ROWS)
def test_prepaid_account_never_goes_below_zero(
    funds: int, rows: list[tuple[int, int, int]]
) -> None:
    """Usage beyond the account's funds is still posted, on the overdraft account."""
    book = ledger()
    book.transfer(0, "deposit", "a", "poor", funds)
    book.take()
    book.usage(usage(rows))
    assert book.balance_micro("poor") >= 0
    owed = sum(amount for debit, _, amount in rows if debit == 3)
    paid = sum(
        amount
        for batch in book.take()
        for debit, amount in zip(batch.debit.tolist(), batch.amount_micro.tolist(), strict=True)
        if book.names[debit] in ("poor", "overdraft:poor")
    )
    assert paid == owed


def test_prepaid_account_can_pay_its_last_unit() -> None:
    """A transfer of exactly what it holds leaves 0; one micro-unit more is refused."""
    book = ledger()
    book.transfer(0, "deposit", "a", "poor", 7)
    with pytest.raises(LedgerError, match="insufficient-funds"):
        book.transfer(1, "refund", "poor", "a", 8)
    book.transfer(1, "refund", "poor", "a", 7)
    assert book.balance_micro("poor") == 0


def test_rows_of_a_batch_share_the_funds() -> None:
    """Of two charges of 60 on funds of 100, the first is paid in full and the second in part."""
    book = ledger()
    book.transfer(0, "deposit", "a", "poor", 100)
    book.usage(usage([(3, 1, 60), (3, 2, 60)]))
    assert book.balance_micro("poor") == 0
    assert book.balance_micro("overdraft:poor") == -20


def test_overdraft_takes_what_funds_leave() -> None:
    """30 of 100 are paid from the account, 70 from its overdraft, and the quantity counts once."""
    book = ledger()
    book.transfer(0, "deposit", "a", "poor", 30)
    book.usage(usage([(3, 1, 100)]))
    _, rows = book.take()
    assert [book.names[i] for i in rows.debit] == ["poor", "overdraft:poor"]
    assert rows.amount_micro.tolist() == [30, 70]
    assert rows.quantity.tolist() == [100, 0]
    assert book.balance_micro("overdraft:poor") == -70
    assert book.balance_micro("b") == 100


@pytest.mark.parametrize(
    ("debit", "credit", "amount", "name"),
    [
        ("nobody", "a", 1, "unknown-account"),
        ("a", "nobody", 1, "unknown-account"),
        ("a", "b", -1, "negative-amount"),
        ("a", "a", 1, "same-account"),
        ("poor", "a", 1, "insufficient-funds"),
        ("a", "b", LARGEST_MICRO, "overflow"),
        ("a", "b", 10**30, "overflow"),
    ],
)
def test_transfer_refused_by_name(debit: str, credit: str, amount: int, name: str) -> None:
    """A transfer that cannot be made is refused and leaves no trace."""
    book = ledger()
    book.transfer(0, "deposit", "a", "b", 7)
    before = book.balances_micro.tolist()
    with pytest.raises(LedgerError) as refusal:
        book.transfer(1, "gift", debit, credit, amount)
    assert refusal.value.name == name
    assert book.balances_micro.tolist() == before
    assert len(book.take()) == 1
    assert book.total_micro == 7


@pytest.mark.parametrize(
    ("rows", "name"),
    [
        ([(0, 1, 5), (9, 1, 5)], "unknown-account"),
        ([(0, 1, 5), (-1, 1, 5)], "unknown-account"),
        ([(0, 1, 5), (0, 1, -5)], "negative-amount"),
        ([(0, 1, 5), (2, 2, 5)], "same-account"),
        ([(0, 1, 2**62 - 1), (0, 1, 2**62 - 1)], "overflow"),
    ],
)
def test_usage_refused_whole(rows: list[tuple[int, int, int]], name: str) -> None:
    """One bad row makes the ledger refuse the whole batch, good rows included."""
    book = ledger()
    with pytest.raises(LedgerError) as refusal:
        book.usage(usage(rows))
    assert refusal.value.name == name
    assert book.total_micro == 0
    assert not book.balances_micro.any()
    assert book.take() == []


def test_column_lengths_must_agree() -> None:
    """A batch with a short column is refused by name."""
    rows = usage([(0, 1, 5)])
    short = Postings(
        0,
        "marks",
        rows.debit,
        rows.credit,
        rows.amount_micro,
        rows.flow,
        rows.quantity,
        np.zeros(0, dtype=np.int64),
    )
    with pytest.raises(LedgerError, match="column-length"):
        ledger().usage(short)


def test_second_account_of_a_name_is_refused() -> None:
    """Names are unique."""
    with pytest.raises(LedgerError, match="duplicate-account"):
        ledger().open("a")


def test_zero_amounts_leave_no_rows() -> None:
    """No money moves, so no row is written."""
    book = ledger()
    book.usage(usage([(0, 1, 0), (1, 2, 4)]))
    (rows,) = book.take()
    assert rows.amount_micro.tolist() == [4]


def test_check_finds_a_tampered_balance() -> None:
    """check() compares balances with the postings, so it finds a changed balance."""
    book = ledger()
    book.usage(usage([(0, 1, 5)]))
    book._credited[1] += 1
    with pytest.raises(LedgerError, match="unbalanced"):
        book.check()


def test_payments_of_an_account_by_kind() -> None:
    """Kinds without a payment are left out, also for an account that is opened after them."""
    book = ledger()
    book.usage(usage([(0, 1, 5), (2, 1, 4)]))
    book.usage(usage([(0, 2, 7)], "fees"))
    late = book.open("late")
    assert book.paid_micro("a") == {"marks": 5, "fees": 7}
    assert book.received_micro("b") == {"marks": 9} and book.paid_micro("b") == {}
    assert book.paid_micro("late") == book.received_micro("late") == {}
    book.usage(usage([(0, late, 3), (0, 1, 1)]))
    assert book.received_micro("late") == {"marks": 3} and book.paid_micro("late") == {}
    assert book.paid_micro("a") == {"marks": 9, "fees": 7}
    assert book.received_micro("b") == {"marks": 10}


def test_overdrafts_of_rows_with_their_own_times() -> None:
    """Each part of a split row keeps its time, flow and price; postpaid rows are not split."""
    book = ledger()
    book.transfer(0, "deposit", "a", "poor", 30)
    rows = usage([(0, 1, 50), (3, 1, 0), (3, 1, 20), (3, 2, 25), (3, 1, 6)])
    times, flows = np.array([11, 12, 13, 14, 15]), np.array([1, 2, 3, 4, 5])
    book.usage(msgspec.structs.replace(rows, t_ps=times, flow=flows))
    _, posted = book.take()
    over = book.number("overdraft:poor")
    assert posted.t_ps.tolist() == [11, 13, 14, 15, 14, 15]
    assert posted.flow.tolist() == [1, 3, 4, 5, 4, 5]
    assert posted.debit.tolist() == [0, 3, 3, 3, over, over]
    assert posted.amount_micro.tolist() == [50, 20, 10, 0, 15, 6]
    assert book.balances_micro.tolist() == [-80, 76, 25, 0, -21]
