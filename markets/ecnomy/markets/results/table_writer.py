# SPDX-License-Identifier: Apache-2.0
"""A writer that streams a table to Parquet.

The bytes of a file depend only on the rows of its table, not on the batches in which they arrive,
because every row group except the last has ROWS_PER_GROUP rows. A table is written to
`<name>.parquet.tmp`. When the table is closed, the file gets its final name and becomes readable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ecnomy.agents.arrays import Integers
from ecnomy.markets.support.intact import digest_of, sync_file

__all__ = ["ROWS_PER_GROUP", "TableWriter", "Taken"]

ROWS_PER_GROUP: Final = 65_536
MOST_BATCHES: Final = 512  # most batches kept without merging


class Taken(msgspec.Struct, frozen=True, eq=False):
    """A column with the values `names[index]`.

    Later batches may append names but never change them.
    """

    names: Sequence[str]
    index: Integers


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
