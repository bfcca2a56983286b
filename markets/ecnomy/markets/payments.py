# SPDX-License-Identifier: Apache-2.0
"""The summary after a run: what each class, or source outside all classes, got and paid."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq
from rich import box
from rich.table import Table

__all__ = ["Group", "groups", "payment_table"]

MICRO = 1e6
_HEADINGS = (
    "flows",
    "goodput\nMbit/s",
    "marks\n1/s",
    "paid per mark\nmoney",
    "mark charge\nmoney/s",
    "class fee\nmoney/s",
)


class Group(msgspec.Struct, frozen=True):
    """Flows of one class at the end of the run, or of one source in no class; means per flow."""

    name: str
    flows: int
    goodput_bps: float
    marks_per_s: float
    charge_per_s: float  # money/s
    paid_per_mark: float | None  # money; None without marks
    fee_per_s: float  # money/s


def groups(folder: Path) -> list[Group]:
    """The groups of a run over its measured window, in the order of their first flows."""
    names = ["source", "members", "class", "provider", "goodput_bps", "marks_per_s", "ce"]
    money = ["fee_micro", "mark_charge_micro"]
    table = pq.read_table(folder / "flows.parquet", columns=[*names, *money])
    manifest = msgspec.json.decode((folder / "manifest.json").read_bytes())
    window_s = (manifest["measured"]["to_ps"] - manifest["measured"]["from_ps"]) / 1e12
    members: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in table.to_pylist():
        of = (row["provider"], row["class"]) if row["class"] else ("", row["source"])
        members.setdefault(of, []).append(row)
    return [_group(name, rows, window_s) for (_, name), rows in members.items()]


def payment_table(rows: Iterable[Group]) -> Table:
    """The groups as a table for a terminal; all figures but the first are means per flow."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    for heading in _HEADINGS:
        table.add_column(heading, justify="right")
    shown = list(rows)
    for row in shown[:_MOST_ROWS]:
        paid = "-" if row.paid_per_mark is None else f"{row.paid_per_mark:.6g}"
        table.add_row(
            row.name,
            str(row.flows),
            f"{row.goodput_bps / 1e6:.4g}",
            f"{row.marks_per_s:.4g}",
            paid,
            f"{row.charge_per_s:.4g}",
            f"{row.fee_per_s:.4g}",
        )
    if (rest := len(shown) - _MOST_ROWS) > 0:
        table.add_row(f"and {rest} more")
    return table


def _group(name: str, rows: list[dict[str, Any]], window_s: float) -> Group:
    count = sum(row["members"] for row in rows)
    total = {key: sum(row[key] for row in rows) for key in rows[0] if key not in _TEXT}
    spent_s = count * window_s * MICRO
    marks, charge = total["ce"], total["mark_charge_micro"]
    return Group(
        name=name,
        flows=count,
        goodput_bps=total["goodput_bps"] / count,
        marks_per_s=total["marks_per_s"] / count,
        charge_per_s=charge / spent_s if spent_s else 0.0,
        paid_per_mark=charge / marks / MICRO if marks else None,
        fee_per_s=total["fee_micro"] / spent_s if spent_s else 0.0,
    )


_TEXT = ("source", "class", "provider")
_MOST_ROWS = 24
