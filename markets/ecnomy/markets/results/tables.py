# SPDX-License-Identifier: Apache-2.0
"""The columns of the tables in a results folder, and a writer that streams a table to Parquet.

The bytes of a file depend only on the rows of its table, not on the batches in which they arrive,
because every row group except the last has ROWS_PER_GROUP rows. A table is written to
`<name>.parquet.tmp`. When the table is closed, the file gets its final name and becomes readable.
The metadata of each field has the unit of the column (units.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from ecnomy.markets.bridge.columns import (
    RECORDS,
    REPORT_LINKS,
    REPORT_PAIRS,
    Table,
    report_flows,
)
from ecnomy.markets.plan import Plan
from ecnomy.markets.plan.structs import NONE
from ecnomy.markets.results.units import unit_of
from ecnomy.markets.support.intact import digest_of, sync_file

__all__ = ["ALL_TABLES", "ROWS_PER_GROUP", "TableWriter", "Taken", "schemas"]

ROWS_PER_GROUP: Final = 65_536
MOST_BATCHES: Final = 512  # most batches kept without merging
ALL_TABLES: Final = (
    "flows",
    "links",
    "pairs",
    "flow_epochs",
    "link_epochs",
    "ledger",
    "agents",
    "series",
    "transfers",
    "calls",
    "trace",
    "histograms",
    "counts",
    "classes",
)

_LEDGER: Final = {
    "t_ps": pa.int64(),
    "debit": pa.string(),
    "credit": pa.string(),
    "amount_micro": pa.int64(),
    "kind": pa.string(),
    "flow": pa.int64(),
    "quantity": pa.int64(),
    "price_micro": pa.int64(),
}
_AGENTS: Final = {
    "t_ps": pa.int64(),
    "agent": pa.string(),
    "flow": pa.int64(),
    "name": pa.string(),
    "value": pa.float64(),
}
_FLOW_NAMES: Final = {
    "flow": pa.int64(),
    "name": pa.string(),
    "source": pa.string(),
    "members": pa.int64(),  # number of flows in the row
    "class": pa.string(),
    "provider": pa.string(),
    "codepoint": pa.string(),  # ECN field of data packets: not-ect, ect-0 or ect-1
}
_FLOW_RATES: Final = {
    "goodput_bps": pa.float64(),
    "marks_per_s": pa.float64(),
    "marking_rate": pa.float64(),
    "mean_delay_s": pa.float64(),
    "mean_cwnd": pa.float64(),
}
_MONEY: Final = {"fee_micro": pa.int64(), "mark_charge_micro": pa.int64()}
_CALL_MONEY: Final = {
    "charge_micro": pa.int64(),
    "reimbursement_micro": pa.int64(),
    "tariff": pa.int64(),
    "refused_by": pa.int64(),
}
_HISTOGRAMS: Final = {
    "name": pa.string(),
    "subject": pa.string(),
    "bin": pa.int64(),
    "low": pa.float64(),
    "count": pa.int64(),
}
_COUNTS: Final = {
    "t_ps": pa.int64(),
    "name": pa.string(),
    "subject": pa.string(),
    "count": pa.int64(),
}
_CLASS_NAMES: Final = {"link_name": pa.string(), "class_name": pa.string()}
_LINK_RATES: Final = {
    "utilization": pa.float64(),
    "mean_queue_packets": pa.float64(),
    "mean_wait_s": pa.float64(),
    "marking_probability": pa.float64(),
}


def schemas(plan: Plan) -> dict[str, pa.Schema]:
    """Return the schema of every table of a run of this plan, by name."""
    late = len(plan.record.delay_thresholds_ps)
    flows, links = _arrow(report_flows(late)), _arrow(REPORT_LINKS)
    epoch = {"t_ps": pa.int64()}
    tables: dict[str, dict[str, Any]] = {
        "flows": {**_FLOW_NAMES, **flows, **_FLOW_RATES, **_MONEY},
        "links": {"link": pa.int64(), "name": pa.string(), **links, **_LINK_RATES},
        "pairs": {**_pair_names(), **_arrow(REPORT_PAIRS)},
        "flow_epochs": {**epoch, "flow": pa.int64(), **flows, "class_index": pa.int64(), **_MONEY},
        "link_epochs": {**epoch, "link": pa.int64(), **links},
        "ledger": _LEDGER,
        "agents": _AGENTS,
    }
    wanted = {
        "series": bool(plan.record.series),
        "transfers": plan.record.transfers,
        "calls": plan.record.calls,
        "trace": plan.record.trace,
    }
    tables |= {name: _arrow(RECORDS[name]) for name, on in wanted.items() if on}
    if "calls" in tables:
        tables["calls"] |= _CALL_MONEY
    if plan.record.histograms:
        tables["histograms"] = _HISTOGRAMS
    if plan.record.counts:
        tables["counts"] = _COUNTS
    if plan.record.classes_every_ps != NONE:
        tables["classes"] = _CLASS_NAMES | _arrow(RECORDS["classes"])
    return {name: _schema(name, columns) for name, columns in tables.items()}


def _schema(table: str, columns: Mapping[str, pa.DataType]) -> pa.Schema:
    return pa.schema(
        [
            pa.field(name, kind, metadata={"unit": unit_of(table, name)})
            for name, kind in columns.items()
        ]
    )


class Taken(msgspec.Struct, frozen=True, eq=False):
    """A column with the values `names[index]`.

    Later batches may append names but never change them.
    """

    names: Sequence[str]
    index: npt.NDArray[np.int64]


class TableWriter:
    """Writes a table to a Parquet file, which becomes readable on `close`."""

    def __init__(self, folder: Path, name: str, schema: pa.Schema) -> None:
        self._final = folder / f"{name}.parquet"
        self._temporary = folder / f"{name}.parquet.tmp"
        self._schema = schema
        self._waiting: list[list[Any]] = []  # batches of each field
        self._rest: pa.Table = schema.empty_table()
        self._rows = 0
        self._writer: Any = pq.ParquetWriter(self._temporary, schema, compression="zstd")

    def write(self, columns: Mapping[str, Any]) -> None:
        """Append rows. `columns` has every column of the schema: an array, a sequence or a Taken.

        Arrays are not copied at once, so the caller must not modify them later.
        """
        given = [columns[name] for name in self._schema.names]
        self._waiting.append(given)
        first = given[0]
        self._rows += len(first.index if isinstance(first, Taken) else first)
        if self._rows >= ROWS_PER_GROUP:
            self._flush(ROWS_PER_GROUP)
        elif len(self._waiting) >= MOST_BATCHES:
            self._gather()

    def close(self, *, synced: bool = True) -> str:
        """Write the remaining rows, sync the file if `synced`, rename it, and return its digest."""
        self._flush(1)
        self._writer.close()
        if synced:
            sync_file(self._temporary)
        digest = digest_of(self._temporary)
        self._temporary.replace(self._final)
        return digest

    def _flush(self, least: int) -> None:
        # Combine chunks; otherwise the bytes would depend on the lengths of batches.
        self._gather()
        table, self._rest = self._rest.combine_chunks(), self._schema.empty_table()
        start = 0
        while table.num_rows - start >= least:
            rows = min(ROWS_PER_GROUP, table.num_rows - start)
            self._writer.write_table(table.slice(start, rows), row_group_size=ROWS_PER_GROUP)
            start += rows
        # Copy the rest; a slice would keep the written rows in memory.
        self._rest = table.take(np.arange(start, table.num_rows))
        self._rows = self._rest.num_rows

    def _gather(self) -> None:
        """Merge waiting batches into one, because an array of few rows has much overhead."""
        if self._waiting:
            fields = zip(zip(*self._waiting, strict=True), self._schema, strict=True)
            arrays = [_column(parts, field.type) for parts, field in fields]
            more = pa.Table.from_arrays(arrays, schema=self._schema)
            self._waiting, self._rest = [], pa.concat_tables([self._rest, more])


def _column(parts: Sequence[Any], kind: pa.DataType) -> pa.Array:
    types = set(map(type, parts))
    if types == {np.ndarray} and len(set(map(attrgetter("dtype"), parts))) == 1:
        return pa.array(parts[0] if len(parts) == 1 else np.concatenate(parts), kind)
    if types == {Taken}:
        index = np.concatenate([part.index for part in parts])
        names = pa.array(parts[-1].names, pa.string())
        return pa.DictionaryArray.from_arrays(pa.array(index), names).cast(kind)
    return pa.concat_arrays([pa.array(part, kind) for part in parts])


def _arrow(table: Table) -> dict[str, Any]:
    return {
        name: pa.int64() if dtype.kind == "i" else pa.float64() for name, dtype in table.items()
    }


def _pair_names() -> dict[str, Any]:
    return {"source_name": pa.string(), "link_name": pa.string()}
