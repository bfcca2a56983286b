# SPDX-License-Identifier: Apache-2.0
"""Compute the size of a report, and the number of rows of flows that fit into a frame.

A column consists of a name, the head of a MessagePack `bin`, and 8 bytes per value. The head has 2
bytes for up to 255 bytes of values, 3 bytes for up to 65,535 bytes, and otherwise 5 bytes
(omnet/bridge/PROTOCOL.md).
"""

from __future__ import annotations

import numpy as np

from ecnomy.agents.arrays import LARGEST_INT64
from ecnomy.markets.bridge import columns as tables
from ecnomy.markets.bridge.codec import HEADER_BYTES, MAX_BODY_BYTES, encode
from ecnomy.markets.bridge.messages import Columns, Report

__all__ = ["most_rows", "report_bytes"]

_VALUE_BYTES = 8


def report_bytes(rows: int, links: int, pairs: int, late: int) -> int:
    """Return the largest size that the body of a report can have [bytes].

    Args:
        rows: number of rows of flows.
        links: number of links.
        pairs: number of rows of `report.pairs`.
        late: number of delay thresholds.
    """
    shape = ((tables.report_flows(late), rows), (tables.REPORT_LINKS, links))
    counts = (*shape, (tables.REPORT_PAIRS, pairs))
    empty = Report(LARGEST_INT64, LARGEST_INT64, *(_empty(table) for table, _ in counts))
    values = sum(len(table) * _column_bytes(count) for table, count in counts)
    return len(encode(empty)) - HEADER_BYTES + values


def most_rows(links: int, pairs: int, late: int) -> int:
    """Return how many rows of flows fit into a frame, negative if the other tables do not fit."""
    columns = len(tables.report_flows(late))
    left = MAX_BODY_BYTES - report_bytes(0, links, pairs, late)
    return (left - columns * (_head_bytes(left) - _head_bytes(0))) // (_VALUE_BYTES * columns)


def _empty(table: tables.Table) -> Columns:
    ints, floats = np.zeros(0, dtype=tables.INT), np.zeros(0, dtype=tables.FLOAT)
    return {name: ints if dtype == tables.INT else floats for name, dtype in table.items()}


def _column_bytes(count: int) -> int:
    """Return the size of a column of `count` values, minus the size of an empty column [bytes]."""
    return _VALUE_BYTES * count + _head_bytes(_VALUE_BYTES * count) - _head_bytes(0)


def _head_bytes(size: int) -> int:
    return 2 if size < 1 << 8 else 3 if size < 1 << 16 else 5
