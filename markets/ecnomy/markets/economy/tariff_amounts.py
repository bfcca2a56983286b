# SPDX-License-Identifier: Apache-2.0
"""Amounts due under a tariff, epoch after epoch: an accruer holds the state of each row.

A row is a flow, a source or another unit of a contract's meter. At any time, the total charged to a
row is the exact rational sum, rounded down. The fraction of a micro-unit is carried over, even
across price changes. Charges therefore do not depend on the division of time into epochs, with one
exception (time_of_day.py). Each choice of a menu has a separate bill with its own fraction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

import numpy as np

from ecnomy.agents.arrays import Integers
from ecnomy.agents.errors import LedgerError
from ecnomy.markets.economy.block_tariff import BlocksAccruer
from ecnomy.markets.economy.exact import Exact, check_column, total
from ecnomy.markets.economy.shared_columns import held
from ecnomy.markets.economy.time_of_day import TimeOfDayAccruer
from ecnomy.markets.terms.own_tariff import OwnAccruer
from ecnomy.markets.terms.tariffs import (
    Blocks,
    Flat,
    Menu,
    Own,
    PerUnit,
    Posted,
    Tariff,
    TimeOfDay,
    TwoPart,
)
from ecnomy.markets.terms.unit_price import Price

__all__ = ["ACCRUERS", "Accruer", "MenuAccruer", "accruer"]


class Accruer(Protocol):
    """The amounts that rows owe under one tariff."""

    def due(
        self,
        from_ps: int,
        to_ps: int,
        quantity: Integers,
        posted_micro: int | Integers,
        active_ps: Integers | None = None,
    ) -> Integers:
        """Return the micro-units that each row owes for an epoch. Epochs are consecutive.

        Args:
            from_ps, to_ps: the epoch, ps of simulated time.
            quantity: change of the meter of each row in the epoch, int64, at least 0.
            posted_micro: the seller's posted price in the epoch, one for all rows or one per row;
                micro-units, at least 0. Only Posted uses this price.
            active_ps: time in the epoch for which each row was under the tariff (for a row of many
                flows, the sum over its flows); by default the length of the epoch. Only charges by
                time use this time.

        Raises:
            LedgerError: negative-amount (a meter ran backwards or a price is below 0); overflow (a
                row owes 2^62 micro-units or more at once).
        """


def accruer(tariff: Tariff, rows: int, unit: str) -> Accruer:
    """Return the accruer of a tariff for `rows` rows, whose meter counts in `unit`.

    Args:
        tariff: the description.
        rows: the number of rows.
        unit: one of unit_price.METER_UNITS; a flat rate reads the meter if it counts time.

    Raises:
        LedgerError: overflow (prices have no common fraction that int64 can hold).
        TariffError: a custom tariff cannot be created.
    """
    return ACCRUERS[type(tariff)](tariff, rows, unit)


class PerUnitAccruer:
    """A constant price."""

    def __init__(self, tariff: PerUnit, rows: int, unit: str) -> None:
        """See accruer."""
        self._rows = rows
        self._exact = Exact(rows, [tariff.price])
        self._price = self._exact.numerator(tariff.price)

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
        return self._exact.due(quantity, self._price)


class PostedAccruer:
    """The posted price in force. Its unit is the denominator, so the price may change freely."""

    def __init__(self, tariff: Posted, rows: int, unit: str) -> None:
        """See accruer."""
        self._rows = rows
        self._exact = Exact(rows, [Price(1, tariff.count, tariff.unit)])

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
        if isinstance(posted_micro, np.ndarray):
            check_column(posted_micro, self._rows)
            return self._exact.due(quantity, posted_micro)
        if posted_micro < 0:
            raise LedgerError("negative-amount", f"a posted price of {posted_micro} micro-units")
        return self._exact.due(quantity, int(posted_micro))


class FlatAccruer:
    """A price for time under the tariff, or for the time that the meter counts."""

    def __init__(self, tariff: Flat, rows: int, unit: str) -> None:
        """See accruer."""
        self._metered = unit == tariff.price.unit
        self._of_time = PerUnitAccruer(PerUnit(price=tariff.price), rows, tariff.price.unit)

    def due(
        self,
        from_ps: int,
        to_ps: int,
        quantity: Integers,
        posted_micro: int | Integers,
        active_ps: Integers | None = None,
    ) -> Integers:
        """See Accruer."""
        if not self._metered:
            quantity = _active(from_ps, to_ps, quantity, active_ps)
        return self._of_time.due(from_ps, to_ps, quantity, posted_micro)


class TwoPartAccruer:
    """A fee and a price on one bill; their fractions of a micro-unit accumulate together."""

    def __init__(self, tariff: TwoPart, rows: int, unit: str) -> None:
        """See accruer."""
        self._rows = rows
        self._exact = Exact(rows, [tariff.fee, tariff.price])
        self._fee = self._exact.numerator(tariff.fee)
        self._price = self._exact.numerator(tariff.price)

    def due(
        self,
        from_ps: int,
        to_ps: int,
        quantity: Integers,
        posted_micro: int | Integers,
        active_ps: Integers | None = None,
    ) -> Integers:
        """See Accruer."""
        time_ps = _active(from_ps, to_ps, quantity, active_ps)
        check_column(quantity, self._rows)
        check_column(time_ps, self._rows)
        fee = self._exact.due(time_ps, self._fee)
        return total(fee, self._exact.due(quantity, self._price))


class MenuAccruer:
    """The tariffs of a menu; each row is charged by its chosen tariff.

    Attributes:
        names: the choices, in the order of their numbers.
        choice: the number of each row's choice; replaced, never modified in place.
    """

    def __init__(self, tariff: Menu, rows: int, unit: str) -> None:
        """See accruer; all rows begin with the first choice."""
        self.names: Sequence[str] = tuple(tariff.choices)
        self.choice: Integers = held(np.zeros(rows, dtype=np.int64))
        self._each = [accruer(choice, rows, unit) for choice in tariff.choices.values()]

    def choose(self, rows: Integers, choice: int | Integers) -> None:
        """Charge these rows under these choices from now on.

        Raises:
            LedgerError: unknown-choice.
        """
        wanted = np.asarray(choice, dtype=np.int64)
        if np.any((wanted < 0) | (wanted >= len(self.names))):
            raise LedgerError("unknown-choice", f"expected choices from 0 to {len(self.names) - 1}")
        chosen = self.choice.copy()
        chosen[rows] = wanted
        self.choice = held(chosen)

    def due(
        self,
        from_ps: int,
        to_ps: int,
        quantity: Integers,
        posted_micro: int | Integers,
        active_ps: Integers | None = None,
    ) -> Integers:
        """See Accruer.

        A row has active time and quantity only under the tariff that it chose.
        """
        time_ps = _active(from_ps, to_ps, quantity, active_ps)
        amount = np.zeros_like(quantity)
        for number, each in enumerate(self._each):
            of = self.choice == number
            part, part_ps = np.where(of, quantity, 0), np.where(of, time_ps, 0)
            amount = total(amount, each.due(from_ps, to_ps, part, posted_micro, part_ps))
        return amount


def _active(from_ps: int, to_ps: int, quantity: Integers, active_ps: Integers | None) -> Integers:
    assert from_ps <= to_ps
    if active_ps is None:
        return np.full(len(quantity), to_ps - from_ps, dtype=np.int64)
    return active_ps


def _own(tariff: Own, rows: int, unit: str) -> Accruer:
    return OwnAccruer(tariff, rows)


ACCRUERS: Final[dict[type, Callable[[Any, int, str], Accruer]]] = {
    PerUnit: PerUnitAccruer,
    Posted: PostedAccruer,
    Flat: FlatAccruer,
    TwoPart: TwoPartAccruer,
    TimeOfDay: TimeOfDayAccruer,
    Blocks: BlocksAccruer,
    Menu: MenuAccruer,
    Own: _own,
}
