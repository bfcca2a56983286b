# SPDX-License-Identifier: Apache-2.0
"""Compute the amounts due under block prices.

Each part of a row's total quantity is charged at the price of its block. With the total quantity q,
the price p_i and the range (l_i, h_i] of block i, and a cap C on the bill:

    charged so far = min(floor(sum over i of p_i x (min(q, h_i) - min(q, l_i))), C)
"""

from __future__ import annotations

import numpy as np

from ecnomy.agents.arrays import LARGEST_INT64, Integers
from ecnomy.agents.errors import LedgerError
from ecnomy.markets.economy.exact_charges import Exact, check_column, total
from ecnomy.markets.terms.money import LARGEST_MICRO
from ecnomy.markets.terms.tariffs import Blocks

__all__ = ["BlocksAccruer"]


class BlocksAccruer:
    """Charges block prices, given the total quantity and the bill of each row so far."""

    def __init__(self, tariff: Blocks, rows: int, unit: str) -> None:
        """See tariff_accruers.accruer."""
        prices = [block.price for block in tariff.blocks]
        self._exact = Exact(rows, prices)
        self._prices = [self._exact.numerator(price) for price in prices]
        self._ends = [b.up_to.count if b.up_to else LARGEST_INT64 for b in tariff.blocks]
        self._cap_micro = tariff.cap_micro
        self._bought = np.zeros(rows, dtype=np.int64)
        self._billed = np.zeros(rows, dtype=np.int64)

    def due(
        self,
        from_ps: int,
        to_ps: int,
        quantity: Integers,
        posted_micro: int | Integers,
        active_ps: Integers | None = None,
    ) -> Integers:
        """See Accruer."""
        check_column(quantity, len(self._bought))
        before, after = self._bought, self._bought + quantity
        if max(int(quantity.max(initial=0)), int(after.max(initial=0))) >= LARGEST_MICRO:
            raise LedgerError("overflow", "a row has bought 2^62 units or more")
        amount, begin = np.zeros_like(quantity), 0
        for end, price in zip(self._ends, self._prices, strict=True):
            part = np.clip(after, begin, end) - np.clip(before, begin, end)
            due = self._exact.due(self._enough(part, price), price)
            amount = self._capped(total(amount, due))
            begin = end
        self._bought, self._billed = after, self._billed + amount
        return amount

    def _enough(self, part: Integers, price: int) -> Integers:
        """If there is a cap, limit each quantity to one that alone exceeds the cap."""
        if self._cap_micro is None or price == 0:
            return part
        enough = self._cap_micro * self._exact.denominator // price + 1
        return np.minimum(part, min(enough, LARGEST_INT64))

    def _capped(self, amount: Integers) -> Integers:
        if self._cap_micro is None:
            return amount
        return np.minimum(amount, self._cap_micro - self._billed)
