# SPDX-License-Identifier: Apache-2.0
"""Tariffs: money as a function of a meter's reading, of time and of the seller's posted price.

A tariff in this module is a frozen description, as written in the scenario. Its accruer
(tariff_accruers.py) computes the amounts due and holds the state of each row of flows. A new kind
must be added to Simple and, with its accruer, to tariff_accruers.ACCRUERS. The method `stands` of a
tariff tells standing_charges.py whether the tariff has posted charges by time.
"""

from __future__ import annotations

import typing
from collections.abc import Iterator
from typing import Annotated, Any, Final

import msgspec

from ecnomy.agents.money import MICRO
from ecnomy.agents.times import PS_PER_DAY, PS_PER_S
from ecnomy.markets.inputs import units
from ecnomy.markets.inputs.amounts import MOST_PS, Amount, TimePs, quantity_schema
from ecnomy.markets.inputs.reading import Misfit, known_name
from ecnomy.markets.inputs.yamlfile import Node, show
from ecnomy.markets.terms.unit_price import METER_UNITS, WORDS, AnyPrice, Price, TimePrice

__all__ = [
    "KINDS",
    "Block",
    "Blocks",
    "Flat",
    "Limit",
    "Menu",
    "Own",
    "PerUnit",
    "Period",
    "Posted",
    "Simple",
    "Tariff",
    "TimeOfDay",
    "TwoPart",
    "choices",
    "own_kinds",
]

_Day = Annotated[int, Amount(what="a time", example="24 h", units=("ps",), above=True)]


class _PerReader(msgspec.Struct, frozen=True):
    """Reads the unit of a posted price, by name in units.PER."""

    @property
    def expected(self) -> str:
        """Return the names of the units."""
        return f"the unit of the posted price: one of {', '.join(units.PER)}"

    @property
    def schema(self) -> dict[str, Any]:
        """See Reader."""
        return {"enum": list(units.PER)}

    def read(self, node: Node, path: str) -> str:
        """See Reader."""
        if isinstance(node.value, str) and node.value in units.PER:
            return node.value
        raise node.place.error(path, show(node), known_name(node.text, units.PER))

    def write(self, value: str) -> str:
        """See Reader."""
        return value


class Limit(msgspec.Struct, frozen=True):
    """A quantity in a meter's unit."""

    count: int
    unit: str  # one of METER_UNITS


class _LimitReader(msgspec.Struct, frozen=True):
    @property
    def expected(self) -> str:
        """Return the expected form."""
        return "a quantity above 0 such as 1 GB, 10 h or 100 marks"

    @property
    def schema(self) -> dict[str, Any]:
        """See Reader."""
        return quantity_schema(METER_UNITS, above=True)

    def read(self, node: Node, path: str) -> Limit:
        """See Reader."""
        of = "ps"
        if isinstance(node.value, str):
            of = next((unit for unit in METER_UNITS if _measures(node.value, unit)), of)
        example = self.expected.partition("such as ")[2]
        amount = Amount(what="a quantity", example=example, units=(of,), above=True, most=MOST_PS)
        return Limit(amount.read(node, path), of)

    def write(self, value: Limit) -> str:
        """See Reader."""
        return f"{value.count} {value.unit}"


def _measures(text: str, unit: str) -> bool:
    try:
        units.quantity(text, unit)
    except units.UnitError:
        return False
    return True


class PerUnit(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="per-unit"):
    """A constant price for each metered unit.

    Attributes:
        price: price of each metered unit.
    """

    price: AnyPrice

    def stands(self, meter: str) -> bool:
        """Return whether the tariff has posted charges by time on the meter of this name."""
        return meter == "time"


class Posted(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="posted"):
    """A price per mark that the carrier posts, for contracts on marks.

    Attributes:
        per: unit of the posted price.
    """

    per: Annotated[str, _PerReader()] = "mark"

    @property
    def unit(self) -> str:
        """Return the meter's unit."""
        return units.PER[self.per][0]

    @property
    def count(self) -> int:
        """Return the number of metered units in the unit of the posted price."""
        return units.PER[self.per][1]

    def stands(self, meter: str) -> bool:
        """See PerUnit."""
        return False


class Flat(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="flat"):
    """A price per unit of time, independent of the metered quantity.

    Attributes:
        price: price per unit of time.
    """

    price: TimePrice

    def stands(self, meter: str) -> bool:
        """See PerUnit."""
        return meter != "weight"


class TwoPart(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="two-part"):
    """A fee per unit of time, and a constant price for each metered unit.

    Attributes:
        fee: price per unit of time.
        price: price of each metered unit.
    """

    fee: TimePrice
    price: AnyPrice

    def stands(self, meter: str) -> bool:
        """See PerUnit."""
        return True


class Period(msgspec.Struct, frozen=True, kw_only=True):
    """A price from one time of the day to another.

    Attributes:
        begin: time of day at which the period begins.
        end: time of day at which the period ends; on the next day unless later than the beginning.
        price: price during the period.
    """

    begin: TimePs = msgspec.field(name="from")
    end: _Day = msgspec.field(name="to")
    price: AnyPrice


class TimeOfDay(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="time-of-day"):
    """A price for each time of the day.

    Note:
        Write the end of a period at midnight as `to: 24 h`. If an epoch crosses a boundary, the
        quantity metered in that epoch is split in proportion to time, in whole units.

    Attributes:
        day: length of a day.
        offset: time of day at simulated time 0.
        periods: periods of the day, each with a price.
        price: price outside the periods; required unless the periods fill the day.
    """

    day: _Day = PS_PER_DAY
    offset: TimePs = 0
    periods: tuple[Period, ...]
    price: AnyPrice | None = None

    def __post_init__(self) -> None:
        if not self.periods:
            raise Misfit("periods", "no periods", "at least one period")
        for index, period in enumerate(self.periods):
            self._check(f"periods[{index}]", period)
        spans = self.spans()
        for (_, end, _), (begin, _, index) in zip(spans, spans[1:], strict=False):
            if begin < end:
                raise Misfit(
                    f"periods[{index}]", "overlapping periods", "periods that do not overlap"
                )
        if self.price is None and sum(end - begin for begin, end, _ in spans) < self.day:
            raise Misfit("price", "no 'price'", "a price for the time outside the periods")
        prices = [period.price for period in self.periods]
        _check_alike(prices, [f"periods[{i}].price" for i in range(len(prices))], self.price)

    def _check(self, here: str, period: Period) -> None:
        day = f"a time within the day of {_hours(self.day)}"
        if period.begin >= self.day:
            raise Misfit(f"{here}.from", _hours(period.begin), day)
        if period.end > self.day:
            raise Misfit(f"{here}.to", _hours(period.end), day)
        if period.begin == period.end:
            raise Misfit(f"{here}.to", "an end equal to its start", "another time")

    def spans(self) -> list[tuple[int, int, int]]:
        """Return (start, end, index) of each period in order; periods over midnight are split."""
        intervals = []
        for index, period in enumerate(self.periods):
            if period.begin < period.end:
                intervals.append((period.begin, period.end, index))
            else:
                intervals += [(period.begin, self.day, index), (0, period.end, index)]
        return sorted(intervals)

    def stands(self, meter: str) -> bool:
        """See PerUnit."""
        return meter == "time"


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """A price up to a total quantity; beyond that quantity the next block's price applies.

    Attributes:
        up_to: total quantity at which this price ends; omitted in the last block.
        price: price in this block.
    """

    up_to: Annotated[Limit | None, _LimitReader()] = None
    price: AnyPrice


class Blocks(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="blocks"):
    """Prices that depend on the total quantity so far.

    Note:
        The quantity is counted from the start of the run, separately for each row of flows. The
        unit that reaches the cap costs only the remaining amount.

    Attributes:
        blocks: prices in order, each up to a total quantity.
        cap_micro: largest bill of a row of flows; units beyond it are free.
    """

    blocks: tuple[Block, ...]
    cap_micro: Annotated[
        int | None,
        Amount(
            what="an amount",
            example="20 money",
            units=("money",),
            scale=MICRO,
            above=True,
            most=10**18,
        ),
    ] = msgspec.field(name="cap", default=None)

    def __post_init__(self) -> None:
        if not self.blocks:
            raise Misfit("blocks", "no blocks", "at least one block")
        prices = [block.price for block in self.blocks]
        _check_alike(prices, [f"blocks[{i}].price" for i in range(len(prices))], None)
        low = 0
        for index, block in enumerate(self.blocks[:-1]):
            here = f"blocks[{index}].up_to"
            if block.up_to is None:
                raise Misfit(
                    here, "no 'up_to'", "a quantity, because only the last block has no end"
                )
            if block.up_to.unit != block.price.unit:
                found = f"a limit on {WORDS[block.up_to.unit]} at a price of {block.price}"
                raise Misfit(here, found, f"a limit on {WORDS[block.price.unit]}")
            if block.up_to.count <= low:
                raise Misfit(
                    here,
                    "a quantity that does not exceed the previous block's",
                    "a larger quantity",
                )
            low = block.up_to.count
        if self.blocks[-1].up_to is not None:
            here = f"blocks[{len(self.blocks) - 1}].up_to"
            raise Misfit(
                here,
                "a last block with an end",
                "no 'up_to', because the last price applies to the rest",
            )

    def stands(self, meter: str) -> bool:
        """See PerUnit."""
        return False


class Own(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="own"):
    """A custom tariff, which `kind` in YAML names by dotted path or entry point (own_tariff.py)."""

    path: str
    params: dict[str, Any] = {}

    def stands(self, meter: str) -> bool:
        """See PerUnit."""
        return False


Simple = PerUnit | Posted | Flat | TwoPart | TimeOfDay | Blocks | Own


class Menu(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="menu"):
    """Tariffs from which the buyer chooses.

    Note:
        Each choice has a separate bill. Its total quantity, its amount and the unbilled fraction of
        a micro-unit stay unchanged while another choice is in use. The strategy of a user chooses
        tariffs for the user's flows with `choose`.

    Attributes:
        choices: tariffs by name; each flow begins with the first one.
    """

    choices: dict[str, Simple]

    def __post_init__(self) -> None:
        if not self.choices:
            raise Misfit("choices", "no choices", "at least one named tariff")

    def stands(self, meter: str) -> bool:
        """See PerUnit."""
        return any(choice.stands(meter) for choice in self.choices.values())


Tariff = Simple | Menu
KINDS: Final[dict[str, type[msgspec.Struct]]] = {
    str(kind.__struct_config__.tag): kind for kind in typing.get_args(Tariff) if kind is not Own
}


def choices(tariff: Tariff) -> Iterator[tuple[str, Simple]]:
    """Yield (`.choices.<name>`, tariff) for each choice of a menu, or ("", tariff) otherwise."""
    if isinstance(tariff, Menu):
        for name, choice in tariff.choices.items():
            yield f".choices.{name}", choice
    else:
        yield "", tariff


def own_kinds(tariff: Tariff) -> Iterator[str]:
    """Yield the dotted paths and entry points in a tariff, including a menu's choices."""
    for _, one in choices(tariff):
        if isinstance(one, Own):
            yield one.path


def _check_alike(prices: list[Price], keys: list[str], more: Price | None) -> None:
    first = prices[0]
    for key, price in zip([*keys, "price"], [*prices, more or first], strict=True):
        if price.unit != first.unit:
            raise Misfit(key, f"{price} and {first}", f"prices for the same unit, {first.unit}")


def _hours(time_ps: int) -> str:
    return f"{time_ps / (3600 * PS_PER_S):g} h"
