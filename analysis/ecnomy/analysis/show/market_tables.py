# SPDX-License-Identifier: Apache-2.0
"""Tables of `ecnomy show` for carriers, users who choose among sources, and files."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.run.carriers import carriers_of
from ecnomy.analysis.run.choices import AgentChoices, choices_of
from ecnomy.analysis.run.files_sent import files_of, recorded, senders_of_files
from ecnomy.analysis.show.summary_tables import new_table
from ecnomy.analysis.support.number_text import percent, significant
from ecnomy.markets.results.rawrun import RawRun

if TYPE_CHECKING:
    from rich.console import Console

    from ecnomy.analysis.run.carriers import Carrier

__all__ = ["print_carriers", "print_choices", "print_files"]

_MOST_KINDS: Final = 3  # kinds of income with a column each; all other kinds share one column
_MOST_PAYERS: Final = 16
_MOST_NAMES: Final = 2


def print_carriers(run: RawRun, console: Console) -> None:
    """Print links, prices, utilisation and money of each carrier, if a run has at least two.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    carriers = carriers_of(run)
    if not carriers:
        return
    console.print()
    console.print("Carriers (whole run)", style="bold", markup=False)
    _print_domains(run, carriers, console)
    _print_money(carriers, console)
    _print_payers(run, carriers, console)


def _print_domains(run: RawRun, carriers: tuple[Carrier, ...], console: Console) -> None:
    columns = ["mean price\nof a mark", "last\nprice", "used, of its\nbusiest link"]
    table = new_table("carrier", "links owned", *columns, "marks set\nin its domain")
    end_ps = int(run.link_epochs["t_ps"].max())
    for one in carriers:
        use = "-"
        if one.links:
            name = run.plan.links[one.busiest].name
            alone = (name,) == one.link_names
            use = percent(one.utilization) + ("" if alone else f"\n({name})")
        table.add_row(
            one.name,
            _names(one.link_names),
            significant(one.prices.mean(end_ps), 4),
            significant(float(one.prices.money[-1]), 4),
            use,
            "-" if math.isnan(one.marks) else f"{one.marks:,.0f}",
        )
    console.print()
    console.print(table)


def _names(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:_MOST_NAMES])
    rest = len(names) - _MOST_NAMES
    return f"{shown}\nand {rest} more" if rest > 0 else shown or "none"


def _print_money(carriers: tuple[Carrier, ...], console: Console) -> None:
    kinds = list(dict.fromkeys(p.kind for one in carriers for p in one.income))
    shown, rest = kinds[:_MOST_KINDS], kinds[_MOST_KINDS:]
    heads = [f"income:\n{kind}" for kind in shown] + (["income:\nother"] if rest else [])
    others = any(one.to_others for one in carriers)
    heads += ["paid to\ncarriers", *(["paid to\nothers"] if others else []), "left"]
    table = new_table("carrier (money)", *heads)
    for one in carriers:
        sums = [sum(p.money for p in one.income if p.kind == kind) for kind in shown]
        if rest:
            sums.append(sum(p.money for p in one.income if p.kind in rest))
        paid = [one.to_carriers, *([one.to_others] if others else [])]
        left = significant(round(one.left, 6), sign="+")
        table.add_row(one.name, *(significant(x) for x in (*sums, *paid)), left)
    console.print()
    console.print(table)


def _print_payers(run: RawRun, carriers: tuple[Carrier, ...], console: Console) -> None:
    seconds = float(run.link_epochs["t_ps"].max()) / PS_PER_S
    table = new_table("carrier", "paid by", "for", "money", "money/s", "of its\nincome")
    rows = [(one, payment) for one in carriers for payment in one.income]
    for one, payment in rows[:_MOST_PAYERS]:
        whole = sum(p.money for p in one.income)
        table.add_row(
            one.name,
            payment.payer,
            payment.kind,
            significant(payment.money),
            significant(payment.money / seconds),
            percent(payment.money / whole),
        )
    if (more := len(rows) - _MOST_PAYERS) > 0:
        table.add_row(f"and {more} more")
    if rows:
        console.print()
        console.print(table)


def print_choices(run: RawRun, console: Console) -> None:
    """Print how often users who choose among sources switched, and the options that they used.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    measured = run.measured
    reached = int(run.flow_epochs["t_ps"].max()) if len(run.flow_epochs) else 0
    from_ps, to_ps = measured.from_ps, min(measured.to_ps, reached)
    if to_ps <= from_ps:
        return
    for choice in choices_of(run):
        table = new_table(choice.agent + " with", "mean share", "at the end")
        shares = choice.shares(from_ps, to_ps)
        for option, share, last in zip(choice.options, shares, choice.counts[-1], strict=True):
            table.add_row(option, percent(float(share)), percent(last / choice.users))
        console.print()
        console.print(_changes(choice, from_ps, to_ps), markup=False)
        console.print(table)


def _changes(choice: AgentChoices, from_ps: int, to_ps: int) -> str:
    changes, minutes = choice.changes_in(from_ps, to_ps), (to_ps - from_ps) / PS_PER_S / 60
    rate = 100 * changes / choice.users / minutes
    return (
        f"{choice.agent}: {choice.users} customers with a choice, {changes:,} changes from "
        f"{from_ps / PS_PER_S:g} s to {to_ps / PS_PER_S:g} s: {significant(rate, 1)} per 100 "
        "customers per minute"
    )


def print_files(run: RawRun, console: Console) -> None:
    """Print the numbers of files that began and finished, and the transfer times.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    labels = list(senders_of_files(run))
    if not labels:
        return
    console.print()
    if not recorded(run):
        words = "not recorded; to count them, set `record: {transfers: true}`"
        console.print(f"files of {', '.join(labels)}: {words}", markup=False)
        return
    table = new_table("files of (whole run)", "began", "finished", "median\ns", "95 % within\ns")
    files = files_of(run)
    for one in files:
        table.add_row(
            one.label,
            f"{one.began:,}" if one.all_seen else f"{one.began:,} or more",
            f"{one.finished:,}",
            significant(one.median_s),
            significant(one.slow_s),
        )
    console.print(table)
    if given_up := sum(one.given_up for one in files):
        words = f"users gave up {given_up:,} of the files that began"
        console.print(f"({words})", style="dim", markup=False)
    if not all(one.all_seen for one in files):
        words = "for rows of many flows, the number of unfinished files is unknown"
        console.print(f"({words})", style="dim", markup=False)
