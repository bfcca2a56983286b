# SPDX-License-Identifier: Apache-2.0
"""Derives the entries of the reference from the structs of a scenario."""

from __future__ import annotations

import functools
import re
import types
import typing
from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec.structs import FieldInfo

from ecnomy.agents.errors import EcnomyError
from ecnomy.agents.roles.find import ROLES
from ecnomy.agents.roles.preset import CARRIES_FILES
from ecnomy.markets.inputs import reading
from ecnomy.markets.inputs.amounts import Choice, Number
from ecnomy.markets.inputs.reading import Reader, fields_of, present, split
from ecnomy.markets.inputs.yamlfile import parse
from ecnomy.markets.reference.class_entries import role_entries, strategy_entries
from ecnomy.markets.reference.entry import Entry, below
from ecnomy.markets.reference.samples import (
    example_of,
    in_yaml,
    key_sample,
    members,
    wanted,
    whole_sample,
)
from ecnomy.markets.reference.sentences import about, class_note, first_sentence, law_of, note
from ecnomy.markets.scenario.call_tariff import CallTariffRow, ElasticRow
from ecnomy.markets.scenario.document import AgentEntry, Document
from ecnomy.markets.scenario.header_queues import HeaderQueues
from ecnomy.markets.scenario.parameters import StrategyReader
from ecnomy.markets.scenario.role import RoleReader

__all__ = ["scenario_entries", "struct_entries"]

_REFERS: Final = re.compile(r"\bthe paper\b|\((?:Eq|Fig)\. ")
_OWN: Final = "own"  # tag of a custom tariff, which is not a word in YAML


@functools.cache
def scenario_entries() -> tuple[Entry, ...]:
    """Return the entries of a scenario file."""
    extends = Entry(
        path="extends",
        name="extends",
        about="Base scenario; the keys of this file override its keys.",
        takes="the path of another scenario",
        example="extends: gold-silver.yaml",
    )
    return (extends, *struct_entries(Document))


@functools.cache
def struct_entries(kind: type[msgspec.Struct]) -> tuple[Entry, ...]:
    """Return the entries of a mapping's keys and of all keys below. Paths begin at the mapping."""
    made = _made(kind)
    entries: list[Entry] = []
    for key, field in fields_of(kind).items():
        value = None
        if not field.required:
            value = _default(field)
            if value is None and key not in example_of(kind):
                value = getattr(made, field.name, None)
                if value is None and isinstance(made, HeaderQueues):
                    value = made.implied(key)
        default = None if field.required else _text(value, field.type)
        shown = key_sample(kind, key, field.type, default or "")
        entries.append(
            Entry(
                path=key,
                name=key,
                about=about(kind, field.name),
                note=_note(kind, field),
                roles=_roles_with(key) if kind is AgentEntry else (),
                takes=wanted(field.type),
                default=default,
                choices=_choices(field.type),
                example=f"{key}: {shown}",
                whole=whole_sample(kind, key, shown) if kind.__struct_config__.tag_field else "",
            )
        )
        roles = entries[-1].roles
        owner = _owner_of_row(kind)
        for one in below(_inside(field.type), key):
            if owner and key == "strategy" and one.roles and owner not in one.roles:
                continue  # a strategy of other agents
            entries.append(msgspec.structs.replace(one, roles=one.roles or roles))
    return tuple(entries)


def _note(kind: type[msgspec.Struct], field: FieldInfo) -> str:
    written = note(kind, field.name) or _by_auto(field.type)
    return f"{written} {_of_reader(field.type)}".strip()


def _by_auto(kind: Any) -> str:
    reader = split(present(kind))[1]
    calculated = (
        "calculated from the capacities and round trips, and from the weights of REM sources"
    )
    return (
        f"auto: {calculated}, which it needs." if isinstance(reader, Number) and reader.auto else ""
    )


def _of_reader(kind: Any) -> str:
    """Return the note of a key's reader, such as the names of quantities."""
    return str(getattr(split(present(kind))[1], "note", ""))


def _owner_of_row(kind: type[msgspec.Struct]) -> str:
    """Return the role that the strategy in a row of `tariffs` or `elastic` must suit, or ""."""
    if kind is ElasticRow:
        return CARRIES_FILES
    return _roles_with("tariffs")[0] if kind is CallTariffRow else ""


def _roles_with(key: str) -> tuple[str, ...]:
    """Return the roles whose agents may have a key, or () for a key of all agents."""
    return tuple(role for role, preset in ROLES.items() if key in preset.takes)


def _made(kind: type[msgspec.Struct]) -> msgspec.Struct | None:
    """Return a law or kind as read from its example, with its defaults, or None if impossible."""
    if not kind.__struct_config__.tag_field:
        return None
    node = parse(in_yaml(example_of(kind)), "example", lines=False)
    try:
        return reading.read(node, kind, "", {})
    except EcnomyError:
        return None


def _default(field: msgspec.structs.FieldInfo) -> Any:
    if field.default is not msgspec.NODEFAULT:
        return field.default
    return field.default_factory() if field.default_factory is not msgspec.NODEFAULT else None


def _text(value: Any, kind: Any) -> str:
    if value is None or value in ((), {}):
        return ""
    return in_yaml(reading.write(value, kind, given=True))


def _choices(kind: Any) -> tuple[str, ...]:
    inner, reader = split(present(kind))
    if isinstance(reader, Choice):
        return reader.words
    if typing.get_origin(inner) is tuple and reader is None:
        return _choices(typing.get_args(inner)[0])
    return ("true", "false") if inner is bool else ()


def _inside(kind: Any) -> Iterator[Entry]:
    inner, reader = split(present(kind))
    if reader is not None:
        yield from _by_reader(reader)
        return
    origin, arguments = typing.get_origin(inner), typing.get_args(inner)
    if origin is tuple:
        yield from below(_inside(arguments[0]), f"<{_item(arguments[0])}>")
    elif origin is dict:
        yield from below(_inside(arguments[1]), "<name>")
    elif origin in (types.UnionType, typing.Union):
        for one in members(inner):
            yield from _variant(one)
    elif isinstance(inner, type) and issubclass(inner, msgspec.Struct):
        yield from struct_entries(inner)


def _item(kind: Any) -> str:
    named = isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    return "name" if named and "name" in fields_of(kind) else "n"


@functools.cache
def _variant(kind: type[msgspec.Struct]) -> tuple[Entry, ...]:
    config, law = kind.__struct_config__, law_of(kind)
    if config.tag == _OWN:
        return ()
    within = (f"{config.tag_field}: {config.tag}",)
    itself = Entry(
        path="",
        name=str(config.tag),
        within=within,
        variant=True,
        about=law.about if law else first_sentence(kind.__doc__),
        note=class_note(kind),
        source=law.source if law else "",
        takes=f"a mapping with {config.tag_field}: {config.tag}",
        example=in_yaml(example_of(kind)),
    )
    return (itself, *(_of_variant(one, itself) for one in struct_entries(kind)))


def _of_variant(key: Entry, variant: Entry) -> Entry:
    """Return a key of a variant, with the variant's source if the key's sentence refers to it."""
    source = variant.source if _REFERS.search(key.about) else key.source
    within = (*variant.within, *key.within)
    return msgspec.structs.replace(key, within=within, source=source)


def _by_reader(reader: Reader) -> Iterator[Entry]:
    if isinstance(reader, StrategyReader | RoleReader):
        yield from strategy_entries() if isinstance(reader, StrategyReader) else role_entries()
    for form in getattr(reader, "forms", ()):
        of = _variant(form) if form.__struct_config__.tag_field else struct_entries(form)
        for one in of:
            shown = one.example
            for usual, own in getattr(reader, "samples", {}).items():
                shown = shown.replace(usual, own)
            yield msgspec.structs.replace(one, example=shown)
