# SPDX-License-Identifier: Apache-2.0
"""Prices, in integer micro-units of money for a number of a meter's units.

    0.1 money/min    100,000 micro-units for 60 x 10^12 ps
    2 money/GB       2,000,000 micro-units for 10^9 bytes

A price keeps the unit in which it was written, because 0.1 money/min is not a whole number of
micro-units per second. `units.PER` lists the units.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, Final

import msgspec

from ecnomy.agents.money import DEAREST_MICRO, MICRO
from ecnomy.markets.inputs import units
from ecnomy.markets.inputs.amounts import quantity_schema
from ecnomy.markets.inputs.yamlfile import Node, show

__all__ = [
    "EXAMPLES",
    "METER_UNITS",
    "WORDS",
    "AnyPrice",
    "Price",
    "PriceReader",
    "TimePrice",
    "per_text",
]

METER_UNITS: Final = tuple(dict.fromkeys(unit for unit, _ in units.PER.values()))
WORDS: Final = {  # the counted objects, by unit
    **{unit: f"{unit}s" for unit in METER_UNITS},
    "ps": "time",
}
EXAMPLES: Final = {
    "ps": "6 money/h",
    "byte": "2 money/GB",
    "packet": "0.001 money/packet",
    "mark": "0.01 money/mark",
    "call": "0.05 money/call",
    "transfer": "0.2 money/transfer",
}


class Price(msgspec.Struct, frozen=True):
    """A price of `micro` micro-units for `per` times the meter's `unit` (one of METER_UNITS)."""

    micro: int
    per: int
    unit: str

    def __post_init__(self) -> None:
        if not 0 <= self.micro <= DEAREST_MICRO:
            raise ValueError(f"a price of {self.micro} micro-units: expected 0 to {DEAREST_MICRO}")
        if self.per < 1 or self.unit not in METER_UNITS:
            raise ValueError(
                f"a price per {self.per} {self.unit!r}: expected at least one unit, such as "
                "bytes or minutes"
            )

    @property
    def exact(self) -> Fraction:
        """Return the price of one `unit` in micro-units."""
        return Fraction(self.micro, self.per)

    def __str__(self) -> str:
        return f"{units.decimal_text(Fraction(self.micro, MICRO))} {per_text(self.per, self.unit)}"


def per_text(per: int, unit: str) -> str:
    """Return the unit of a price for `per` times `unit`, such as money/GB."""
    names = [name for name, meaning in units.PER.items() if meaning == (unit, per)]
    return units.money_per(names[0]) if names else f"money per {per} {unit}"


class PriceReader(msgspec.Struct, frozen=True):
    """Reads and writes a Price. `unit` is the meter unit that it requires, or "" for any."""

    unit: str = ""

    @property
    def expected(self) -> str:
        """Return the expected form."""
        if self.unit:
            return f"a price such as {EXAMPLES[self.unit]}"
        return "a price such as 2 money/GB or 0.1 money/min"

    @property
    def schema(self) -> dict[str, Any]:
        """See Reader."""
        meters = (self.unit,) if self.unit else METER_UNITS
        return quantity_schema(units.money_per(_name_of(unit)) for unit in meters)

    def read(self, node: Node, path: str) -> Price:
        """See Reader."""
        if type(node.value) in (int, float):
            raise node.place.error(path, f"{show(node)} without a unit", self.expected)
        if not isinstance(node.value, str):
            raise node.place.error(path, show(node), self.expected)
        try:
            value, given = units.split(node.value)
            unit, per = _meaning(given, self.unit)
        except units.UnitError as error:
            raise node.place.error(path, f"{show(node)} ({error})", self.expected) from None
        if value < 0:
            raise node.place.error(path, show(node), self.expected)
        price = _whole(value / per, unit, int(per) if per.denominator == 1 else 0)
        if price is None:
            whole = f"a price in whole multiples of 1/{MICRO} money"
            raise node.place.error(path, show(node), whole)
        if price[0] > DEAREST_MICRO:
            most = f"a price of at most {DEAREST_MICRO // MICRO} {per_text(price[1], unit)}"
            raise node.place.error(path, show(node), most)
        return Price(*price, unit)

    def write(self, value: Price) -> str:
        """See Reader."""
        return str(value)


def _meaning(given: str, wanted: str) -> tuple[str, Fraction]:
    """Return a price unit as a meter's unit and the number of those units."""
    reason = ""
    for unit in (wanted,) if wanted else METER_UNITS:
        try:
            return unit, 1 / _worth(given, unit)
        except units.UnitError as error:
            reason = reason or str(error)
    raise units.UnitError(reason)


def _worth(given: str, unit: str) -> Fraction:
    name = _name_of(unit)
    return units.worth(given, units.money_per(name)) / units.PER[name][1]


def _name_of(unit: str) -> str:
    """Return a name in units.PER that stands for some number of this unit."""
    return next(name for name, (of, _) in units.PER.items() if of == unit)


def _whole(micro_each: Fraction, unit: str, per: int) -> tuple[int, int] | None:
    """Return (micro-units, units) for `per` or else the fewest units; None if no price is whole."""
    known = sorted(count for of, count in units.PER.values() if of == unit)
    for count in [per] * (per in known) + known:
        exact = micro_each * MICRO * count
        if exact.denominator == 1:
            return int(exact), count
    return None


AnyPrice = Annotated[Price, PriceReader()]
TimePrice = Annotated[Price, PriceReader("ps")]
