# SPDX-License-Identifier: Apache-2.0
"""A double-entry, append-only ledger in integer micro-units.

A posting moves `amount_micro` from the account `debit` to the account `credit`. An account's
balance is its receipts minus its payments, so all balances sum to 0. The balance of a postpaid
account may fall below 0 (a debt). The balance of a prepaid account may not.

The two methods of posting differ if an account cannot pay:

    transfer    refuses the posting and leaves the ledger unchanged
    usage       posts the charge in any case, because it is already incurred; the account
                `overdraft:<name>` pays the part that a prepaid account cannot cover, in a separate
                posting with quantity 0

LedgerError.name states why an account or a posting is refused: duplicate-account, unknown-account,
negative-amount, same-account, column-length, insufficient-funds or overflow. It is `unbalanced` if
check() finds a difference.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from ecnomy.agents.arrays import Integers
from ecnomy.agents.errors import LedgerError
from ecnomy.markets.terms.money import LARGEST_MICRO

__all__ = ["Ledger", "Postings"]


class Postings(msgspec.Struct, frozen=True, eq=False):
    """A batch of postings of one kind. Unless `t_ps` is a column, all have the same time.

    `flow` is -1 for postings without a flow. `quantity` is the amount bought (such as marks, bytes
    or ps of time, depending on the kind). `price_micro` is the price of a unit (such as a mark, a
    byte or a second), or 0 if no single price applies.
    """

    t_ps: int | Integers
    kind: str
    debit: Integers
    credit: Integers
    amount_micro: Integers
    flow: Integers
    quantity: Integers
    price_micro: Integers


class Ledger:
    """Named accounts, numbered in the order of opening, and the postings between them."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._prepaid = np.zeros(0, dtype=np.bool_)
        self._debited = np.zeros(0, dtype=np.int64)
        self._credited = np.zeros(0, dtype=np.int64)
        self._total_micro = 0
        self._fresh: list[Postings] = []
        self._by_kind: dict[str, tuple[Integers, Integers]] = {}  # (paid, received)

    @property
    def names(self) -> Sequence[str]:
        """Return the names of all accounts, in the order of their numbers in postings."""
        return self._names

    @property
    def balances_micro(self) -> Integers:
        """Return the balance of every account."""
        return self._credited - self._debited

    @property
    def total_micro(self) -> int:
        """Return the sum of all postings so far."""
        return self._total_micro

    def open(self, name: str, *, prepaid: bool = False) -> int:
        """Open an account and return its number.

        Raises:
            LedgerError: duplicate-account.
        """
        if name in self._numbers:
            raise LedgerError("duplicate-account", f"{name!r} is already open")
        self._numbers[name] = len(self._names)
        self._names.append(name)
        self._prepaid = np.append(self._prepaid, prepaid)
        self._debited = np.append(self._debited, np.int64(0))
        self._credited = np.append(self._credited, np.int64(0))
        return self._numbers[name]

    def number(self, name: str) -> int:
        """Return the number of an account.

        Raises:
            LedgerError: unknown-account.
        """
        try:
            return self._numbers[name]
        except KeyError:
            raise LedgerError("unknown-account", f"no account {name!r}") from None

    def balance_micro(self, name: str) -> int:
        """Return the balance of one account.

        Raises:
            LedgerError: unknown-account.
        """
        number = self.number(name)
        return int(self._credited[number]) - int(self._debited[number])

    def paid_micro(self, name: str) -> dict[str, int]:
        """Return the account's payments so far, by kind of posting.

        Raises:
            LedgerError: unknown-account.
        """
        return self._totals(name, 0)

    def received_micro(self, name: str) -> dict[str, int]:
        """Return the account's receipts so far, by kind of posting.

        Raises:
            LedgerError: unknown-account.
        """
        return self._totals(name, 1)

    def _totals(self, name: str, side: int) -> dict[str, int]:
        number = self.number(name)
        columns = {kind: both[side] for kind, both in self._by_kind.items()}
        return {k: int(c[number]) for k, c in columns.items() if number < len(c) and c[number]}

    def transfer(self, t_ps: int, kind: str, debit: str, credit: str, amount_micro: int) -> None:
        """Move the full amount between two named accounts, or raise LedgerError.

        Raises:
            LedgerError: unknown-account, same-account, negative-amount, overflow,
                insufficient-funds (prepaid accounts).
        """
        payer, payee = self.number(debit), self.number(credit)
        if abs(amount_micro) >= LARGEST_MICRO:
            raise LedgerError("overflow", f"{amount_micro} micro-units from {debit!r}")
        rows = _batch(t_ps, kind, payer, payee, amount_micro)
        self._admit(rows)
        funds = self.balance_micro(debit)
        if self._prepaid[payer] and funds < amount_micro:
            raise LedgerError(
                "insufficient-funds",
                f"{debit!r} holds {funds} micro-units and cannot pay {amount_micro} to {credit!r}",
            )
        self._append(rows)

    def usage(self, rows: Postings) -> None:
        """Post charges already incurred. Postings of 0 are skipped.

        Raises:
            LedgerError: column-length, unknown-account, same-account, negative-amount, overflow.
        """
        self._admit(rows)
        rows = _keep(rows, np.flatnonzero(rows.amount_micro))
        if len(rows.debit) == 0:
            return
        if np.any(self._prepaid[rows.debit]):
            rows = self._cover(rows)
        self._append(rows)

    @property
    def fresh(self) -> Sequence[Postings]:
        """Return the batches posted since the last `take`, without removing them."""
        return self._fresh

    def take(self) -> list[Postings]:
        """Return and remove the batches posted since the last call, in order."""
        fresh, self._fresh = self._fresh, []
        return fresh

    def check(self) -> None:
        """Check that debits and credits both equal the sum of all postings.

        Raises:
            LedgerError: unbalanced.
        """
        debits = sum(self._debited.tolist())
        credits = sum(self._credited.tolist())
        if not debits == credits == self._total_micro:
            raise LedgerError(
                "unbalanced", f"debits {debits}, credits {credits}, postings {self._total_micro}"
            )

    def _admit(self, rows: Postings) -> None:
        """Raise LedgerError for invalid postings, before anything changes."""
        columns = (rows.debit, rows.credit, rows.amount_micro, rows.flow, rows.quantity)
        if len({len(c) for c in (*columns, rows.price_micro)}) != 1:
            raise LedgerError("column-length", f"{rows.kind}: columns differ in length")
        if len(rows.debit) == 0:
            return
        ends = np.concatenate((rows.debit, rows.credit))
        if int(ends.min()) < 0 or int(ends.max()) >= len(self._names):
            raise LedgerError(
                "unknown-account", f"{rows.kind}: expected account numbers below {len(self._names)}"
            )
        if np.any(rows.debit == rows.credit):
            name = self._names[int(rows.debit[np.argmax(rows.debit == rows.credit)])]
            raise LedgerError("same-account", f"{rows.kind}: {name!r} would pay itself")
        if int(rows.amount_micro.min()) < 0:
            worst = int(rows.amount_micro.min())
            raise LedgerError("negative-amount", f"{rows.kind}: {worst} micro-units")
        if self._total_micro + sum(rows.amount_micro.tolist()) >= LARGEST_MICRO:
            raise LedgerError("overflow", f"{rows.kind}: the turnover reaches 2^62 micro-units")

    def _append(self, rows: Postings) -> None:
        np.add.at(self._debited, rows.debit, rows.amount_micro)
        np.add.at(self._credited, rows.credit, rows.amount_micro)
        self._total_micro += int(rows.amount_micro.sum())
        paid, received = self._columns_of(rows.kind)
        np.add.at(paid, rows.debit, rows.amount_micro)
        np.add.at(received, rows.credit, rows.amount_micro)
        self._fresh.append(rows)

    def _columns_of(self, kind: str) -> tuple[Integers, Integers]:
        """Return the payments and the receipts of this kind, by account number."""
        none = np.zeros(0, dtype=np.int64)
        both = self._by_kind.get(kind, (none, none))
        missing = len(self._names) - len(both[0])
        if missing:
            more = np.zeros(missing, dtype=np.int64)
            both = np.concatenate((both[0], more)), np.concatenate((both[1], more))
            self._by_kind[kind] = both
        return both

    def _cover(self, rows: Postings) -> Postings:
        """Split postings that a prepaid account cannot pay in full. Earlier rows are paid first."""
        funds = self.balances_micro
        amount, extra = rows.amount_micro.copy(), []
        for row in np.flatnonzero(self._prepaid[rows.debit]).tolist():
            payer, due = int(rows.debit[row]), int(amount[row])
            paid = min(due, max(0, int(funds[payer])))
            funds[payer] -= paid
            if paid < due:
                amount[row] = paid
                extra.append((row, self._overdraft(payer), due - paid))
        if not extra:
            return rows
        index, account, missing = (np.array(c, dtype=np.int64) for c in zip(*extra, strict=True))
        kept = msgspec.structs.replace(rows, amount_micro=amount)
        short = msgspec.structs.replace(
            _keep(rows, index), debit=account, amount_micro=missing, quantity=np.zeros_like(index)
        )
        return _joined(kept, short)

    def _overdraft(self, account: int) -> int:
        name = f"overdraft:{self._names[account]}"
        known = self._numbers.get(name)
        return self.open(name) if known is None else known


def _batch(t_ps: int, kind: str, debit: int, credit: int, amount_micro: int) -> Postings:
    columns = (debit, credit, amount_micro, -1, 1, amount_micro)
    return Postings(t_ps, kind, *(np.array([value], dtype=np.int64) for value in columns))


def _keep(rows: Postings, index: npt.NDArray[np.intp] | Integers) -> Postings:
    t_ps = rows.t_ps if isinstance(rows.t_ps, int) else rows.t_ps[index]
    return Postings(t_ps, rows.kind, *(column[index] for column in _columns(rows)))


def _joined(first: Postings, second: Postings) -> Postings:
    pairs = zip(_columns(first), _columns(second), strict=True)
    t_ps = first.t_ps
    if not isinstance(t_ps, int) and not isinstance(second.t_ps, int):
        t_ps = np.concatenate((t_ps, second.t_ps))
    return Postings(t_ps, first.kind, *(np.concatenate(pair) for pair in pairs))


def _columns(rows: Postings) -> tuple[Integers, ...]:
    return (
        rows.debit,
        rows.credit,
        rows.amount_micro,
        rows.flow,
        rows.quantity,
        rows.price_micro,
    )
