# SPDX-License-Identifier: Apache-2.0
"""Sentences about classes and their fields, from docstrings and from the table of laws.

The section `Attributes:` of a Google-style docstring describes the fields. The first sentence of a
description is the field's sentence, and further sentences are its note. The section `Note:` is the
note of the class. The table of laws has the sentences of law parameters, under names that end in
the unit.
"""

from __future__ import annotations

import functools
import inspect
import re
import typing
from collections.abc import Container
from typing import Final

from ecnomy.markets.inputs.reading import fields_of
from ecnomy.markets.plan.law_table import LawEntry, Param, law_table
from ecnomy.markets.scenario import (
    guaranteed_classes,
    links,
    marking,
    traffic,
    transport,
    weighted_classes,
)

__all__ = [
    "about",
    "attributes",
    "class_note",
    "first_sentence",
    "law_of",
    "note",
    "parameters_of",
    "sentence",
]

_FIELDS: Final = re.compile(r"    (\w+(?:, \w+)*): +(.*)")
_UNSET: Final = re.compile(r"[;,] -1: [^.;,]*")  # how the table describes an unset value
_PARTS: Final[dict[type, tuple[str, str]]] = {
    guaranteed_classes.ServiceClass: ("service", "service-class"),
    weighted_classes.WeightedClass: ("service", "weighted-class"),
    traffic.Sessions: ("part", "sessions"),
    traffic.Page: ("part", "page"),
    traffic.Speech: ("part", "speech"),
}
_FAMILIES: Final = {
    "marking": marking.Marking,
    "window": transport.TcpTransport,
    "traffic": traffic.Traffic,
    "scheduling": links.Scheduling,
}
# Keys other than the name in the table without its unit or `_mean`.
_KEYS: Final = {
    "w": "weight",
    "reading": "reading_times",
    "size_mean_bytes": "mean",
    "size_max_bytes": "max",
    "size_shape": "shape",
    "frame_interval_s": "interval",
    "group_frames": "group",
    "anchor_distance": "anchors",
}


@functools.cache
def attributes(cls: type) -> dict[str, str]:
    """Return the description of each field, from `Attributes:` of a class and its bases."""
    descriptions: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        descriptions |= _section(base.__dict__.get("__doc__") or "")
    return descriptions


def _section(doc: str) -> dict[str, str]:
    descriptions: dict[str, str] = {}
    names: list[str] = []
    inside = False
    for line in inspect.cleandoc(doc).splitlines():
        if not line.startswith(" ") and line:
            inside, names = line == "Attributes:", []
        elif inside and (match := _FIELDS.fullmatch(line)):
            names = match[1].split(", ")
            descriptions |= dict.fromkeys(names, match[2])
        elif inside and line.strip():
            descriptions |= {name: f"{descriptions[name]} {line.strip()}" for name in names}
    return {name: sentence(text) for name, text in descriptions.items()}


def sentence(text: str) -> str:
    """Return the text with its first letter capitalized, if its first word consists of letters."""
    word = text.partition(" ")[0].rstrip(",").replace("-", "")
    return text[:1].upper() + text[1:] if word.isalpha() else text


@functools.cache
def _laws() -> dict[type, tuple[str, str]]:
    laws = dict(_PARTS)
    for family, union in _FAMILIES.items():
        for kind in typing.get_args(union):
            laws[kind] = (family, str(kind.__struct_config__.tag))
    return laws


def law_of(cls: type) -> LawEntry | None:
    """Return the entry of a struct in the table of laws, or None if the struct is not a law."""
    family, name = _laws().get(cls, ("", ""))
    return law_table().get(family, {}).get(name)


@functools.cache
def parameters_of(cls: type) -> dict[str, Param]:
    """Return the parameters of a law by their YAML keys."""
    law = law_of(cls)
    own = fields_of(cls)
    return {_key(p, own): p for p in reversed(law.parameters)} if law else {}


def _key(param: Param, own: Container[str]) -> str:
    if _KEYS.get(param.name) in own:
        return _KEYS[param.name]
    return param.key.removesuffix("_bps").removesuffix("_mean")


def about(cls: type, field: str) -> str:
    """Return the sentence of a field from the docstring or from the table of laws, or ""."""
    if field in attributes(cls):
        return first_sentence(attributes(cls)[field])
    params = parameters_of(cls)
    if field not in params:
        return ""
    text = _UNSET.sub("", params[field].about)
    for key, param in params.items():
        text = re.sub(rf"\b{re.escape(param.name)}\b", key, text) if "_" in param.name else text
    return text


def note(cls: type, field: str) -> str:
    """Return the sentences about a field after the first one, or ""."""
    law = law_of(cls)
    if law is not None and field == "buffer" and law.traits.get("link_buffer"):
        return "By default the link's buffer."
    return attributes(cls).get(field, "").removeprefix(about(cls, field)).lstrip()


def class_note(cls: type) -> str:
    """Return the section `Note:` of a class's docstring on one line, or ""."""
    section = re.search(r"^Note:\n((?:    .*\n?|\n)+)", inspect.cleandoc(cls.__doc__ or ""), re.M)
    return " ".join(section[1].split()) if section else ""


def first_sentence(doc: str | None) -> str:
    """Return the first sentence of a docstring on one line."""
    paragraph = " ".join(inspect.cleandoc(doc or "").partition("\n\n")[0].split())
    return re.split(r"(?<=[a-z)`\]0-9]\.) (?=[A-Z`])", paragraph, maxsplit=1)[0]
