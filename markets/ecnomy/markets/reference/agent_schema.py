# SPDX-License-Identifier: Apache-2.0
"""Builds JSON Schemas (draft 7) of strategies by kind, and of agents' keys by role.

The field of a parameter determines its type and unit. The docstring determines the range of a plain
number, as in `[from 0 to 1]`. The preset of a role determines the keys of its agents.
"""

from __future__ import annotations

import re
from typing import Any, Final

from ecnomy.agents.roles.find import ROLES
from ecnomy.markets.inputs.amounts import quantity_schema
from ecnomy.markets.inputs.schema_rules import EMPTY, at_least_one
from ecnomy.markets.reference.class_entries import strategy_entries
from ecnomy.markets.reference.sentences import attributes
from ecnomy.markets.scenario.document import TAKEN
from ecnomy.markets.scenario.parameters import Field, declared

__all__ = ["OWN", "role_rules", "strategy_schema"]

Schema = dict[str, Any]
OWN: Final[Schema] = {"type": "string", "pattern": ":"}  # a custom class, module:Class
_PLAIN: Final = {bool: "boolean", int: "integer", float: "number", str: "string"}
_RANGE: Final = re.compile(  # a bound in `` is the value of another parameter
    r"\[(from|above) (\S+?)(?:(?: to|, up to|, (below)) (\S+))?\]\.$"
)


def strategy_schema(*, partial: bool) -> Schema:
    """Return the schema of strategies of all kinds. With `partial`, parameters may be omitted."""
    from ecnomy.agents.strategies import find

    kinds = _kinds()
    words = {"anyOf": [{"enum": kinds}, OWN]}
    made: Schema = {"type": "object", "properties": {"kind": words}}
    made["allOf"] = [_when(kind, _parameters(find(kind), partial=partial)) for kind in kinds]
    return made if partial else made | {"required": ["kind"]}


def role_rules() -> list[Schema]:
    """Return a rule for each role: excluded keys, required keys and suitable strategies."""
    from ecnomy.agents.roles.fitting import wanted_instead

    kinds, rules = _kinds(), []
    for role, preset in ROLES.items():
        fitting = {"enum": [kind for kind in kinds if not wanted_instead(kind, role)]}
        strategy = {"properties": {"kind": {"anyOf": [fitting, OWN]}}}
        properties = {key: EMPTY for key in TAKEN if key not in preset.takes}
        then: Schema = {"properties": properties | {"strategy": strategy}}
        then["allOf"] = [at_least_one(key, "tariffs", "elastic") for key in preset.needs]
        then = then if preset.needs else {"properties": then["properties"]}
        rules.append(_when(role, then, "role"))
    return rules


def _kinds() -> list[str]:
    return [one.name for one in strategy_entries() if one.variant and len(one.within) == 1]


def _when(word: str, then: Schema, key: str = "kind") -> Schema:
    """Return the schema of mappings that match `then` if `key` has the value `word`."""
    return {"if": {"properties": {key: {"const": word}}, "required": [key]}, "then": then}


def _parameters(cls: type, *, partial: bool) -> Schema:
    fields, about = declared(cls), attributes(cls)
    keys: dict[str, Schema] = {"kind": {}}
    for name, field in fields.items():
        value = _parameter(field, about.get(name, ""), partial=partial)
        value = {"anyOf": [value, {"type": "null"}]} if partial else value
        keys[name] = {"description": about.get(name, ""), **value}
    made: Schema = {"properties": keys, "additionalProperties": False}
    required = [name for name, field in fields.items() if field.required]
    return made | ({"required": required} if required and not partial else {})


def _parameter(field: Field, about: str, *, partial: bool) -> Schema:
    if field.strategies:
        return {"type": "object", "minProperties": 1}
    if field.forms:
        words: Schema = {"type": "string"} if field.find else {"enum": list(field.forms)}
        forms = [
            _when(kind, _parameters(cls, partial=partial)) for kind, cls in field.forms.items()
        ]
        made: Schema = {"type": "object", "properties": {"kind": words}, "allOf": forms}
        return made if partial else made | {"required": ["kind"]}
    if field.by_time:
        times = quantity_schema(("s",), signed=True)
        amount: Schema = quantity_schema((field.unit,), signed=True)
        amount = {"anyOf": [amount, {"type": "null"}]} if partial else amount
        made = {"type": "object", "propertyNames": times, "additionalProperties": amount}
        return made | {"minProperties": 1}
    if field.unit:
        return quantity_schema((field.unit,), signed=True)
    if field.kind not in _PLAIN:
        return {}
    return {"type": _PLAIN[field.kind], **(_range(about) if field.kind in (int, float) else {})}


def _range(about: str) -> Schema:
    """Return the bounds at the end of a sentence, except bounds that are other parameters."""
    match = _RANGE.search(about)
    if match is None:
        return {}
    bounds: Schema = {}
    if match[2][0] != "`":
        bounds["minimum" if match[1] == "from" else "exclusiveMinimum"] = _number(match[2])
    if match[4] and match[4][0] != "`":
        bounds["exclusiveMaximum" if match[3] else "maximum"] = _number(match[4])
    return bounds


def _number(text: str) -> float:
    return float(text.replace(",", ""))
