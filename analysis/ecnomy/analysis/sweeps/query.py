# SPDX-License-Identifier: Apache-2.0
"""The verb `query`: runs SQL over the runs of a sweep.

Queries can only read, and only the files of the sweep. With --unsafe, any DuckDB statement is
allowed.
"""

from __future__ import annotations

import contextlib
import io
import shutil
import sys
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from ecnomy.agents.errors import InputError
from ecnomy.markets.cli.printing import UNBOUNDED, Json, hanging, print_json
from ecnomy.markets.support.printable import printable
from ecnomy.markets.support.wording import exclusive

__all__ = ["query_command"]

_ALL_ROWS: Final = 2**31 - 1
_MOST_ROWS: Final = 1000  # most rows shown on a terminal
_COLUMNS: Final = "select column_name, column_type from (describe runs)"

Folder = Annotated[Path, typer.Argument(help="Results folder of a sweep.")]
Sql = Annotated[str, typer.Argument(help="DuckDB SQL over the view `runs`.")]
Unsafe = Annotated[
    bool,
    typer.Option(
        "--unsafe", help="Allow SQL to read and write other files and to load extensions."
    ),
]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV instead of a table.")]


def query_command(
    folder: Folder,
    sql: Sql = _COLUMNS,
    csv: Csv = False,
    as_json: Json = False,
    unsafe: Unsafe = False,
) -> None:
    """Query a sweep with SQL: `select "gold.count", avg("gold.goodput_bps") from runs group by 1`.

    Without SQL, list the columns of `runs`.
    """
    from ecnomy.analysis.sweeps.open_sweep import connect

    if csv and as_json:
        raise InputError(exclusive("--json", "--csv"))

    with connect(folder, confined=not unsafe) as connection:
        import duckdb

        try:
            if not unsafe:
                _refuse_changes(connection, sql)
            result = connection.sql(sql)
            if result is None:
                return
            if csv:
                text = result.df().to_csv(index=False)
                print(printable(text) if sys.stdout.isatty() else text, end="")
            elif as_json:
                names = result.columns
                print_json([dict(zip(names, row, strict=True)) for row in result.fetchall()])
            else:
                _show(result)
            _say_missing(connection, folder)
        except duckdb.Error as error:
            message = " ".join(str(error).split())
            if message.startswith("Binder Error: Referenced table"):
                message += '. Names with dots need double quotes: "market.price_per_mark"'
            raise InputError(f"SQL: {message}") from None


def _refuse_changes(connection: Any, sql: str) -> None:
    """Raise InputError unless each statement is a SELECT (or DESCRIBE or SUMMARIZE)."""
    for statement in connection.extract_statements(sql):
        kind = statement.type.name
        if kind != "SELECT":
            word = {"MULTI": "a PIVOT without IN"}.get(kind, f"a statement of kind {kind}")
            raise InputError(f"SQL: found {word}, expected SELECT (--unsafe allows all statements)")


def _say_missing(connection: Any, folder: Path) -> None:
    from ecnomy.analysis.sweeps.missing import say_missing

    numbers = connection.execute("select number from runs").fetchall()
    say_missing(folder, (number for (number,) in numbers))


def _show(result: Any) -> None:
    """Print a table; if it is too wide for the terminal, print one line per column of each row."""
    if not sys.stdout.isatty():
        result.show(max_width=UNBOUNDED, max_rows=_ALL_ROWS)
        return
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        result.show(max_width=UNBOUNDED, max_rows=_MOST_ROWS)
    table = shown.getvalue()
    if max(map(len, table.splitlines()), default=0) <= shutil.get_terminal_size().columns:
        print(printable(table), end="")
        return
    width = max(map(len, result.columns))
    rows = result.limit(_MOST_ROWS + 1).fetchall()
    for number, row in enumerate(rows[:_MOST_ROWS], 1):
        print(f"row {number}")
        for name, value in zip(result.columns, row, strict=True):
            print(hanging(f"  {name:<{width}}  ", "NULL" if value is None else str(value)))
    if len(rows) > _MOST_ROWS:
        print(f"only the first {_MOST_ROWS} rows are shown; use --csv or a pipe for all")
