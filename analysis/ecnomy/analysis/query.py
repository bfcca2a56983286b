# SPDX-License-Identifier: Apache-2.0
"""The verb `query`: SQL over the runs of a sweep."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from ecnomy.agents.errors import InputError
from ecnomy.markets.printing import UNBOUNDED, Json, print_json

__all__ = ["query_command"]

_ALL_ROWS: Final = 2**31 - 1

Folder = Annotated[Path, typer.Argument(help="The folder of a sweep.")]
Sql = Annotated[str, typer.Argument(help="SQL of DuckDB over the view `runs`.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV instead of a table.")]


def query_command(
    folder: Folder, sql: Sql = "describe runs", csv: Csv = False, as_json: Json = False
) -> None:
    """Ask a sweep: `select "market.price_per_mark", avg("gold.goodput_bps") from runs group by 1`.

    Without SQL, the columns of `runs` are listed.
    """
    from ecnomy.analysis.sweeps import connect

    if csv and as_json:
        raise InputError("--json: found --csv beside it, expected one of them")

    with connect(folder) as connection:
        import duckdb

        try:
            result = connection.sql(sql)
            if result is None:
                return
            if csv:
                result.df().to_csv(sys.stdout, index=False)
            elif as_json:
                names = result.columns
                print_json([dict(zip(names, row, strict=True)) for row in result.fetchall()])
            elif sys.stdout.isatty():
                result.show(max_width=200, max_rows=1000)
            else:
                result.show(max_width=UNBOUNDED, max_rows=_ALL_ROWS)
        except duckdb.Error as error:
            raise InputError(f"SQL: {' '.join(str(error).split())}") from None
