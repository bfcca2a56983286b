# SPDX-License-Identifier: Apache-2.0
"""Opens the runs of a sweep as one table, in which a row has a run's parameters and outcomes.

Shards may have different columns, for example if some runs lack a source. Missing values are empty.
The table includes records that are not in a shard yet, so that queries work while the sweep runs.
It contains only runs of the current sweep and, for a repeated run, the latest record.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.analysis.sweeps.labels import named, quoted_name
from ecnomy.analysis.sweeps.missing import say_missing
from ecnomy.markets.inputs.missing_packages import extras
from ecnomy.markets.sweep.head import head_of
from ecnomy.markets.sweep.store import check_shard, loose_table, shards

if TYPE_CHECKING:
    import duckdb
    import pandas as pd

__all__ = ["connect", "load", "open_sweep", "parameter_units", "whole_kept"]

_INTEGERS = ("NUMBER", "BIGINT", "INTEGER", "HUGEINT")

_VIEW = """
create temp view runs as
select made.run, points.number, points.place as point, points.replicate, {label} as label,
       points.engine, made.* exclude (run, generation, code, strategies, point) {shown}
from ({parts}) as made
join points on made.point = points.point
{latest}
order by points.number
"""
_LATEST = "qualify row_number() over (partition by made.point order by made.generation desc) = 1"


def open_sweep(folder: str | Path, *, raw: bool = False, partial: bool = False) -> pd.DataFrame:
    """Return the runs of a sweep, and report missing runs in one line on standard error.

    Args:
        folder: the folder of the sweep.
        raw: whether to leave parameters as recorded, with mappings as JSON text instead of names;
            missing runs are then not reported.
        partial: whether to accept missing runs without reporting them.

    Returns:
        One row per run, in the order of the sweep. The columns are `run` (its key), `number`,
        `point` (number of the point), `replicate`, `label` (name of the point), `engine` (None if
        an old folder does not name it), `seed`, `status` (done or failed), `reason`, the parameters
        by path, the outcomes (markets/README.md), `engine_cpu_s`, `wall_s`, `data_packets` and
        `worker` (its address). Numeric parameters have the units of `parameter_units`. Labelled
        values and mappings such as strategies appear by name (ecnomy.analysis.sweeps.labels).
        Counts are integers.

    Raises:
        ResultsError: the sweep does not exist, has no completed or failed run yet, or has a file
            that is unreadable or altered.
        InputError: DuckDB is not installed.
    """
    with connect(folder, raw=raw) as connection:
        frame = whole_kept(connection.sql("from runs"))
    if not (partial or raw):
        say_missing(Path(folder), frame["number"])
    return frame


def whole_kept(result: Any) -> pd.DataFrame:
    """Return the rows of a query; integer columns with missing values become pandas' Int64."""
    integers = [
        c for c, kind in zip(result.columns, result.types, strict=True) if str(kind) in _INTEGERS
    ]
    table = result.to_arrow_table()
    gaps = [name for name in integers if table.column(name).null_count]
    frame: pd.DataFrame = table.drop_columns(gaps).to_pandas()
    for name in gaps:
        values = table.column(name).to_pylist()
        frame.insert(table.column_names.index(name), name, _nullable(values))
    return frame


def _nullable(values: list[Any]) -> Any:
    import pandas as pd

    return pd.array(values, dtype="Int64")


load = open_sweep  # former name; removed in the next release


def parameter_units(folder: str | Path) -> dict[str, str]:
    """Return the unit of each numeric parameter with a unit, by path.

    Raises:
        ResultsError: the sweep does not exist.
    """
    kinds: dict[str, str | None] = head_of(Path(folder))["kinds"]
    return {path: unit for path, unit in kinds.items() if unit}


def connect(
    folder: str | Path, *, raw: bool = False, confined: bool = False
) -> duckdb.DuckDBPyConnection:
    """Return a new database connection with the sweep as the view `runs`.

    Args:
        folder: the folder of the sweep.
        raw: as for `open_sweep`.
        confined: whether SQL can open only the shards of the sweep and cannot load extensions. It
            can still write to the shards, so the caller must check that statements only read.

    Raises:
        ResultsError, InputError: as for `open_sweep`.
    """
    try:
        import duckdb
    except ImportError:
        raise InputError(f"queries need DuckDB; to install, run: {extras()}") from None
    folder = Path(folder)
    head = head_of(folder)
    if part := head.get("part"):
        remedy = f"merge the shards with `ecnomy merge`, then use {folder.parent.parent}"
        raise ResultsError(
            f"{folder}: found shard {part} of a sweep, expected the whole sweep; {remedy}"
        )
    files = [str(file) for file in shards(folder)]
    for file in files:
        check_shard(Path(file))
    loose = loose_table(folder, head)
    if not files and loose is None:
        raise ResultsError(
            f"{folder}: the sweep has no finished runs yet; run `ecnomy sweep` first"
        )
    # A cursor is a connection to the process's database in memory; opening another database takes
    # longer than most queries. `_confine` changes settings of a whole database.
    connection = duckdb.connect() if confined else duckdb.cursor()
    connection.execute("set enable_progress_bar = false")
    try:
        _create(connection, files, loose, head, raw)
        if confined:
            _confine(connection, files)
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
        raise ResultsError(
            f"{folder}: a shard cannot be read ({reason}); run the sweep's command to write it "
            "again"
        ) from None
    return connection


def _confine(connection: Any, files: list[str]) -> None:
    connection.execute(f"set allowed_paths = [{_listed(files)}]")
    connection.execute("set enable_external_access = false; set lock_configuration = true")


def _listed(files: list[str]) -> str:
    return ", ".join("'" + file.replace("'", "''") + "'" for file in files)


def _create(connection: Any, files: list[str], loose: Any, head: dict[str, Any], raw: bool) -> None:
    parts = [f"from read_parquet([{_listed(files)}], union_by_name=true)"] if files else []
    if loose is not None:
        connection.register("loose_records", loose)
        parts.append("from loose_records")
    made = " union all by name ".join(parts)
    described = connection.execute(f"describe {made}").fetchall()
    there = {name: kind for name, kind, *_ in described}
    names = named(head, lambda path: _texts(connection, made, path, there))
    connection.register("points_of_head", names.points)
    connection.execute(
        "create temp table points as select *, ?::varchar as engine from points_of_head",
        [head.get("engine")],
    ).fetchall()
    # if a point was repeated, its latest record counts
    twice = connection.execute(f"select count(*) > count(distinct point) from ({made})").fetchone()
    latest = _LATEST if twice and twice[0] else ""
    shown = {
        "label": names.label(there),
        "shown": "" if raw else names.replaced(there),
        "latest": latest,
    }
    connection.execute(_VIEW.format(parts=made, **shown)).fetchall()
    connection.execute("select count(*) from runs").fetchall()


def _texts(connection: Any, made: str, path: str, there: dict[str, str]) -> list[str]:
    """Return the distinct values of a text parameter in order; [] for other parameters."""
    if there.get(path) != "VARCHAR":
        return []
    quoted = quoted_name(path)
    rows = connection.execute(
        f"select {quoted} from ({made}) where {quoted} is not null group by 1 order by 1"
    ).fetchall()
    return [str(value) for (value,) in rows]
