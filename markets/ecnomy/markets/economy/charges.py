# SPDX-License-Identifier: Apache-2.0
"""Compute class fees and mark charges of flows, in exact integer micro-units.

class fee    floor(fee [micro/s] x active time [ps] / 10^12) so far. Postings are the
             increments of this total, so fractions are never lost or charged twice. A flow is
             active from the start to the stop of its source. If the fee changes, the fraction of
             a micro-unit is carried over.
mark charge  price in force x CE packets delivered (or x bytes of CE packets delivered)
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ecnomy.agents.arrays import Integers
from ecnomy.agents.errors import LedgerError
from ecnomy.agents.money import DEAREST_MICRO, MICRO
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.terms.money import LARGEST_MICRO

__all__ = ["ClassFeeCharge", "MarkCharge", "Per", "times"]

Per = Literal["mark", "byte"]

# Fees are at most DEAREST_MICRO, which keeps the exact division within int64.


class ClassFeeCharge:
    """Computes the class fees of all flows, exactly over any sequence of epochs."""

    def __init__(self, start_ps: Integers, stop_ps: Integers) -> None:
        """Set up the fees of flows, each active from `start_ps` until before `stop_ps`."""
        self._start_ps, self._stop_ps = start_ps, stop_ps
        self._carry = np.zeros(len(start_ps), dtype=np.int64)  # micro-unit ps, below 10^12

    def accrue(self, from_ps: int, to_ps: int, fee_micro_per_s: Integers) -> tuple[Integers, ...]:
        """Return the amounts due for the time from `from_ps` to `to_ps` at these fees.

        Returns:
            the amount [micro-units] and the active time [ps] of each flow.

        Raises:
            LedgerError: overflow (a fee is above 10^12 micro-units per second, or is due for more
                than 4 million seconds at once).
        """
        if len(fee_micro_per_s) and int(fee_micro_per_s.max()) > DEAREST_MICRO:
            raise LedgerError("overflow", f"a class fee exceeds {DEAREST_MICRO} micro-units/s")
        begin = np.maximum(from_ps, self._start_ps)
        active_ps = np.maximum(0, np.minimum(to_ps, self._stop_ps) - begin)
        seconds, rest_ps = np.divmod(active_ps, PS_PER_S)
        amount, self._carry = _times_rest(fee_micro_per_s, rest_ps, self._carry)
        if np.any(seconds > LARGEST_MICRO // DEAREST_MICRO):
            raise LedgerError(
                "overflow", "a class fee is due for more than 4 million seconds at once"
            )
        return amount + fee_micro_per_s * seconds, active_ps


def _times_rest(fee: Integers, rest_ps: Integers, carry: Integers) -> tuple[Integers, Integers]:
    """Return divmod(fee * rest + carry, 10^12), computed within int64.

    If fee = a 10^6 + b and a rest = u 10^6 + v, then fee rest = u 10^12 + (v 10^6 + b rest), and
    every product is at most 10^18.
    """
    high, low = np.divmod(fee, MICRO)
    whole, part = np.divmod(high * rest_ps, MICRO)
    more, carry = np.divmod(part * MICRO + low * rest_ps + carry, PS_PER_S)
    return whole + more, carry


class MarkCharge:
    """Computes the charge for marks delivered, per mark or per byte of marked packets."""

    def __init__(self, per: Per = "mark") -> None:
        self.per = per

    def due(
        self, price_micro: int | Integers, marks: Integers, marked_bytes: Integers
    ) -> tuple[Integers, Integers]:
        """Return the amounts due for the marks of an epoch.

        The price is a number for all flows, or an array with a price for each flow.

        Returns:
            the amount [micro-units] and the quantity charged (marks or bytes) of each flow.

        Raises:
            LedgerError: overflow.
        """
        quantity = marks if self.per == "mark" else marked_bytes
        return times(quantity, np.int64(price_micro)), quantity


def times(quantity: Integers, price_micro: np.int64 | Integers) -> Integers:
    """Return quantity x price for each row.

    Raises:
        LedgerError: overflow.
    """
    rough = quantity.astype(np.float64) * price_micro
    if len(rough) and float(rough.max()) >= LARGEST_MICRO:
        row = int(rough.argmax())
        price = int(np.broadcast_to(price_micro, rough.shape)[row])
        raise LedgerError("overflow", f"one flow owes {int(quantity[row])} x {price} micro-units")
    product: Integers = quantity * price_micro
    return product
