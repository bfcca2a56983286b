# SPDX-License-Identifier: Apache-2.0
"""Finds the differences between the scenarios of two groups, except seed, title and version.

A different marking law or strategy counts as one difference instead of one per parameter. A setting
varies if its value differs between the runs of a group.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from ecnomy.analysis.diff.groups import RunGroup
from ecnomy.analysis.support.settings import given_settings, named, setting_words
from ecnomy.markets.inputs.variants import SELECTORS

__all__ = ["SettingDifference", "Settings", "settings_of"]

_NO_SETTING: Final = ("seed", "title", "version")
_MOST_VALUES: Final = 4
_MISSING: Final = object()


class SettingDifference(msgspec.Struct, frozen=True):
    """A setting that differs; values are in words."""

    path: str
    first: str
    second: str


class Settings(msgspec.Struct, frozen=True):
    """The differences between the scenarios of two groups.

    Attributes:
        differs: settings that are the same within each group but differ between the groups.
        varies: settings that differ within a group.
        unknown: number of runs whose scenario is unknown.
    """

    differs: tuple[SettingDifference, ...] = ()
    varies: tuple[SettingDifference, ...] = ()
    unknown: int = 0


def settings_of(first: RunGroup, second: RunGroup) -> Settings:
    """Return the differences between two groups in scenario, engine and version of ecnomy."""
    count = len(first.members)
    members = (*first.members, *second.members)
    trees = [dict(m.scenario or {}) for m in members]
    unknown = sum(m.scenario is None for m in members)
    if unknown == 0:
        for key in _NO_SETTING:
            for tree in trees:
                tree.pop(key, None)
        leaves_of = list(_walk("", trees))
    else:
        leaves_of = []
    given = _Given([m.scenario or {} for m in members]) if leaves_of else None
    differs: list[SettingDifference] = []
    varies: list[SettingDifference] = []
    for path, values in leaves_of:
        texts = given.words(path, values) if given else []
        one = SettingDifference(path, _several(texts[:count]), _several(texts[count:]))
        alike = len(set(texts[:count])) == 1 and len(set(texts[count:])) == 1
        (differs if alike else varies).append(one)
    differs += _made_by(first, second)
    return Settings(tuple(differs), tuple(varies), unknown)


def _several(words: Sequence[str]) -> str:
    values = list(dict.fromkeys(words))
    rest = f" and {len(values) - _MOST_VALUES} more" if len(values) > _MOST_VALUES else ""
    return "; ".join(values[:_MOST_VALUES]) + rest


def _made_by(first: RunGroup, second: RunGroup) -> list[SettingDifference]:
    """Return the engine and the version of ecnomy as settings, if they differ between groups."""
    makers = [
        {
            name: _several(sorted({m.made_by[name] for m in group.members if name in m.made_by}))
            for name in ("engine", "ecnomy")
        }
        for group in (first, second)
    ]
    return [
        SettingDifference(f"({name})", makers[0][name], makers[1][name])
        for name in ("engine", "ecnomy")
        if not _same_maker(makers[0][name], makers[1][name])
    ]


def _same_maker(first: str, second: str) -> bool:
    """Return whether two versions (of the engine, or of ecnomy) are the same.

    A version with which the other begins, such as an empty one, counts as the same, because sweeps
    without kept results lack the version of ecnomy, and old sweeps lack the engine.
    """
    return first.startswith(second) or second.startswith(first)


def _walk(path: str, values: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Yield the path of each setting that differs, with its value in each run."""
    if all(value == values[0] for value in values[1:]):
        return
    values = [named(value) for value in values]
    if all(isinstance(value, Mapping) for value in values) and _alike(values):
        for key in dict.fromkeys(key for value in values for key in value):
            inner = [value.get(key, _MISSING) for value in values]
            yield from _walk(f"{path}.{key}" if path else str(key), inner)
    elif _rows_alike(values):
        for index, row in enumerate(zip(*values, strict=True)):
            yield from _walk(f"{path}[{index}]", list(row))
    else:
        yield path, values


def _alike(values: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether all mappings have the same law and kind."""
    return all(len({str(value.get(key)) for value in values}) == 1 for key in SELECTORS)


def _rows_alike(values: Sequence[Any]) -> bool:
    """Return whether all values are lists with the same number of mappings."""
    return (
        all(isinstance(value, list) for value in values)
        and len({len(value) for value in values}) == 1
        and all(isinstance(item, Mapping) for value in values for item in value)
    )


class _Given:
    """The scenarios without default values, so that mappings show only the keys that were set."""

    def __init__(self, scenarios: Sequence[Mapping[str, Any]]) -> None:
        self._scenarios = scenarios
        self._trees: dict[bytes, dict[str, Any]] = {}

    def words(self, path: str, values: Sequence[Any]) -> list[str]:
        """Return the value of each run at a path, in words."""
        return [self._value_text(path, number, value) for number, value in enumerate(values)]

    def _value_text(self, path: str, number: int, value: Any) -> str:
        if value is _MISSING:
            return "none"
        if not isinstance(value, Mapping) or "[" in path:
            return setting_words(value)
        inner: Any = self._tree(number)
        for step in path.split("."):
            inner = named(inner)
            inner = inner.get(step) if isinstance(inner, Mapping) else None
        return setting_words(value if inner is None else inner)

    def _tree(self, number: int) -> dict[str, Any]:
        scenario = {k: v for k, v in self._scenarios[number].items() if k != "seed"}
        text = msgspec.json.encode(scenario, order="sorted")
        if text not in self._trees:
            self._trees[text] = given_settings(scenario)
        return self._trees[text]
