# SPDX-License-Identifier: Apache-2.0
"""`ecnomy show RESULTS`: the summary of a run on the terminal, and its picture."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ecnomy.analysis.digits import significant

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ecnomy.analysis.results import Run
    from ecnomy.analysis.summary import GroupRow, LinkRow, PhaseSummary, Summary

__all__ = ["print_summary", "show_command"]

PICTURE = "overview.png"
MAP = "network.png"
GUARANTEE = "guarantee.png"
_NARROWEST = 90  # columns, where the output is not a terminal
_WIDEST = 140


def show_command(
    results: Annotated[Path, typer.Argument(help="The results folder of a run.")],
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot", help="Where the picture goes [RESULTS/overview.png].", metavar="FILE"
        ),
    ] = None,
    no_plot: Annotated[bool, typer.Option("--no-plot", help="Draw no picture.")] = False,
) -> None:
    """Show what a run gave: who got which rate, who paid what, and a picture."""
    from rich.console import Console

    from ecnomy.analysis.results import open_run

    run = open_run(results)
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, _NARROWEST)
    console.width = min(console.width, _WIDEST)
    print_summary(run, console)
    if no_plot:
        return
    from ecnomy.analysis.plots import overview

    file = plot if plot is not None else results / PICTURE
    if overview(run, file):
        console.print(f"picture: {file}", soft_wrap=True, markup=False)
    else:
        console.print("picture: none, the run has no two reports to draw", markup=False)
    from ecnomy.analysis.network_plot import network_picture

    file = file.with_name(MAP)
    if network_picture(run, file):
        console.print(f"map: {file}", soft_wrap=True, markup=False)
    _draw_guarantees(run, file.parent, console)


def _draw_guarantees(run: Run, folder: Path, console: Console) -> None:
    """One picture for each guaranteed stream provider, named after it where there are several."""
    from ecnomy.analysis.guarantees_plot import guarantee_picture
    from ecnomy.analysis.guarantors import providers_of

    providers = providers_of(run)
    for provider in providers:
        file = folder / GUARANTEE
        if len(providers) > 1:
            file = file.with_stem(f"{file.stem}-{provider.name}")
        if guarantee_picture(run, provider, file):
            console.print(f"{provider.name}: {file}", soft_wrap=True, markup=False)


def print_summary(run: Run, console: Console) -> None:
    """Print the summary of a run.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    from ecnomy.analysis.guarantees import guarantees_of
    from ecnomy.analysis.guarantees_tables import print_guarantee
    from ecnomy.analysis.sentence import sentence
    from ecnomy.analysis.summary import CHANGING, summarize

    summary = summarize(run)
    console.print(summary.title, style="bold", markup=False)
    measured = run.measured
    words = f"measured from {measured.from_ps / 1e12:g} s to {measured.to_ps / 1e12:g} s"
    state = "complete" if summary.note is None else summary.note
    console.print(f"seed {run.manifest.seed}, {words}, {state}", markup=False)
    if not summary.phases:
        console.print("the run ended before anything could be measured", markup=False)
    if any(row.group.service_class == CHANGING for one in summary.phases for row in one.groups):
        words = "flows changed class: rows are by source, fees are those paid on average"
        console.print(words, markup=False)
    for one in summary.phases:
        _print_phase(one, run, summary, console)
    if summary.balances:
        console.print()
        console.print(_balance_table(summary))
    for guarantee in guarantees_of(run):
        print_guarantee(guarantee, console)
    text = sentence(summary)
    if text:
        console.print()
        console.print(text, markup=False)


def _print_phase(one: PhaseSummary, run: Run, summary: Summary, console: Console) -> None:
    phase, window = one.phase, one.window
    console.print()
    span = f"{phase.from_ps / 1e12:g} s to {phase.to_ps / 1e12:g} s"
    heading = f"Phase {phase.number}, {span}: {phase.label}"
    if len(summary.phases) == 1 and phase.number == 1:
        heading = f"{span}: {phase.label}"
    console.print(heading, style="bold", markup=False)
    if phase.settling_s > 0:
        console.print(
            f"(shown from {window.from_ps / 1e12:g} s: the first {phase.settling_s:g} s, in which "
            "the flows settle, are left out)",
            style="dim",
            markup=False,
        )
    tables = _network_tables(run, one) or [_link_table(one.links)]
    console.print()
    console.print(_traffic_table(one.groups))
    if summary.priced:
        console.print()
        console.print(_money_table(one.groups))
        for line in _paid_by_others(run, one.groups):
            console.print(line, style="dim", markup=False)
    for table in tables:
        console.print()
        console.print(table)


def _paid_by_others(run: Run, rows: tuple[GroupRow, ...]) -> list[str]:
    """Whose marks a guaranteed stream provider pays."""
    from ecnomy.analysis.guarantors import flows_of, providers_of

    lines = []
    for provider in providers_of(run):
        own = set(flows_of(run, provider.call_sources + provider.stream_sources).tolist())
        names = [row.group.label for row in _shown(rows) if own & set(row.group.flows)]
        if names:
            lines.append(f"(marks of {', '.join(names)}: paid by {provider.name})")
    return lines


def _network_tables(run: Run, one: PhaseSummary) -> list[Table]:
    """What pairs and nodes pay and what links cost, none for a run on a path."""
    from ecnomy.analysis import network_tables
    from ecnomy.analysis.network_loads import is_network, network_loads

    if not is_network(run.plan):
        return []
    loads = network_loads(run, one.window)
    return [
        network_tables.pair_table(loads),
        network_tables.node_table(loads),
        network_tables.link_table(loads),
    ]


def _percent(value: float) -> str:
    return "-" if math.isnan(value) else f"{100 * value:.1f} %"


def _new_table(first: str, *columns: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1))
    table.add_column(first, no_wrap=True)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _shown(rows: tuple[GroupRow, ...]) -> list[GroupRow]:
    return [row for row in rows if row.goodput_high_bps > 0 or row.fee_per_s > 0]


def _traffic_table(rows: tuple[GroupRow, ...]) -> Table:
    columns = ["flows", "Mbps\na flow", "least to\nmost", "share\nof all", "marks/s\na flow"]
    table = _new_table("who", *columns, "packets\nmarked", "delay\nms", "RTT\nms")
    for row in _shown(rows):
        low, high = row.goodput_low_bps / 1e6, row.goodput_high_bps / 1e6
        table.add_row(
            row.group.label,
            str(row.group.size),
            significant(row.goodput_bps / 1e6),
            f"{significant(low)} to {significant(high)}" if len(row.group.flows) > 1 else "",
            _percent(row.share),
            significant(row.marks_per_s),
            _percent(row.marking_probability),
            significant(1e3 * row.delay_s, 1),
            significant(1e3 * row.rtt_s, 1),
        )
    return table


def _money_table(rows: tuple[GroupRow, ...]) -> Table:
    columns = ["fee\nmoney/s", "for marks\nmoney/s", "marks\nof fee", "price of a mark\nmoney"]
    table = _new_table("a flow pays", *columns)
    for row in _shown(rows):
        charged = row.charge_per_s / row.fee_per_s if row.fee_per_s else math.nan
        table.add_row(
            row.group.label,
            significant(row.fee_per_s) if row.fee_per_s else "-",
            significant(row.charge_per_s),
            _percent(charged),
            significant(row.price_per_mark, 4),
        )
    return table


def _link_table(rows: tuple[LinkRow, ...]) -> Table:
    table = _new_table("link", "used", "marked", "queue\npackets", "wait\nms", "drops")
    for row in rows:
        table.add_row(
            row.name,
            _percent(row.utilization),
            _percent(row.marking_probability),
            f"{row.queue_packets:.1f}",
            "-" if math.isnan(row.wait_s) else f"{1e3 * row.wait_s:.1f}",
            f"{row.drops:,}",
        )
    return table


def _balance_table(summary: Summary) -> Table:
    table = _new_table("account (whole run, money)", "received", "paid", "balance")
    for balance in summary.balances:
        received, paid, net = balance.received, balance.paid, balance.net
        table.add_row(
            balance.account,
            significant(received),
            significant(paid),
            significant(round(net, 6), sign="+"),
        )
    return table
