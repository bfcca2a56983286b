# SPDX-License-Identifier: Apache-2.0
"""Stores the results of all quick runs next to papers.json, to detect the effects of changes.

    papers-quick.json.gz     {"format": 1, "tables": {"paper/study": {column: [kind, values]}, ...}}

A table has one row per run: `number`, `point`, `replicate`, `seed`, the parameters (mappings as
JSON), the measured values, and the number of data packets sent. `paper/study@setting=alternative`
holds only the first run of a study under an alternative. An entry's quantities can be computed from
these tables without new runs. Probes compare new runs with these rows.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ecnomy.agents.errors import ResultsError
from ecnomy.analysis.reproduce.catalogue import Paper
from ecnomy.analysis.reproduce.claim_digests import digest
from ecnomy.analysis.reproduce.studies import Form, Runs, Studies, load_study
from ecnomy.analysis.support.whole_file import write_whole
from ecnomy.markets.support.wording import other_format

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "KEPT", "KeptRuns", "missing", "not_kept", "read_rows", "rows_digest", "table_of", "unmoved",
    "write_rows",
]  # fmt: skip

KEPT: Final = "papers-quick.json.gz"
FORMAT: Final = 1
_LEFT_OUT: Final = ("run", "label", "engine", "engine_cpu_s", "wall_s", "worker")
_KINDS: Final = {"int64": "int64", "Int64": "Int64", "float64": "float64", "text": None}
Tables = Mapping[str, "pd.DataFrame"]


def table_of(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a sweep's table as it is stored: without run key, label, times, worker and engine."""
    kept = frame.drop(columns=[name for name in _LEFT_OUT if name in frame])
    return kept.sort_values("number", ignore_index=True)


def write_rows(file: Path, tables: Tables) -> None:
    """Write the tables to the file, so that equal tables give equal bytes."""
    plain_tables = {name: _plain(table) for name, table in sorted(tables.items())}
    write_whole(file, gzip.compress(msgspec.json.encode(_File(FORMAT, plain_tables)), mtime=0))


class _Rows(Mapping[str, "pd.DataFrame"]):
    """Tables by name, each built when it is first read."""

    def __init__(self, plain: Mapping[str, Mapping[str, tuple[str, list[Any]]]]) -> None:
        self._plain = plain
        self._built: dict[str, pd.DataFrame] = {}

    def __getitem__(self, name: str) -> pd.DataFrame:
        if name not in self._built:
            import pandas as pd

            columns = self._plain[name].items()
            self._built[name] = pd.DataFrame(
                {c: pd.Series(v, dtype=_KINDS[kind]) for c, (kind, v) in columns}
            )
        return self._built[name]

    def __contains__(self, name: object) -> bool:
        return name in self._plain

    def __iter__(self) -> Iterator[str]:
        return iter(self._plain)

    def __len__(self) -> int:
        return len(self._plain)


class _File(msgspec.Struct, frozen=True):
    format: int
    tables: dict[str, dict[str, tuple[str, list[Any]]]]


def read_rows(file: Path) -> Tables:
    """Return the tables in the file by name, or {} if the file does not exist.

    Raises:
        ResultsError: the file does not contain tables of quick runs.
    """
    if not file.is_file():
        return {}
    try:
        content = msgspec.json.decode(gzip.decompress(file.read_bytes()), type=_File)
    except (OSError, EOFError, zlib.error, msgspec.DecodeError) as error:
        raise ResultsError(f"{file}: cannot read the rows of quick runs ({error})") from None
    if content.format != FORMAT:
        raise ResultsError(other_format(file, "format of quick runs", content.format, FORMAT))
    return _Rows(content.tables)


def rows_digest(table: pd.DataFrame) -> str:
    """Return the digest of a table."""
    return digest(_plain(table))


def unmoved(table: pd.DataFrame, then: pd.DataFrame | None) -> pd.DataFrame:
    """Return the earlier table if its values are unchanged, or else the new table.

    New columns do not count as a change.
    """
    if then is None or not set(then.columns) <= set(table.columns):
        return table
    return then if rows_digest(table[list(then.columns)]) == rows_digest(then) else table


def _plain(table: pd.DataFrame) -> dict[str, tuple[str, list[Any]]]:
    return {
        str(name): (_kind(column), [None if missing(v) else v for v in column.tolist()])
        for name, column in table.items()
    }


def _kind(column: pd.Series[Any]) -> str:
    kind = str(column.dtype)
    return kind if kind in _KINDS else "text"


def missing(value: Any) -> bool:
    """Return whether the value of a cell is missing."""
    import pandas as pd

    return value is None or value is pd.NA or value != value


def not_kept(study: str) -> ResultsError:
    """Return the error for a study whose quick runs are not stored."""
    return ResultsError(f"{study}: the quick runs of this study are not recorded")


class KeptRuns(Studies):
    """The quick runs of an entry's studies, read from stored tables instead of sweeps."""

    def __init__(self, paper: Paper, names: tuple[str, ...], tables: Tables) -> None:
        super().__init__(paper, names, Form(Path(), quick=True))
        self._tables = tables

    def _load(self, name: str) -> Runs:
        study, key = self._paper.studies[name], f"{self._paper.paper}/{name}"
        if key not in self._tables:
            raise not_kept(key)
        return Runs(self._tables[key].copy(), batches=study.batches, budget=study.budget)

    def replicates(self, name: str) -> int:
        """Return the number of seeds of a study's quick form, which are never doubled."""
        return load_study(self._paper, name, self._form).replicates
