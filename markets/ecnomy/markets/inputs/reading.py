# SPDX-License-Identifier: Apache-2.0
"""Read YAML nodes into frozen structs, and convert structs back into YAML values.

The annotations of a struct define how it is read: a plain type, a tuple, a dict, another
struct, a union of structs distinguished by their tag, or `Annotated[type, reader]` for a value with
a unit or a special form. A struct's `__post_init__` may raise Misfit if fields contradict each
other.
"""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Iterable, Mapping
from typing import Any, Final, NoReturn, Protocol, TypeVar, runtime_checkable

import msgspec

from ecnomy.agents.errors import ScenarioError
from ecnomy.agents.find import nearest
from ecnomy.markets.inputs.error_variants import add_variant
from ecnomy.markets.inputs.yamlfile import Gap, MissingKeys, Node, Place, child_path, show

__all__ = [
    "Misfit",
    "Reader",
    "expected_of",
    "fields_of",
    "known_name",
    "present",
    "read",
    "split",
    "write",
]

T = TypeVar("T")
Places = dict[str, Place]
_LONGEST_NEAR: Final = 200  # most characters that are compared with known names,
_MOST_NEAR: Final = 1000  # and most names
_MOST_LISTED: Final = 100
_PLAIN: Final[dict[type, str]] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
}


class Misfit(ValueError):
    """A field contradicts others of its struct. `key` is the field's YAML key or dotted path."""

    def __init__(self, key: str, found: str, expected: str) -> None:
        self.key, self.found, self.expected = key, found, expected
        super().__init__(f"{key}: found {found}, expected {expected}")


@runtime_checkable
class Reader(Protocol):
    """Reads and writes a value with a unit or a special form.

    A reader may have a `schema`, the JSON Schema of its values, and `forms`, the structs into which
    it reads mappings (see ecnomy.markets.reference).
    """

    @property
    def expected(self) -> str:
        """Return the expected form for messages."""

    def read(self, node: Node, path: str) -> Any:
        """Return the value of a node.

        Raises: ScenarioError: the value is invalid.
        """

    def write(self, value: Any) -> Any:
        """Return the YAML value from which `value` can be read again."""


def read(node: Node, kind: type[T], path: str, places: Places) -> T:
    """Read a node as a value of type `kind`.

    Args:
        node: the written value.
        kind: a struct or any other supported annotation.
        path: dotted path of the node, for messages.
        places: filled with the place of every value below the node, by path.

    Raises: ScenarioError: the value is invalid.
    """
    return typing.cast(T, _read(node, kind, path, places))


def known_name(given: str, known: Iterable[str]) -> str:
    """Return the known names, the most similar first, for a message about an unknown name."""
    names = list(known)
    few = len(given) <= _LONGEST_NEAR and len(names) <= _MOST_NEAR
    near = nearest(given, names) if few else ""
    others = [name for name in names if name != near]
    more = f" and {len(others) - _MOST_LISTED:,} more" if len(others) > _MOST_LISTED else ""
    listed = f"one of {', '.join(others[:_MOST_LISTED])}{more}" if others else "none"
    if len(others) == 1:
        listed = repr(others[0])
    if not near:
        return listed
    if not others:
        return repr(near)
    return f"{near!r} or {listed}" if len(others) == 1 else f"{near!r}, or {listed}"


def _read(node: Node, kind: Any, path: str, places: Places) -> Any:
    places[path] = node.place
    kind, reader = split(kind)
    if reader is not None:
        _remember(node, path, places)
        return reader.read(node, path)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple:
        return _read_list(node, arguments[0], path, places)
    if origin is dict:
        return _read_dict(node, arguments[1], path, places)
    if origin in (types.UnionType, typing.Union):
        return _read_union(node, [a for a in arguments if a is not type(None)], path, places)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _read_struct(node, kind, path, places)
    return _read_plain(node, kind, path)


def _remember(node: Node, path: str, places: Places) -> None:
    places[path] = node.place
    for key, child in node.mapping().items():
        _remember(child, child_path(path, key), places)
    for index, child in enumerate(node.items()):
        _remember(child, child_path(path, index), places)


def split(kind: Any) -> tuple[Any, Reader | None]:
    """Return the type in an annotation, and the reader in it or None."""
    if typing.get_origin(kind) is not typing.Annotated:
        return kind, None
    return kind.__origin__, next(filter(_reads, kind.__metadata__), None)


_READS: Final[dict[type, bool]] = {}  # cache: whether values of a type are readers


def _reads(extra: Any) -> bool:
    kind = type(extra)
    if kind not in _READS:
        _READS[kind] = isinstance(extra, Reader)
    return _READS[kind]


def _read_plain(node: Node, kind: type, path: str) -> Any:
    value = node.value
    if type(value) is kind:
        return value
    if kind is float and type(value) is int:
        return float(value)
    raise node.place.error(path, show(node), _PLAIN[kind])


class _Gaps:
    """Collects the missing keys of all values of a list or mapping, to report them together."""

    def __init__(self) -> None:
        self._found: list[Gap] = []
        self._notes: list[str] = []  # notes of the first error

    def read(self, node: Node, kind: Any, path: str, places: Places) -> Any:
        """Return a value, or None if keys are missing."""
        try:
            return _read(node, kind, path, places)
        except MissingKeys as error:
            if not self._found:
                self._notes = list(getattr(error, "__notes__", ()))
            self._found += error.gaps
            return None

    def refuse(self, own: Gap | None = None) -> None:
        """Raise an error if keys are missing. `own` has the missing keys of the mapping itself."""
        if own is not None and own.keys:
            raise MissingKeys([own, *self._found])
        if self._found:
            error = MissingKeys(self._found)
            for note in self._notes:
                error.add_note(note)
            raise error


def _read_list(node: Node, item: Any, path: str, places: Places) -> tuple[Any, ...]:
    if not isinstance(node.value, list):
        raise node.place.error(path, show(node), "a list, whose items begin with '- '")
    gaps = _Gaps()
    entries = enumerate(node.value)
    elements = tuple(gaps.read(child, item, child_path(path, i), places) for i, child in entries)
    gaps.refuse()
    return elements


def _read_dict(node: Node, item: Any, path: str, places: Places) -> dict[str, Any]:
    if not isinstance(node.value, dict):
        raise node.place.error(path, show(node), "a mapping of names")
    gaps = _Gaps()
    entries = node.value.items()
    fields = {key: gaps.read(child, item, child_path(path, key), places) for key, child in entries}
    gaps.refuse()
    return fields


def _read_union(node: Node, kinds: list[Any], path: str, places: Places) -> Any:
    if len(kinds) == 1:
        return _read(node, kinds[0], path, places)
    choices = {kind.__struct_config__.tag: kind for kind in kinds}
    selector = kinds[0].__struct_config__.tag_field
    listed = f"one of {', '.join(choices)}"
    if not isinstance(node.value, dict):
        raise node.place.error(path, show(node), f"a mapping with {selector!r}, {listed}")
    chosen = node.value.get(selector)
    if chosen is None or chosen.value is None:
        raise node.place.missing(path, {selector: listed})
    if not isinstance(chosen.value, str) or chosen.value not in choices:
        wanted = known_name(str(chosen.value), choices)
        raise chosen.place.error(child_path(path, selector), show(chosen), wanted)
    return _read_struct(node, choices[chosen.value], path, places)


@functools.cache
def fields_of(kind: type[msgspec.Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    """Return the fields of a struct by their keys in YAML."""
    return {field.encode_name: field for field in msgspec.structs.fields(kind)}


def _read_struct(node: Node, kind: type[msgspec.Struct], path: str, places: Places) -> Any:
    try:
        return _read_fields(node, kind, path, places)
    except ScenarioError as error:
        config = kind.__struct_config__
        if config.tag_field:
            add_variant(error, config.tag_field, str(config.tag))
        raise


def _read_fields(node: Node, kind: type[msgspec.Struct], path: str, places: Places) -> Any:
    fields = fields_of(kind)
    if not isinstance(node.value, dict):
        raise node.place.error(path, show(node), f"a mapping with {', '.join(fields)}")
    selector = kind.__struct_config__.tag_field
    getattr(kind, "before_reading", _nothing)(node, path)
    values, gaps = {}, _Gaps()
    for key, child in node.value.items():
        if key == selector:
            places[child_path(path, key)] = child.place
            continue
        if key not in fields:
            _refuse_key(node, key, list(fields), path)
        if child.value is not None:
            here = child_path(path, key)
            values[fields[key].name] = gaps.read(child, fields[key].type, here, places)
    missing = {
        key: expected_of(field.type)
        for key, field in fields.items()
        if field.required and field.name not in values
    }
    if missing:
        better = getattr(kind, "expected_beside", _as_declared)(values)
        missing = {key: better.get(key, words) for key, words in missing.items()}
    gaps.refuse(Gap(node.place, path, missing, node.meant))
    try:
        return kind(**values)
    except Misfit as misfit:
        here = f"{path}.{misfit.key}" if path else misfit.key
        place = places.get(here, node.place)
        raise place.error(here, misfit.found, misfit.expected) from None


def _nothing(node: Node, path: str) -> None:
    pass


def _as_declared(values: Mapping[str, Any]) -> dict[str, str]:
    return {}


def _refuse_key(node: Node, key: str, known: list[str], path: str) -> NoReturn:
    place = node.keys.get(key, node.place)
    here = child_path(path, key)
    raise place.error(here, f"the unknown key {key[:60]!r}", known_name(key, known))


def expected_of(kind: Any) -> str:
    """Return the expected form of a value of this type, for messages about a missing value."""
    kind, reader = split(kind)
    if reader is not None:
        return reader.expected
    if kind in _PLAIN:
        return _PLAIN[kind]
    if typing.get_origin(kind) in (types.UnionType, typing.Union):
        one = next(a for a in typing.get_args(kind) if a is not type(None)).__struct_config__
        return f"a mapping such as {{{one.tag_field}: {one.tag}}}" if one.tag else "a mapping"
    if typing.get_origin(kind) is not tuple:
        return "a mapping"
    item = split(typing.get_args(kind)[0])[0]
    if not (isinstance(item, type) and issubclass(item, msgspec.Struct)):
        return "a list"
    first = [key for key, field in fields_of(item).items() if field.required]
    return f"a list of mappings with {', '.join(first)}, ..." if first else "a list of mappings"


def write(value: Any, kind: Any = None, *, given: bool = False) -> Any:
    """Return the plain YAML (or JSON) value from which `value` can be read again.

    Args:
        value: the value, as returned by `read`.
        kind: annotation of the value.
        given: whether to omit default values; if not, all defaults are filled in.
    """
    kind = present(kind)
    reader = split(kind)[1] if kind is not None else None
    if reader is not None:
        return reader.write(value)
    if isinstance(value, msgspec.Struct):
        return _write_struct(value, given)
    if isinstance(value, tuple):
        inner = typing.get_args(kind)
        return [write(item, inner[0] if inner else None, given=given) for item in value]
    if isinstance(value, dict):
        return {key: write(item, given=given) for key, item in value.items()}
    return value


def present(kind: Any) -> Any:
    """Return the type in an optional annotation, without None."""
    if typing.get_origin(kind) not in (types.UnionType, typing.Union):
        return kind
    rest = [a for a in typing.get_args(kind) if a is not type(None)]
    return rest[0] if len(rest) == 1 else kind


def _write_struct(value: msgspec.Struct, given: bool) -> dict[str, Any]:
    config = value.__struct_config__
    result: dict[str, Any] = {config.tag_field: config.tag} if config.tag_field else {}
    for key, field in fields_of(type(value)).items():
        item = getattr(value, field.name)
        if item is not None and not (given and _is_default(item, field)):
            result[key] = write(item, field.type, given=given)
    return result


def _is_default(item: Any, field: msgspec.structs.FieldInfo) -> bool:
    if field.default_factory is not msgspec.NODEFAULT:
        return bool(item == field.default_factory())
    return field.default is not msgspec.NODEFAULT and bool(item == field.default)
