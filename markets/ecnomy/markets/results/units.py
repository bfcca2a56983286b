# SPDX-License-Identifier: Apache-2.0
"""The unit of every column, on disk and in users' frames.

A name that ends in a unit states that unit (`delay_sum_ps`, `goodput_bps`, `fee_micro`). All other
columns are listed here once. Parquet files have the unit in the metadata `unit` of a field, and
frames have it in `attrs["units"]`.

    text      words        number   an index or a serial number      0/1   no or yes
    1         a share or a probability                               by .. depends on that column
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

__all__ = ["frame_units", "unit_of"]

_ENDINGS: Final = (  # the first match is used
    ("_ps", "ps"),
    ("_bps", "bit/s"),
    ("_mbps", "Mbps"),
    ("_micro", "micro-units of money"),
    ("_per_s", "1/s"),
    ("_s", "s"),
    ("_bytes", "bytes"),
    ("_packets", "packets"),
)
_LISTED: Final = {
    "text": "name source provider codepoint link_name class_name source_name debit credit kind "
    "agent subject payer payee unit what meaning who account",
    "number": "flow link class_index id user number seq event bin tariff posting entry",
    "packets": "sent retransmitted acked delivered ce ece lost control_ce in_flight cwnd mean_cwnd "
    "arrivals marks drops law_drops not_ect_drops ce_dropped ce_in_flight departures queue_max "
    "late",
    "packet seconds": "cwnd_integral queue_integral",
    "flows": "members active flows",
    "files": "files",
    "bytes": "bytes file_left",
    "timeouts": "timeouts",
    "events": "count",
    "0/1": "accepted complete",
    "bits by provider": "refused_by",
    "1": "marking_rate marking_probability probability utilization",
    "of the law": "weight",
    "money": "fee charge amount balance",
    "money/mark": "price_per_mark",
}
_UNITS: Final = {name: unit for unit, names in _LISTED.items() for name in names.split()}
_BY_TABLE: Final = {  # names that have another meaning in a table
    ("ledger", "quantity"): "by kind: ps of time, else how many",
    ("agents", "value"): "by name",
    ("series", "value"): "by name",
    ("series", "name"): "number",
    ("series", "subject"): "number",
    ("pairs", "source"): "number",
    ("trace", "ce"): "0/1",
    ("transfers", "ece"): "packets",
    ("histograms", "low"): "s of delays, packets of queues",
    ("flows", "class"): "text",
    ("classes", "class"): "number",
}


def unit_of(table: str, column: str) -> str:
    """Return the unit of a column of a table on disk.

    Raises:
        KeyError: the column is not listed.
    """
    if (table, column) in _BY_TABLE:
        return _BY_TABLE[table, column]
    if column in _UNITS:
        return _UNITS[column]
    if column.startswith("late_"):
        return "packets"
    for ending, unit in _ENDINGS:
        if column.endswith(ending):
            return unit
    raise KeyError(f"{table}.{column} has no unit; add it to results/units.py")


def frame_units(table: str, columns: Iterable[str], **own: str) -> dict[str, str]:
    """Return the unit of each column of a frame. `own` overrides the listed units."""
    return {name: own[name] if name in own else unit_of(table, name) for name in columns}
