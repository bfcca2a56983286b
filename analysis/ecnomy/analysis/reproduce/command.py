# SPDX-License-Identifier: Apache-2.0
"""The verb `reproduce`: repeats the measurements of papers and judges their claims."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from ecnomy.markets.cli.ending import stoppable
from ecnomy.markets.cli.options import EngineName, Jobs
from ecnomy.markets.cli.printing import Json, console_for_tables, print_json
from ecnomy.markets.engines.registry import DEFAULT_ENGINE

__all__ = ["reproduce_command"]

DEFAULT_OUT: Final = Path("results/reproduce")

What = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PAPER[.ITEM]",
        help="Entries or papers, e.g. siris2002.fig3 or siris2002. Default: list them all.",
    ),
]
All = Annotated[bool, typer.Option("--all", help="Reproduce every entry of every paper.")]
Quick = Annotated[bool, typer.Option("--quick", help="Use fewer seeds and points. Takes minutes.")]
Resolve = Annotated[
    bool,
    typer.Option("--resolve", help="Double the seeds, up to 40, while a verdict is undecided."),
]
Grid = Annotated[
    bool | None,
    typer.Option(
        "--grid/--no-grid",
        help="Judge claims over all settings that their papers leave open. Default: on, but "
        "off with --quick.",
    ),
]
Out = Annotated[Path, typer.Option(help="Folder for runs, pictures and reproduction.html.")]


def reproduce_command(
    what: What = None,
    all_: All = False,
    quick: Quick = False,
    resolve: Resolve = False,
    grid: Grid = None,
    engine: EngineName = DEFAULT_ENGINE,
    out: Out = DEFAULT_OUT,
    workers: Jobs = 0,
    as_json: Json = False,
) -> None:
    """Reproduce the results of the papers and judge each claim.

    Completed runs are kept. Run the same command again to resume.
    """
    from ecnomy.agents.errors import InputError
    from ecnomy.analysis.reproduce.papers import PAPERS, select_all
    from ecnomy.analysis.reproduce.studies import Form
    from ecnomy.markets.engines.registry import SIMULATORS, engine_kind
    from ecnomy.markets.support.wording import exclusive

    if what and all_:
        named = " ".join(what)
        raise InputError(exclusive("--all", named))
    if not what and not all_:
        return _list(as_json)
    engine_kind(engine)
    if engine not in SIMULATORS:
        expected = " or ".join(SIMULATORS)
        raise InputError(f"--engine {engine}: studies need repeatable runs; expected {expected}")
    requested = select_all(list(PAPERS) if all_ else what or [])
    form = Form(out, quick, engine, grid=not quick if grid is None else grid)
    _before(out)
    with stoppable():
        _reproduce(requested, form, workers, resolve, as_json)


def _before(out: Path) -> None:
    """Before any run, check the packages, papers and output folder that are needed after it."""
    from ecnomy.agents.errors import InputError
    from ecnomy.analysis.pages.shell import page_maker
    from ecnomy.analysis.reproduce.papers import PAPERS, load_paper
    from ecnomy.analysis.support.first_use import scipy_part

    scipy_part("stats")
    page_maker()
    for name in PAPERS:
        load_paper(name)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        file = isinstance(error, FileExistsError | NotADirectoryError)
        found = "a file" if file else f"no folder ({error.strerror})"
        raise InputError(f"--out {out}: found {found}, expected a folder") from None
    if not os.access(out, os.W_OK | os.X_OK):
        raise InputError(f"--out {out}: found a folder without write permission")


def _reproduce(requested: Any, form: Any, workers: int, resolve: bool, as_json: bool) -> None:
    """Measure and judge the requested entries (see papers.select_all)."""
    from ecnomy.analysis.reproduce.entry_files import write_entry
    from ecnomy.analysis.reproduce.page import write_page
    from ecnomy.analysis.reproduce.session import reproduce
    from ecnomy.analysis.reproduce.table import budget_line, claims_table, closing_line
    from ecnomy.analysis.reproduce.values import claims_values
    from ecnomy.markets.sweep.config import Limits
    from ecnomy.markets.sweep.pool import DaskPool

    console, selected = console_for_tables(), [entry for entry, _ in requested]
    items = {(paper.paper, item): ids for (paper, item), ids in requested}
    if not as_json:
        console.print(budget_line(selected, form), markup=False)

    def done(reproduction: Any) -> None:
        telling.stop()
        files = write_entry(reproduction, form)
        if as_json:
            return
        console.print(
            claims_table(reproduction, items[reproduction.paper.paper, reproduction.item])
        )
        for file in files:
            console.print(f"  {file}", markup=False, soft_wrap=True)

    telling = _Telling()
    try:
        reproductions = reproduce(
            selected,
            form,
            lambda: DaskPool("", workers, Limits()),
            telling,
            resolve=resolve,
            done=done,
        )
    finally:
        telling.stop()
    page = write_page(reproductions, form)
    if as_json:
        return print_json(claims_values(reproductions, items, str(page)))
    console.print(closing_line(reproductions), markup=False)
    print(f"page: {page}")


def _list(as_json: bool) -> None:
    """Print the catalogue, with the largest number of packets that each entry can send."""
    from ecnomy.analysis.reproduce.papers import PAPERS, load_paper
    from ecnomy.analysis.reproduce.table import catalogue_table
    from ecnomy.analysis.reproduce.values import catalogue_values

    if as_json:
        return print_json([catalogue_values(load_paper(name)) for name in PAPERS])
    console = console_for_tables()
    for name in PAPERS:
        console.print(catalogue_table(load_paper(name)))
    for line in (
        "packets: most data packets that all runs of an entry can send; entries share runs",
        "ecnomy reproduce PAPER[.ITEM]... [--quick], or --all",
    ):
        console.print(line, markup=False)


class _Telling:
    def __init__(self) -> None:
        self._last: Any = None

    def study(self, paper: str, study: str, runs: int, missing: int) -> Any:
        from ecnomy.markets.cli.sweeping import Observed

        self.stop()
        self._last = Observed(f"{paper} {study}")
        return self._last

    def stop(self) -> None:
        if self._last is not None:
            self._last.stop()
