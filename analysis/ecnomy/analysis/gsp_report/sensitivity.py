# SPDX-License-Identifier: Apache-2.0
"""Shows how the profit depends on each varied key, with all other keys at the reference."""

from __future__ import annotations

import math

from ecnomy.analysis.gsp_report import business_plots
from ecnomy.analysis.gsp_report.database import Database
from ecnomy.analysis.gsp_report.estimates import IntervalEstimate, difference, estimate
from ecnomy.analysis.gsp_report.opened_runs import Material, Value, VariedKey
from ecnomy.analysis.gsp_report.profitability import Answer
from ecnomy.analysis.pages.parts import Block, Cell, Picture, Section, Table

__all__ = ["sensitivity"]


def sensitivity(material: Material, db: Database, answer: Answer) -> Section | None:
    """Return a table and, if profits are known, a tornado chart; None if no key was varied."""
    if not material.keys:
        return None
    reference = tuple(
        choice if choice is not None else value
        for choice, value in zip(answer.choice, material.world, strict=True)
    )
    rows_by_key = {key: _of_key(material, db, answer, reference, key) for key in material.keys}
    blocks: list[Block] = [_table(rows_by_key, reference, material, answer)]
    bars = [bar for key, rows in rows_by_key.items() if (bar := _bar(key, rows)) is not None]
    if bars and (answer.by_files or not answer.unsold):
        bars.sort(key=lambda bar: bar[1] - bar[3])
        blocks.insert(0, _tornado(bars, answer))
    return Section(f"{answer.provider}-sensitivity", "Sensitivity", tuple(blocks))


_Row = tuple[Value, IntervalEstimate, IntervalEstimate | None]


def _of_key(
    material: Material,
    db: Database,
    answer: Answer,
    reference: tuple[Value | None, ...],
    key: VariedKey,
) -> list[_Row]:
    place = material.keys.index(key)
    rows: list[_Row] = []
    for value in sorted(key.values, key=lambda v: v if isinstance(v, float) else 0.0):
        runs = material.at(tuple(value if i == place else v for i, v in enumerate(reference)))
        if runs:
            less = None
            if value != reference[place]:
                less = difference(db, answer.provider, runs, answer.runs, answer.figure)
            rows.append((value, estimate(db, answer.provider, runs, answer.figure), less))
    return rows


def _table(
    rows_by_key: dict[VariedKey, list[_Row]],
    reference: tuple[Value | None, ...],
    material: Material,
    answer: Answer,
) -> Table:
    rows, queries = [], []
    for key, values in rows_by_key.items():
        chosen = reference[material.keys.index(key)]
        for value, one, less in values:
            same = value == chosen
            value_text = f"{key.value_text(value)} (reference)" if same else key.value_text(value)
            ends = (one.low or Cell("-"), one.high or Cell("-"))
            apart = (
                (less.mean, *(less.low or Cell("-"), less.high or Cell("-")))
                if less
                else (Cell("-"), Cell(""), Cell(""))
            )
            rows.append((Cell(key.words), Cell(value_text), one.mean, *ends, *apart))
            queries += [one.query, *([less.query] if less else [])]
    return Table(
        id=f"{answer.provider}-sensitivity-table",
        caption=f"{answer.figure_words.capitalize()} by varied key, one at a time",
        of="ledger; calls sold: calls",
        head=(
            "varied",
            "value",
            answer.figure_words,
            "from",
            "to",
            "minus the reference",
            "from",
            "to",
        ),
        rows=tuple(rows),
        more=tuple(queries),
        note="95 % intervals; differences over paired seeds.",
    )


_Bar = tuple[str, float, str, float, str]


def _bar(key: VariedKey, rows: list[_Row]) -> _Bar | None:
    known = [
        (one.value, key.value_text(value)) for value, one, _ in rows if not math.isnan(one.value)
    ]
    if len(known) < 2:
        return None
    (low, low_name), (high, high_name) = min(known), max(known)
    return key.words, low, low_name, high, high_name


def _tornado(bars: list[_Bar], answer: Answer) -> Picture:
    widest = bars[0]
    reference = answer.per_hour if answer.by_files else answer.per_call
    return Picture(
        id=f"{answer.provider}-tornado",
        caption=f"{answer.figure_words.capitalize()} from the worst to the best value of each key "
        f"(dotted: 0, line: the reference)",
        alt=f"Bars of the range of {answer.figure_words} by key, widest first: {widest[0]}, from "
        f"{widest[2]} to {widest[4]}.",
        of="ledger; calls sold: calls",
        svg=business_plots.tornado(bars, reference.value, f"{answer.figure_words} [money]"),
        head=("key", "least", "at", "most", "at"),
        rows=tuple(bars),
    )
