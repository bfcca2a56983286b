# SPDX-License-Identifier: Apache-2.0
"""Read and write the parameters that strategies and custom classes declare.

The class must be a dataclass. The annotation of a field determines its form in YAML:

- `Annotated[float, Unit("s")]` is a quantity, converted to that unit.
- Plain float, int, bool and str are read without a unit; `float | None` may be omitted.
- OneOf is a mapping with `kind` and the parameters of that kind. The kind may be a custom class
that OneOf can find.
- ByTime is a mapping from times to quantities.

Reading makes a trial object. If its class refuses a value, the error names the value's place in the
scenario.
"""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Callable, Mapping
from typing import Any, Final, NoReturn

import msgspec

from ecnomy.agents.errors import EcnomyError, ScenarioError
from ecnomy.agents.spec import Params, StrategySpec, Value
from ecnomy.markets.inputs import units
from ecnomy.markets.inputs.amounts import number_in
from ecnomy.markets.inputs.error_variants import add_variant
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.inputs.yamlfile import Node, child_path, show

__all__ = [
    "Field",
    "StrategyReader",
    "declared",
    "expected_of_field",
    "read_params",
    "write_params",
]

_PLAIN: Final[dict[Any, str]] = {
    float: "a number",
    int: "a whole number",
    bool: "true or false",
    str: "text",
}


class Field(msgspec.Struct, frozen=True):
    """A parameter with its type, unit ("" if it has none), and default if it is optional.

    `forms` maps the names that `kind` may have to their dataclasses. `find` returns a class for any
    other name.
    """

    kind: Any
    unit: str
    required: bool
    forms: Mapping[str, type] = {}
    find: Callable[[str], type] | None = None
    default: Any = None
    strategies: bool = False
    by_time: bool = False


def read_params(node: Node, path: str, cls: type, trial: Callable[[str, Params], object]) -> Params:
    """Read the parameters of a class from a mapping whose key `kind` names the class.

    Args:
        node: the written value.
        path: dotted path of the node, for messages.
        cls: the class.
        trial: function that makes an object from a kind and its parameters.

    Raises:
        ScenarioError: a parameter is unknown, missing, refused, or has the wrong type or unit.
    """
    kind = node.mapping()["kind"]
    try:
        fields = declared(cls)
    except Exception as error:  # custom annotations may name missing objects
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        here = child_path(path, "kind")
        wanted = f"a class with readable annotations ({reason})"
        raise kind.place.error(here, show(kind), wanted) from None
    others = [key for key in node.mapping() if key != "kind"]
    if others and not dataclasses.is_dataclass(cls):
        found = f"{others[0][:60]!r} of {cls.__name__}, which is not a dataclass"
        wanted = "a class with @dataclass, whose fields are its parameters"
        raise node.keys[others[0]].error(child_path(path, others[0]), found, wanted)
    try:
        params = _params(node, fields, path)
        _try(trial, params, node, path)
    except ScenarioError as error:
        add_variant(error, "kind", str(kind.value))
        raise
    return params


def write_params(params: Mapping[str, Any], cls: type) -> dict[str, Any]:
    """Return the parameters as YAML values that `read_params` can read again."""
    return _written(params, declared(cls))


def _params(node: Node, fields: dict[str, Field], path: str) -> Params:
    params: Params = {}
    for key, child in node.mapping().items():
        if key != "kind":
            if key not in fields:
                _refuse(node, key, fields, path)
            params[key] = _value(child, fields[key], child_path(path, key))
    missing = {
        key: expected_of_field(field)
        for key, field in fields.items()
        if field.required and key not in params
    }
    if missing:
        raise node.place.missing(path, missing)
    return params


def _try(trial: Callable[[str, Params], object], params: Params, node: Node, path: str) -> None:
    from ecnomy.agents.parameters import Refused

    try:
        trial(str(node.mapping()["kind"].value), params)
    except EcnomyError as error:
        cause = error.__cause__
        if not isinstance(cause, Refused):
            reason = " ".join(str(error).split())
            raise node.place.error(path, reason, "parameters that it accepts") from None
        place, at = node.place, node
        for key in cause.key.split("."):
            at = at.mapping().get(key, at)
            place = at.place
        raise place.error(f"{path}.{cause.key}", cause.found, cause.expected) from None


def _written(params: Mapping[str, Any], fields: dict[str, Field]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, param in params.items():
        field = fields[key]
        if field.strategies:
            result[key] = {name: _write_strategy(one) for name, one in param.items()}
        elif field.by_time:
            result[key] = {f"{at!r} s": f"{x!r} {field.unit}" for at, x in param.items()}
        elif field.forms:
            form = param["kind"]
            rest = {name: value for name, value in param.items() if name != "kind"}
            cls = field.forms[form] if form in field.forms or not field.find else field.find(form)
            result[key] = {"kind": form, **_written(rest, declared(cls))}
        else:
            result[key] = f"{param!r} {field.unit}" if field.unit else param
    return result


def _write_strategy(given: Mapping[str, Any]) -> dict[str, Any]:
    from ecnomy.agents.strategies import find

    params = {key: value for key, value in given.items() if key != "kind"}
    return {"kind": given["kind"], **write_params(params, find(given["kind"]))}


def declared(cls: type) -> dict[str, Field]:
    """Return the parameters that a class declares, or {} if it is not a dataclass.

    Raises:
        Exception: any exception that custom annotations raise.
    """
    if not dataclasses.is_dataclass(cls):
        return {}
    hints = typing.get_type_hints(cls, include_extras=True)
    return {f.name: _field(f, hints[f.name]) for f in dataclasses.fields(cls) if f.init}


def _field(field: dataclasses.Field[Any], hint: Any) -> Field:
    from ecnomy.agents.parameters import ByTime, OneOf, Strategies, Unit

    unit, forms, find, several, by_time = "", {}, None, False, None
    if typing.get_origin(hint) is typing.Annotated:
        hint, *extras = typing.get_args(hint)
        unit = next((extra.name for extra in extras if isinstance(extra, Unit)), "")
        several = any(isinstance(extra, Strategies) for extra in extras)
        by_time = next((extra for extra in extras if isinstance(extra, ByTime)), None)
        unit = by_time.unit if by_time else unit
        choice = next((extra for extra in extras if isinstance(extra, OneOf)), None)
        if choice is not None:
            forms, find = dict(choice.kinds), choice.find
    if type(None) in typing.get_args(hint):  # `float | None`: a number, or omitted
        (hint,) = (kind for kind in typing.get_args(hint) if kind is not type(None))
    missing = dataclasses.MISSING
    required = field.default is missing and field.default_factory is missing
    default = None if field.default is missing else field.default
    return Field(hint, unit, required, forms, find, default, several, by_time is not None)


def _refuse(node: Node, key: str, fields: dict[str, Field], path: str) -> NoReturn:
    place = node.keys.get(key, node.place)
    found = f"the unknown parameter {key[:60]!r}"
    raise place.error(child_path(path, key), found, known_name(key, fields))


def expected_of_field(field: Field) -> str:
    """Return the expected form of a parameter, for messages."""
    if field.strategies:
        return "a mapping of names to strategies, such as {steady: {kind: constant-charge}}"
    if field.forms:
        return f"a mapping with 'kind', one of {', '.join(field.forms)}"
    if field.by_time:
        return (
            f"a mapping of times to quantities in {field.unit}, such as {{60 s: 0.1 {field.unit}}}"
        )
    if field.unit:
        return f"a quantity in {field.unit}, such as 2 {field.unit}"
    return _PLAIN.get(field.kind, "a parameter that can be set in YAML")


def _form(node: Node, field: Field, path: str) -> dict[str, Value]:
    given = node.mapping().get("kind")
    if given is None:
        raise node.place.error(path, show(node), expected_of_field(field))
    form = declared(_form_class(given, field, path))
    try:
        inner = _params(node, form, path)
    except ScenarioError as error:
        add_variant(error, "kind", str(given.value))
        raise
    return {"kind": str(given.value), **typing.cast(dict[str, Value], inner)}


def _form_class(given: Node, field: Field, path: str) -> type:
    if isinstance(given.value, str) and given.value in field.forms:
        return field.forms[given.value]
    wanted = known_name(str(given.value), field.forms)
    if isinstance(given.value, str) and field.find is not None:
        try:
            return field.find(given.value)
        except EcnomyError as error:
            if ":" in given.value:
                wanted = f"a class that can be used ({' '.join(str(error).split())})"
    raise given.place.error(child_path(path, "kind"), show(given), wanted)


def _value(node: Node, field: Field, path: str) -> Value | dict[str, Value]:
    if field.strategies:
        return _strategies(node, field, path)
    if field.forms:
        return _form(node, field, path)
    if field.by_time:
        return _by_time(node, field, path)
    if field.unit:
        return _quantity(node, field, path)
    if field.kind is float and type(node.value) in (int, float):
        return float(number_in(node, path, expected_of_field(field)))
    if field.kind in _PLAIN and type(node.value) is field.kind:
        return typing.cast(Value, node.value)
    raise node.place.error(path, show(node), expected_of_field(field))


def _strategies(node: Node, field: Field, path: str) -> dict[str, Any]:
    """Return the kind and parameters of each strategy, by name."""
    if not isinstance(node.value, dict) or not node.mapping():
        raise node.place.error(path, show(node), expected_of_field(field))
    strategies = {}
    for name, child in node.mapping().items():
        read = StrategyReader().read(child, child_path(path, name))
        strategies[name] = {"kind": read.kind, **read.params}
    return strategies


def _by_time(node: Node, field: Field, path: str) -> dict[Any, Any]:
    """Return the quantities by the time in seconds from which they apply, in order of time."""
    if not isinstance(node.value, dict) or not node.mapping():
        raise node.place.error(path, show(node), expected_of_field(field))
    quantities: dict[float, Value] = {}
    one = Field(float, field.unit, True)
    for key, child in node.mapping().items():
        here, place = child_path(path, key), node.keys.get(key, node.place)
        at_s = float(_quantity(Node(key, place, key), Field(float, "s", True), here))
        if at_s in quantities:
            raise place.error(here, "two values for the same time", "each time once")
        quantities[at_s] = _quantity(child, one, here)
    return dict(sorted(quantities.items()))


def _quantity(node: Node, field: Field, path: str) -> float | int:
    if not isinstance(node.value, str):
        raise node.place.error(path, show(node), expected_of_field(field))
    try:
        exact = units.quantity(node.value, field.unit)
        value = float(exact)
    except units.UnitError as error:
        raise node.place.error(path, f"{show(node)} ({error})", expected_of_field(field)) from None
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise node.place.error(path, show(node), f"a finite {expected_of_field(field)[2:]}")
    if field.kind is int:
        if exact.denominator != 1:
            raise node.place.error(path, show(node), f"whole multiples of {field.unit}")
        return int(exact)
    return value


class StrategyReader(msgspec.Struct, frozen=True):
    """Reads a strategy and the parameters that its class declares."""

    @property
    def expected(self) -> str:
        """Return the expected form."""
        return "a strategy such as {kind: qos-knob, patience: 10 s}"

    def read(self, node: Node, path: str) -> StrategySpec:
        """See Reader."""
        from ecnomy.agents.strategies import make

        given = node.mapping()
        kind = given.get("kind")
        if not isinstance(node.value, dict):
            raise node.place.error(path, show(node), self._in_form(node))
        if kind is None or not isinstance(kind.value, str):
            here = child_path(path, "kind")
            place = kind.place if kind else node.place
            found = show(kind) if kind else "no 'kind'"
            raise place.error(here, found, "the name of a strategy")
        cls = self._class_of(kind, kind.value, child_path(path, "kind"))
        return StrategySpec(kind=kind.value, params=read_params(node, path, cls, make))

    def _in_form(self, node: Node) -> str:
        """Return the expected form, with the strategy's name if only the name was written."""
        from ecnomy.agents.strategies.find import BUILT_IN

        if not isinstance(node.value, str) or node.value not in BUILT_IN:
            return self.expected
        return f"{{kind: {node.value}}}, with its parameters"

    @staticmethod
    def _class_of(node: Node, kind: str, path: str) -> type:
        from ecnomy.agents.strategies import find

        try:
            return find(kind)
        except EcnomyError as error:
            reason = " ".join(str(error).split())
            raise node.place.error(path, show(node), f"a strategy ({reason})") from None

    def write(self, value: StrategySpec) -> dict[str, Any]:
        """See Reader."""
        from ecnomy.agents.strategies import find

        return {"kind": value.kind, **write_params(value.params, find(value.kind))}
