# SPDX-License-Identifier: Apache-2.0
"""Builds a JSON Schema (draft 7) of scenario files, so that editors can complete and check YAML.

A schema cannot check whether names exist, and cannot compare values. It checks units by patterns,
which are derived from the registry of units (inputs/units.py). A file that `extends` another file
may omit any key, so only the keys that it has are checked. The marking of a link may omit `law`
(scenario/shared_marking.py).
"""

from __future__ import annotations

import types
import typing
from typing import Any, Final

import msgspec

from ecnomy.markets.inputs.reading import Reader, fields_of, present, split
from ecnomy.markets.reference.agent_schema import OWN, Schema, role_rules, strategy_schema
from ecnomy.markets.reference.class_entries import role_entries
from ecnomy.markets.reference.samples import members
from ecnomy.markets.reference.sentences import about, first_sentence, law_of
from ecnomy.markets.scenario.document import AgentEntry, Document
from ecnomy.markets.scenario.marking import Marking
from ecnomy.markets.scenario.parameters import StrategyReader
from ecnomy.markets.scenario.role import RoleReader
from ecnomy.markets.scenario.tariff_reader import TariffReader
from ecnomy.markets.terms.tariffs import Own

__all__ = ["DRAFT", "Schema", "scenario_schema", "struct_schema"]

_LONG: Final = 100  # characters of a pattern
DRAFT: Final = "http://json-schema.org/draft-07/schema#"
_PLAIN: Final = {bool: "boolean", int: "integer", float: "number", str: "string"}


def scenario_schema() -> Schema:
    """Return the schema of a scenario file."""
    whole, partial = _Made(partial=False), _Made(partial=True)
    roots = [made.reference(Document) for made in (whole, partial)]
    choice = {"if": {"required": ["extends"]}, "then": roots[1], "else": roots[0]}
    head = {"$schema": DRAFT, "title": "ecnomy scenario", "type": "object"}
    return _shared(head | choice | {"definitions": whole.found | partial.found})


def struct_schema(kind: type[msgspec.Struct], title: str) -> Schema:
    """Return the schema of a file that is read as this struct."""
    made = _Made(partial=False)
    head = {"$schema": DRAFT, "title": title}
    return _shared(head | {"allOf": [made.reference(kind)]} | {"definitions": made.found})


def _shared(schema: Schema) -> Schema:
    """Return the schema with one definition for each long pattern, instead of its copies."""
    pattern_names: dict[str, str] = {}

    def walk(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [walk(item) for item in value]
        if not isinstance(value, dict):
            return value
        text = value.get("pattern", "")
        if not isinstance(text, str) or len(text) < _LONG:
            return {key: walk(item) for key, item in value.items()}
        name = pattern_names.setdefault(text, f"quantity.{len(pattern_names) + 1}")
        one = {"$ref": f"#/definitions/{name}"}
        rest = {key: item for key, item in value.items() if key not in ("type", "pattern")}
        return rest | {"allOf": [one]} if rest else one  # keys beside "$ref" are ignored

    made: Schema = walk(schema)
    for text, name in pattern_names.items():
        made["definitions"][name] = {"type": "string", "pattern": text}
    return made


class _Made:
    """Definitions of structs by name. With `partial`, no key is required and null is accepted."""

    def __init__(self, *, partial: bool) -> None:
        self.found: dict[str, Schema] = {}
        self._partial = partial

    def reference(self, kind: type[msgspec.Struct]) -> Schema:
        """Return a reference to the definition of a struct."""
        name = f"{kind.__module__.rpartition('.')[2]}.{kind.__name__}"
        name = f"{name}.partial" if self._partial else name
        if name not in self.found:
            self.found[name] = {}
            self.found[name] = self._struct(kind)
        return {"$ref": f"#/definitions/{name}"}

    def _struct(self, kind: type[msgspec.Struct]) -> Schema:
        config, fields = kind.__struct_config__, fields_of(kind)
        law = law_of(kind)
        properties = {key: self._key(kind, field) for key, field in fields.items()}
        if config.tag_field:
            properties[str(config.tag_field)] = {"const": str(config.tag)}
        if kind is Document:
            properties["extends"] = {"type": "string"}
        required = [key for key, field in fields.items() if field.required]
        made: Schema = {
            "description": law.about if law else first_sentence(kind.__doc__),
            "type": "object",
            "properties": properties,
            "additionalProperties": False,
        }
        if self._partial:
            return made
        rules = [*getattr(kind, "schema_rules", ()), *(role_rules() if kind is AgentEntry else ())]
        made |= {"allOf": rules} if rules else {}
        return made | ({"required": required} if required else {})

    def _key(self, kind: type[msgspec.Struct], field: msgspec.structs.FieldInfo) -> Schema:
        value = self._value(field.type)
        if self._partial or not field.required:
            value = {"anyOf": [value, {"type": "null"}]}
        elif "$ref" in value:  # keys beside "$ref" are ignored
            value = {"allOf": [value]}
        return {"description": about(kind, field.name), **value}

    def _value(self, kind: Any) -> Schema:
        inner, reader = split(present(kind))
        if reader is not None:
            return self._read(reader)
        origin, arguments = typing.get_origin(inner), typing.get_args(inner)
        if origin is tuple:
            return {"type": "array", "items": self._value(arguments[0])}
        if origin is dict:
            values = self._value(arguments[1])
            values = {"anyOf": [values, {"type": "null"}]} if self._partial else values
            return {"type": "object", "additionalProperties": values}
        if origin in (types.UnionType, typing.Union):
            free = members(inner) == members(Marking)
            return self._union(members(inner), free=free or self._partial)
        if issubclass(inner, msgspec.Struct):
            return self.reference(inner)
        return {"type": _PLAIN[inner]}

    def _union(self, kinds: list[type[msgspec.Struct]], *, free: bool, own: bool = False) -> Schema:
        """Return the schema of a union. The tag may be missing (`free`) or name a class (`own`)."""
        key = str(kinds[0].__struct_config__.tag_field)
        own = own or Own in kinds
        kinds = [kind for kind in kinds if kind is not Own]
        tags = {str(kind.__struct_config__.tag): self.reference(kind) for kind in kinds}
        words: Schema = {"enum": list(tags)}
        if own:
            words = {"anyOf": [words, OWN]}
        made: Schema = {"type": "object", "properties": {key: words}}
        made["allOf"] = [
            {"if": {"properties": {key: {"const": tag}}, "required": [key]}, "then": then}
            for tag, then in tags.items()
        ]
        if not free:
            return made | {"required": [key]}
        names = sorted({name for kind in kinds for name in fields_of(kind)})
        made["allOf"].append(
            {"if": {"not": {"required": [key]}}, "then": {"propertyNames": {"enum": names}}}
        )
        return made

    def _read(self, reader: Reader) -> Schema:
        if isinstance(reader, StrategyReader):
            name = "strategy.partial" if self._partial else "strategy"
            if name not in self.found:
                self.found[name] = strategy_schema(partial=self._partial)
            return {"$ref": f"#/definitions/{name}"}
        if isinstance(reader, RoleReader):
            words = {"enum": [one.name for one in role_entries()]}
            terms = {"type": "object", "required": ["kind"]}
            return {"anyOf": [words, OWN, terms]}
        forms = list(getattr(reader, "forms", ()))
        if isinstance(reader, TariffReader):
            return self._union(forms, free=self._partial, own=True)
        plain: Schema = getattr(reader, "schema", {})
        return {"anyOf": [plain, *map(self.reference, forms)]} if forms else plain
