# SPDX-License-Identifier: Apache-2.0
"""Reports the payments of a run by payer, payee and purpose, with count, price and phase.

All amounts come from the ledger, to the micro-unit. Their sums are compared with the balances in
the manifest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from ecnomy.agents.money import MICRO
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.pages.parts import Block, Cell, Query, Table, Words, exactly
from ecnomy.analysis.run.balances import unequal_balances
from ecnomy.analysis.run_report.database import RunDatabase
from ecnomy.analysis.support.number_text import minus, significant
from ecnomy.markets.terms.ledger_kinds import (
    CALL,
    CLASS_FEE,
    FIXED_COST,
    MARKS,
    REIMBURSEMENT,
    SETTLEMENT,
    TRANSFER,
)
from ecnomy.markets.terms.meters import METERS

__all__ = [
    "Payments",
    "QuantityUnit",
    "amount",
    "balances",
    "money_blocks",
    "payments_of",
    "rounded",
]

_MOST_PERIODS: Final = 8


class QuantityUnit(msgspec.Struct, frozen=True):
    """The unit of a quantity: its singular and plural, and its size in the ledger's unit."""

    one: str
    many: str
    size: int = 1


_SECONDS: Final = QuantityUnit("s of a flow", "s of flows", PS_PER_S)
_UNITS: Final[dict[str, QuantityUnit]] = {
    MARKS: QuantityUnit("mark", "marks"),
    CLASS_FEE: _SECONDS,
    SETTLEMENT: QuantityUnit("mark set", "marks set"),
    CALL: QuantityUnit("call", "calls"),
    TRANSFER: QuantityUnit("file", "files"),
    REIMBURSEMENT: QuantityUnit("call or file", "calls or files"),
    FIXED_COST: QuantityUnit("s", "s", PS_PER_S),
}
_WORDS: Final = {
    MARKS: "marks",
    CLASS_FEE: "class fee",
    SETTLEMENT: "marks, between carriers",
    CALL: "calls",
    TRANSFER: "files",
    REIMBURSEMENT: "broken promises",
    FIXED_COST: "fixed costs",
}


class Payments(msgspec.Struct, frozen=True):
    """The sums of the ledger, with a row per payer, payee, kind and source.

    Attributes:
        query: the query, with columns payer, payee, kind, source, quantity, lowest price, highest
            price, micro, and mean unit price in money.
        units: kind -> unit of its quantities.
    """

    query: Query
    units: Mapping[str, QuantityUnit]

    def money(self, row: int) -> Cell:
        """Return the amount of a row, to the micro-unit."""
        return self.query.cell(row, 7, amount(int(self.query.rows[row][7])))

    def about(self, row: int) -> Cell:
        """Return the amount of a row, rounded for sentences."""
        return self.query.cell(row, 7, rounded(int(self.query.rows[row][7])))

    def count(self, row: int) -> Cell:
        """Return the quantity of a row with its unit."""
        _, _, kind, _, quantity, *_ = self.query.rows[row]
        unit = self.units.get(kind, QuantityUnit("unit", "units"))
        many = float(quantity) / unit.size
        number_text = f"{many:,.0f}" if many.is_integer() else f"{many:,.2f}"
        return Cell(f"{number_text} {unit.one if many == 1 else unit.many}", value=many)

    def price(self, row: int) -> Cell:
        """Return the unit price of a row, or its mean and range; "-" without a quantity."""
        low, high, mean = (self.query.rows[row][i] for i in (5, 6, 8))
        if mean is None:  # postings without a count
            return Cell("-")
        text = f"{low / MICRO:.6g}"
        if low != high:
            text = f"{float(mean):.3g} (mean; {low / MICRO:.3g} to {high / MICRO:.3g})"
        return self.query.cell(row, 8, text)

    def what(self, row: int) -> str:
        """Return the purpose of a row's payments in words."""
        kind, source = str(self.query.rows[row][2]), str(self.query.rows[row][3])
        words = _WORDS.get(kind, kind)
        return f"{words} of {source}" if source else words


def amount(micro: int) -> str:
    """Return an amount to the micro-unit, without a plus sign."""
    return exactly(micro).removeprefix("+")


def rounded(micro: int) -> str:
    """Return an amount rounded for sentences."""
    return minus(significant(micro / MICRO))


def payments_of(db: RunDatabase) -> Payments:
    """Sum the postings of a run by payer, payee, kind and source."""
    units = {**_UNITS, **_contracts(db.run.manifest.scenario)}
    sizes = " ".join(f"when '{kind}' then {u.size}" for kind, u in units.items() if u.size > 1)
    query = db.ask(
        f"select payer, payee, kind, source, sum(quantity)::bigint as quantity,\n"
        f"  min(price_micro), max(price_micro), sum(amount_micro)::bigint as micro,\n"
        f"  sum(amount_micro) / 1e6 / (nullif(sum(quantity), 0) / case kind {sizes} else 1 end)\n"
        f"from payments group by payer, payee, kind, source\n"
        f"order by sum(micro) over (partition by payer) desc, payer, micro desc, source, payee"
    )
    return Payments(query, units)


def _contracts(scenario: Any) -> dict[str, QuantityUnit]:
    agents = ((scenario or {}).get("market") or {}).get("agents", ())
    units = {}
    for contract in (c for agent in agents for c in agent.get("contracts") or ()):
        meter = METERS.get(contract["meter"])
        if meter is not None:
            unit = _SECONDS if meter.unit == "ps" else QuantityUnit(meter.unit, f"{meter.unit}s")
            units[str(contract.get("name") or contract["meter"])] = unit
    return units


def money_blocks(db: RunDatabase, payments: Payments) -> list[Block]:
    """Return the tables of payments, or a sentence if there were no payments."""
    if not payments.query.rows:
        return [Words.of("No money changed hands in this run.")]
    blocks: list[Block] = [_paid(db, payments)]
    if 1 < len(db.periods) <= _MOST_PERIODS:
        blocks.append(_by_phase(db, payments))
    return blocks


def _paid(db: RunDatabase, payments: Payments) -> Table:
    whole = db.ask("select sum(amount_micro)::bigint from payments")
    rows: list[tuple[Cell, ...]] = []
    for i, row in enumerate(payments.query.rows):
        cells = (Cell(str(row[0])), Cell(payments.what(i)), Cell(str(row[1])))
        rows.append((*cells, payments.count(i), payments.price(i), payments.money(i)))
    total = whole.cell(0, 0, amount(int(whole.rows[0][0])))
    rows.append((Cell("all"), *(Cell("") for _ in range(4)), total))
    return Table(
        id="paid",
        caption="Payments by payer, purpose and payee: number times unit price",
        of="ledger",
        head=("payer", "purpose", "payee", "number", "unit price", "money"),
        rows=tuple(rows),
        query=payments.query,
        strong=(len(rows) - 1,),
        more=(whole,),
        note="The whole run, the warm-up included. source:NAME is the account of a source's "
        "users, if no agent pays for them. A mark is paid for when its packet arrives. The seller "
        "of the flow's class, call or file pays; without a seller, the users' agent; without an "
        "agent, the users. The carrier of the first link is paid, or the carriers that the "
        "market's settlement names.",
        wide=True,
    )


def _by_phase(db: RunDatabase, payments: Payments) -> Table:
    columns = ",\n  ".join(
        f"coalesce(sum(amount_micro) filter (phase = {i}), 0)::bigint"
        for i in range(len(db.periods))
    )
    query = db.ask(
        f"select payer, kind, source, sum(amount_micro)::bigint as micro,\n  {columns}\n"
        f"from payments group by payer, kind, source\n"
        f"order by sum(micro) over (partition by payer) desc, payer, micro desc, source"
    )
    rows = []
    for i, row in enumerate(query.rows):
        what = _WORDS.get(str(row[1]), str(row[1]))
        cells = [query.cell(i, 4 + k, amount(int(row[4 + k]))) for k in range(len(db.periods))]
        name = Cell(f"{row[0]}: {what} of {row[2]}" if row[2] else f"{row[0]}: {what}")
        rows.append((name, *cells, query.cell(i, 3, amount(int(row[3])))))
    return Table(
        id="paid-by-phase",
        caption="The same payments by phase",
        of="ledger",
        head=("payer and purpose", *(_titled(one) for one in db.periods), "whole run"),
        rows=tuple(rows),
        query=query,
        note="The cost of marks is booked at the end of each epoch.",
        wide=True,
    )


def _titled(one: Any) -> str:
    span = f"{one.from_ps / PS_PER_S:g} to {one.to_ps / PS_PER_S:g} s"
    return f"{one.label}, {span}" if one.number == 0 else f"phase {one.number}, {span}"


def balances(db: RunDatabase) -> Table | None:
    """Return income, payments and balance of every account; None for a run without postings.

    Raises:
        ResultsError: the ledger and the manifest's balances disagree.
    """
    query = db.ask(
        "with sides as (select payee as account, amount_micro as got, 0 as gave from payments\n"
        "    union all select payer, 0, amount_micro from payments)\n"
        "select account, sum(got)::bigint, sum(gave)::bigint, sum(got - gave)::bigint as micro\n"
        "from sides group by account order by micro desc, account"
    )
    if not query.rows:
        return None
    _check(db, query)
    rows = [
        (
            Cell(str(row[0])),
            *(query.cell(i, k, amount(int(row[k]))) for k in (1, 2)),
            _net(query, i),
        )
        for i, row in enumerate(query.rows)
    ]
    return Table(
        id="balances",
        caption="Balances: received, paid, and the difference",
        of="ledger, compared with the balances in manifest.json",
        head=("account", "received", "paid", "left"),
        rows=tuple(rows),
        query=query,
        note="Accounts start at 0; a negative balance is a debt. The balances sum to 0, because "
        "every payment has a payer and a payee.",
        wide=True,
    )


def _net(query: Query, row: int) -> Cell:
    return query.cell(row, 3, exactly(int(query.rows[row][3])))


def _check(db: RunDatabase, query: Query) -> None:
    balances_micro = db.run.manifest.balances_micro
    if balances_micro is None:  # the run was killed before it wrote its balances
        return
    amounts = {str(row[0]): int(row[3]) for row in query.rows}
    for account, micro in balances_micro.items():
        if amounts.get(account, 0) != micro:
            raise unequal_balances(db.run.path, account, amounts.get(account, 0), micro)
