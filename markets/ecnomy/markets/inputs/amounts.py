# SPDX-License-Identifier: Apache-2.0
"""Readers of single values with a unit, a range or a fixed form (see reading.py)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Annotated, Any, Final

import msgspec

from ecnomy.agents.money import DEAREST_MICRO, MICRO
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.inputs import units
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.inputs.yamlfile import Node, child_path, show

__all__ = [
    "AUTO_NUMBER",
    "LONGEST_NAME",
    "Amount",
    "Bytes",
    "Choice",
    "Fee",
    "Framing",
    "Name",
    "Names",
    "NamesReader",
    "Number",
    "Patterns",
    "PricePerMark",
    "RateBps",
    "Size",
    "SizeReader",
    "TimePs",
    "Word",
    "number_in",
    "quantity_schema",
]

MOST_PS: Final = 2**62  # the sum of two times of this length fits into an int64
MOST_BYTES: Final = 10**12
LONGEST_NAME: Final = 64
AUTO_NUMBER: Final = -1.0  # the word auto, for numbers of 0 or more
_YAML_1_1: Final = {"on": True, "yes": True, "off": False, "no": False}
_COUNTED: Final = ("byte", "mark", "packet")  # units with a plural
_NAME: Final = re.compile(rf"[A-Za-z][A-Za-z0-9_-]{{0,{LONGEST_NAME - 1}}}")


def quantity_schema(
    of: Iterable[str] = (),
    words: Iterable[str] = (),
    *,
    signed: bool = False,
    above: bool = False,
) -> dict[str, Any]:
    """Return the JSON Schema of a number with a unit, or of one of the words.

    Args:
        of: units of the accepted kinds; empty for any unit.
        words: words that are also accepted.
        signed: whether negative numbers are accepted.
        above: whether 0 is refused.
    """
    number = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
    some = "(?=[^A-Za-z/]*[1-9])" if above else ""
    sign = "[+-]?" if signed else r"(?:\+|-(?=[0.]+(?![0-9.])))?"  # -0 is 0
    kinds = "|".join(map(units.pattern, of)) or r"(?:1?\s*/\s*)?[A-Za-z\u00b5].*"
    amount = rf"\s*{some}{sign}{number}\s*(?:{kinds})\s*"
    return {"type": "string", "pattern": f"^({'|'.join([*words, amount])})$"}


def words_schema(words: Iterable[str]) -> dict[str, Any]:
    """Return the JSON Schema of a choice of words.

    The schema also accepts true for on and yes, and false for off and no, because many editors read
    YAML 1.1.
    """
    listed: list[Any] = list(words)
    return {"enum": [*listed, *(_YAML_1_1[one] for one in listed if one in _YAML_1_1)]}


def number_in(node: Node, path: str, expected: str) -> Fraction:
    """Return the exact value of a node that contains a number.

    Raises:
        ScenarioError: the number is too long or too large.
    """
    try:
        return units.number(node.text)
    except units.UnitError as error:
        raise node.place.error(path, str(error), expected) from None


class Amount(msgspec.Struct, frozen=True, kw_only=True):
    """A number with a unit, kept as `scale` times the value in the first of `units`.

    Attributes:
        what: the noun for the amount in messages, in which `example` follows "such as".
        units: accepted units of one kind.
        whole: whether the result must be an integer; otherwise it is a float.
        least, most: range of the result; `above` excludes `least` itself.
        words: words that stand for a value.
        plain: whether a number without a unit is accepted.
    """

    what: str
    example: str
    units: tuple[str, ...]
    scale: int = 1
    whole: bool = True
    least: float = 0
    most: float = MOST_PS
    above: bool = False
    words: tuple[tuple[str, float], ...] = ()
    plain: bool = False

    @property
    def expected(self) -> str:
        """Return the expected form, with its range and an example."""
        least = self._in_words(self.least) if self.least else "0"
        low = f" above {least}" if self.above else f" of at least {least}"
        low = "" if self.least == 0 and not self.above else low
        words = "".join(f", or {word}" for word, _ in self.words)
        return f"{self.what}{low} such as {self.example}{words}"

    @property
    def largest(self) -> str:
        """Return the largest amount, with its unit."""
        return self._in_words(self.most)

    def _in_words(self, value: float) -> str:
        amount, unit = value / self.scale, self.units[0]
        if unit == "ps":
            per_unit = {"s": PS_PER_S, "ms": 1e9, "us": 1e6, "ns": 1e3, "ps": 1.0}
            unit = next((one for one, ps in per_unit.items() if amount >= ps), unit)
            amount /= per_unit[unit]
        many = "s" if unit in _COUNTED and amount != 1 else ""
        return f"{amount:.12g} {unit}{many}"

    @property
    def schema(self) -> dict[str, Any]:
        """See Reader."""
        above = self.above or self.least > 0
        words = [word for word, _ in self.words]
        amount = quantity_schema(self.units, words, signed=self.least < 0, above=above)
        forms = [amount, *([{"type": "number"}] if self.plain else ())]
        forms += [{"const": _YAML_1_1[word]} for word in words if word in _YAML_1_1]
        return {"anyOf": forms} if len(forms) > 1 else amount

    def read(self, node: Node, path: str) -> Any:
        """See Reader."""
        for word, meaning in self.words:
            if node.value == word:
                return meaning
        exact = self._exact(node, path) * self.scale
        value = exact if self.whole else float(exact)
        if value < self.least or (self.above and value == self.least):
            raise node.place.error(path, show(node), self.expected)
        if value > self.most:
            raise node.place.error(path, show(node), f"{self.what} of at most {self.largest}")
        if isinstance(value, float):
            return value
        if value.denominator != 1:
            unit = self.units[0] if self.scale == 1 else f"1/{self.scale} {self.units[0]}"
            raise node.place.error(path, show(node), f"{self.what} in whole multiples of {unit}")
        return int(value)

    def _exact(self, node: Node, path: str) -> Fraction:
        if type(node.value) in (int, float):
            if not self.plain:
                raise node.place.error(path, f"{show(node)} without a unit", self.expected)
            return number_in(node, path, self.expected)
        if not isinstance(node.value, str):
            raise node.place.error(path, show(node), self.expected)
        reason = ""
        for unit in self.units:
            try:
                return units.quantity(node.value, unit)
            except units.UnitError as error:
                reason = reason or str(error)
        raise node.place.error(path, f"{show(node)} ({reason})", self.expected)

    def write(self, value: Any) -> Any:
        """See Reader."""
        for word, meaning in self.words:
            if value == meaning:
                return word
        if self.whole:
            return f"{units.decimal_text(Fraction(value) / self.scale)} {self.units[0]}"
        return f"{float(value)!r} {self.units[0]}"


class Number(msgspec.Struct, frozen=True, kw_only=True):
    """A number without a unit, within a range. `auto` also allows the word auto (AUTO_NUMBER)."""

    what: str
    least: float
    most: float
    whole: bool = False
    auto: bool = False

    @property
    def expected(self) -> str:
        """Return the expected form, with its range."""
        if self.whole and self.least == self.most:
            return f"{int(self.least)}"
        if self.whole:
            return f"{self.what} from {int(self.least)} to {int(self.most)}"
        word = ", or auto" if self.auto else ""
        return f"{self.what} from {self.least:.10g} to {self.most:.10g}{word}"

    @property
    def schema(self) -> dict[str, Any]:
        """See Reader."""
        kind = "integer" if self.whole else "number"
        number = {"type": kind, "minimum": self.least, "maximum": self.most}
        return {"anyOf": [number, {"const": "auto"}]} if self.auto else number

    def read(self, node: Node, path: str) -> Any:
        """See Reader."""
        if self.auto and node.value == "auto":
            return AUTO_NUMBER
        kinds: tuple[type, ...] = (int,) if self.whole else (int, float)
        if type(node.value) not in kinds:
            raise node.place.error(path, show(node), self.expected)
        exact = number_in(node, path, self.expected)
        value = int(exact) if self.whole else float(exact)
        if not self.least <= value <= self.most:
            raise node.place.error(path, show(node), self.expected)
        return value

    def write(self, value: Any) -> Any:
        """See Reader."""
        return "auto" if self.auto and value == AUTO_NUMBER else value


class Choice(msgspec.Struct, frozen=True):
    """One of several words, or a class as module:Class.

    `own` is the noun for a class in messages. If it is "", classes are refused.
    """

    words: tuple[str, ...]
    own: str = ""

    @property
    def expected(self) -> str:
        """Return the expected words."""
        more = f", or a custom {self.own} as module:Class" if self.own else ""
        return f"one of {', '.join(self.words)}{more}"

    @property
    def schema(self) -> dict[str, Any]:
        """See Reader."""
        words = words_schema(self.words)
        return {"anyOf": [words, {"type": "string", "pattern": ":"}]} if self.own else words

    def read(self, node: Node, path: str) -> str:
        """See Reader."""
        if isinstance(node.value, str) and node.value in self.words:
            return node.value
        if self.own and isinstance(node.value, str) and ":" in node.value:
            return node.value
        raise node.place.error(path, show(node), known_name(node.text, self.words))

    def write(self, value: Any) -> Any:
        """See Reader."""
        return value


class Word(msgspec.Struct, frozen=True):
    """A name: a letter, then letters, digits, - or _ (dots join names in results and paths)."""

    @property
    def expected(self) -> str:
        """Return the expected form."""
        return "a name of letters, digits, - and _, beginning with a letter"

    @property
    def schema(self) -> dict[str, Any]:
        """See Reader."""
        return {"type": "string", "pattern": f"^{_NAME.pattern}$"}

    def read(self, node: Node, path: str) -> str:
        """See Reader."""
        if isinstance(node.value, str) and _NAME.fullmatch(node.value):
            return node.value
        raise node.place.error(path, show(node), self.expected)

    def write(self, value: Any) -> Any:
        """See Reader."""
        return value


class Pattern(msgspec.Struct, frozen=True):
    """A pattern for names, such as `core*`, `edge?` or `link-[ab]`."""

    @property
    def expected(self) -> str:
        """Return the expected form."""
        return "a name, or a pattern such as core*"

    @property
    def schema(self) -> dict[str, Any]:
        """See Reader."""
        return {"type": "string", "minLength": 1}

    def read(self, node: Node, path: str) -> str:
        """See Reader."""
        if isinstance(node.value, str) and node.value.strip():
            return node.value
        raise node.place.error(path, show(node), self.expected)

    def write(self, value: Any) -> Any:
        """See Reader."""
        return value


class NamesReader(msgspec.Struct, frozen=True):
    """One name or a list of names."""

    one: Word | Pattern = Word()

    @property
    def expected(self) -> str:
        """Return the expected form."""
        return "a name or a list of names"

    @property
    def schema(self) -> dict[str, Any]:
        """See Reader."""
        one = self.one.schema
        return {"anyOf": [one, {"type": "array", "items": one, "uniqueItems": True}]}

    def read(self, node: Node, path: str) -> tuple[str, ...]:
        """See Reader."""
        if not isinstance(node.value, list):
            return (self.one.read(node, path),)
        names: list[str] = []
        for index, item in enumerate(node.value):
            here = child_path(path, index)
            name = self.one.read(item, here)
            if name in names:
                raise item.place.error(here, f"{name!r} twice", "each name once")
            names.append(name)
        return tuple(names)

    def write(self, value: Any) -> Any:
        """See Reader."""
        return list(value)


class Size(msgspec.Struct, frozen=True):
    """A queue length in packets or bytes; -1 means no limit."""

    value: int
    unit: str  # "packets" or "bytes"

    @property
    def packets(self) -> int:
        """Return the number of packets, or -1 if the size is unlimited or in bytes."""
        return self.value if self.unit == "packets" else -1

    @property
    def bytes(self) -> int:
        """Return the number of bytes, or -1 if the size is unlimited or in packets."""
        return self.value if self.unit == "bytes" else -1


class SizeReader(msgspec.Struct, frozen=True):
    """Reads a Size. `unlimited` is the word for an unlimited size, or "" if it is not allowed."""

    least: int = 0
    unlimited: str = ""

    @property
    def expected(self) -> str:
        """Return the expected form."""
        word = f", or {self.unlimited}" if self.unlimited else ""
        low = f" of at least {self.least}" if self.least else ""
        return f"a size{low} such as 60 packets or 90 kB{word}"

    @property
    def schema(self) -> dict[str, Any]:
        """See Reader."""
        words = (self.unlimited,) if self.unlimited else ()
        return quantity_schema(("packet", "byte"), words, above=self.least > 0)

    def read(self, node: Node, path: str) -> Size:
        """See Reader."""
        if self.unlimited and node.value == self.unlimited:
            return Size(-1, "packets")
        unit = "packet" if isinstance(node.value, str) and "packet" in node.value else "byte"
        amount = Amount(
            what="a size",
            example="60 packets or 90 kB",
            units=(unit,),
            least=self.least,
            most=MOST_BYTES,
        )
        return Size(amount.read(node, path), f"{unit}s")

    def write(self, value: Any) -> Any:
        """See Reader."""
        return self.unlimited if value.value < 0 else f"{value.value} {value.unit}"


TIME: Final = Amount(what="a time", example="0.1 s", units=("ps",))
TimePs = Annotated[int, TIME]
RateBps = Annotated[
    int, Amount(what="a rate", example="10 Mbps", units=("bit/s",), above=True, most=10**15)
]
Bytes = Annotated[
    int, Amount(what="a size", example="1000 bytes", units=("byte",), most=MOST_BYTES)
]
PricePerMark = Annotated[
    int,
    Amount(
        what="an amount",
        example="0.002 money",
        units=("money", units.money_per("mark")),
        scale=MICRO,
        above=True,
        most=DEAREST_MICRO,
    ),
]
Fee = Annotated[
    int,
    Amount(
        what="a fee",
        example="4 money/s",
        units=(units.money_per("s"),),
        scale=MICRO,
        most=DEAREST_MICRO,
    ),
]
Framing = Annotated[int, Amount(what="a size", example="7 bytes", units=("byte",), most=65_535)]
Name = Annotated[str, Word()]
Names = Annotated[tuple[str, ...], NamesReader()]
Patterns = Annotated[tuple[str, ...], NamesReader(Pattern())]
