# SPDX-License-Identifier: Apache-2.0
"""An entry of the reference: a key or a variant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

__all__ = ["Entry", "below"]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A key, or a variant: a law, kind, role or strategy that a key may name.

    Attributes:
        path: dotted path in the file; <name>, <n> and <word> stand for names, numbers and words.
        name: the key itself, or the variant's name.
        within: the variants on the path, such as `law: red`, with the innermost last.
        variant: whether the entry is a variant, which is then the last item of `within`.
        about: description in one sentence.
        note: further sentences, shown only on the page of the entry.
        roles: roles whose agents may have the key; empty for a key of all agents or outside agents.
        source: paper, section or RFC; "" if there is no source.
        takes: form, unit and range of the value, as in error messages.
        default: default as YAML; None for a required key, "" for a key without a default.
        choices: accepted words.
        example: one line of YAML.
        whole: for a key of a variant, an example of the variant's mapping with this key.
        file: scenario, sweep or environment.
    """

    path: str
    name: str
    within: tuple[str, ...] = ()
    variant: bool = False
    about: str = ""
    note: str = ""
    roles: tuple[str, ...] = ()
    source: str = ""
    takes: str = ""
    default: str | None = ""
    choices: tuple[str, ...] = ()
    example: str = ""
    whole: str = ""
    file: str = "scenario"


def below(entries: Iterable[Entry], path: str, within: tuple[str, ...] = ()) -> Iterator[Entry]:
    """Yield the entries of a mapping that is at `path`, with their full paths."""
    for one in entries:
        joined = f"{path}.{one.path}".rstrip(".")
        yield msgspec.structs.replace(one, path=joined, within=(*within, *one.within))
