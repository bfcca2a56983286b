# SPDX-License-Identifier: Apache-2.0
"""The summary after a run: what each class, or source outside all classes, got and paid.

It is over the whole measured window, [warm-up, end]. `ecnomy show` has the same means, and those of
each phase beside them. Background traffic is what is in no class and no agent's: its marks are
booked on `source:<source>`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
import pyarrow.compute as pc
from rich import box
from rich.table import Table

from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.economy.journal import ACTIVE
from ecnomy.markets.results.manifest import Measured
from ecnomy.markets.results.rawrun import RawRun, open_raw
from ecnomy.markets.results.switches import Switches
from ecnomy.markets.terms.posting_kinds import MARKS

__all__ = [
    "Group",
    "background_in_words",
    "groups",
    "groups_in",
    "groups_of",
    "groups_there",
    "payment_table",
    "values",
    "window_in_words",
]

MICRO: Final = 1e6
_HEADINGS: Final = (
    "flows",
    "Mbps\na flow",
    "marks/s\na flow",
    "fee\na flow\nmoney/s",
    "for marks\na flow\nmoney/s",
    "price of\na mark\nmoney",
    "for marks\nall flows\nmoney/s",
)
_NUMBERS: Final = ("members", "goodput_bps", "marks_per_s", "ce", "fee_micro", "mark_charge_micro")
_COLUMNS: Final = ("flow", "source", "class", "provider", *_NUMBERS)
_MOST_ROWS: Final = 24


class Group(msgspec.Struct, frozen=True):
    """Flows of one class at the end of the run, or of one source in no class; means per flow."""

    name: str
    flows: int
    goodput_bps: float
    marks_per_s: float
    charge_per_s: float  # money/s
    paid_per_mark: float | None  # money; None without marks
    fee_per_s: float  # money/s
    background_per_s: float = 0.0  # money/s for marks of background traffic, all its flows together
    active: float | None = None  # flows on average, which means are over; None: all of them

    @property
    def all_charge_per_s(self) -> float:
        """What its flows together paid for marks, money/s."""
        return self.charge_per_s * (self.flows if self.active is None else self.active)


def groups(folder: Path) -> list[Group]:
    """As `groups_in`, of the run in a folder."""
    return groups_in(open_raw(folder))


def groups_there(run: RawRun) -> list[Group]:
    """As `groups_in`; empty where a run has not come to its tables."""
    there = all(run.file(name).is_file() for name in ("flows", "ledger", "agents"))
    return groups_in(run) if there else []


def groups_in(run: RawRun) -> list[Group]:
    """The groups of a run over its measured window, in the order of their first flows.

    Raises:
        ResultsError: a table cannot be read.
    """
    table = run.columns("flows", _COLUMNS)
    return groups_of(table.to_pydict(), _background(run), _switches(run), run.measured)


def groups_of(
    flows: Mapping[str, Any], background: Collection[int], switches: Switches, measured: Measured
) -> list[Group]:
    """The groups of a run over its measured window, in the order of their first flows.

    Args:
        flows: columns of the table `flows`.
        background: rows of flows whose marks are booked on their source.
        switches: rows of flows that their agents switched off.
        measured: the measured window.
    """
    columns = [np.asarray(flows[name]).tolist() for name in _COLUMNS]
    members: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for values_ in zip(*columns, strict=True):
        row = dict(zip(_COLUMNS, values_, strict=True))
        of = (row["provider"], row["class"]) if row["class"] else ("", row["source"])
        members.setdefault(of, []).append(row)
    on = _active(switches, measured)
    names, seconds = _names(members), (measured.to_ps - measured.from_ps) / PS_PER_S
    return [_group(names[of], rows, seconds, background, on) for of, rows in members.items()]


def _names(groups: Collection[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """A group's name; a class that several providers have also says whose it is."""
    of_name = Counter(name for _, name in groups)
    return {
        (provider, name): f"{name} of {provider}" if provider and of_name[name] > 1 else name
        for provider, name in groups
    }


def window_in_words(folder: Path) -> str:
    """The measured window of a run, such as `10 s to 180 s`."""
    window = open_raw(folder).measured
    return f"{window.from_ps / PS_PER_S:g} s to {window.to_ps / PS_PER_S:g} s"


def values(folder: Path) -> dict[str, Any]:
    """What `ecnomy run --json` prints: the groups and how long was measured, times in s."""
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


def payment_table(rows: Iterable[Group]) -> Table:
    """The groups as a table for a terminal."""
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


def background_in_words(rows: Iterable[Group]) -> str:
    """What all paid for marks and how much of it background traffic did; "" where nobody did."""
    told = list(rows)
    whole = sum(row.all_charge_per_s for row in told)
    if not whole:
        return ""
    part = sum(row.background_per_s for row in told)
    return (
        f"total paid for marks: {whole:.4g} money/s, of which {part:.4g} "
        f"({100 * part / whole:.1f} %) by sources without an agent or a class"
    )


def _cells(row: Group) -> list[str]:
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


def _background(run: RawRun) -> set[int]:
    """Rows of flows whose marks are booked on their source, no class and no agent being there."""
    ledger = run.columns("ledger", ["kind", "debit", "flow"])
    debit = ledger["debit"].cast("string")
    own = pc.and_(pc.equal(ledger["kind"].cast("string"), MARKS), pc.starts_with(debit, "source:"))
    return set(ledger["flow"].filter(own).to_pylist())


def _switches(run: RawRun) -> Switches:
    agents = run.columns("agents", ["t_ps", "flow", "name", "value"])
    own = agents.filter(pc.equal(agents["name"].cast("string"), ACTIVE))
    return Switches(run.plan, *(own[name].to_numpy() for name in ("t_ps", "flow", "value")))


def _active(switches: Switches, window: Measured) -> dict[int, float]:
    """Rows of flows that their agents switched off: how many of their flows were on, on average."""
    if window.to_ps <= window.from_ps:
        return {}
    mean = switches.on(np.array([window.from_ps, window.to_ps], dtype=np.int64))[0]
    return dict(zip(switches.rows.tolist(), mean.tolist(), strict=True))


def _group(
    name: str,
    rows: list[dict[str, Any]],
    window_s: float,
    background: Collection[int],
    on: dict[int, float],
) -> Group:
    total = {key: sum(row[key] for row in rows) for key in _NUMBERS}
    own = sum(row["mark_charge_micro"] for row in rows if row["flow"] in background)
    count, marks, charge = total["members"], total["ce"], total["mark_charge_micro"]
    active = sum(on.get(row["flow"], row["members"]) for row in rows)
    counted = active or count
    spent_s = counted * window_s * MICRO
    return Group(
        name=name,
        flows=count,
        goodput_bps=total["goodput_bps"] / counted,
        marks_per_s=total["marks_per_s"] / counted,
        charge_per_s=charge / spent_s if spent_s else 0.0,
        paid_per_mark=charge / marks / MICRO if marks else None,
        fee_per_s=total["fee_micro"] / spent_s if spent_s else 0.0,
        background_per_s=own / window_s / MICRO if window_s else 0.0,
        active=None if active == count or not active else active,
    )
