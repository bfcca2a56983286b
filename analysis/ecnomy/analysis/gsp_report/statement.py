# SPDX-License-Identifier: Apache-2.0
"""Reports profit and loss from the ledger, by purpose, tariff, carrier and time."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from ecnomy.agents.errors import ResultsError
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.gsp_report import business_plots
from ecnomy.analysis.gsp_report.database import LINES, Database
from ecnomy.analysis.gsp_report.estimates import owned
from ecnomy.analysis.gsp_report.opened_runs import Material, ReportRun, provider_of
from ecnomy.analysis.gsp_report.profitability import Answer
from ecnomy.analysis.pages.parts import (
    Block,
    Cell,
    Picture,
    Query,
    Section,
    Table,
    Words,
    exactly,
    money,
)
from ecnomy.analysis.run.guarantees import profit_and_loss
from ecnomy.analysis.show.guarantees_tables import offer_in_words

__all__ = ["period_s", "signed", "statement"]

_PERIODS_S: Final = (60, 300, 600, 1800, 3600, 7200, 14400, 43200, 86400)
_MOST_PERIODS: Final = 24
_SHARED: Final = "shared"  # postings without a tariff


def statement(material: Material, db: Database, answer: Answer) -> Section:
    """Return the profit and loss of the reference runs, to the micro-unit.

    Raises:
        ResultsError: the profit by the query differs from the balances of the runs.
    """
    own = owned(answer.provider, answer.runs)
    total = _statement(db, answer, own)
    _check(answer, total)
    blocks: list[Block] = [total]
    if offer_text := offer_in_words(provider_of(answer.runs[0], answer.provider)):
        blocks.insert(0, Words.of(offer_text))
    provider = provider_of(answer.runs[0], answer.provider)
    if len(provider.offers) + len(provider.file_sources) > 1:
        blocks.append(_by_tariff(db, answer, own))
    if (by_carrier := _by_carrier(db, answer, own)) is not None:
        blocks.append(by_carrier)
    length_s = period_s(max(made.seconds for made in answer.runs))
    table, query = _by_time(db, answer, own, length_s)
    if query.rows:
        blocks += [_drawn(answer, query, len(table.rows), length_s), table]
    else:
        blocks.append(Words.of("Nothing was booked on its account: there is nothing to draw."))
    return Section(f"{answer.provider}-money", "Profit and loss", tuple(blocks))


def _statement(db: Database, answer: Answer, own: str) -> Table:
    order = ", ".join(f"'{line}'" for line in LINES)
    counted = ", ".join(f"'{line}'" for line in LINES if line != "fixed costs")  # those are times
    place = f"coalesce(list_position([{order}], line), 99)"
    query = db.ask(
        f"with sums as (select line, sum(micro) as micro,\n"
        f"    case when line in ({counted}) then sum(quantity) end as number\n"
        f"    from postings where {own} group by line),\n"
        f"  whole as (select sum(sold) as sold, sum(hours) as hours from accounts where {own})\n"
        f"select line, case when line = 'calls' then sold else number end as number, micro,\n"
        f"    micro / 1e6 / nullif(sold, 0), micro / 1e6 / hours, "
        f"{place} as place\n"
        f"from sums, whole\nunion all\n"
        f"select 'profit', null, coalesce(sum(micro), 0), sum(micro) / 1e6 / "
        f"nullif(any_value(sold), 0),\n"
        f"  sum(micro) / 1e6 / any_value(hours), 100\nfrom sums, whole order by place, line"
    )
    rows = []
    for i, (line, count, micro, call, hour, _) in enumerate(query.rows):
        cells = [Cell(_counted(count, line)), query.cell(i, 2, exactly(int(micro)))]
        rows.append((*cells, query.cell(i, 3, signed(call)), query.cell(i, 4, signed(hour))))
    runs = f"{len(answer.runs)} runs" if len(answer.runs) > 1 else "the run"
    return Table(
        id=f"{answer.provider}-statement",
        caption=f"Profit and loss of {runs}, money received (+) and paid (\u2212), warm-up "
        f"included",
        of="ledger; calls sold: calls",
        head=("line", "whole", "per call sold", "per hour"),
        rows=tuple(rows),
        query=query,
        strong=(len(rows) - 1,),
    )


def _counted(count: Any, line: str) -> str:
    """Return a count with the name of an account's line, e.g. `4 marks of calls`."""
    if count is None:
        return line
    first, *rest = line.split(" ")
    return " ".join([f"{int(count):,}", first.removesuffix("s") if count == 1 else first, *rest])


def signed(value: Any) -> str:
    """Return an amount with its sign; "-" if it is missing."""
    return "-" if value is None else money(float(value), "+")


def _check(answer: Answer, table: Table) -> None:
    assert table.query is not None
    profit_micro = int(table.query.rows[-1][2])
    wanted = sum(_profit(made, answer.provider) for made in answer.runs)
    if profit_micro != wanted:
        raise ResultsError(
            f"{answer.runs[0].label}: for {answer.provider}, the query on the page returns "
            f"{profit_micro} micro-units, but the ledger has {wanted}"
        )


def _profit(made: ReportRun, name: str) -> int:
    """Return the balance of a provider's account, from the manifest or, without it, the ledger."""
    assert made.run is not None
    if (balances := made.run.manifest.balances_micro) is not None:
        return balances[name]
    return profit_and_loss(made.run, provider_of(made, name)).profit_micro


def _by_tariff(db: Database, answer: Answer, own: str) -> Table:
    query = db.ask(
        f"from (select coalesce(tariff, '{_SHARED}') as t, line, sum(micro) from postings\n"
        f"  where {own} group by all) order by t = '{_SHARED}', t, line"
    )
    return _crossed(query, "Profit and loss by tariff", "tariff", f"{answer.provider}-by-tariff")


def _by_carrier(db: Database, answer: Answer, own: str) -> Table | None:
    """Return the marks paid to each carrier; None if fewer than two carriers were paid."""
    query = db.ask(
        f"select party, line, sum(micro), sum(quantity) from postings\n"
        f"  where {own} and kind = 'marks' group by all order by party, line"
    )
    if len({row[0] for row in query.rows}) < 2:
        return None
    caption = "Marks by the carrier that was paid for them"
    return _crossed(query, caption, "carrier", f"{answer.provider}-by-carrier")


def _crossed(query: Query, caption: str, what: str, name: str) -> Table:
    """Return the result of a query (row, line, micro) as a table with a column per line."""
    at = {(row[0], row[1]): i for i, row in enumerate(query.rows)}
    lines = [*LINES, *sorted({row[1] for row in query.rows} - set(LINES))]
    lines = [line for line in lines if any(row[1] == line for row in query.rows)]
    rows = []
    for key in dict.fromkeys(row[0] for row in query.rows):
        cells = [Cell(str(key))]
        for line in lines:
            i = at.get((key, line))
            cells.append(
                Cell("0") if i is None else query.cell(i, 2, exactly(int(query.rows[i][2])))
            )
        rows.append(tuple(cells))
    return Table(name, caption, "ledger", (what, *lines), tuple(rows), query)


def period_s(duration_s: float) -> int:
    """Return the length of the periods into which a duration is divided [s].

    It is an hour for 4 to 24 hours. Otherwise, it is the shortest usual length that gives at most
    24 periods, or a day if none does.
    """
    fitting = [s for s in _PERIODS_S if duration_s / s <= _MOST_PERIODS]
    if 4 * 3600 <= duration_s <= _MOST_PERIODS * 3600:
        return 3600
    return fitting[0] if fitting else _PERIODS_S[-1]


def _by_time(db: Database, answer: Answer, own: str, length_s: int) -> tuple[Table, Query]:
    period = f"greatest(t_ps - 1, 0) // {length_s * PS_PER_S}"
    query = db.ask(
        f"from (select {period} as period, coalesce(tariff, '{_SHARED}') as t, line, sum(micro)\n"
        f"  from postings where {own} group by all) order by period, t = '{_SHARED}', t, line"
    )
    longest = math.ceil(max(made.seconds for made in answer.runs) / length_s)
    count = max(longest, *(int(row[0]) + 1 for row in query.rows), 1)
    profits = db.ask(  # periods without postings count as 0
        f"select period, coalesce(sum(micro) filter (micro > 0), 0),\n"
        f"  coalesce(sum(micro) filter (micro < 0), 0), coalesce(sum(micro), 0)\n"
        f"from (select unnest(range({count})) as period) left join\n"
        f"  (select {period} as period, micro from postings where {own}) using (period)\n"
        f"group by period order by period"
    )
    rows = []
    for i, (at, *micros) in enumerate(profits.rows):
        cells = [profits.cell(i, j + 1, exactly(int(v))) for j, v in enumerate(micros)]
        rows.append((Cell(_span(int(at), length_s)), *cells))
    runs = len(answer.runs)
    over = f", sum of {runs} runs" if runs > 1 else ""
    table = Table(
        id=f"{answer.provider}-by-time",
        caption=f"Receipts, payments and profit over simulated time{over}",
        of="ledger",
        head=("simulated time", "received", "paid", "profit"),
        rows=tuple(rows),
        query=profits,
        note="The cost of marks is booked at the end of each epoch, the price of a call when the "
        "call begins.",
    )
    return table, query


def _span(period: int, length_s: int) -> str:
    low, high = period * length_s, (period + 1) * length_s
    if length_s % 3600 == 0:
        return f"{low // 3600} to {high // 3600} h"
    return f"{low / 60:g} to {high / 60:g} min"


def _drawn(answer: Answer, query: Query, count: int, length_s: int) -> Picture:
    runs = len(answer.runs)
    parts: dict[str, np.ndarray[Any, Any]] = {}
    tariffs = {row[1] for row in query.rows} - {_SHARED}
    for period, tariff, line, micro in query.rows:
        name = f"{line} ({tariff})" if len(tariffs) > 1 and tariff != _SHARED else line
        values = parts.setdefault(name, np.zeros(count))
        values[int(period)] += float(micro) / 1e6 / runs
    order = {line: i for i, line in enumerate(LINES)}
    parts = dict(sorted(parts.items(), key=lambda item: order.get(item[0].partition(" (")[0], 99)))
    unit = 3600 if length_s % 3600 == 0 else 60
    edges = np.arange(count + 1) * length_s / unit
    rows = tuple((int(p), t, line, int(m)) for p, t, line, m in query.rows)
    profit = sum(parts.values(), start=np.zeros(count))
    over = f"mean of {runs} runs" if runs > 1 else "one run"
    worst, best = (_span(int(f(profit)), length_s) for f in (np.argmin, np.argmax))
    return Picture(
        id=f"{answer.provider}-by-time-drawn",
        caption=f"Money by simulated time, a bar: {_span(0, length_s)[5:]} ({over})",
        alt=f"Stacked bars of money received and paid in each period, with the profit as a line. "
        f"The profit is largest from {best} and smallest from {worst}.",
        of="ledger",
        svg=business_plots.stacked(
            edges, parts, profit, "simulated time [h]" if unit == 3600 else "simulated time [min]"
        ),
        head=("period", "tariff", "line", "micro-units"),
        rows=rows,
        query=query,
    )
