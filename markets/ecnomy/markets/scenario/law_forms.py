# SPDX-License-Identifier: Apache-2.0
"""YAML keys that are derived from the table of laws (ecnomy.markets.plan.law_table).

Each parameter becomes a key with the law's default, range and choices. The unit of a time, size or
rate is in the value, not in the name of the key: interval_s becomes `interval`.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Annotated, Any, Final

import msgspec

from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.inputs.amounts import Amount, Choice, Size, SizeReader
from ecnomy.markets.inputs.reading import Misfit
from ecnomy.markets.inputs.units import decimal_text
from ecnomy.markets.plan.law_table import Param
from ecnomy.markets.scenario.law_numbers import number_of, time_of

__all__ = ["Field", "check_order", "default_of", "in_table", "kind_of", "law_struct"]

Field = tuple[str, Any] | tuple[str, Any, Any]
_AUTO: Final = {("rem", "phi"), ("rem", "gamma"), ("rem", "alpha")}  # of marking laws
_MOST_BYTES: Final = 10**15


def in_table(parameter: Param, value: Any) -> Any:
    """Convert the value of a key to the unit of the law's parameter, for example from ps to s."""
    return value / PS_PER_S if parameter.unit == "s" else value


def check_order(form: msgspec.Struct, more: Param, less: Param) -> None:
    """Require that the value of `more` is at least that of `less`.

    Raises:
        Misfit: the value of `more` is below that of `less`.
    """
    (amount, shown), (least, bound) = (_amount(one, getattr(form, one.key)) for one in (more, less))
    if amount < least:
        raise Misfit(more.key, shown, f"at least {less.key}, {bound}")


def _amount(parameter: Param, value: Any) -> tuple[float, str]:
    """Return a value as a number in the unit of its parameter, and as text with the unit."""
    if isinstance(value, Size):
        return value.value, f"{value.value} {value.unit}"
    number = in_table(parameter, value)
    return number, f"{number:g} {parameter.unit}".rstrip()


def law_struct(law: str, about: str, fields: Iterable[Field], *, base: type, tag_field: str) -> Any:
    """Return the YAML struct of a law, defined in the module of its base.

    Args:
        law: name of the law, which is the value of `tag_field` in YAML.
        about: the struct's docstring.
        fields: name and type of each field, and its default unless the key is required.
        base: the base class of the family's laws.
        tag_field: the YAML key that holds the name of the law.
    """
    return msgspec.defstruct(
        "".join(word.capitalize() for word in law.split("-")),
        list(fields),
        bases=(base,),
        module=base.__module__,
        namespace={"__doc__": about},
        tag=law,
        tag_field=tag_field,
        frozen=True,
        kw_only=True,
    )


def kind_of(family: str, law: str, parameter: Param) -> Any:
    """Return the annotated type that reads a parameter."""
    match parameter.unit:
        case "choice":
            return Annotated[str, Choice(parameter.choices)]
        case "flag":
            return bool
        case "unit":
            unlimited = "none" if parameter.min < 0 else ""
            return Annotated[Size, SizeReader(unlimited=unlimited)]
        case "s":
            example = _time(parameter.default or 1.0)
            return Annotated[int, time_of(family, law, parameter.name, example)]
        case "bytes":
            most = min(parameter.max, _MOST_BYTES)
            example = f"{parameter.default or 1000:g} bytes"
            return Annotated[int, _size("byte", example, parameter.min, most)]
        case "bit/s":
            return Annotated[int, _rate(parameter.min, parameter.max)]
        case "packets":
            return Annotated[float, _packets(family, parameter)]
        case "marks" | "marks/s" | "packets/s":
            return Annotated[float, _counted(parameter)]
        case _:
            auto = family == "marking" and (law, parameter.name) in _AUTO
            kind = int if parameter.unit == "whole" else float
            return Annotated[kind, number_of(family, law, parameter.name, auto=auto)]


def _size(unit: str, example: str, least: float, most: float) -> Amount:
    return Amount(what="a size", example=example, units=(unit,), least=least, most=most)


def _rate(least: float, most: float) -> Amount:
    return Amount(what="a rate", example="4 Mbps", units=("bit/s",), least=least, most=most)


def _packets(family: str, parameter: Param) -> Amount:
    """Return the reader of a size in packets; the size of a window may be a plain number."""
    window = family == "window"
    return Amount(
        what="a number of packets" if window else "a size",
        example="2 packets" if window else "20 packets",
        units=("packet",),
        whole=False,
        least=max(parameter.min, 0.0),
        most=parameter.max,
        plain=window,
        words=(("none", -1.0),) if parameter.min < 0 else (),
    )


def _counted(parameter: Param) -> Amount:
    """Return the reader of a number of marks, or of a rate; both may be plain numbers."""
    example = 4.0 if parameter.default is None else parameter.default
    return Amount(
        what="a number" if parameter.unit == "marks" else "a rate",
        example=f"{example:g} {parameter.unit}",
        units=(parameter.unit.replace("s", "", 1),),
        whole=False,
        least=parameter.min,
        most=parameter.max,
        plain=True,
    )


def default_of(parameter: Param) -> Any:
    """Return the default of a key, or None if the law has no default."""
    default = parameter.default
    match parameter.unit:
        case _ if default is None:
            return None
        case "choice":
            return parameter.choices[int(default)]
        case "flag":
            return bool(default)
        case "unit":
            return Size(int(default), "packets")
        case "s":
            return round(default * PS_PER_S)
        case "bytes" | "bit/s" | "whole":
            return int(default)
        case _:
            return default


def _time(seconds: float) -> str:
    unit, scale = ("s", 1) if seconds >= 0.1 else ("ms", 1000)
    return f"{decimal_text(Fraction(repr(seconds)) * scale)} {unit}"
