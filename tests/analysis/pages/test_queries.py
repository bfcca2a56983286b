# SPDX-License-Identifier: Apache-2.0
"""Queries of pages: numbers, values in SQL, and tables that cannot be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ecnomy.agents.errors import ResultsError
from ecnomy.analysis.pages.queries import Queries, columns_of, literal


def test_queries_of_a_page_are_numbered(tmp_path: Path) -> None:
    """Only queries that the page shows have numbers; a cell refers to its query."""
    queries = Queries(tmp_path, "create table prices as select 3 as price")
    assert queries.ask("select price from prices").id == "q1"
    assert queries.arrays("select price from prices")["price"].tolist() == [3]
    second = queries.ask("select 2 * price from prices")
    cell = second.cell(0, 0, "6 money")
    assert (cell.query, cell.value, cell.text) == ("q2", 6, "6 money")
    queries.close()


@pytest.mark.parametrize("value", ["gold", "o'clock", "''", "--", 7, 0.1, 1e-300])
def test_values_in_sql_stay_the_same(value: Any, tmp_path: Path) -> None:
    """Text with quotes and numbers return from DuckDB unchanged."""
    queries = Queries(tmp_path, "select 1")
    assert queries.ask(f"select {literal(value)}").rows == ((value,),)
    queries.close()


def test_tables_that_cannot_be_read_are_errors(tmp_path: Path) -> None:
    """The error of the first query names the folder."""
    missing = f"select * from read_parquet({literal(str(tmp_path / 'flows.parquet'))})"
    with pytest.raises(ResultsError, match=f"{tmp_path}: its tables cannot be read"):
        Queries(tmp_path, missing)
    (tmp_path / "flows.parquet").write_bytes(b"no table")
    with pytest.raises(ResultsError, match="a table cannot be read"):
        columns_of(str(tmp_path / "flows.parquet"))
