# SPDX-License-Identifier: Apache-2.0
"""`ecnomy show RESULTS`: the summary of a run or a sweep in the terminal, and its plots."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.cli.printing import Json, console_for_tables, print_json

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ecnomy.analysis.run.phases import Phase
    from ecnomy.analysis.run.summary import GroupRow, PhaseSummary, Summary
    from ecnomy.analysis.run_pictures.picture_list import RunPicture
    from ecnomy.markets.results.rawrun import RawRun
    from ecnomy.markets.results.results import Results

__all__ = ["print_summary", "show_command"]

SWEEP = "sweep.png"
_MOST_STEPS = 4  # prices of a schedule that are listed
_WIDEST = 140  # columns used at most, even on a wider terminal


def show_command(
    results: Annotated[Path, typer.Argument(help="Results folder of a run or a sweep.")],
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            help="File for the picture. Further pictures are written next to it, named "
            "FILE-carriers and FILE-network. Default: overview.png or sweep.png in RESULTS.",
            metavar="FILE",
        ),
    ] = None,
    no_plot: Annotated[bool, typer.Option("--no-plot", help="Do not draw a picture.")] = False,
    as_json: Json = False,
) -> None:
    """Show the results of a run or a sweep: rates, payments and plots.

    With --json, no picture is drawn.
    """
    from ecnomy.analysis.support.whole_file import place_for
    from ecnomy.markets.results.rawrun import open_raw
    from ecnomy.markets.sweep.head import is_sweep

    if plot is not None:
        place_for(plot, "--plot")
    console = console_for_tables(_WIDEST)
    if is_sweep(results):
        if as_json:
            from ecnomy.analysis.sweep_report.values import sweep_values

            return print_json(sweep_values(results))
        from ecnomy.analysis.sweep_report.printed import print_sweep

        file = plot if plot is not None else results / SWEEP
        return print_sweep(results, console, None if no_plot else file)
    run = open_raw(results)
    if as_json:
        from ecnomy.analysis.show.values import show_values

        return print_json(show_values(run))
    print_summary(run, console)
    if no_plot:
        return
    from ecnomy.analysis.run_pictures.picture_list import run_pictures

    first, *others = run_pictures(run)
    file = plot if plot is not None else results / first.file
    if first.draw(file):
        _say_drawn(first, file, console)
    else:
        console.print("no picture: the run has fewer than two reports", markup=False)
    for picture in others:
        if plot is None:
            file = results / picture.file
        else:
            file = plot.with_stem(f"{plot.stem}-{Path(picture.file).stem}")
        if picture.draw(file):
            _say_drawn(picture, file, console)


def _say_drawn(picture: RunPicture, file: Path, console: Console) -> None:
    console.print(f"{picture.name}: {file}", soft_wrap=True, markup=False)


def print_summary(run: RawRun | Results, console: Console) -> None:
    """Print the summary of a run.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    run = run.raw
    from ecnomy.analysis.run.busy_lines import lines_of
    from ecnomy.analysis.run.guarantees import guarantees_of
    from ecnomy.analysis.run.price_settling import print_settling
    from ecnomy.analysis.run.summary import CHANGING, summarize
    from ecnomy.analysis.show.guarantees_tables import print_guarantee
    from ecnomy.analysis.show.market_tables import print_carriers, print_choices, print_files
    from ecnomy.analysis.show.sentence import sentence
    from ecnomy.analysis.show.summary_tables import balance_table
    from ecnomy.analysis.show.welfare_table import print_welfare
    from ecnomy.markets.results.notices import notices

    summary = summarize(run)
    console.print(summary.title, style="bold", markup=False)
    measured = run.measured
    words = f"measured from {measured.from_ps / PS_PER_S:g} s to {measured.to_ps / PS_PER_S:g} s"
    state = "complete" if summary.note is None else summary.note
    console.print(f"seed {run.manifest.seed}, {words}, {state}", markup=False)
    if run.manifest.by_hand:
        console.print(run.manifest.changed_by_hand, markup=False, highlight=False)
    if not summary.phases:
        words = "the run ended before the measured window began"
        if summary.whole is not None:
            warmup_s = run.plan.warmup_ps / PS_PER_S
            words = (
                f"the run ended during its warm-up of {warmup_s:g} s, so means include the warm-up"
            )
        console.print(words, markup=False)
    if any(row.group.service_class == CHANGING for one in summary.phases for row in one.groups):
        words = "flows changed class, so rows are per source and fees are means"
        console.print(words, markup=False)
    for one in summary.phases:
        _print_phase(one, run, summary, console)
    _print_whole(summary, run, console)
    for lines in lines_of(run):
        console.print()
        console.print(str(lines), markup=False, highlight=False)
    for target in notices(run):
        console.print()
        console.print(f"warning: {target}", markup=False, highlight=False)
    print_carriers(run, console)
    print_settling(run, console)
    print_choices(run, console)
    print_files(run, console)
    print_welfare(run, console)
    if summary.balances:
        console.print()
        console.print(balance_table(summary))
    for guarantee in guarantees_of(run):
        print_guarantee(guarantee, console)
    text = sentence(summary)
    if text:
        console.print()
        console.print(text, markup=False)


def _print_phase(one: PhaseSummary, run: RawRun, summary: Summary, console: Console) -> None:
    from ecnomy.analysis.show.summary_tables import link_table

    phase, window = one.phase, one.window
    console.print()
    heading = f"Phase {phase.number}, {_span(phase)}: {phase.label}"
    if summary.whole is not None and window == summary.whole.window:
        heading = f"Whole measured window, {_span(phase)}: {phase.label}"
    console.print(heading, style="bold", markup=False)
    if phase.settling_s > 0:
        console.print(
            f"(shown from {window.from_ps / PS_PER_S:g} s, without the first "
            f"{phase.settling_s:g} s in which the flows settle)",
            style="dim",
            markup=False,
        )
    _print_groups(one, run, summary, console)
    for table in _network_tables(run, one) or [link_table(one.links)]:
        console.print()
        console.print(table)


def _span(phase: Phase) -> str:
    return f"{phase.from_ps / PS_PER_S:g} s to {phase.to_ps / PS_PER_S:g} s"


def _print_whole(summary: Summary, run: RawRun, console: Console) -> None:
    """Print the results of the whole measured window, unless a phase covers all of it."""
    whole = summary.whole
    if whole is None or any(one.window == whole.window for one in summary.phases):
        return
    console.print()
    heading = f"Whole measured window, {_span(whole.phase)}: all phases together"
    console.print(heading, style="bold", markup=False)
    words = "(as printed by `ecnomy run`, including the time in which flows settle)"
    if any(row.active is not None for row in whole.groups):
        words = "(including the time in which flows settle)"
    console.print(words, style="dim", markup=False)
    _print_groups(whole, run, summary, console)


def _print_groups(one: PhaseSummary, run: RawRun, summary: Summary, console: Console) -> None:
    from ecnomy.analysis.show.summary_tables import background_in_words, money_table, traffic_table

    console.print()
    console.print(traffic_table(one.groups))
    if any(row.active is not None for row in one.groups):
        words = "(means over the time in which agents kept the flows active)"
        console.print(words, style="dim", markup=False)
    if summary.priced:
        console.print()
        console.print(money_table(one))
        if words := background_in_words(one):
            console.print(words, markup=False)
        for line in _scheduled(run, one):
            console.print(line, style="dim", markup=False)
        for line in _paid_by_others(run, one.groups):
            console.print(line, style="dim", markup=False)


def _scheduled(run: RawRun, one: PhaseSummary) -> list[str]:
    """Return a note for each carrier whose price per mark changed by a schedule."""
    from ecnomy.analysis.run.price_settling import scheduled_prices
    from ecnomy.analysis.support.number_text import significant

    lines = []
    for name, prices in scheduled_prices(run, one.window.from_ps, one.window.to_ps).items():
        steps = [
            f"{significant(float(money))} from {t_ps / PS_PER_S:g} s"
            for t_ps, money in zip(prices.t_ps, prices.money, strict=True)
        ]
        more = len(steps) - _MOST_STEPS
        shown = ", ".join(steps[:_MOST_STEPS]) + (f" and {more:,} more" if more > 0 else "")
        lines.append(f"(price of {name}, money per mark: {shown}; the columns are means)")
    return lines


def _paid_by_others(run: RawRun, rows: tuple[GroupRow, ...]) -> list[str]:
    """Return notes on the groups whose marks a guaranteed stream provider pays for."""
    from ecnomy.analysis.run.guarantors import flows_of, providers_of, shared_sources
    from ecnomy.analysis.show.summary_tables import shown_rows

    def named(sources: Iterable[str]) -> str:
        own = set(flows_of(run, tuple(sources)).tolist())
        return ", ".join(r.group.label for r in shown_rows(rows) if own & set(r.group.flows))

    lines, shared = [], shared_sources(run)
    for provider in providers_of(run):
        if names := named(name for name in provider.paid_sources if name not in shared):
            lines.append(f"(marks of {names}: paid by {provider.name})")
    if names := named(shared):
        lines.append(f"(marks of {names}: paid by the provider that carries the call)")
    return lines


def _network_tables(run: RawRun, one: PhaseSummary) -> list[Table]:
    """Return the tables of pairs, nodes and links; [] for a run on a single path."""
    from ecnomy.analysis.run.network_loads import is_network, network_loads
    from ecnomy.analysis.show import network_tables

    if not is_network(run.plan):
        return []
    loads = network_loads(run, one.window)
    return [
        network_tables.pair_table(loads),
        network_tables.node_table(loads),
        network_tables.link_table(loads),
    ]
