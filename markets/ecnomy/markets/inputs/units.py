# SPDX-License-Identifier: Apache-2.0
"""Convert quantities such as `10 Mbps` into exact numbers in ecnomy's units.

pint converts units with a custom registry (units.txt). Because its import takes 0.25 s, a table
holds the usual spellings, and pint is loaded only for others. A test compares the table with the
registry. Arithmetic uses fractions, so `0.1 s` is exactly 10^11 ps.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import pint

__all__ = [
    "PER",
    "USUAL",
    "UnitError",
    "decimal_text",
    "known_units",
    "money_per",
    "number",
    "pattern",
    "quantity",
    "split",
    "worth",
]

_QUANTITY: Final = re.compile(
    r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*"  # the number
    r"((?:1?\s*/\s*)?[A-Za-zµ]+(?:\s*/\s*[A-Za-zµ]+)?)"  # unit, unit/unit, /unit or 1/unit
)
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_MOST_DIGITS: Final = 300  # no physical quantity needs more; 10^(10^9) would never end
_LONGEST: Final = 400  # longest quantity in characters

# unit -> (its value in the base unit, the base unit)
_SECONDS: Final = {
    "s": Fraction(1),
    "ms": Fraction(1, 10**3),
    "us": Fraction(1, 10**6),
    "ns": Fraction(1, 10**9),
    "ps": Fraction(1, 10**12),
    "min": Fraction(60),
    "h": Fraction(3600),
    "day": Fraction(86400),
    "days": Fraction(86400),
}
_AMOUNTS: Final[dict[str, tuple[Fraction, str]]] = {
    **{name: (value, "s") for name, value in _SECONDS.items()},
    "bps": (Fraction(1), "bit/s"),
    "bit/s": (Fraction(1), "bit/s"),
    "kbps": (Fraction(10**3), "bit/s"),
    "Mbps": (Fraction(10**6), "bit/s"),
    "Gbps": (Fraction(10**9), "bit/s"),
    "bit": (Fraction(1, 8), "byte"),
    "byte": (Fraction(1), "byte"),
    "bytes": (Fraction(1), "byte"),
    "B": (Fraction(1), "byte"),
    "kB": (Fraction(10**3), "byte"),
    "MB": (Fraction(10**6), "byte"),
    "GB": (Fraction(10**9), "byte"),
    "TB": (Fraction(10**12), "byte"),
    "packet": (Fraction(1), "packet"),
    "packets": (Fraction(1), "packet"),
    "packet/s": (Fraction(1), "packet/s"),
    "packets/s": (Fraction(1), "packet/s"),
    "mark": (Fraction(1), "mark"),
    "marks": (Fraction(1), "mark"),
    "mark/s": (Fraction(1), "mark/s"),
    "marks/s": (Fraction(1), "mark/s"),
    "call": (Fraction(1), "call"),
    "calls": (Fraction(1), "call"),
    "transfer": (Fraction(1), "transfer"),
    "transfers": (Fraction(1), "transfer"),
    "money": (Fraction(1), "money"),
}

_METER: Final = {"s": ("ps", 10**12)}  # unit -> a meter's unit, and how many of these it has
_PRICED: Final = (
    *("ms", "s", "min", "h", "day"),
    *("byte", "kB", "MB", "GB", "TB"),
    *("packet", "mark", "call", "transfer"),
)


def _per(name: str) -> tuple[str, int]:
    value, base = _AMOUNTS[name]
    unit, count = _METER.get(base, (base, 1))
    return unit, int(value * count)


# Bases of prices: money/<name> is the price of this number of a meter's units.
PER: Final[dict[str, tuple[str, int]]] = {name: _per(name) for name in _PRICED}
USUAL: Final[dict[str, tuple[Fraction, str]]] = {
    **_AMOUNTS,
    **{f"money/{n}": (1 / _AMOUNTS[n][0], f"money/{_AMOUNTS[n][1]}") for n in PER},
}


class UnitError(ValueError):
    """The text is not a quantity, or its unit is not the expected one."""


def number(text: str) -> Fraction:
    """Return the exact value of a decimal number.

    Raises: UnitError: the text is not a number, or the number is too long or too large.
    """
    if len(text) > _MOST_DIGITS:
        raise UnitError(f"{text[:20]!r}... is longer than {_MOST_DIGITS} characters")
    try:
        value = Decimal(text)
    except (InvalidOperation, ValueError):
        raise UnitError(f"{text!r} is not a number") from None
    if not value.is_finite():
        raise UnitError(f"{text!r} is not finite")
    if abs(value.adjusted()) > _MOST_DIGITS:
        raise UnitError(f"{text[:20]!r} is outside the range of physical quantities")
    return Fraction(value)


def money_per(name: str) -> str:
    """Return the unit of a price for one `name`, which is a key of PER."""
    assert name in PER
    return f"money/{name}"


def quantity(text: str, unit: str) -> Fraction:
    """Return the quantity in `text` as an exact number of `unit`.

    Raises: UnitError: the text is not a quantity, or its unit is unknown or of another dimension.
    """
    value, given = split(text)
    return value * worth(given, unit)


def split(text: str) -> tuple[Fraction, str]:
    """Split a quantity into its number and its unit as written, without blanks.

    Raises: UnitError: the text is not a quantity.
    """
    if len(text) > _LONGEST:
        raise UnitError(f"longer than {_LONGEST} characters")
    match = _QUANTITY.fullmatch(text.strip())
    if match is None:
        if _NUMBER.fullmatch(text.strip()):
            raise UnitError("no unit")
        raise UnitError("not a number with a unit")
    return number(match[1]), "".join(match[2].split())


@functools.lru_cache(maxsize=1024)
def worth(given: str, wanted: str) -> Fraction:
    """Return the number of `wanted` units in one `given` unit.

    Raises:
        UnitError: `given` is unknown or of another dimension.
    """
    usual, target = USUAL.get(given), USUAL.get(wanted)
    if usual and target:
        if usual[1] != target[1]:
            raise UnitError(f"{given!r} is a unit of another quantity")
        return usual[0] / target[0]
    return _by_pint(given, wanted)


def known_units() -> list[str]:
    """Return the spellings of units that messages may suggest."""
    return sorted(USUAL)


def decimal_text(value: Fraction) -> str:
    """Return a fraction with a finite decimal expansion as exact text without an exponent."""
    denominator, digits = value.denominator, 0
    while denominator != 1:
        digits += 1
        denominator = (value * 10**digits).denominator
        if digits > _MOST_DIGITS:
            raise ValueError(f"{value} has no finite decimal form")
    text = f"{abs(value.numerator) * 10**digits // value.denominator:0{digits + 1}d}"
    sign = "-" if value < 0 else ""
    return sign + (f"{text[:-digits]}.{text[-digits:]}" if digits else text)


@functools.cache
def pattern(unit: str) -> str:
    """Return a regular expression that matches all units that convert to this one.

    units.txt determines the units: names with prefixes and plurals, and their quotients.
    """
    over, wanted = r"\s*/\s*", _unit(unit).dimensionality
    words = _words()
    pairs = [(a, b) for a, b in itertools.product(words, words) if a / b == wanted]
    quotients = [f"{words[a]}{over}{words[b]}" for a, b in pairs]
    inverse = [words[a] for a in words if a**-1 == wanted]
    inverse += [f"{words[b]}{over}{words[a]}" for a, b in pairs]
    forms = [words[a] for a in words if a == wanted] + quotients
    forms += [rf"1?\s*/\s*{words}" for words in inverse]
    return f"(?:{'|'.join(forms)})"


@functools.cache
def _words() -> dict[Any, str]:
    """Return a regular expression for the units of each dimension, without quotients."""
    prefixes = "|".join(sorted(name[:-1] for name in _names() if name.endswith("-")))
    names_by_dimension: dict[Any, list[str]] = {}
    for name in sorted(name for name in _names() if not name.endswith("-")):
        dimension = _unit(name).dimensionality
        plural = "s?" if len(name) > 1 else ""  # pint has no plural of a symbol such as s
        names_by_dimension.setdefault(dimension, []).append(f"{name}{plural}")
    made = {of: f"(?:{prefixes})?(?:{'|'.join(names)})" for of, names in names_by_dimension.items()}
    return made | {_unit("dimensionless").dimensionality: "dimensionless"}


def _names() -> Iterator[str]:
    """Yield the names and aliases in units.txt, in which names of prefixes end with a hyphen."""
    for line in _definitions():
        name, equals, rest = line.partition(" = ")
        if equals and not name.startswith("#"):
            yield from (name, *(word.strip() for word in rest.split("=")[1:]))


@functools.cache
def _definitions() -> list[str]:
    text = resources.files(__package__).joinpath("units.txt").read_text(encoding="utf-8")
    return text.splitlines()


@functools.cache
def _registry() -> pint.UnitRegistry[Fraction]:
    import pint

    registry: pint.UnitRegistry[Fraction] = pint.UnitRegistry(None, non_int_type=Fraction)
    registry.load_definitions(_definitions())
    return registry


def _by_pint(given: str, wanted: str) -> Fraction:
    import pint

    try:
        source = _unit(given)
    except (pint.PintError, ValueError, TypeError, AttributeError):
        raise UnitError(f"no unit {given!r}") from None
    try:
        return Fraction(_registry().convert(Fraction(1), source, _unit(wanted)))
    except pint.DimensionalityError:
        raise UnitError(f"{given!r} is a unit of another quantity") from None


def _unit(text: str) -> Any:
    """Return the pint unit for `unit`, `unit/unit`, `1/unit` or `/unit`."""
    above, slash, below = text.partition("/")
    if slash and above in ("", "1"):
        return _registry().parse_units(below) ** -1
    return _registry().parse_units(text)
