# SPDX-License-Identifier: Apache-2.0
"""The laws of engines, with their descriptions, traits and parameters.

laws.json holds the output of `ecnomy-engine describe`, which comes from the C++ headers under
omnet/laws. omnet/tools/law_tables.py writes the file, and a test compares it with the output.
"""

from __future__ import annotations

import ast
import functools
import math
import operator
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

__all__ = [
    "MARKING",
    "DefaultWhere",
    "LawEntry",
    "Param",
    "law_table",
    "param",
    "trait_value",
    "weights",
    "with_trait",
]

_OPERATIONS: Final[Mapping[type[ast.operator], Callable[[float, float], float]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
_FILE: Final = Path(__file__).with_name("laws.json")


class Param(msgspec.Struct, frozen=True):
    """A parameter of a law.

    `unit` is a unit such as "s"; "" or "whole" for a number; "unit" for packets or bytes; "flag";
    or "choice". `key` is the YAML key: the name without the unit. If the default is None, the value
    is required, or computed from other values (such as an interval from a rate).
    """

    name: str
    key: str
    unit: str
    default: float | None
    min: float
    max: float
    choices: tuple[str, ...] = ()
    about: str = ""


class DefaultWhere(msgspec.Struct, frozen=True):
    """The default of `parameter` if the choice `where` is `value`."""

    parameter: str
    where: str
    value: str
    default: float


class LawEntry(msgspec.Struct, frozen=True):
    """A law: its description, source (paper and equation, RFC), traits, and parameters in order.

    Each pair in `at_least` states that the first parameter is at least the second.
    """

    about: str
    source: str
    traits: dict[str, Any]
    parameters: tuple[Param, ...]
    at_least: tuple[tuple[str, str], ...] = ()
    defaults_where: tuple[DefaultWhere, ...] | msgspec.UnsetType = msgspec.UNSET

    def named(self, name: str) -> Param:
        """Return the parameter of this name (KeyError if it does not exist)."""
        return {one.name: one for one in self.parameters}[name]

    def default(self, parameter: Param, values: Mapping[str, float | str]) -> float | None:
        """Return the default of a parameter, given the values of other parameters."""
        for one in self.defaults_where or ():
            if one.parameter == parameter.name and self._is(one, values):
                return one.default
        return parameter.default

    def _is(self, one: DefaultWhere, values: Mapping[str, float | str]) -> bool:
        choice = next(p for p in self.parameters if p.name == one.where)
        return values.get(one.where) in (one.value, choice.choices.index(one.value))


@functools.cache
def law_table() -> dict[str, dict[str, LawEntry]]:
    """Return all laws of `ecnomy-engine describe`: kind -> law -> entry.

    Kinds are marking, window, traffic, part, scheduling and service.
    """
    return msgspec.json.decode(_FILE.read_bytes(), type=dict[str, dict[str, LawEntry]])


@functools.cache
def param(kind: str, name: str, parameter: str) -> Param:
    """Return a parameter of a law (KeyError if it does not exist)."""
    return {entry.name: entry for entry in law_table()[kind][name].parameters}[parameter]


def with_trait(kind: str, trait: str, value: object = True) -> frozenset[str]:
    """Return the laws of a kind whose trait has this value."""
    return frozenset(n for n, law in law_table()[kind].items() if law.traits[trait] == value)


def trait_value(kind: str, name: str, trait: str, values: Mapping[str, float]) -> float:
    """Evaluate a trait that is an expression of a law's parameters (marking.h); NaN for "".

    Args:
        kind: the kind of the law.
        name: the law.
        trait: name of the trait, such as ceiling with the text "slope * (1 - threshold)".
        values: the law's parameters by name; a choice is given by its index.
    """
    text = law_table()[kind][name].traits[trait]
    if not text:
        return math.nan
    of = {one.name: one for one in law_table()[kind][name].parameters}

    def value(node: ast.expr) -> float:
        match node:
            case ast.Constant(value=int() | float() as number):
                return float(number)
            case ast.Name(id=parameter):
                return values[parameter]
            case ast.BinOp(left=left, op=op, right=right):
                return _OPERATIONS[type(op)](value(left), value(right))
            case ast.Compare(
                left=ast.Name(id=parameter), ops=[ast.Eq()], comparators=[ast.Name(id=choice)]
            ):
                return float(values[parameter] == of[parameter].choices.index(choice))
        raise ValueError(
            f"{kind} law {name}: {trait} is {text!r}, expected sums, differences and products of "
            "numbers and parameters, or `parameter == choice`"
        )

    return value(ast.parse(text, mode="eval").body)


@functools.cache
def weights() -> Mapping[str, tuple[tuple[str, ...], float]]:
    """Return the window laws with a weight that an agent may choose.

    Returns:
        {law: (parameters whose product is the initial weight, least weight)}, sorted by name.
    """
    return {
        name: (names := tuple(law.traits["weight"].split(",")), param("window", name, names[0]).min)
        for name, law in sorted(law_table()["window"].items())
        if law.traits["weight"]
    }


MARKING: Final = {name: law.parameters for name, law in law_table()["marking"].items()}
