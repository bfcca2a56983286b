# SPDX-License-Identifier: Apache-2.0
"""Convert columns to MessagePack bins without a copy, and back with a single copy."""

from __future__ import annotations

import numpy as np

from ecnomy.agents.errors import ProtocolError
from ecnomy.markets.bridge import columns as tables
from ecnomy.markets.bridge.checks import check_counts, check_finite, check_names
from ecnomy.markets.bridge.messages import Columns

__all__ = ["RawColumns", "arrays", "bins", "late_columns", "optional_arrays"]

RawColumns = dict[str, memoryview]


def late_columns(flows: RawColumns) -> int:
    """Return the number of delay thresholds that the counters of a report's flows cover."""
    late = 0
    while tables.late_column(late) in flows:
        late += 1
    return late


def optional_arrays(where: str, raw: RawColumns, table: tables.Table, newer: bool) -> Columns:
    """Return all columns of a table, or {} if the message has none of them."""
    known = any(name in raw for name in table) if newer else bool(raw)
    return arrays(where, raw, table, None, newer) if known else {}


def arrays(
    where: str,
    raw: RawColumns,
    table: tables.Table,
    rows: int | None,
    newer: bool,
    *,
    counts: bool = False,
) -> Columns:
    """Return columns in the table's order, copied once into an aligned read-only block.

    Args:
        where: name of the table, for error messages.
        raw: bins by column name.
        table: expected column names and dtypes.
        rows: expected number of rows, or None to accept the length of the first column.
        newer: whether to skip unknown columns.
        counts: whether to refuse negative values.

    Raises:
        ProtocolError: column-name, column-length, not-finite, out-of-range.
    """
    check_names(where, raw, table, newer=newer)
    parts = [raw[name] for name in table]
    size = len(parts[0]) if rows is None else 8 * rows
    if size % 8 or any(len(part) != size for part in parts):
        wrong = (
            pair for pair in zip(table, parts, strict=True) if size % 8 or len(pair[1]) != size
        )
        name, part = next(wrong)
        found = f"{where}.{name} has {len(part)} bytes"
        raise ProtocolError("column-length", f"{found}, expected {size - size % 8}")
    block = np.frombuffer(b"".join(parts), tables.INT).reshape(len(parts), size // 8)
    floats = block.view(tables.FLOAT)
    data: Columns = {}
    of_floats = []
    for row, (name, dtype) in enumerate(table.items()):
        if dtype is tables.FLOAT:
            of_floats.append(row)
            data[name] = floats[row]
        else:
            data[name] = block[row]
    if of_floats and not np.isfinite(floats[of_floats]).all():
        check_finite(where, data)  # its error names the column
    if counts and block.min(initial=0) < 0:  # the highest bit of a float is also its sign
        check_counts(where, data)
    return data


def bins(where: str, data: Columns) -> dict[str, memoryview]:
    """Return the memory of the columns, for encoding as bins.

    Raises:
        ProtocolError: wrong-type (neither int64 nor float64), column-length.
    """
    views: dict[str, memoryview] = {}
    rows: int | None = None
    for name, values in data.items():
        if values.dtype not in (tables.INT, tables.FLOAT) or values.ndim != 1:
            raise ProtocolError("wrong-type", f"{where}.{name} is {values.dtype}")
        rows = len(values) if rows is None else rows
        if len(values) != rows:
            raise ProtocolError(
                "column-length", f"{where}.{name} has {len(values)} rows, expected {rows}"
            )
        views[name] = np.ascontiguousarray(values).data
    return views
