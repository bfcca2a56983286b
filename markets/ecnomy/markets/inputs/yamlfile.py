# SPDX-License-Identifier: Apache-2.0
"""Load strict YAML with the place of each value, and refuse ambiguous input.

PyYAML delivers the events. This module builds the tree, because messages need places. The loader
refuses duplicate keys, recursive or too many aliases, tags, numbers that are not finite, and more
than one document. Scalars follow the core schema of YAML 1.2 (yes, no, on and off are text, and
`1e6` is a number), except that True, TRUE, False, FALSE and numbers in base 8 or 16 are text.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

import msgspec
import yaml

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.inputs.argument_error import ArgumentError
from ecnomy.markets.inputs.files import Unreadable, read_bytes

__all__ = ["Gap", "MissingKeys", "Node", "Place", "child_path", "parse", "read", "show"]

Scalar = str | int | float | bool | None
_WORD: Final = re.compile(r"[\w-]{1,60}")
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INT: Final = re.compile(r"[-+]?[0-9]+")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE: Final = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_NULLS: Final = frozenset(("", "~", "null", "Null", "NULL"))
_MOST_MIB: Final = 8
_DEEPEST: Final = 40
_MOST_ALIASED: Final = 10_000  # largest number of nodes that aliases may add
_LONGEST_NUMBER: Final = 300
_MOST_KEPT: Final = 100_000  # trees of texts with up to this number of characters are cached
_FRAME: Final = frozenset(
    (yaml.StreamStartEvent, yaml.StreamEndEvent, yaml.DocumentStartEvent, yaml.DocumentEndEvent)
)
_NO_COLON: Final = "could not find expected ':'"
_MOST_GAPS: Final = 6  # mappings that a message lists at most


class Place(msgspec.Struct, frozen=True):
    """The place of a value in a file. `line` counts from 1, and is None without line numbers."""

    file: str
    line: int | None

    def error(self, path: str, found: str, expected: str) -> ScenarioError:
        """Return a ScenarioError at this place."""
        kind = ArgumentError if self.file.startswith("--") else ScenarioError
        return kind(self.file, self.line, path, found, expected)

    def missing(self, path: str, keys: Mapping[str, str]) -> MissingKeys:
        """Return an error that names all keys that the mapping at this place lacks.

        Args:
            path: dotted path of the mapping.
            keys: expected form of each missing key; at least one key.
        """
        return MissingKeys((Gap(self, path, dict(keys)),))


class Gap(msgspec.Struct, frozen=True):
    """The keys that a mapping lacks, each with its expected form.

    `meant` has the same meaning as in Node.
    """

    place: Place
    path: str
    keys: dict[str, str]
    meant: str = ""

    @property
    def names(self) -> str:
        """Return the keys in quotes."""
        return ", ".join(map(repr, self.keys))


class MissingKeys(ArgumentError):
    """Mappings that lack keys, reported together at the place and path of the first one."""

    def __init__(self, gaps: Sequence[Gap]) -> None:
        # shared mappings only once
        distinct = {(gap.place, gap.names): gap for gap in reversed(gaps)}
        self.gaps = tuple(reversed(distinct.values()))
        first, *more = self.gaps
        path = first.path
        if more:
            shown = [f"no {one.names} in {_spot(one)}" for one in more[: _MOST_GAPS - 1]]
            if len(self.gaps) > _MOST_GAPS:
                shown.append(f"missing keys in {len(self.gaps) - _MOST_GAPS} other mappings")
            found, expected = "; ".join((f"no {first.names}", *shown)), "a value for each"
        elif len(first.keys) == 1:
            ((key, expected),) = first.keys.items()
            found, path = f"no {key!r}", child_path(path, key)
        else:
            found = f"no {first.names}"
            expected = "; ".join(f"{key}: {words}" for key, words in first.keys.items())
        if first.meant:
            expected += f"; to change an item of the extended file, use its name {first.meant!r}"
        super().__init__(first.place.file, first.place.line, path, found, expected)


def _spot(gap: Gap) -> str:
    line = "" if gap.place.line is None else f" (line {gap.place.line})"
    return f"{gap.path or 'the document'}{line}"


class Node(msgspec.Struct, frozen=True):
    """A value and its place. `text` holds a scalar as written, so that 0.1 stays one tenth.

    `keys` has the place of each key of a mapping. If a variant adds an item to a list of named
    items, `meant` is the most similar name in the base.
    """

    value: Scalar | dict[str, Node] | list[Node]
    place: Place
    text: str = ""
    keys: dict[str, Place] = {}
    meant: str = ""

    def mapping(self) -> dict[str, Node]:
        """Return the items of a mapping, or {} for other values."""
        return self.value if isinstance(self.value, dict) else {}

    def items(self) -> list[Node]:
        """Return the items of a list, or [] for other values."""
        return self.value if isinstance(self.value, list) else []


def show(node: Node) -> str:
    """Return the one-line text of a value for messages."""
    if isinstance(node.value, dict):
        return "a mapping" if node.value else "an empty mapping"
    if isinstance(node.value, list):
        return f"a list of {len(node.value)}"
    if node.value is None:
        return "nothing"
    if isinstance(node.value, str):
        return repr(node.value if len(node.value) <= 60 else node.value[:57] + "...")
    return node.text[:60]


def child_path(path: str, key: str | int) -> str:
    """Return the dotted path of a child, with quotes around keys that are not words."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{_word(key)}" if path else _word(key)


@functools.lru_cache(maxsize=4096)
def _word(key: str) -> str:
    return key if _WORD.fullmatch(key) else repr(key[:60])


def read(path: Path, shown: str) -> Node:
    """Return the document in a file.

    Args:
        path: the file.
        shown: name of the file in messages.

    Raises:
        ScenarioError: the file does not exist, is a device, is too long, is empty, or is not
            strict YAML in UTF-8.
    """
    nowhere = Place(shown, None)
    expected = "a scenario in YAML"
    try:
        data = read_bytes(path, _MOST_MIB)
    except Unreadable as fault:
        wanted = f"a file or a pipe of at most {_MOST_MIB} MiB with {expected}"
        raise nowhere.error("", str(fault), wanted) from None
    except FileNotFoundError:
        raise nowhere.error("", "no such file", expected) from None
    except IsADirectoryError:
        results = (path / "manifest.json").is_file()
        more = f"; `ecnomy show {shown}` shows results" if results else ""
        found = "a results folder" if results else "a folder"
        raise nowhere.error("", found, expected + more) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "a name that cannot be a file"
        raise nowhere.error("", f"{reason[:1].lower()}{reason[1:]}", expected) from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Place(shown, line).error(
            "", "bytes that are not valid text", "YAML in UTF-8"
        ) from None
    return parse(text, shown)


def parse(text: str, shown: str, *, lines: bool = True) -> Node:
    """Return the document in a string, called `shown` in messages; `lines` adds line numbers.

    Equal texts may give the same tree, which is never modified.

    Raises:
        ScenarioError: the text is not strict YAML.
    """
    return (_kept if len(text) <= _MOST_KEPT else _parsed)(text, shown, lines)


def _parsed(text: str, shown: str, lines: bool) -> Node:
    builder = _Builder(shown, lines)
    try:
        loader = _LOADER(text)
        try:
            return builder.document(loader)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        if _NO_COLON in (error.problem or "") and error.context_mark:
            mark = error.context_mark  # the line of the error, not the line after it
        line = mark.line + 1 if mark else 1
        raise builder.place(line).error(
            "", *_syntax_error(error.problem or "", text, line)
        ) from None
    except yaml.reader.ReaderError as error:
        position = error.position if isinstance(error.position, int) else 0
        line = text.count("\n", 0, position) + 1
        found = f"the control character {error.character!r}"
        raise builder.place(line).error("", found, "YAML in UTF-8") from None
    except (UnicodeEncodeError, ValueError):
        raise builder.place(1).error("", "characters outside Unicode", "YAML in UTF-8") from None


_kept = functools.lru_cache(maxsize=64)(_parsed)


def _syntax_error(problem: str, text: str, line: int) -> tuple[str, str]:
    """Return the texts "found" and "expected" of a message about a syntax error."""
    lines = text.splitlines()
    written = lines[line - 1] if line <= len(lines) else ""
    if "\t" in written[: len(written) - len(written.lstrip())] or "'\\t'" in problem:
        return "a tab character", "spaces: YAML is not indented with tabs"
    if problem.startswith("mapping values are not allowed"):
        return "a second ': ' on the line", 'text with a colon in quotes, such as title: "a: b"'
    if _NO_COLON in problem:
        return f"no ': ' in {written.strip()[:60]!r}", "a key, a colon, a space and a value"
    reason = " ".join(problem.split()) or "unknown reason"
    return f"a syntax error ({reason})", "YAML"


class _Builder:
    def __init__(self, shown: str, lines: bool) -> None:
        self._shown, self._lines = shown, lines
        self._anchors: dict[str, Node | None] = {}
        self._aliased = 0

    def place(self, line: int) -> Place:
        return Place(self._shown, line if self._lines else None)

    def document(self, loader: Any) -> Node:
        events = self._events(loader)
        first = next(events, None)
        if first is None:
            raise self.place(1).error("", "an empty document", "a mapping with version: 1")
        root = self._node(first, events, "", 0)
        if (extra := next(events, None)) is not None:
            self._fail(extra, "", "a second document", "one document")
        return root

    @staticmethod
    def _events(loader: Any) -> Iterator[Any]:
        while loader.check_event():
            event = loader.get_event()
            if type(event) not in _FRAME:
                yield event

    def _fail(self, event: Any, path: str, found: str, expected: str) -> NoReturn:
        raise self.place(event.start_mark.line + 1).error(path, found, expected)

    def _node(self, event: Any, events: Iterator[Any], path: str, depth: int) -> Node:
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, path)
        if depth > _DEEPEST:
            self._fail(event, path[:60], f"nesting deeper than {_DEEPEST}", "a flatter document")
        if event.tag is not None and event.tag != "!":
            self._fail(event, path, f"the tag {event.tag[:60]!r}", "a value without a tag")
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        if isinstance(event, yaml.MappingStartEvent):
            node = self._mapping(event, events, path, depth)
        elif isinstance(event, yaml.SequenceStartEvent):
            node = self._sequence(event, events, path, depth)
        else:
            node = self._scalar(event, path)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        return node

    def _alias(self, event: Any, path: str) -> Node:
        name = f"the alias *{event.anchor}"
        if event.anchor not in self._anchors:
            self._fail(event, path, name, "an anchor defined above the alias")
        node = self._anchors[event.anchor]
        if node is None:
            self._fail(event, path, f"the recursive alias *{event.anchor}", "a finite value")
        self._aliased += _size(node)
        if self._aliased > _MOST_ALIASED:
            self._fail(event, path, name, f"aliases that expand to at most {_MOST_ALIASED} values")
        return node

    def _mapping(self, event: Any, events: Iterator[Any], path: str, depth: int) -> Node:
        values: dict[str, Node] = {}
        keys: dict[str, Place] = {}
        while not isinstance(key := next(events), yaml.MappingEndEvent):
            if not isinstance(key, yaml.ScalarEvent):
                self._fail(key, path, "a key that is not text", "a word as the key")
            mark: Any = key.start_mark
            name, place = key.value, self.place(mark.line + 1)
            here = child_path(path, name)
            if name in values:
                first = f" (first in line {keys[name].line})" if keys[name].line else ""
                self._fail(key, here, f"the key {name[:60]!r} twice", f"it once{first}")
            if key.anchor is not None:
                self._fail(key, here, "an anchor on a key", "a plain key")
            keys[name] = place
            values[name] = self._node(next(events), events, here, depth + 1)
        return Node(values, self.place(event.start_mark.line + 1), keys=keys)

    def _sequence(self, event: Any, events: Iterator[Any], path: str, depth: int) -> Node:
        items: list[Node] = []
        while not isinstance(item := next(events), yaml.SequenceEndEvent):
            items.append(self._node(item, events, child_path(path, len(items)), depth + 1))
        return Node(items, self.place(event.start_mark.line + 1))

    def _scalar(self, event: Any, path: str) -> Node:
        text, place = event.value, self.place(event.start_mark.line + 1)
        plain = event.style in (None, "") and event.tag is None
        if not plain:
            return Node(text, place, text)
        if _NOT_FINITE.fullmatch(text):
            self._fail(event, path, text, "a finite number")
        return Node(self._resolve(event, text, path), place, text)

    def _resolve(self, event: Any, text: str, path: str) -> Scalar:
        if text in _NULLS:
            return None
        if text in ("true", "false"):
            return text == "true"
        if not _FLOAT.fullmatch(text):
            return text
        value = float(text) if len(text) <= _LONGEST_NUMBER else math.inf
        if not math.isfinite(value):
            self._fail(event, path, f"the number {text[:40]}", "a finite number")
        return int(text) if _INT.fullmatch(text) else value


def _size(node: Node) -> int:
    children = list(node.mapping().values()) + node.items()
    return 1 + sum(_size(child) for child in children)
