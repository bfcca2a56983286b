# SPDX-License-Identifier: Apache-2.0
"""Compute the amounts due under a tariff for each epoch.

An accruer holds the state of each row, which is a flow, a source or another unit to which a
contract's meter applies. At any time, the total charged to a row is the exact rational sum, rounded
down. The fraction of a micro-unit is carried over, even when the price changes. Charges therefore
do not depend on the length of epochs, with one exception (time_of_day.py). Each choice on a menu
has a separate bill with a separate fraction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

import numpy as np

from ecnomy.agents.arrays import Integers
from ecnomy.agents.errors import LedgerError
from ecnomy.markets.economy.block_tariff import BlocksAccruer
from ecnomy.markets.economy.exact_charges import Exact, check_column, total
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
    """Computes the amounts that rows owe under one tariff."""

    def due(
        self,
        from_ps: int,
        to_ps: int,
        quantity: Integers,
        posted_micro: int | Integers,
        active_ps: Integers | None = None,
    ) -> Integers:
        """Return the micro-units that each row owes for an epoch. Epochs must be consecutive.

        Args:
            from_ps, to_ps: start and end of the epoch [ps of simulated time].
            quantity: change of each row's meter during the epoch, int64, at least 0.
            posted_micro: the seller's posted price [micro-units, at least 0], for all rows or per
                row. Only PostedAccruer uses this price.
            active_ps: time for which the tariff applied to each row [ps], summed over the row's
                flows; the length of the epoch by default. Only charges by time use this argument.

        Raises:
            LedgerError: negative-amount (a meter ran backwards or a price is below 0); overflow (a
                row owes 2^62 micro-units or more at once).
        """


def accruer(tariff: Tariff, rows: int, unit: str) -> Accruer:
    """Return an accruer for a tariff.

    Args:
        tariff: the tariff.
        rows: the number of rows.
        unit: the meter's unit, from unit_price.METER_UNITS. A flat rate reads the meter only if the
            meter's unit is time.

    Raises:
        LedgerError: overflow (the prices have no common denominator below 2^61).
        TariffError: a custom tariff cannot be created.
    """
    return ACCRUERS[type(tariff)](tariff, rows, unit)


class PerUnitAccruer:
    """Charges a constant price."""

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
    """Charges the posted price, which may change during a run."""

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
            raise LedgerError("negative-amount", f"the posted price is {posted_micro} micro-units")
        return self._exact.due(quantity, int(posted_micro))


class FlatAccruer:
    """Charges for the metered time or, if the meter counts no time, for time under the tariff."""

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
    """Charges a fee and a price on one bill, and adds their fractions of a micro-unit."""

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
    """Charges each row under its chosen tariff from a menu.

    Attributes:
        names: names of the choices, in the order of their numbers.
        choice: number of each row's choice; replaced, never modified in place.
    """

    def __init__(self, tariff: Menu, rows: int, unit: str) -> None:
        """See accruer. All rows begin with the first choice."""
        self.names: Sequence[str] = tuple(tariff.choices)
        self.choice: Integers = held(np.zeros(rows, dtype=np.int64))
        self._each = [accruer(choice, rows, unit) for choice in tariff.choices.values()]

    def choose(self, rows: Integers, choice: int | Integers) -> None:
        """Charge these rows under these choices from now on.

        Raises:
            LedgerError: unknown-choice (the menu has no choice of this number).
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

        A row's quantity and active time count only under its chosen tariff.
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
