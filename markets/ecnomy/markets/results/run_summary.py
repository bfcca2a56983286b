# SPDX-License-Identifier: Apache-2.0
"""The summary after a run: rates and payments of each class, and of each source outside classes.

The summary covers the measured window, [warm-up, end]. `ecnomy show` prints the same means, and
also those of each phase.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import msgspec
from rich import box
from rich.table import Table

from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.results.groups import GroupMeans, groups_in
from ecnomy.markets.results.rawrun import open_raw

__all__ = [
    "background_in_words",
    "groups",
    "payment_table",
    "values",
    "window_in_words",
]

_HEADINGS: Final = (
    "flows",
    "Mbps\na flow",
    "marks/s\na flow",
    "fees and\ncontracts\na flow\nmoney/s",
    "for marks\na flow\nmoney/s",
    "price of\na mark\nmoney",
    "for marks\nall flows\nmoney/s",
)
_MOST_ROWS: Final = 24


def groups(folder: Path) -> list[GroupMeans]:
    """Return the groups of the run in a folder (see `groups_in`)."""
    return groups_in(open_raw(folder))


def window_in_words(folder: Path) -> str:
    """Return the measured window of a run, such as `10 s to 180 s`."""
    window = open_raw(folder).measured
    return f"{window.from_ps / PS_PER_S:g} s to {window.to_ps / PS_PER_S:g} s"


def values(folder: Path) -> dict[str, Any]:
    """Return the output of `ecnomy run --json`: the run's identity, measured window and groups."""
    run = open_raw(folder)
    rows, window = groups_in(run), run.measured
    return {
        "folder": folder,
        "title": run.title,
        "plan": run.plan.digest,
        "seed": run.plan.seed,
        "measured": {
            "from_s": window.from_ps / PS_PER_S,
            "to_s": window.to_ps / PS_PER_S,
        },
        "groups": [
            msgspec.structs.asdict(row) | {"all_charge_per_s": row.all_charge_per_s} for row in rows
        ],
    }


def payment_table(rows: Iterable[GroupMeans]) -> Table:
    """Return the groups as a table for a terminal."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    table.add_column("who")
    for heading in _HEADINGS:
        table.add_column(heading, justify="right")
    shown = list(rows)
    for row in shown[:_MOST_ROWS]:
        table.add_row(*_cells(row))
    if (rest := len(shown) - _MOST_ROWS) > 0:
        table.add_row(f"and {rest} more")
    return table


def background_in_words(rows: Iterable[GroupMeans]) -> str:
    """Return a line on all payments for marks and the background's share, or "" if nobody paid."""
    groups = list(rows)
    whole = sum(row.all_charge_per_s for row in groups)
    if not whole:
        return ""
    part = sum(row.background_per_s for row in groups)
    return (
        f"total paid for marks: {whole:.4g} money/s, of which {part:.4g} "
        f"({100 * part / whole:.1f} %) by sources without an agent or a class"
    )


def _cells(row: GroupMeans) -> list[str]:
    return [
        row.name,
        str(row.flows) if row.active is None else f"{row.active:.1f} of {row.flows}\nactive",
        f"{row.goodput_bps / 1e6:.4g}",
        f"{row.marks_per_s:.4g}",
        f"{row.fee_per_s:.4g}",
        f"{row.charge_per_s:.4g}",
        "-" if row.paid_per_mark is None else f"{row.paid_per_mark:.6g}",
        f"{row.all_charge_per_s:.4g}",
    ]
