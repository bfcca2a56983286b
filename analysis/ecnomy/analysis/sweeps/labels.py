# SPDX-License-Identifier: Apache-2.0
"""Names the points of a sweep, by the labels in its file or the values of its factors.

A *factor* varies independently: a path in a grid, a range of samples, or the items of a list or
zip, whose paths vary together. A mapping (strategy, marking law) is named by its label or by the
words of value_words.py. The name of a point consists of the values of all factors that vary.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from ecnomy.analysis.sweeps.value_words import short_path, words_of
from ecnomy.markets.sweep.head import head_of
from ecnomy.markets.sweep.rows import cell_of

__all__ = [
    "Factor",
    "Names",
    "factors_in",
    "labels_of",
    "labels_of_column",
    "levels_at",
    "named",
    "quoted_name",
    "replicates_in",
]

_LONG: Final = 60  # longest generated name in characters


class Factor(msgspec.Struct, frozen=True):
    """Parameters that vary together, independently of all others.

    Attributes:
        name: a short name for axes.
        paths: paths of the parameters; the first one represents the factor.
        unit: unit of numeric values; "" for other values.
        labels: labels of the levels in order; empty for samples and for sweeps of earlier versions.
        values: values of the levels; empty unless they are numbers without given labels.
        cells: for each path, the values of the levels in the sweep's table.
        sampled: whether the values are drawn at random.
    """

    name: str
    paths: tuple[str, ...]
    unit: str
    labels: tuple[str, ...]
    values: tuple[float, ...]
    cells: tuple[tuple[Any, ...], ...]
    sampled: bool

    @property
    def axis(self) -> str:
        """The name of the factor with its unit."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name


def factors_in(head: dict[str, Any]) -> tuple[Factor, ...]:
    """Return the factors in the head of a sweep; empty for heads of earlier versions."""
    return tuple(
        one
        for entry in head.get("factors", ())
        for one in (_samples(entry, head) if not entry["values"] else [_levels(entry, head)])
    )


def _samples(entry: dict[str, Any], head: dict[str, Any]) -> list[Factor]:
    return [
        Factor(short_path(p), (p,), head["kinds"].get(p) or "", (), (), (), True)
        for p in entry["paths"]
    ]


def _levels(entry: dict[str, Any], head: dict[str, Any]) -> Factor:
    paths, kinds = tuple(entry["paths"]), head["kinds"]
    given, values = entry["labels"], entry["values"]
    texts = [_words(column, kinds.get(path)) for path, column in zip(paths, values, strict=True)]
    named = any(given)
    made = [_item(paths, row) for row in zip(*texts, strict=True)]
    labels = [label or own for label, own in zip(given, made, strict=True)]
    cells = tuple(
        tuple(cell_of(value, kinds.get(path)) for value in column)
        for path, column in zip(paths, values, strict=True)
    )
    alone = len(paths) == 1
    numbers = alone and kinds.get(paths[0]) is not None and not named
    return Factor(
        name=short_path(paths[0]) if alone else ", ".join(map(short_path, paths)),
        paths=paths,
        unit=(kinds.get(paths[0]) or "") if numbers else "",
        labels=tuple(_distinct(labels)),
        values=tuple(float(cell) for cell in cells[0]) if numbers else (),
        cells=cells,
        sampled=False,
    )


def _words(column: Sequence[Any], kind: str | None) -> list[str]:
    if kind is not None:
        return [str(value) for value in column]
    texts = ["none" if value is None else _unquoted(str(value)) for value in column]
    words = words_of(list(dict.fromkeys(texts)))
    return [_cut(words[text]) for text in texts]


def _unquoted(text: str) -> str:
    """Return a text without the quotes that YAML needed."""
    if not text.startswith('"'):
        return text
    try:
        return str(json.loads(text))
    except ValueError:
        return text


def _cut(text: str) -> str:
    return text if len(text) <= _LONG else text[: _LONG - 3] + "..."


def _item(paths: tuple[str, ...], row: Sequence[str]) -> str:
    if len(paths) == 1:
        return row[0]
    return ", ".join(f"{short_path(p)} {v}" for p, v in zip(paths, row, strict=True))


def _distinct(labels: Sequence[str]) -> list[str]:
    counts: dict[str, int] = {}
    names = []
    for label in labels:
        counts[label] = counts.get(label, 0) + 1
        names.append(label if counts[label] == 1 else f"{label} #{counts[label]}")
    return names


class Names:
    """The names of points and values, for the view `runs`.

    Attributes:
        points: an Arrow table with `point` (the key), `number`, `place`, `replicate`, and the label
            of each factor that has levels, as `label 0`, `label 1` and so on.
    """

    def __init__(self, head: dict[str, Any], texts: Callable[[str], list[str]]) -> None:
        import pyarrow as pa

        self._head, self._factors = head, factors_in(head)
        self._read: dict[str, dict[str, str]] = {}
        if "factors" not in head:  # from an older version; the values of the runs give the names
            for path in head["kinds"]:
                words = words_of(texts(path))
                self._read[path] = {v: _cut(w) for v, w in words.items() if w != v}
        places, replicates = replicates_in(head)
        columns: dict[str, Any] = {
            "point": pa.array(head["points"], pa.string()),
            "number": np.arange(len(places)),
            "place": places,
            "replicate": replicates,
        }
        indices = levels_at(head, places)
        for number, factor in enumerate(self._factors):
            if factor.labels:
                codes = pa.array(indices[number].astype(np.int32))
                columns[f"label {number}"] = pa.DictionaryArray.from_arrays(
                    codes, pa.array(factor.labels)
                ).cast(pa.string())
        self.points = pa.table(columns)

    def label(self, there: dict[str, str]) -> str:
        """Return SQL for the name of a run's point; `there` maps each column to its type."""
        many = sum(len(f.labels) != 1 for f in self._factors) > 1
        parts = []
        for number, factor in enumerate(self._factors):
            if not factor.labels:
                parts.append(_number_sql(factor.paths[0], factor.unit, many, there))
            elif len(factor.labels) > 1:
                prefix = f"{factor.name} " if factor.values and many else ""
                parts.append(f'{_literal(prefix)} || points."label {number}"')
        if "factors" not in self._head:
            kinds: dict[str, str | None] = self._head["kinds"]
            parts = [
                self._mapped(path)
                if unit is None
                else _number_sql(path, unit, len(kinds) > 1, there)
                for path, unit in kinds.items()
                if path in there
            ]
        return f"concat_ws(', ', {', '.join(parts)})" if parts else "''"

    def replaced(self, there: dict[str, str]) -> str:
        """Return SQL that replaces mappings by names and whole numbers by integers, or ""."""
        own: dict[str, str] = {}
        for number, factor in enumerate(self._factors):
            path = factor.paths[0]
            if factor.labels and len(factor.paths) == 1 and there.get(path) == "VARCHAR":
                own[path] = f'points."label {number}"'
            elif factor.labels and len(factor.paths) > 1:
                own |= _in_items(factor, number, there)
        own |= {path: self._mapped(path) for path in self._read if self._read[path]}
        for path in self._head.get("whole", ()):
            if there.get(path) == "DOUBLE":
                own[path] = f"cast(made.{quoted_name(path)} as bigint)"
        replacements = ", ".join(f"{sql} as {quoted_name(path)}" for path, sql in own.items())
        return f"replace ({replacements})" if replacements else ""

    def _mapped(self, path: str) -> str:
        words, column = self._read.get(path) or {}, f"made.{quoted_name(path)}"
        whens = " ".join(f"when {_literal(v)} then {_literal(w)}" for v, w in words.items())
        return f"case {column} {whens} else {column} end" if whens else column


def _in_items(factor: Factor, number: int, there: dict[str, str]) -> dict[str, str]:
    cases = {}
    for path, cells in zip(factor.paths, factor.cells, strict=True):
        if there.get(path) == "VARCHAR":
            words = _words(cells, None)
            whens = " ".join(
                f"when {_literal(label)} then {_literal(word)}"
                for label, word in zip(factor.labels, words, strict=True)
            )
            cases[path] = f'case points."label {number}" {whens} end'
    return cases


def _number_sql(path: str, unit: str, named: bool, there: dict[str, str]) -> str:
    prefix = _literal(f"{short_path(path)} " if named else "")
    column = f"made.{quoted_name(path)}"
    shown = f"printf('%.5g', {column})" if there.get(path) == "DOUBLE" else f"{column}::varchar"
    return f"{prefix} || {shown} || {_literal(f' {unit}' if unit else '')}"


def named(head: dict[str, Any], texts: Callable[[str], list[str]]) -> Names:
    """Return the names of the points and values of a sweep.

    Args:
        head: the head of the sweep, from head_of.
        texts: function that returns the texts of a path in the runs, for sweeps of earlier
            versions.
    """
    return Names(head, texts)


def replicates_in(head: dict[str, Any]) -> tuple[Any, Any]:
    """Return the point numbers and the replicate numbers of all runs, in order, as two arrays."""
    total = len(head["points"])
    if head.get("places"):
        places = np.asarray(head["places"], dtype=np.int64)
        order = np.argsort(places, kind="stable")
        n = np.bincount(places)
        replicates = np.empty(total, dtype=np.int64)
        replicates[order] = np.arange(total) - np.repeat(np.cumsum(n) - n, n)
        return places, replicates
    if not head.get("counts"):
        numbers = np.arange(total)
        return numbers // head["replicates"], numbers % head["replicates"]
    counts = np.asarray(head["counts"], dtype=np.int64)
    places = np.repeat(np.arange(len(counts)), counts)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    return places, np.arange(total) - first


def levels_at(head: dict[str, Any], places: Any) -> list[Any]:
    """Return, for each factor, the level of each point; for samples, the number of the sample."""
    factors = head.get("factors", ())
    levels: list[Any] = []
    stride = 1
    for one in reversed(factors):
        index = places // stride % one["levels"]
        levels[:0] = [index] * (1 if one["values"] else len(one["paths"]))
        stride *= one["levels"]
    return levels


def labels_of(folder: str | Path) -> dict[str, dict[str, Any]]:
    """Return the values behind the names of a sweep: path -> name -> value.

    Sampled parameters have no names and are left out.

    Raises:
        ResultsError: the sweep does not exist.
    """
    labels: dict[str, dict[str, Any]] = {}
    named = (factor for factor in factors_in(head_of(Path(folder))) if not factor.sampled)
    for factor in named:
        for path, cells in zip(factor.paths, factor.cells, strict=True):
            labels[path] = {
                name: _value(cell) for name, cell in zip(factor.labels, cells, strict=True)
            }
    return labels


def _value(cell: Any) -> Any:
    if isinstance(cell, str) and cell[:1] in ("{", "[", '"'):
        try:
            return json.loads(cell)
        except ValueError:
            return cell
    return cell


def quoted_name(name: str) -> str:
    """Return a column name quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def labels_of_column(
    path: str, unit: str, labels: Sequence[str], values: tuple[float, ...]
) -> Factor:
    """Return the factor of a single parameter, from its labels and values in the runs."""
    return Factor(short_path(path), (path,), unit, tuple(labels), values, (), False)
