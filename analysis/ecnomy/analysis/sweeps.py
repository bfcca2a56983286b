# SPDX-License-Identifier: Apache-2.0
"""The runs of a sweep as one table: a row a run, its key, parameters and outcomes as columns.

Shards may differ in their columns (a source that some runs do not have); what a run has not is
empty. Records that are in no shard yet are there too, so that a sweep can be asked while it runs.
Only runs of the sweep as it is now are shown, of each point the latest.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.markets.inputs.remedy import pip_install
from ecnomy.markets.sweep.store import head_of, is_sweep, loose_table, shards

if TYPE_CHECKING:
    import duckdb
    import pandas as pd

__all__ = ["connect", "load", "parameter_units"]

_VIEW = """
create view runs as
select made.run, points.number, points.replicate,
       made.* exclude (run, generation, code, strategies, point)
from ({parts}) as made
join points on made.point = points.point
qualify row_number() over (partition by made.point order by made.generation desc) = 1
order by points.number
"""


def load(folder: str | Path) -> pd.DataFrame:
    """The finished runs of a sweep.

    Args:
        folder: where `ecnomy sweep` put it.

    Returns:
        One row per run in the order of the sweep: `run` (its key), `number`, `replicate`, `seed`,
        `status` (done or failed), `reason`, the parameters by their paths (numbers in the units
        of `parameter_units`), the outcomes (markets/README.md), `engine_cpu_s`, `wall_s`,
        `data_packets`, `worker` (its address).

    Raises:
        ResultsError: there is no sweep, no finished run, or a shard cannot be read.
        InputError: DuckDB is not installed.
    """
    with connect(folder) as connection:
        return connection.execute("from runs").df()


def parameter_units(folder: str | Path) -> dict[str, str]:
    """The unit of each parameter whose column holds numbers with one; pure numbers are left out.

    Raises:
        ResultsError: there is no sweep.
    """
    kinds: dict[str, str | None] = head_of(Path(folder))["kinds"]
    return {path: unit for path, unit in kinds.items() if unit}


def connect(folder: str | Path) -> duckdb.DuckDBPyConnection:
    """A connection of one's own whose view `runs` is the sweep.

    Raises:
        ResultsError, InputError: as `load`.
    """
    try:
        import duckdb
    except ImportError:
        what = pip_install("duckdb")
        raise InputError(f"queries need DuckDB (ecnomy[sweep]): {what}") from None
    folder = Path(folder)
    if not is_sweep(folder):
        raise ResultsError(f"{folder}: holds no sweep")
    head = head_of(folder)
    files = [str(file) for file in shards(folder)]
    loose = loose_table(folder, head)
    if not files and loose is None:
        raise ResultsError(f"{folder}: no finished runs yet; ecnomy sweep makes them")
    connection = duckdb.connect()
    try:
        _create(connection, files, loose, head)
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
        raise ResultsError(
            f"{folder}: a shard cannot be read ({reason}); the sweep's command makes it anew"
        ) from None
    return connection


def _create(connection: Any, files: list[str], loose: Any, head: dict[str, Any]) -> None:
    listed = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
    parts = [f"from read_parquet([{listed}], union_by_name=true)"] if files else []
    if loose is not None:
        connection.register("loose_records", loose)
        parts.append("from loose_records")
    connection.execute(
        "create table points as select unnest(?) as point, unnest(range(?)) as number, "
        "number % ? as replicate",
        [head["points"], len(head["points"]), head["replicates"]],
    ).fetchall()
    connection.execute(_VIEW.format(parts=" union all by name ".join(parts))).fetchall()
    connection.execute("select count(*) from runs").fetchall()
