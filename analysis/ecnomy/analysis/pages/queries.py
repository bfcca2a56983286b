# SPDX-License-Identifier: Apache-2.0
"""Runs the queries of a page with DuckDB, on tables that its first query (prelude) creates."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.analysis.pages.parts import Query
from ecnomy.markets.inputs.missing_packages import extras

__all__ = ["Queries", "columns_of", "literal"]


class Queries:
    """A DuckDB connection that runs and numbers the queries of a page.

    Attributes:
        prelude: the first query, which creates the tables for all others.
    """

    def __init__(self, folder: Path, prelude: str) -> None:
        """Create the tables.

        Raises:
            InputError: DuckDB is not installed.
            ResultsError: the tables in `folder` cannot be read.
        """
        duckdb = _duckdb()
        self.prelude = prelude
        # one thread sums fractions in a fixed order, so that pages are reproducible
        self._connection = duckdb.connect(config={"threads": 1})
        self._connection.execute("set enable_progress_bar = false")
        self._count = 0
        try:
            self._connection.execute(prelude)
        except duckdb.Error as error:
            reason = " ".join(str(error).split())
            raise ResultsError(f"{folder}: its tables cannot be read ({reason})") from None

    def ask(self, sql: str) -> Query:
        """Run a query that the page shows, and return it with its result."""
        self._count += 1
        with _readable():
            rows = self._connection.execute(sql).fetchall()
        return Query(f"q{self._count}", sql, tuple(rows))

    def arrays(self, sql: str) -> dict[str, Any]:
        """Return the result of a query that the page does not show, as NumPy arrays by column.

        Raises:
            ResultsError: a table of the query is missing or unreadable.
        """
        return _arrays(self._connection, sql)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def columns_of(file: str) -> list[str]:
    """Return the column names of a Parquet file.

    Raises:
        InputError: DuckDB is not installed.
        ResultsError: the file is missing or unreadable.
    """
    with _duckdb().cursor() as connection:  # a shared database, which is slow to open
        return list(_arrays(connection, f"select * from read_parquet({literal(file)}) limit 0"))


def _arrays(connection: Any, sql: str) -> dict[str, Any]:
    with _readable():
        arrays: dict[str, Any] = connection.execute(sql).fetchnumpy()
    return arrays


@contextlib.contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except _duckdb().Error as error:
        reason = " ".join(str(error).split())
        raise ResultsError(f"a table cannot be read ({reason})") from None


def literal(value: Any) -> str:
    """Return a value as an SQL literal."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return f"{value!r}::double" if isinstance(value, float) else str(value)


def _duckdb() -> Any:
    try:
        return importlib.import_module("duckdb")
    except ImportError:
        raise InputError(f"a report needs DuckDB; to install, run: {extras()}") from None
