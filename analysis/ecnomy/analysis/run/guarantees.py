# SPDX-License-Identifier: Apache-2.0
"""Profit and loss, calls and test streams of the guaranteed stream providers (GSPs) of a run.

All values cover the whole run, as account balances do. Amounts of money come from the ledger alone.
In a profit and loss account, the number of sold calls comes from the table `calls` if the run
recorded it, and so does the number of reimbursements if no money was paid back. All other numbers
come from the postings, which omit free items.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ecnomy.agents.money import MICRO
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.run.balances import unequal_balances
from ecnomy.analysis.run.guaranteed_calls import (
    CallOutcomes,
    StreamRow,
    call_rows,
    calls_of,
    streams_of,
)
from ecnomy.analysis.run.guarantors import Provider, flows_of, providers_of
from ecnomy.analysis.run.windows import Epochs
from ecnomy.markets.results.rawrun import RawRun, open_raw
from ecnomy.markets.results.results import Results
from ecnomy.markets.terms.ledger_kinds import CALL, FIXED_COST, MARKS, REIMBURSEMENT, TRANSFER

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Guarantee",
    "Item",
    "ProfitAndLoss",
    "guarantee_columns",
    "guarantees_of",
    "profit_and_loss",
]


class Item(msgspec.Struct, frozen=True):
    """A line of a profit and loss account: its amount (negative if paid) and number of items."""

    micro: int
    count: int  # calls, reimbursements or marks


class ProfitAndLoss(msgspec.Struct, frozen=True):
    """Income and costs of a GSP over the whole run, with amounts from the ledger [micro-units].

    Attributes:
        calls: sold calls, including free calls if the run recorded calls.
        reimbursements: reimbursed calls; if the run recorded calls and no money was paid back, all
            calls with broken promises.
        files: sold files; `late_files` are the reimbursed files.
        fixed: fixed costs.
        other: all other postings of the account.
        by_carrier: payments for marks by payee, sorted by name.
        profit_micro: all receipts minus all payments.
        seconds: simulated time that the account covers [s].
    """

    calls: Item
    reimbursements: Item
    call_marks: Item
    stream_marks: Item
    files: Item
    late_files: Item
    file_marks: Item
    fixed: Item
    other: Item
    by_carrier: tuple[tuple[str, Item], ...]
    profit_micro: int
    seconds: float

    def per_call(self, micro: int) -> float:
        """Convert an amount to money per sold call; NaN if no call was sold."""
        return micro / MICRO / self.calls.count if self.calls.count else math.nan

    def per_hour(self, micro: int) -> float:
        """Convert an amount to money per simulated hour; NaN if no time passed."""
        return micro / MICRO / (self.seconds / 3600) if self.seconds > 0 else math.nan


class Guarantee(msgspec.Struct, frozen=True):
    """Results of a GSP over the whole run; `calls` is None if the run did not record calls."""

    provider: Provider
    money: ProfitAndLoss
    calls: CallOutcomes | None
    streams: tuple[StreamRow, ...]


def profit_and_loss(run: RawRun, provider: Provider) -> ProfitAndLoss:
    """Return the profit and loss account of a GSP, by purpose of receipts and payments.

    Raises:
        ResultsError: the ledger is unreadable, or differs from the balance in the manifest.
    """
    ledger = run.ledger
    received = ledger[ledger["credit"].astype(str) == provider.name]
    paid = ledger[ledger["debit"].astype(str) == provider.name]
    bought = received["kind"].astype(str)
    sold, carried = bought == CALL, bought == TRANSFER
    kind, flow = paid["kind"].astype(str), paid["flow"]
    sources = tuple(name for names in provider.file_sources.values() for name in names)
    of_files = flow.isin(flows_of(run, sources))
    back, marks, fixed = kind == REIMBURSEMENT, kind == MARKS, kind == FIXED_COST
    of_calls = marks & flow.isin(flows_of(run, provider.call_sources))
    of_streams = marks & flow.isin(flows_of(run, provider.stream_sources))
    rest = ~(back | of_calls | of_streams | fixed | (marks & of_files))
    other_in, other_out = _item(received[~(sold | carried)], 1), _item(paid[rest], -1)
    profit_micro = int(received["amount_micro"].sum()) - int(paid["amount_micro"].sum())
    _check_balance(run, provider.name, profit_micro)
    income, refunds = _item(received[sold], 1), _item(paid[back & ~of_files], -1)
    if run.plan.record.calls:
        rows = call_rows(run, provider)
        income = Item(income.micro, int((rows["accepted"] == 1).sum()))
        if not refunds.micro:  # a broken promise may have no reimbursement
            refunds = Item(0, int(rows["broken"].sum()))
    return ProfitAndLoss(
        calls=income,
        reimbursements=refunds,
        call_marks=_item(paid[of_calls], -1),
        stream_marks=_item(paid[of_streams], -1),
        files=_item(received[carried], 1),
        late_files=_item(paid[back & of_files], -1),
        file_marks=_item(paid[marks & of_files], -1),
        fixed=_item(paid[fixed], -1),
        other=Item(other_in.micro + other_out.micro, other_in.count + other_out.count),
        by_carrier=_by_carrier(paid[marks]),
        profit_micro=profit_micro,
        seconds=run.measured.to_ps / PS_PER_S,
    )


def _by_carrier(marks: pd.DataFrame) -> tuple[tuple[str, Item], ...]:
    groups = marks.groupby(marks["credit"].astype(str), sort=True)
    return tuple((str(name), _item(rows, -1)) for name, rows in groups)


def _item(postings: pd.DataFrame, sign: int) -> Item:
    return Item(sign * int(postings["amount_micro"].sum()), int(postings["quantity"].sum()))


def _check_balance(run: RawRun, account: str, profit_micro: int) -> None:
    balances = run.manifest.balances_micro
    if balances is not None and balances[account] != profit_micro:
        raise unequal_balances(run.path, account, profit_micro, balances[account])


def guarantees_of(run: RawRun | Results) -> tuple[Guarantee, ...]:
    """Return profit and loss, calls and test streams of each GSP of a run; () without a GSP.

    Raises:
        ResultsError: a table is unreadable, or the ledger and the manifest disagree.
    """
    run = run.raw
    providers = providers_of(run)
    if not providers:
        return ()
    epochs = Epochs(run.flow_epochs, "flow", run.plan.row_count)
    return tuple(
        Guarantee(p, profit_and_loss(run, p), calls_of(run, p), streams_of(run, p, epochs))
        for p in providers
    )


def guarantee_columns(results: Path) -> dict[str, float | None]:
    """Return outcome columns for sweeps, over the whole run; {} without a GSP.

    Returns:
        Columns `<gsp>.<name>` with these names: calls_asked, calls_sold, calls_blocked and
        calls_broken (numbers; None if calls were not recorded); revenue (received for calls),
        reimbursed (part of the cost), cost (all payments minus all other receipts) and profit =
        revenue - cost, in money; hours (the simulated time that the account covers).

    Raises:
        ResultsError: a table is unreadable, or the ledger and the manifest disagree.
    """
    run = open_raw(results)
    row: dict[str, float | None] = {}
    for provider in providers_of(run):
        money, calls = profit_and_loss(run, provider), calls_of(run, provider)
        numbers = {
            "calls_asked": None if calls is None else calls.asked,
            "calls_sold": None if calls is None else calls.accepted,
            "calls_blocked": None if calls is None else calls.blocked,
            "calls_broken": None if calls is None else calls.broken,
            "revenue": money.calls.micro / MICRO,
            "reimbursed": -money.reimbursements.micro / MICRO,
            "cost": (money.calls.micro - money.profit_micro) / MICRO,
            "profit": money.profit_micro / MICRO,
            "hours": money.seconds / 3600,
        }
        row |= {f"{provider.name}.{name}": value for name, value in numbers.items()}
    return row
