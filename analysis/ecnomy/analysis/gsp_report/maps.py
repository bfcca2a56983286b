# SPDX-License-Identifier: Apache-2.0
"""Draws maps of the profit over promised quality and price, and over load and price.

These maps are counterfactual. They assume that the same calls are sold, carried and marked at
another price or promise. Refunds follow the price if the tariff ties them to it. If a price was
swept, another map shows the measured profit.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ecnomy.analysis.gsp_report import business_plots
from ecnomy.analysis.gsp_report.database import Database
from ecnomy.analysis.gsp_report.estimates import owned
from ecnomy.analysis.gsp_report.opened_runs import Material, VariedKey
from ecnomy.analysis.gsp_report.profitability import Answer
from ecnomy.analysis.gsp_report.tariffs import Tariff
from ecnomy.analysis.pages.parts import (
    Block,
    Cell,
    Picture,
    Query,
    Section,
    Table,
    Words,
    money,
    percent,
)

__all__ = ["FACTORS", "maps", "promised_otherwise"]

FACTORS: Final = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
_ASIDE: Final = "Callers and admission are unchanged: a higher price does not reduce demand."
_LIMITS: Final = (0.0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1)


def maps(material: Material, db: Database, answer: Answer) -> Section:
    """Return the section with all maps that can be drawn from the material."""
    blocks: list[Block] = []
    if material.kept and not answer.by_files:
        blocks += _by_quality(db, answer)
    if material.load is not None and not answer.by_files:
        blocks += _by_load(material, db, answer, material.load)
    price = next((key for key in material.keys if key.is_price), None)
    if price is not None:
        blocks += _measured(material, db, answer, price)
    blocks.sort(key=lambda block: isinstance(block, Table))  # all pictures before all tables
    return Section(f"{answer.provider}-maps", "Profit maps", tuple(blocks))


def _list(values: tuple[float, ...]) -> str:
    return "[" + ", ".join(f"{v!r}::double" for v in values) + "]"


def _by_quality(db: Database, answer: Answer) -> list[Block]:
    tariffs = db.tariffs(answer.provider, answer.runs)
    own_limits = {t.max_delay_rate for t in tariffs}
    limits = tuple(sorted({*_LIMITS, *own_limits}))
    mixed = len(own_limits) > 1  # adds a row in which each tariff keeps its original promise
    promised = f"unnest([{'null::double, ' if mixed else ''}{_list(limits)[1:]})"
    own = owned(answer.provider, answer.runs)
    query = db.ask(_quality_sql(own, tariffs, promised, FACTORS))
    mean = _mean_price(db, own)
    names = tuple(_price(f, mean) for f in FACTORS)
    rows = (*(("each its own",) if mixed else ()), *(percent(q, 1) for q in limits))
    as_it_was = 0 if mixed else limits.index(tariffs[0].max_delay_rate)
    label = "price of a call [money]" if mean is not None else "factor on all prices"
    return _map(
        query, rows, names, ("promised: largest share of bad packets", label),
        (as_it_was, FACTORS.index(1.0)),
        ident=f"{answer.provider}-quality",
        caption="Profit per hour over promised quality and price, counterfactual: the same calls, "
                "at another price and promise",
        of="ledger, calls",
        note=f"{_follows(tariffs)} A claim on a kept promise remains, and a broken promise "
             f"without reimbursement stays unclaimed. {_ASIDE}",
    )  # fmt: skip


def _quality_sql(
    own: str, tariffs: tuple[Tariff, ...], promised: str, factors: tuple[float, ...]
) -> str:
    """Return SQL for hourly profits by promised share q (null: the original) and price factor f."""
    return (
        f"with sold as (select c.tariff, c.complete, c.sent, c.bad, c.broken,\n"
        f"    coalesce(sum(p.micro) filter (p.line = 'calls'), 0) as charge,\n"
        f"    -coalesce(sum(p.micro) filter (p.line = 'reimbursements'), 0) as back\n"
        f"    from (from calls where {own} and accepted) as c left join postings as p on p.run "
        f"= c.run\n"
        f"    and p.provider = c.provider and p.flow = c.flow and p.start_ps = c.start_ps\n"
        f"    group by c.run, c.tariff, c.flow, c.start_ps, c.complete, c.sent, c.bad, c.broken),"
        f"\n  rest as (select coalesce(sum(micro), 0) as micro from postings\n"
        f"    where {own} and (line not in ('calls', 'reimbursements') or start_ps is null)),\n"
        f"  whole as (select sum(hours) as hours from accounts where {own})\n"
        f"select q, f, (sum(f * charge - case when {_PAID_BACK}\n"
        f"    then {_refund(tariffs)} else 0 end)\n"
        f"    + any_value(rest.micro)) / 1e6 / any_value(hours) as profit\n"
        f"from sold, rest, whole, (select {promised} as q), (select "
        f"unnest({_list(factors)}) as f)\n"
        f"group by q, f order by q nulls first, f"
    )


def promised_otherwise(db: Database, answer: Answer) -> tuple[Query, float] | None:
    """Return the hourly profit at the current price by promised share, and the current share.

    The values are those of the map. Return None if there are no tariffs, or if they promise
    different shares.
    """
    tariffs = db.tariffs(answer.provider, answer.runs)
    limits = {t.max_delay_rate for t in tariffs}
    if len(limits) != 1:
        return None
    promised = f"unnest({_list(tuple(sorted({*_LIMITS, *limits})))})"
    sql = _quality_sql(owned(answer.provider, answer.runs), tariffs, promised, (1.0,))
    return db.ask(f"select q, profit from (\n{sql})"), limits.pop()


# The ledger shows refund decisions only for the original promise. If these differ from the measured
# quality, they are assumed for every promise.
_PAID_BACK: Final = (
    "case when (back > 0) <> broken then back > 0\n"
    "      when q is null then broken else complete and bad > q * sent end"
)


def _refund(tariffs: tuple[Tariff, ...]) -> str:
    """Return SQL for the refund [micro-units] of a call, which follows the price or is fixed."""
    cases = []
    for tariff in tariffs:
        if tariff.tied:
            cases.append((tariff.name, "f * if(back > 0, back, charge)"))
        else:
            amount = round(float(tariff.reimbursement.partition(" ")[0]) * 1e6)
            cases.append((tariff.name, f"if(back > 0, back, {amount})"))
    if len({amount for _, amount in cases}) == 1:
        return cases[0][1]
    listed = " ".join(f"when '{name}' then {amount}" for name, amount in cases)
    return f"case tariff {listed} end"


def _follows(tariffs: tuple[Tariff, ...]) -> str:
    tied = [t.name for t in tariffs if t.tied]
    fixed = [t.name for t in tariffs if not t.tied]
    if tied and fixed:
        first, second = (" and ".join(names) for names in (tied, fixed))
        return f"Reimbursements follow the price on {first} and stay unchanged on {second}."
    return f"Reimbursements {'follow the price' if tied else 'stay unchanged'}."


def _mean_price(db: Database, own: str) -> Query | None:
    query = db.ask(
        f"select sum(revenue_micro) / 1e6 / nullif(sum(sold), 0) from accounts where {own}"
    )
    return query if query.rows[0][0] else None


def _price(factor: float, mean: Query | None) -> str:
    return f"{factor:g}\u00d7" if mean is None else f"{factor * float(mean.rows[0][0]):.3g}"


def _map(
    query: Query,
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    labels: tuple[str, str],
    at: tuple[int, int] | None,
    *,
    ident: str,
    caption: str,
    of: str,
    note: str = "",
) -> list[Block]:
    """Return a query's result (row, column, value) as picture and table; words if empty."""
    values = [None if row[2] is None else float(row[2]) for row in query.rows]
    numbers = np.array([np.nan if v is None else v for v in values])
    if not np.isfinite(numbers).any():
        return [Words.of(f"{caption}: no call was sold, so there is no map.")]
    grid = numbers.reshape(len(rows), len(columns))
    cells = []
    for i, name in enumerate(rows):
        own = [
            query.cell(k, 2, "-" if values[k] is None else money(float(grid[i, j]), "+"))
            for j in range(len(columns))
            for k in (i * len(columns) + j,)
        ]
        cells.append((Cell(name), *own))
    losses = int((grid < 0).sum())
    framed = "; the simulated case is framed" if at is not None else ""
    picture = Picture(
        id=f"{ident}-map",
        caption=f"{caption} (money{framed})",
        alt=f"Map of {grid.size} profits: {labels[0]} by {labels[1]}. {losses} are losses, "
        f"hatched. "
        f"The largest is {money(float(np.nanmax(grid)))}, the smallest "
        f"{money(float(np.nanmin(grid)))} money per hour.",
        of=of,
        svg=business_plots.heat(grid, rows, columns, labels, at),
        head=("row", "column", "money per hour"),
        rows=query.rows,
        query=None,
    )
    table = Table(
        f"{ident}-table", caption, of, (labels[0], *columns), tuple(cells), query, note=note
    )
    return [picture, table]


def _by_load(material: Material, db: Database, answer: Answer, load: VariedKey) -> list[Block]:
    place = material.keys.index(load)
    worlds = {
        value: tuple(value if i == place else v for i, v in enumerate(material.world))
        for value in sorted(float(v) for v in load.values)
    }
    runs = {v: of_load for v, w in worlds.items() if (of_load := material.at(answer.choice, w))}
    every = [made for of_load in runs.values() for made in of_load]
    back = "f * refunds" if answer.tied else "refunds"
    query = db.ask(
        f"select k{place + 1} as load, f, avg(f * revenue - {back} - costs) / 1e6 as profit\n"
        f"from (select k{place + 1}, revenue_micro / hours as revenue, refunds_micro / hours as "
        f"refunds,\n"
        f"    (revenue_micro - refunds_micro - profit_micro) / hours as costs from accounts\n"
        f"    where {owned(answer.provider, every)}), (select unnest({_list(FACTORS)}) as f)\n"
        f"group by load, f order by load, f"
    )
    own = owned(answer.provider, every)
    mean = _mean_price(db, own)
    rows = tuple(f"{v:g}" for v in runs)
    base = float(load.base) if isinstance(load.base, float) else 0.0
    at = (list(runs).index(base), FACTORS.index(1.0)) if base in runs else None
    label = "price of a call [money]" if mean is not None else "factor on all prices"
    return _map(
        query, rows, tuple(_price(f, mean) for f in FACTORS), (load.words, label), at,
        ident=f"{answer.provider}-load",
        caption=f"Profit per hour over {load.words} and price: measured at each load, "
                f"counterfactual in the price",
        of="ledger; calls sold: calls",
        note=f"Reimbursements {'follow the price' if answer.tied else 'stay unchanged'}. "
             f"{_ASIDE}",
    )  # fmt: skip


def _measured(material: Material, db: Database, answer: Answer, price: VariedKey) -> list[Block]:
    at = material.keys.index(price) + 1
    load = material.load
    down = f"k{material.keys.index(load) + 1}" if load is not None else "'all'"
    free = {material.keys.index(price), *([material.keys.index(load)] if load is not None else [])}
    fixed = tuple(
        None if i in free else (c if c is not None else w)
        for i, (c, w) in enumerate(zip(answer.choice, material.world, strict=True))
    )
    runs = material.at(fixed)
    query = db.ask(
        f"with d as (select {down} as load, k{at} as price, profit_micro / 1e6 / hours as x from "
        f"accounts\n"
        f"    where {owned(answer.provider, runs)})\n"
        f"select l.load, p.price, avg(x) from (select distinct load from d) as l cross join "
        f"(select distinct price from d) as p\n"
        f"left join d on d.load = l.load and d.price = p.price group by all order by 1, 2"
    )
    rows = tuple(
        dict.fromkeys(f"{r[0]:g}" if isinstance(r[0], float) else str(r[0]) for r in query.rows)
    )
    columns = tuple(dict.fromkeys(f"{r[1]:g}" for r in query.rows))
    words = load.words if load is not None else "load"
    return _map(
        query, rows, columns, (words, price.words), None,
        ident=f"{answer.provider}-price",
        caption=f"Measured profit per hour over {words} and {price.words}, "
                f"both swept" if load is not None
        else f"Measured profit per hour over {price.words}, which was swept",
        of="ledger",
    )  # fmt: skip
