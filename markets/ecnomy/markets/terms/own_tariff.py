# SPDX-License-Identifier: Apache-2.0
"""A custom tariff: a dataclass with the method `due`, named by dotted path or entry point.

    @dataclasses.dataclass
    class StartedMegabytes:                               # my_lab/tariffs.py
        price: Annotated[float, Unit("money/MB")] = 1.0   # written `price: 1 money/MB`
        unit = "byte"                                     # of the meter; any if omitted

        def __post_init__(self):
            self.started = self.bytes = 0

        def due(self, from_ps, to_ps, quantity, posted_micro, active_ps):
            self.bytes = self.bytes + quantity
            before, self.started = self.started, -(-self.bytes // 10**6)
            return (self.started - before) * round(self.price * 10**6)

tariff_accruers.Accruer describes `due`. Each contract uses a separate object, which holds the
state. The class attribute `unit` names the meter unit that the tariff requires, one of
unit_price.METER_UNITS.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from ecnomy.agents import find as families
from ecnomy.agents.arrays import Integers
from ecnomy.agents.errors import EcnomyError, TariffError
from ecnomy.markets.terms.money import LARGEST_MICRO
from ecnomy.markets.terms.tariffs import Own
from ecnomy.markets.terms.unit_price import METER_UNITS

__all__ = ["GROUP", "OWN_TARIFFS", "OwnAccruer", "find", "make"]

GROUP: Final = "ecnomy.tariffs"
OWN_TARIFFS: Final = families.Family(
    noun="tariff", group=GROUP, methods=("due",), error=TariffError
)
_ARGUMENTS: Final = ("from_ps", "to_ps", "quantity", "posted_micro", "active_ps")


def find(kind: str) -> type:
    """Return the class of this dotted path or entry point.

    Raises:
        TariffError: the class does not exist, cannot be imported, lacks a `due` with the arguments
            of Accruer, or has an invalid `unit`.
    """
    cls = families.find(OWN_TARIFFS, kind)
    try:
        inspect.signature(cls.due).bind(None, *_ARGUMENTS)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        wanted = f"due(self, {', '.join(_ARGUMENTS)})"
        raise TariffError(f"tariff {kind!r}: expected the method {wanted}") from None
    unit = getattr(cls, "unit", None)
    if unit is not None and unit not in METER_UNITS:
        known = ", ".join(METER_UNITS)
        raise TariffError(f"tariff {kind!r}: found the unit {unit!r}, expected one of {known}")
    return cls


def make(kind: str, params: Mapping[str, object]) -> object:
    """Return a new object of the class with these parameters.

    Raises:
        TariffError: as for `find`, or the class does not accept these parameters.
    """
    return families.make(OWN_TARIFFS, kind, find(kind), params)


class OwnAccruer:
    """Calls a custom tariff, and checks that the ledger can hold the amounts that it returns."""

    def __init__(self, tariff: Own, rows: int) -> None:
        """Create the object.

        Raises:
            TariffError: as for make.
        """
        self._path, self._rows = tariff.path, rows
        self._made: Any = make(tariff.path, tariff.params)

    def due(
        self,
        from_ps: int,
        to_ps: int,
        quantity: Integers,
        posted_micro: int | Integers,
        active_ps: Integers | None = None,
    ) -> Integers:
        """See Accruer.

        Raises:
            TariffError: the custom code failed, or did not return an array with an integer in
                [0, 2^62) for each row.
        """
        if active_ps is None:
            active_ps = np.full(self._rows, to_ps - from_ps, dtype=np.int64)
        try:
            amount = self._made.due(from_ps, to_ps, quantity, posted_micro, active_ps)
        except EcnomyError:
            raise
        except Exception as error:
            raise families.blame(f"tariff {self._path!r}", error, TariffError) from error
        return self._checked(amount)

    def _checked(self, amount: object) -> Integers:
        wanted = f"{self._rows} integers in micro-units from 0 to 2^62"
        if not isinstance(amount, np.ndarray) or amount.dtype.kind not in "iu":
            given = f"{amount.dtype} numbers" if isinstance(amount, np.ndarray) else "no array"
            raise TariffError(f"tariff {self._path!r}: due returned {given}, expected {wanted}")
        if amount.shape != (self._rows,):
            raise TariffError(
                f"tariff {self._path!r}: due returned an array of shape {amount.shape}, expected "
                f"{wanted}"
            )
        if self._rows and not 0 <= int(amount.min()) <= int(amount.max()) < LARGEST_MICRO:
            raise TariffError(
                f"tariff {self._path!r}: due returned {_worst(amount)}, expected {wanted}"
            )
        return amount.astype(np.int64, copy=False)


def _worst(amount: Integers) -> int:
    return min(int(amount.min()), 0) or int(amount.max())
