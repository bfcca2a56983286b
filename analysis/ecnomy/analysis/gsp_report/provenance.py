# SPDX-License-Identifier: Apache-2.0
"""Describes the origin of a page: command, scenarios, versions, seeds and runs."""

from __future__ import annotations

import hashlib
import shlex
from typing import Any

import msgspec

from ecnomy.analysis.gsp_report.database import Database
from ecnomy.analysis.gsp_report.opened_runs import Material, ReportRun
from ecnomy.analysis.pages.parts import Block, Cell, Section, Table, Words, exactly
from ecnomy.markets.sweep.head import head_of

__all__ = ["provenance"]

_DIGITS = 16  # characters of a digest


def provenance(material: Material, db: Database, command: list[str]) -> Section:
    """Return the section with the origin of the page, the runs, and all accounts."""
    rows = [(Cell(name), Cell(text)) for name, text in _facts(material, command)]
    facts = Table(
        "provenance-table",
        "Sources of this page",
        "manifest.json",
        ("what", "is"),
        tuple(rows),
        wide=True,
    )
    blocks: list[Block] = [facts, *_left_out(material), _runs(material), _accounts(db)]
    return Section("provenance", "Provenance", tuple(blocks))


def _facts(material: Material, command: list[str]) -> list[tuple[str, str]]:
    first = material.made[0]
    facts = [("command", shlex.join(command)), ("title", material.title)]
    if material.sweep:
        head = head_of(material.folder)
        digest = hashlib.sha256(head["base"].encode()).hexdigest()[:_DIGITS]
        facts += [("sweep", str(head.get("file", ""))), ("scenario", str(head.get("scenario", "")))]
        facts += [("digest of the scenario (sha256, as swept from)", digest)]
    if first.run is not None:
        digests = dict.fromkeys(_digest(made) for made in material.made)
        shown = ", ".join(list(digests)[:3]) + (
            f" and {len(digests) - 3} more" if len(digests) > 3 else ""
        )
        facts += [("digests of the scenarios (sha256, without the seed)", shown)]
        facts += [
            (f"version of {k}", str(v)) for k, v in sorted(first.run.manifest.versions.items())
        ]
    seeds = list(dict.fromkeys(made.seed for made in material.made))
    facts.append(("seeds", ", ".join(map(str, seeds[:20])) + (" ..." if len(seeds) > 20 else "")))
    for key in material.keys:
        facts.append(
            (
                f"varied: {key.path}" + (f" ({', '.join(key.sets)})" if key.sets else ""),
                ", ".join(key.value_text(v) for v in key.values)
                + (f" {key.unit}" if key.unit else ""),
            )
        )
    return facts


def _digest(made: ReportRun) -> str:
    assert made.run is not None
    scenario = {k: v for k, v in (made.run.manifest.scenario or {}).items() if k != "seed"}
    return hashlib.sha256(msgspec.json.encode(scenario, order="sorted")).hexdigest()[:_DIGITS]


def _left_out(material: Material) -> list[Words]:
    return [Words.of(f"Omitted or partial: {note}.") for note in material.left_out]


def _runs(material: Material) -> Table:
    rows = []
    for made in material.made:
        plan = (
            made.run.manifest.plan_digest[:_DIGITS]
            if made.run is not None
            else str(made.row.get("run", ""))[:_DIGITS]
        )
        case = "; ".join(
            f"{k.words} {k.value_text(v)}" for k, v in zip(material.keys, made.case, strict=True)
        )
        rows.append(
            (
                Cell(str(made.number)),
                Cell(str(made.seed)),
                Cell(case or "-"),
                Cell(f"{made.seconds / 3600:.4g}"),
                Cell(plan),
            )
        )
    head = ("run", "seed", "case", "hours", "plan" if material.kept else "key")
    return Table(
        "runs",
        f"The {len(rows)} runs" if len(rows) > 1 else "The run",
        "manifest.json" if material.kept else "the sweep's table",
        head,
        tuple(rows),
        wide=True,
    )


def _accounts(db: Database) -> Table:
    query = db.ask(
        "select provider, run, seed, asked, sold, blocked, broken, revenue_micro, refunds_micro, "
        "profit_micro\n"
        "from accounts order by provider, run"
    )
    rows = []
    for i, row in enumerate(query.rows):
        counts = [Cell(_whole(v), value=v) for v in row[3:7]]
        money = [
            query.cell(i, j, "-" if row[j] is None else exactly(int(row[j]))) for j in (7, 8, 9)
        ]
        rows.append((Cell(str(row[0])), Cell(str(row[1])), Cell(str(row[2])), *counts, *money))
    head = (
        "provider",
        "run",
        "seed",
        "asked",
        "sold",
        "turned away",
        "broken",
        "revenue",
        "paid back",
        "profit",
    )
    return Table(
        "accounts", "All accounts", "ledger; numbers of calls: calls", head, tuple(rows), query
    )


def _whole(value: Any) -> str:
    return "-" if value is None else f"{int(value):,}"
