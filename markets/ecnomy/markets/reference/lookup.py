# SPDX-License-Identifier: Apache-2.0
"""Finds entries for user input: a name, a path as in messages, part of a path, or words."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

import msgspec

from ecnomy.agents.errors import InputError
from ecnomy.markets.reference.entry import Entry

__all__ = [
    "KeyGroup",
    "below",
    "grouped",
    "known_path",
    "lookup",
    "parent_of",
    "search",
    "sections",
]

_INDEX = re.compile(r"\[[^\]]*\]")
_ITEM = re.compile(r"\[([0-9]+)\]")  # item of a list; the key after it is not a name


class KeyGroup(msgspec.Struct, frozen=True):
    """Entries with equal content, at different paths or for different laws.

    Attributes:
        entry: the entry with the shortest path.
        paths: paths of all entries, with the shortest first.
        of: the laws or kinds with this key, such as `law: red`; empty for a key outside laws and
            kinds.
    """

    entry: Entry
    paths: tuple[str, ...]
    of: tuple[str, ...]


def grouped(entries: Iterable[Entry]) -> list[KeyGroup]:
    """Return groups of entries with equal content, in the order of their first entries."""
    entries_by_content: dict[tuple[object, ...], list[Entry]] = {}
    for one in entries:
        of = one.within[-1:] if one.variant else bool(one.within)
        same = (one.name, of, one.about, one.takes, one.default, one.file)
        entries_by_content.setdefault(same, []).append(one)
    return [_group(same) for same in entries_by_content.values()]


def _group(same: list[Entry]) -> KeyGroup:
    ordered = sorted(same, key=lambda one: one.path.count("."))
    paths = tuple(dict.fromkeys(one.path for one in ordered))
    return KeyGroup(
        ordered[0], paths, tuple(dict.fromkeys(w for one in same for w in one.within[-1:]))
    )


def sections(entries: Iterable[Entry]) -> list[Entry]:
    """Return the top-level keys of the files."""
    return [one for one in entries if "." not in one.path and not one.within]


def lookup(word: str, entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries that match a word or path, with variants first.

    A key matches by its full path. If no full path matches, keys match by the ends of their paths
    or by their choices.

    Raises:
        InputError: no entry matches. The message suggests the most similar names.
    """
    typed = [step for step in _INDEX.sub("", word).split(".") if step]
    if typed:
        variants = [one for one in entries if one.variant and _ends(typed, one)]
        whole = [one for one in entries if not one.variant and _fits(typed, _steps(one), one)]
        whole = [one for one in whole if _keys(one) == typed] or whole  # no step is a name
        parts = [one for one in entries if not one.variant and _ends(typed, one)]
        parts = [one for one in parts if _has_all(typed, one)] or parts  # likewise
        choices = [one for one in entries if len(typed) == 1 and typed[0] in one.choices]
        plain = [one for one in choices if not any(v.name == typed[0] for v in variants)]
        if matches := [*variants, *(whole or [*parts, *plain])] or _naming(typed, entries):
            return matches
    names = {one.name for one in entries} | {c for one in entries for c in one.choices}
    near = difflib.get_close_matches(typed[-1] if typed else "", sorted(names), 5, 0.6)
    more = f"did you mean {', '.join(near)}?" if near else "search all descriptions with `--search`"
    raise InputError(f"{word[:60]!r} is not a key, law, kind, role or strategy; {more}")


def _has_all(typed: Sequence[str], one: Entry) -> bool:
    through = [words.partition(": ")[2] for words in one.within]
    return all(step in _keys(one) or step in through for step in typed)


def _naming(typed: list[str], entries: Sequence[Entry]) -> list[Entry]:
    """Return the keys whose value is a mapping with the typed key, such as `law` or `kind`."""
    tag = f"{typed[0]}: "
    named = {one.path for one in entries if one.variant and one.within[-1].startswith(tag)}
    return [one for one in entries if len(typed) == 1 and not one.variant and one.path in named]


def search(words: str, entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries whose name or sentences contain all the words, in any order."""
    wanted = words.casefold().split()
    return [
        one
        for one in entries
        if all(word in f"{one.name} {one.about} {one.note}".casefold() for word in wanted)
    ]


def below(parent: Entry, entries: Iterable[Entry]) -> list[Entry]:
    """Return the keys of a mapping, or the laws and kinds that a key may name."""
    depth = len(parent.within)
    children = []
    for one in entries:
        if one.file != parent.file or one.within[:depth] != parent.within or one is parent:
            continue
        if not one.path.startswith(f"{parent.path}.") and one.path != parent.path:
            continue
        steps = [s for s in one.path[len(parent.path) :].split(".") if s and s[0] != "<"]
        variant = one.variant and not steps and len(one.within) == depth + 1
        if variant or (not one.variant and len(steps) == 1 and len(one.within) == depth):
            children.append(one)
    return children


def parent_of(key: Entry, entries: Iterable[Entry]) -> Entry | None:
    """Return the law, kind or key whose mapping contains a key, or None at the top level."""
    steps = key.path.split(".")[:-1]
    while steps and steps[-1][0] == "<":
        steps.pop()
    path = ".".join(steps)
    for one in entries:
        here = one.path in (path, key.path.rpartition(".")[0])
        if here and one.within == key.within and one.file == key.file and one is not key:
            return one
    return None


def known_path(path: str, entries: Sequence[Entry], within: Sequence[str] = ()) -> str:
    """Return a path from a message as keys, without names and numbers, or "" if unknown.

    If the last steps are names or unknown keys, the result is the mapping that contains them. A
    step that can be a key is treated as a key, not as a name.

    Args:
        path: dotted path in the message.
        entries: all entries.
        within: laws and kinds on the path, such as `law: red`, with the outermost first. The result
            names them, and only their keys are found. If empty, the keys of every law are found.
    """
    typed = [step for step in _INDEX.sub("", _ITEM.sub(r".\1", path)).split(".") if step]
    keys = [one for one in entries if not one.variant and _agree(one.within, within)]
    for length in range(len(typed), 0, -1):
        fitting = [one for one in keys if _fits(typed[:length], _steps(one), one)]
        if fitting:
            longest = max(fitting, key=lambda one: len(_keys(one)))
            return ".".join(_through(longest, entries, tuple(within)))
    return ""


def _agree(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether the longer list of variants begins with the shorter one."""
    return all(a == b for a, b in zip(one, other, strict=False))


def _through(key: Entry, entries: Sequence[Entry], within: tuple[str, ...]) -> list[str]:
    """Return the steps of a key's path, with the variants on the path."""
    steps = _keys(key)
    for depth in range(len(within), 0, -1):  # the innermost first, so that positions stay valid
        for one in entries:
            if one.variant and one.file == key.file and one.within == within[:depth]:
                if key.path == one.path or key.path.startswith(f"{one.path}."):
                    steps.insert(len(_keys(one)), one.name)
                    break
    return steps


def _steps(one: Entry) -> list[str]:
    return one.path.split(".")


def _keys(one: Entry) -> list[str]:
    """Return the steps of a path that are keys and not names."""
    return [step for step in _steps(one) if step[0] != "<"]


def _ends(typed: list[str], one: Entry) -> bool:
    """Return whether the typed steps are the end of an entry's path."""
    if one.variant:
        if typed[-1] != one.name:
            return False
        return len(typed) == 1 or any(
            _fits(typed[:-1], _steps(one)[start:], one) for start in range(len(_steps(one)))
        )
    if typed[-1] != one.name:
        return False
    steps = _steps(one)
    return any(_fits(typed, steps[start:], one) for start in range(len(steps)))


def _fits(typed: Sequence[str], steps: Sequence[str], one: Entry) -> bool:
    """Return whether the typed steps match. Steps that are names, laws or kinds may be missing."""
    if not steps:
        return not typed
    if steps[0].startswith("<"):
        rest = steps[1:]
        return _fits(typed, rest, one) or bool(typed and _fits(typed[1:], rest, one))
    if not typed:
        return False
    if typed[0] == steps[0] and _fits(typed[1:], steps[1:], one):
        return True
    through = [words.partition(": ")[2] for words in one.within]
    return typed[0] in through and _fits(typed[1:], steps, one)
