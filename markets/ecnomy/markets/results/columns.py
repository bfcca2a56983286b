# SPDX-License-Identifier: Apache-2.0
"""The columns of the tables in a results folder.

The metadata of each field has the unit of the column (units.py). table_writer.py writes a table to
Parquet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pyarrow as pa

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

__all__ = ["ALL_TABLES", "schemas"]

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
    """Return the schema of each table that a run of this plan has, by table name."""
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


def _arrow(table: Table) -> dict[str, Any]:
    return {
        name: pa.int64() if dtype.kind == "i" else pa.float64() for name, dtype in table.items()
    }


def _pair_names() -> dict[str, Any]:
    return {"source_name": pa.string(), "link_name": pa.string()}
