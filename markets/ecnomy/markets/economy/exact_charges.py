# SPDX-License-Identifier: Apache-2.0
"""Charge each row in whole micro-units, and carry the fraction over to the next charge.

    amount = floor((quantity x price + rest) / denominator)

`price` is the numerator of a price in micro-units over the common denominator of a tariff's prices,
so `rest` remains valid when the price changes. All arithmetic is in int64. If a product would
overflow, it is divided digit by digit (long division), in a radix that keeps each step below 2^63.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

import numpy as np

from ecnomy.agents.arrays import LARGEST_INT64, Integers
from ecnomy.agents.errors import LedgerError
from ecnomy.markets.terms.money import LARGEST_MICRO
from ecnomy.markets.terms.unit_price import Price

__all__ = ["MOST_DENOMINATOR", "Exact", "check_column", "share", "total"]

MOST_DENOMINATOR: Final = 2**61 - 1  # leaves a radix of at least 2 in int64


class Exact:
    """Computes the amounts that rows owe, exactly over any sequence of charges."""

    def __init__(self, rows: int, prices: Iterable[Price]) -> None:
        """Find a common denominator of all possible prices.

        Raises:
            LedgerError: overflow (the prices have no common denominator below 2^61).
        """
        self.denominator = math.lcm(*(price.exact.denominator for price in prices))
        if self.denominator > MOST_DENOMINATOR:
            raise LedgerError("overflow", "the prices have no common denominator below 2^61")
        self._rest = np.zeros(rows, dtype=np.int64)

    def numerator(self, price: Price) -> int:
        """Return the numerator of a price over the common denominator."""
        exact = price.exact
        return exact.numerator * (self.denominator // exact.denominator)

    def due(self, quantity: Integers, price: int | Integers) -> Integers:
        """Return the micro-units due for these quantities. Prices are results of `numerator`.

        Raises:
            LedgerError: overflow (a row owes 2^62 micro-units or more at once).
        """
        amount, self._rest = _divided(quantity, price, self._rest, self.denominator)
        return amount


def share(quantity: Integers, part: int, whole: int) -> Integers:
    """Return floor(quantity x part / whole) for each row, with part <= whole.

    Raises:
        LedgerError: overflow (a result is 2^62 or more).
    """
    common = math.gcd(part, whole)
    part, whole = part // common, whole // common
    if whole > MOST_DENOMINATOR:  # epochs of more than 26 days
        return np.array([q * part // whole for q in quantity.tolist()], dtype=np.int64)
    return _divided(quantity, part, np.zeros_like(quantity), whole)[0]


def _divided(
    quantity: Integers, price: int | Integers, rest: Integers, den: int
) -> tuple[Integers, Integers]:
    """Return divmod(quantity price + rest, den), for rest < den."""
    most = int(quantity.max(initial=0))
    if not most:
        return np.zeros_like(quantity), rest
    dearest = price if isinstance(price, int) else int(price.max())
    if most * dearest + den <= LARGEST_INT64:
        if den == 1:
            return _small(quantity * price), rest
        total = quantity * price + rest
        amount = total // den
        return _small(amount), total - amount * den
    if most * dearest // den >= LARGEST_MICRO:
        _refuse_overflow(quantity, price, den)
    return _long_divided(quantity, price, rest, den)


def _long_divided(
    quantity: Integers, price: int | Integers, rest: Integers, den: int
) -> tuple[Integers, Integers]:
    """Return the same values as `_divided`, computed one digit of the quantity at a time.

    Since r < den and part < den, r radix + part digit is below 2 den radix <= 2^63.
    """
    whole, part = divmod(price, den)
    radix = LARGEST_INT64 // (2 * den)
    digits = []
    left = quantity
    while left.any():
        high = left // radix
        digits.append(left - high * radix)
        left = high
    amount, r = np.zeros_like(quantity), np.zeros_like(quantity)
    for digit in reversed(digits):
        step = r * radix + digit * part
        more = step // den
        amount, r = amount * radix + more, step - more * den
    r = r + rest
    carried = r // den
    return _small(amount + carried + quantity * whole), r - carried * den


def _refuse_overflow(quantity: Integers, price: int | Integers, den: int) -> None:
    """Raise LedgerError for the first row that owes 2^62 micro-units or more, if any."""
    prices = [price] * len(quantity) if isinstance(price, int) else price.tolist()
    for row, (many, each) in enumerate(zip(quantity.tolist(), prices, strict=True)):
        if many * each // den >= LARGEST_MICRO:
            raise LedgerError("overflow", f"row {row} owes {many} x {each}/{den} micro-units")


def _small(amount: Integers) -> Integers:
    if int(amount.max(initial=0)) >= LARGEST_MICRO:
        raise LedgerError("overflow", "a row owes 2^62 micro-units or more at once")
    return amount


def check_column(quantity: Integers, rows: int) -> None:
    """Check that no meter has decreased, given the change of each row.

    Raises:
        LedgerError: negative-amount (a meter ran backwards).
    """
    assert quantity.dtype == np.int64 and quantity.shape == (rows,)
    if int(quantity.min(initial=0)) < 0:
        raise LedgerError("negative-amount", "a meter decreased")


def total(first: Integers, second: Integers) -> Integers:
    """Return the sum of two charges.

    Raises:
        LedgerError: overflow.
    """
    return _small(first + second)
