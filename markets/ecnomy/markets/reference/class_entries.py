# SPDX-License-Identifier: Apache-2.0
"""Derives entries from classes: roles, and strategies with their parameters and utilities."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import functools
import importlib.metadata
import importlib.util
import re
from pathlib import Path
from typing import Final

import msgspec

from ecnomy.agents.roles.find import ROLES
from ecnomy.agents.roles.preset import Preset
from ecnomy.markets.reference.entry import Entry, below
from ecnomy.markets.reference.samples import in_yaml
from ecnomy.markets.reference.sentences import attributes, first_sentence, sentence
from ecnomy.markets.reference.strategy_samples import (
    parameters_example,
    strategy_sample,
    strategy_with,
)
from ecnomy.markets.scenario.parameters import Field, declared, expected_of_field

__all__ = ["role_entries", "strategy_entries"]

_BRACKETS: Final = re.compile(r" \[((?:from|above|Boolean)[^\]]*)\]\.$")  # a range, for `takes`


@functools.cache
def role_entries() -> tuple[Entry, ...]:
    """Return a variant for each role, described by the first sentence of the role's module."""
    return tuple(
        Entry(
            path="",
            name=word,
            within=(f"role: {word}",),
            variant=True,
            about=_about_role(preset),
            takes=_holds(preset),
            example=word,
        )
        for word, preset in ROLES.items()
    )


def _about_role(preset: Preset) -> str:
    spec = importlib.util.find_spec("ecnomy.agents")
    assert spec is not None and spec.origin is not None
    module = preset.path.partition(":")[0].removeprefix("ecnomy.agents.").replace(".", "/")
    text = (Path(spec.origin).parent / f"{module}.py").read_text(encoding="utf-8")
    return first_sentence(ast.get_docstring(ast.parse(text)))  # an import would need Mesa


def _holds(preset: Preset) -> str:
    words = [f"its entry may have {', '.join(preset.takes)}"]
    if preset.needs:
        words.append(f"it needs {', '.join(preset.needs)}")
    return "; ".join(words)


@functools.cache
def strategy_entries() -> tuple[Entry, ...]:
    """Return a variant for each installed strategy, and entries for its parameters."""
    from ecnomy.agents.strategies import BUILT_IN, GROUP, find

    entries: list[Entry] = []
    others = importlib.metadata.entry_points(group=GROUP).names - set(BUILT_IN)
    for name in (*sorted(BUILT_IN), *sorted(others)):
        with contextlib.suppress(Exception):  # code of other packages may fail in any way
            entries += _variant(name, find(name))
    return tuple(entries)


@functools.cache
def _variant(name: str, cls: type) -> tuple[Entry, ...]:
    from ecnomy.agents.roles.fitting import roles_of

    within, fits = (f"kind: {name}",), roles_of(cls)
    itself = Entry(
        path="",
        name=name,
        within=within,
        variant=True,
        about=sentence(first_sentence(cls.__doc__)),
        roles=fits if len(fits) < len(ROLES) else (),
        takes=f"a mapping with kind: {name}",
        example=in_yaml({"kind": name, **parameters_example(cls)}),
    )
    entries = [itself]
    for parameter, field in declared(cls).items():
        said = attributes(cls).get(parameter, "")
        span = match[1] if (match := _BRACKETS.search(said)) else ""
        key = Entry(
            path=parameter,
            name=parameter,
            within=within,
            roles=itself.roles,
            about=_BRACKETS.sub(".", said),
            takes=f"{expected_of_field(field)} {'' if field.kind is bool else span}".rstrip(),
            default=None if field.required else _default(field),
            choices=("true", "false") if field.kind is bool else tuple(field.forms),
            example=f"{parameter}: {strategy_sample(parameter, field)}",
            whole=strategy_with(cls, name, parameter),
        )
        entries.append(key)
        for form, kind in field.forms.items():
            inside = below(_variant(form, kind), parameter, within)
            entries += (msgspec.structs.replace(one, roles=itself.roles) for one in inside)
    return tuple(entries)


def _default(field: Field) -> str:
    if field.default is None or field.default is dataclasses.MISSING:
        return ""
    shown = in_yaml(field.default)
    return f"{shown} {field.unit}" if field.unit and shown else shown
