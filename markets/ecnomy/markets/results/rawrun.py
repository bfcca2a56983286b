# SPDX-License-Identifier: Apache-2.0
"""The tables of a results folder (format 1) as stored, read on first use.

Times are integers in picoseconds of simulated time, and amounts of money are integers in
micro-units. In `flows`, `links`, `agents` and `ledger`, `Results` converts them to seconds and
money.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ecnomy.agents.errors import ResultsError
from ecnomy.markets.plan import Plan
from ecnomy.markets.results.groups import GroupMeans, groups_in
from ecnomy.markets.results.manifest import Manifest, Measured, read_manifest
from ecnomy.markets.results.runtables import RunTables
from ecnomy.markets.support.intact import check_file

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["RawRun", "open_raw"]

_EMPTY_COLUMNS: Final[dict[str, list[str]]] = {
    "ledger": [
        "t_ps",
        "debit",
        "credit",
        "amount_micro",
        "kind",
        "flow",
        "quantity",
        "price_micro",
    ],
    "agents": ["t_ps", "agent", "flow", "name", "value"],
    "series": ["t_ps", "name", "subject", "value"],
    "transfers": [
        "flow",
        "number",
        "start_ps",
        "end_ps",
        "bytes",
        "retransmitted",
        "ece",
        "complete",
    ],
    "histograms": ["name", "subject", "bin", "low", "count"],
    "counts": ["t_ps", "name", "subject", "count"],
    "classes": ["t_ps", "link", "class", "link_name", "class_name"],
    "calls": [
        "id",
        "flow",
        "user",
        "start_ps",
        "end_ps",
        "accepted",
        "complete",
        "sent",
        "delivered",
        "late",
        "ce",
        "lost",
        "delay_sum_ps",
        "charge_micro",
        "reimbursement_micro",
    ],
    "flows": ["flow", "name", "source", "class"],
    "links": ["link", "name"],
    "pairs": ["source", "link"],
}


class RawRun(RunTables):
    """The tables of a run as stored on disk, as pandas frames that are read on first use.

    Attributes:
        path: the results folder.
        manifest: the manifest of the run.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest

    @property
    def raw(self) -> RawRun:
        """Return this object, so that code accepts both a raw run and its Results."""
        return self

    @property
    def plan(self) -> Plan:
        """Return the plan of the run."""
        return self.manifest.plan

    @property
    def title(self) -> str:
        """Return the scenario's title."""
        return self.manifest.title

    @property
    def note(self) -> str | None:
        """Return a line that explains why the run is partial, or None for a complete run."""
        if self.manifest.complete:
            return None
        return f"partial results: {self.manifest.reason or 'the run did not finish'}"

    @property
    def measured(self) -> Measured:
        """Return the measured window, or [warm-up, duration] if a partial run lacks a window."""
        if self.manifest.measured is not None:
            return self.manifest.measured
        return Measured(self.plan.warmup_ps, self.plan.duration_ps)

    def groups(self) -> list[GroupMeans]:
        """Return rates and payments by group; [] without the tables or with an empty window."""
        there = all(self.file(name).is_file() for name in ("flows", "ledger", "agents"))
        return groups_in(self) if there and self.measured.to_ps > self.measured.from_ps else []

    def file(self, name: str) -> Path:
        """Return the path of a table's file, after a check of its digest if the manifest lists one.

        Raises:
            ResultsError: the manifest lists the file, and the file is missing or was altered.
        """
        file = self.path / f"{name}.parquet"
        if name in self.manifest.tables:
            check_file(file, self.manifest.tables[name], "run it again")
        return file

    def columns(
        self, name: str, columns: Sequence[str], only: tuple[str, str] | None = None
    ) -> pa.Table:
        """Return columns of a table.

        `only` = (column, value) selects the rows that have this value.

        Raises:
            ResultsError: the table cannot be read.
        """
        import pyarrow.parquet as pq

        file = self.file(name)
        with _readable(file):
            filters = None if only is None else [(only[0], "==", only[1])]
            return pq.read_table(file, columns=list(columns), filters=filters)

    def table(self, name: str, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table `<name>.parquet`, read from disk at each call.

        If `columns` are given, the result has those of them that exist. A table that is missing and
        not in the manifest is returned empty, except `flow_epochs`, `link_epochs` and `trace`.

        Raises:
            ResultsError: the table is unreadable or was altered, or is missing although it is in
                the manifest or one of these three.
        """
        import pandas as pd
        import pyarrow.parquet as pq

        file = self.file(name)
        if not file.is_file():
            if name in _EMPTY_COLUMNS:
                return pd.DataFrame(columns=_EMPTY_COLUMNS[name])
            note = f" ({self.note})" if self.note else ""
            raise ResultsError(f"{self.path}: {file.name} is missing{note}")
        with _readable(file):
            if columns is not None:
                there = pq.read_schema(file).names
                columns = [column for column in columns if column in there]
            return pd.read_parquet(file, columns=columns)


@contextlib.contextmanager
def _readable(file: Path) -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except (OSError, ValueError, pa.ArrowException) as error:
        reason = " ".join(str(error).split())
        raise ResultsError(f"{file}: not a readable Parquet file ({reason})") from error


def open_raw(path: str | Path) -> RawRun:
    """Open the results folder of a complete or partial run (see `RawRun.note`).

    Raises:
        ResultsError: the folder does not exist, does not hold results, or has another format.
    """
    return RawRun(Path(path), read_manifest(path))
