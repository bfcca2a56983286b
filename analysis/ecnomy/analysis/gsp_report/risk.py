# SPDX-License-Identifier: Apache-2.0
"""Describes the profit per call: by seed, by choice, and in the worst calls and hours.

Value at risk (95 %) is the loss at the 5th percentile of profits. Among n profits in ascending
order, it is the profit of rank ceil(n / 20) with the opposite sign. Expected shortfall is the mean
loss over all ranks up to this one. A negative value at risk is a profit. Source: Acerbi, Tasche
2002.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.gsp_report import business_plots
from ecnomy.analysis.gsp_report.database import Database
from ecnomy.analysis.gsp_report.estimates import (
    PER_CALL,
    PER_HOUR,
    IntervalEstimate,
    difference,
    estimate,
    owned,
)
from ecnomy.analysis.gsp_report.opened_runs import Material
from ecnomy.analysis.gsp_report.profitability import Answer
from ecnomy.analysis.pages.parts import (
    Block,
    Cell,
    Picture,
    Query,
    Section,
    Table,
    Words,
    money,
    number,
)

__all__ = ["DRAWS", "PIECES", "drawn_hours", "profit_per_call", "tail"]

_TAIL: Final = 20  # one in this many is in the tail
_ENOUGH_HOURS: Final = 20
PIECES: Final = 12  # pieces of 5 minutes that make an hour
DRAWS: Final = 10_000
_KEY: Final = 95
_BINS: Final = 40


def profit_per_call(material: Material, db: Database, answer: Answer) -> Section:
    """Return the section on profits by choice and seed, of all calls, and in the worst cases."""
    blocks: list[Block] = [_seeds(db, answer)]
    if len(material.choices()) > 1:
        blocks.insert(0, _choices(material, db, answer))
    if material.kept:
        own = owned(answer.provider, answer.runs)
        calls = None if answer.by_files else _tail_of_calls(db, own)
        hours = _tail_of_hours(db, own, answer)
        blocks += [] if calls is None else [_histogram(db, answer, own, calls)]
        blocks += [_tails(answer, calls, hours), _definitions(hours[1], calls is not None)]
    what = "an hour" if answer.by_files else "a call"
    return Section(f"{answer.provider}-calls", f"Profit and risk of {what}", tuple(blocks))


def _seeds(db: Database, answer: Answer) -> Table:
    query = db.ask(
        f"select seed, sold, profit_micro / 1e6, profit_micro / 1e6 / nullif(sold, 0), "
        f"profit_micro / 1e6 / hours\n"
        f"from accounts where {owned(answer.provider, answer.runs)} order by seed"
    )
    rows = [
        (
            Cell(str(row[0])),
            Cell(number(row[1])),
            *(query.cell(i, j, _money(row[j])) for j in (2, 3, 4)),
        )
        for i, row in enumerate(query.rows)
    ]
    means = [("mean", answer.per_call, answer.per_hour)] if len(rows) > 1 else []
    for name, call, hour in means:
        rows.append((Cell(name), Cell(""), Cell(""), call.mean, hour.mean))
    return Table(
        id=f"{answer.provider}-seeds",
        caption="Run by run",
        of="ledger; calls sold: calls",
        head=("seed", "calls sold", "profit", "per call", "per hour"),
        rows=tuple(rows),
        query=query,
        strong=(len(rows) - 1,) if means else (),
        more=(answer.per_call.query, answer.per_hour.query) if means else (),
    )


def _money(value: float | None) -> str:
    return "-" if value is None else money(value, "+")


def _choices(material: Material, db: Database, answer: Answer) -> Table:
    rows, more = [], []
    for choice in material.choices():
        runs = material.at(choice, material.world)
        if not runs:
            continue
        same = choice == answer.choice
        call = estimate(db, answer.provider, runs, PER_CALL)
        hour = estimate(db, answer.provider, runs, PER_HOUR)
        less = None if same else difference(db, answer.provider, runs, answer.runs, PER_HOUR)
        rows.append(
            (Cell(material.choice_words(choice)), *_three(call), *_three(hour), *_three(less, same))
        )
        more += [one.query for one in (call, hour, less) if one is not None]
    return Table(
        id=f"{answer.provider}-choices",
        caption=f"The provider's choices side by side{': ' + answer.where if answer.where else ''}",
        of="ledger; calls sold: calls",
        head=(
            "choice",
            "profit per call",
            "from",
            "to",
            "per hour",
            "from",
            "to",
            f"less {answer.choice_words}",
            "from",
            "to",
        ),
        rows=tuple(rows),
        more=tuple(more),
        note="95 % intervals by Student's t over the seeds; differences per hour, seed by seed.",
    )


def _three(one: IntervalEstimate | None, same: bool = False) -> tuple[Cell, Cell, Cell]:
    if one is None:
        return Cell("0" if same else "-"), Cell(""), Cell("")
    return one.mean, one.low or Cell("-"), one.high or Cell("-")


def tail(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[float, float]:
    """Return the value at risk and the expected shortfall of profits."""
    worst = np.sort(values)[: math.ceil(len(values) / _TAIL)]
    return -float(worst[-1]), -float(worst.mean())


def _ranked(rows: str) -> str:
    worst = f"ceil(n / {_TAIL}.0)"
    return (
        f"select avg(micro) / 1e6, -max(micro) filter (i = {worst}) / 1e6, "
        f"-avg(micro) filter (i <= {worst}) / 1e6, max(n)\n"
        f"from (select micro, row_number() over (order by micro) as i, count(*) over () as n\n  "
        f"from ({rows}))"
    )


def _tail_of_calls(db: Database, own: str) -> Query:
    return db.ask(_ranked(f"select micro from deals where {own} and complete"))


def drawn_hours(
    pieces: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the profits of hours, each the sum of PIECES pieces drawn with replacement."""
    rng = np.random.Generator(np.random.Philox(key=_KEY))
    hours: np.ndarray[tuple[int], np.dtype[np.float64]] = pieces[
        rng.integers(0, len(pieces), (DRAWS, PIECES))
    ].sum(axis=1)
    return hours


def _tail_of_hours(db: Database, own: str, answer: Answer) -> tuple[list[Cell], str, Query]:
    """Return cells (mean, value at risk, shortfall, number of hours), the method and the query."""
    whole = sum(int(made.seconds // 3600) for made in answer.runs)
    length = 3600 if whole >= _ENOUGH_HOURS else 3600 // PIECES
    rows = _pieces(answer, own, length)
    if whole >= _ENOUGH_HOURS:
        query = db.ask(_ranked(rows))
        cells = [query.cell(0, i, _money_plain(query.rows[0][i])) for i in range(3)]
        return [*cells, Cell(number(query.rows[0][3]))], "whole hours of the runs", query
    query = db.ask(rows)
    if not any(row[2] for row in query.rows):
        short = all(made.seconds < length for made in answer.runs)
        why = "the runs are shorter than a piece of 5 min" if short else "nothing was booked"
        return [Cell("-")] * 4, f"none, because {why}", query
    hours = drawn_hours(np.array([float(row[2]) for row in query.rows]) / 1e6)
    risk, shortfall = tail(hours)
    how = "drawn hours"
    values = (float(hours.mean()), risk, shortfall)
    cells = [Cell(money(v), "", query.id, value=v, by=how) for v in values]
    method = f"{DRAWS:,} hours, each composed of {PIECES} pieces of 5 min, drawn with "
    method += f"replacement from the {len(query.rows)} available"
    return [*cells, Cell(f"{DRAWS:,} drawn")], method, query


def _pieces(answer: Answer, own: str, length_s: int) -> str:
    """Return SQL for the balance of each complete period of each run; 0 without postings."""
    whole = ", ".join(f"({made.number}, {int(made.seconds // length_s)})" for made in answer.runs)
    return (
        f"select run, piece, coalesce(sum(micro), 0)::bigint as micro\n"
        f"  from (select run, unnest(range(n)) as piece from (values {whole}) as t(run, n))\n"
        f"  left join (select run, greatest(t_ps - 1, 0) // {length_s * PS_PER_S} as piece, micro\n"
        f"    from postings where {own}) using (run, piece)\n"
        f"  group by run, piece order by run, piece"
    )


def _money_plain(value: float | None) -> str:
    return "-" if value is None else money(value)


def _tails(answer: Answer, calls: Query | None, hours: tuple[list[Cell], str, Query]) -> Table:
    rows: list[tuple[Cell, ...]] = [(Cell("per hour, all costs"), *hours[0])]
    if calls is not None:
        own = [calls.cell(0, i, _money_plain(calls.rows[0][i])) for i in range(3)]
        count = Cell(number(calls.rows[0][3] or 0))
        rows.insert(0, (Cell("per ended call, its own money"), *own, count))
    return Table(
        id=f"{answer.provider}-risk",
        caption="Value at risk and expected shortfall, 95 %",
        of="ledger; the call of each posting: calls",
        head=("of", "mean profit", "value at risk", "expected shortfall", "number"),
        rows=tuple(rows),
        more=(hours[2],) if calls is None else (calls, hours[2]),
    )


def _definitions(method: str, calls: bool) -> Words:
    own = "The money of a call is its price minus its marks and reimbursement, without test "
    own += "streams and fixed costs. Calls still in progress at the end are omitted. "
    piece = "call or hour" if calls else "hour"
    return Words.of(
        f"{own if calls else ''}Value at risk is the loss that one {piece} in twenty reaches or "
        "exceeds. Expected shortfall is the mean loss of that twentieth. A value below 0 is a "
        f"profit. Hours: {method}."
    )


def _histogram(db: Database, answer: Answer, own: str, calls: Query) -> Picture | Words:
    query = db.ask(
        f"with d as (select micro from deals where {own} and complete),\n"
        f"  w as (select greatest(ceil((max(micro) - min(micro)) / {_BINS}.0), 1)::bigint as w "
        f"from d)\n"
        f"select floor(micro / w)::bigint * any_value(w) as low, count(*), any_value(w) from d, w\n"
        f"group by floor(micro / w) order by low"
    )
    if not query.rows:
        return Words.of("No call that was sold has ended: there are no profits of calls to draw.")
    low = np.array([float(row[0]) for row in query.rows]) / 1e6
    counts = np.array([float(row[1]) for row in query.rows])
    width = float(query.rows[0][2]) / 1e6
    _, risk, shortfall, n = (float(v) for v in calls.rows[0])
    losses = int(counts[low < 0].sum())
    return Picture(
        id=f"{answer.provider}-profits",
        caption="Profits of single calls, from each call's own money",
        alt=f"Histogram of the profits of {number(n)} calls on a logarithmic scale; {losses} "
        f"lose money. "
        f"Value at risk {money(risk)}, expected shortfall {money(shortfall)}.",
        of="ledger; the call of each posting: calls",
        svg=business_plots.bins(
            low, counts, width, {"value at risk": -risk, "expected shortfall": -shortfall}
        ),
        head=("from, micro-units", "calls", "width, micro-units"),
        rows=query.rows,
        query=query,
    )
