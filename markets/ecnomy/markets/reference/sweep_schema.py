# SPDX-License-Identifier: Apache-2.0
"""Builds JSON Schemas (draft 7) of sweep files (including tournaments) and environment files.

A schema checks keys, words and numbers. It cannot check whether paths exist in the scenario, or
whether values fit them. A file that `extends` another file may omit any key.
"""

from __future__ import annotations

from collections.abc import Mapping

from ecnomy.markets.inputs.amounts import Choice
from ecnomy.markets.inputs.schema_rules import exactly_one
from ecnomy.markets.inputs.yamlfile import parse
from ecnomy.markets.reference.schema import DRAFT, Schema, struct_schema
from ecnomy.markets.reference.sweeps import sweep_keys
from ecnomy.markets.sweep.blocks import plain_tree
from ecnomy.markets.sweep.keys import TUNE, Key
from ecnomy.markets.sweep.tuning import AIMS

__all__ = ["environment_schema", "sweep_schema"]

_SWITCH = ("true", "false")


def sweep_schema() -> Schema:
    """Return the schema of a sweep file."""
    whole, part = (_mapping(sweep_keys(), whole=whole) for whole in (True, False))
    part["properties"]["extends"] = {"type": "string"}
    choice = {"if": {"required": ["extends"]}, "then": part, "else": whole}
    return {"$schema": DRAFT, "title": "ecnomy sweep", "type": "object", **choice}


def environment_schema() -> Schema:
    """Return the schema of an environment file."""
    from ecnomy.markets.rl.environment_file import EnvironmentDocument

    made = struct_schema(EnvironmentDocument, "ecnomy environment")
    [document] = (
        one for one in made["definitions"].values() if "learners" in one.get("properties", ())
    )
    document["properties"]["set"] = {"type": "object"}  # changes of the scenario
    return made


def _mapping(keys: Mapping[str, Key], *, whole: bool) -> Schema:
    """Return the schema of a mapping with these keys. A key in <> stands for any other key."""
    named = {name: _value(key, whole=whole) for name, key in keys.items() if name[0] != "<"}
    others = [_value(key, whole=whole) for name, key in keys.items() if name[0] == "<"]
    required = [name for name in named if keys[name].default is None]
    made: Schema = {"type": "object", "properties": named}
    made["additionalProperties"] = others[0] if others else False
    if not whole:
        return made
    made |= {"allOf": [exactly_one(*AIMS)]} if keys is TUNE else {}
    return made | ({"required": required} if required else {})


def _value(key: Key, *, whole: bool) -> Schema:
    about = {"description": f"{key.about} {key.note}".strip()}
    forms: list[Schema] = [_mapping(key.below, whole=whole)] if key.below else []
    if isinstance(key.form, str):
        only = key.form.startswith(("{", "a mapping")) or not key.form
        plain = [] if key.below and only else [_plain(key, only=only)]
        forms += plain
        if key.many:
            forms += [{"type": "array", "minItems": 1, "items": one} for one in plain]
    elif isinstance(key.form, Choice) and key.form.words == _SWITCH:
        forms.append({"type": "boolean"})
    else:
        one, example = key.form.schema, parse(key.example, "").value
        if isinstance(example, dict):
            forms.append({"type": "object", "additionalProperties": one})
        elif key.many or isinstance(example, list):
            forms += [one, {"type": "array", "items": one}]
        else:
            forms.append(one)
    return about | (forms[0] if len(forms) == 1 else {"anyOf": forms})


def _plain(key: Key, *, only: bool) -> Schema:
    """Return the schema of a value whose form is in words, as far as its example shows the form."""
    value = plain_tree(parse(key.example, ""))
    if key.form == key.example:
        return {"const": value}
    if isinstance(value, list):
        return {"type": "array", "minItems": 1}
    if not isinstance(value, dict):
        return {"type": ["string", "number"]}
    if only and all(isinstance(values, list) for values in value.values()):
        listed: Schema = {"type": "array", "minItems": 1}
        return {"type": "object", "additionalProperties": {"anyOf": [listed, {"type": "object"}]}}
    return {"type": "object"} if only else {}
