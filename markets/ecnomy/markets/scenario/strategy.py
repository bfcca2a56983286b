# SPDX-License-Identifier: Apache-2.0
"""What users write under `strategy:`: a kind, and the parameters that its class declares.

A strategy is a dataclass. A field annotated `Annotated[float, Unit("s")]` takes a quantity, which
is handed over in that unit; plain float, int, bool and str are taken as they are; a field annotated
with OneOf takes a mapping with `kind` and the parameters of that kind. The strategy is made once
for trial, so that a value it refuses is a fault of the scenario, with its place.
"""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Mapping
from typing import Any, Final, NoReturn

import msgspec

from ecnomy.agents.errors import EcnomyError
from ecnomy.agents.spec import Params, StrategySpec, Value
from ecnomy.markets.inputs import units
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.inputs.yamlfile import Node, child_path, show

__all__ = ["StrategyReader"]

_PLAIN: Final[dict[Any, str]] = {
    float: "a number",
    int: "a whole number",
    bool: "true or false",
    str: "text",
}


class _Field(msgspec.Struct, frozen=True):
    """A parameter of a strategy: its type, its unit ("" for none), whether it has a default.

    `forms` are the dataclasses that a mapping with `kind` may name, by that name.
    """

    kind: Any
    unit: str
    required: bool
    forms: Mapping[str, type] = {}


class StrategyReader(msgspec.Struct, frozen=True):
    """Reads a strategy and its parameters, which only its class knows."""

    @property
    def expected(self) -> str:
        """The form."""
        return "a strategy such as {kind: qos-knob, patience: 10 s}"

    def read(self, node: Node, path: str) -> StrategySpec:
        """See Reader."""
        given = node.mapping()
        kind = given.get("kind")
        if not isinstance(node.value, dict):
            raise node.place.error(path, show(node), self.expected)
        if kind is None or not isinstance(kind.value, str):
            here = child_path(path, "kind")
            place = kind.place if kind else node.place
            found = show(kind) if kind else "no 'kind'"
            raise place.error(here, found, "the name of a strategy")
        fields = self._fields_of(kind, kind.value, child_path(path, "kind"))
        params = _params(node, fields, path)
        _try(kind.value, params, node, path)
        return StrategySpec(kind=kind.value, params=params)

    @staticmethod
    def _fields_of(node: Node, kind: str, path: str) -> dict[str, _Field]:
        try:
            return _fields(kind)
        except EcnomyError as error:
            reason = " ".join(str(error).split())
            raise node.place.error(path, show(node), f"a strategy ({reason})") from None

    def write(self, value: StrategySpec) -> dict[str, Any]:
        """See Reader."""
        return {"kind": value.kind, **_written(value.params, _fields(value.kind))}


def _params(node: Node, fields: dict[str, _Field], path: str) -> Params:
    params: Params = {}
    for key, child in node.mapping().items():
        if key != "kind":
            if key not in fields:
                _refuse(node, key, fields, path)
            params[key] = _value(child, fields[key], child_path(path, key))
    for key, field in fields.items():
        if field.required and key not in params:
            raise node.place.error(child_path(path, key), f"no {key!r}", _expected(field))
    return params


def _try(kind: str, params: Params, node: Node, path: str) -> None:
    from ecnomy.agents.parameters import Refused
    from ecnomy.agents.strategies import make

    try:
        make(kind, params)
    except EcnomyError as error:
        cause = error.__cause__
        if not isinstance(cause, Refused):
            reason = " ".join(str(error).split())
            raise node.place.error(path, reason, "parameters that it takes") from None
        place, at = node.place, node
        for key in cause.key.split("."):
            at = at.mapping().get(key, at)
            place = at.place
        raise place.error(f"{path}.{cause.key}", cause.found, cause.expected) from None


def _written(params: Mapping[str, Any], fields: dict[str, _Field]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, param in params.items():
        field = fields[key]
        if field.forms:
            form = param["kind"]
            rest = {name: value for name, value in param.items() if name != "kind"}
            result[key] = {"kind": form, **_written(rest, _declared(field.forms[form]))}
        else:
            result[key] = f"{param!r} {field.unit}" if field.unit else param
    return result


def _fields(kind: str) -> dict[str, _Field]:
    from ecnomy.agents.strategies import find

    return _declared(find(kind))


def _declared(cls: type) -> dict[str, _Field]:
    if not dataclasses.is_dataclass(cls):
        return {}
    hints = typing.get_type_hints(cls, include_extras=True)
    return {f.name: _field(f, hints[f.name]) for f in dataclasses.fields(cls) if f.init}


def _field(field: dataclasses.Field[Any], hint: Any) -> _Field:
    from ecnomy.agents.parameters import OneOf, Unit

    unit, forms = "", {}
    if typing.get_origin(hint) is typing.Annotated:
        hint, *extras = typing.get_args(hint)
        unit = next((extra.name for extra in extras if isinstance(extra, Unit)), "")
        forms = next((dict(extra.kinds) for extra in extras if isinstance(extra, OneOf)), {})
    missing = dataclasses.MISSING
    required = field.default is missing and field.default_factory is missing
    return _Field(hint, unit, required, forms)


def _refuse(node: Node, key: str, fields: dict[str, _Field], path: str) -> NoReturn:
    place = node.keys.get(key, node.place)
    found = f"the unknown parameter {key[:60]!r}"
    raise place.error(child_path(path, key), found, known_name(key, fields))


def _expected(field: _Field) -> str:
    if field.forms:
        return f"a mapping with 'kind', one of {', '.join(field.forms)}"
    if field.unit:
        return f"a quantity in {field.unit}"
    return _PLAIN.get(field.kind, "a parameter that YAML can give")


def _form(node: Node, field: _Field, path: str) -> dict[str, Value]:
    given = node.mapping().get("kind")
    if given is None:
        raise node.place.error(path, show(node), _expected(field))
    if not isinstance(given.value, str) or given.value not in field.forms:
        wanted = known_name(str(given.value), field.forms)
        raise given.place.error(child_path(path, "kind"), show(given), wanted)
    inner = _params(node, _declared(field.forms[given.value]), path)
    return {"kind": given.value, **typing.cast(dict[str, Value], inner)}


def _value(node: Node, field: _Field, path: str) -> Value | dict[str, Value]:
    if field.forms:
        return _form(node, field, path)
    if field.unit:
        return _quantity(node, field, path)
    if field.kind is float and type(node.value) in (int, float):
        return float(units.number(node.text))
    if field.kind in _PLAIN and type(node.value) is field.kind:
        return typing.cast(Value, node.value)
    raise node.place.error(path, show(node), _expected(field))


def _quantity(node: Node, field: _Field, path: str) -> float | int:
    if not isinstance(node.value, str):
        raise node.place.error(path, show(node), _expected(field))
    try:
        exact = units.quantity(node.value, field.unit)
        value = float(exact)
    except units.UnitError as error:
        raise node.place.error(path, f"{show(node)} ({error})", _expected(field)) from None
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise node.place.error(path, show(node), f"a finite {_expected(field)[2:]}")
    if field.kind is int:
        if exact.denominator != 1:
            raise node.place.error(path, show(node), f"whole multiples of {field.unit}")
        return int(exact)
    return value
