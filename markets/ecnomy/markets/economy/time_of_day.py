# SPDX-License-Identifier: Apache-2.0
"""Compute the amounts due under prices that depend on the time of day.

In an epoch of length T, the n prices (those of the periods, in the tariff's order, then the price
outside periods) apply for the times t_1, ..., t_n. If the epoch's quantity is q, the part charged
at price k is

    floor(q (t_1 + ... + t_k) / T) - floor(q (t_1 + ... + t_(k-1)) / T)

These parts are integers and sum to q. If the meter counts the time of a row that is always active,
the parts are exact. The quantity of an epoch with one price is not divided. Charges therefore
depend on the length of epochs only if an epoch crosses the boundary of a period.
"""

from __future__ import annotations

import numpy as np

from ecnomy.agents.arrays import Integers
from ecnomy.markets.economy.exact_charges import Exact, check_column, share, total
from ecnomy.markets.terms.tariffs import TimeOfDay

__all__ = ["TimeOfDayAccruer"]


class TimeOfDayAccruer:
    """Divides each epoch's metered quantity among the prices of the day, and charges the parts."""

    def __init__(self, tariff: TimeOfDay, rows: int, unit: str) -> None:
        """See tariff_accruers.accruer."""
        prices = [period.price for period in tariff.periods]
        prices += [tariff.price] if tariff.price is not None else []
        self._tariff, self._rows = tariff, rows
        self._spans = tariff.spans()
        self._exact = Exact(rows, prices)
        self._prices = [self._exact.numerator(price) for price in prices]

    def due(
        self,
        from_ps: int,
        to_ps: int,
        quantity: Integers,
        posted_micro: int | Integers,
        active_ps: Integers | None = None,
    ) -> Integers:
        """See Accruer."""
        check_column(quantity, self._rows)
        to_ps = max(to_ps, from_ps + 1)  # an empty epoch has one price
        amount, given, so_far_ps = np.zeros_like(quantity), np.zeros_like(quantity), 0
        for price, time_ps in zip(self._prices, self._times(from_ps, to_ps), strict=False):
            if time_ps:
                so_far_ps += time_ps
                upto = share(quantity, so_far_ps, to_ps - from_ps)
                amount = total(amount, self._exact.due(upto - given, price))
                given = upto
        return amount

    def _times(self, from_ps: int, to_ps: int) -> list[int]:
        """Return the time from `from_ps` to `to_ps` in each period, then outside all periods."""
        begun, ended = self._until(from_ps), self._until(to_ps)
        times = [late - early for early, late in zip(begun, ended, strict=True)]
        return [*times, to_ps - from_ps - sum(times)]

    def _until(self, t_ps: int) -> list[int]:
        """Return the time in each period, from the start of the first day until `t_ps`."""
        days, clock_ps = divmod(t_ps + self._tariff.offset, self._tariff.day)
        times = [0] * len(self._tariff.periods)
        for begin, end, index in self._spans:
            times[index] += days * (end - begin) + min(max(clock_ps - begin, 0), end - begin)
        return times
