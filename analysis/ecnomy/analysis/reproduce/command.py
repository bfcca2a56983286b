# SPDX-License-Identifier: Apache-2.0
"""The verb `reproduce`: figures, tables and claims of the papers, measured again and judged."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from ecnomy.markets.commands import INTERRUPTED, EngineName, terminated
from ecnomy.markets.engines import DEFAULT_ENGINE

__all__ = ["reproduce_command"]

DEFAULT_OUT: Final = Path("results/reproduce")
_WIDTH: Final = 130  # columns, where the output is no terminal

What = Annotated[
    str, typer.Argument(metavar="[PAPER[.ITEM]]", help="siris2002, siris2002.fig3; none: a list.")
]
All = Annotated[bool, typer.Option("--all", help="Every entry of every paper.")]
Quick = Annotated[bool, typer.Option("--quick", help="Fewer seeds and points: minutes.")]
Resolve = Annotated[
    bool, typer.Option("--resolve", help="Double the seeds, up to 40, where a verdict straddles.")
]
Grid = Annotated[
    bool | None,
    typer.Option(
        "--grid/--no-grid",
        help="Judge claims over the settings their papers leave open (default: but with --quick).",
    ),
]
Out = Annotated[Path, typer.Option(help="Where runs, pictures and reproduction.html go.")]
Workers = Annotated[int, typer.Option(help="Worker processes; 0: one per CPU.", min=0)]


def reproduce_command(
    what: What = "",
    all_: All = False,
    quick: Quick = False,
    resolve: Resolve = False,
    grid: Grid = None,
    engine: EngineName = DEFAULT_ENGINE,
    out: Out = DEFAULT_OUT,
    workers: Workers = 0,
) -> None:
    """Measure what the papers report, and say claim by claim whether it is so.

    Runs are kept: the same command goes on where it was interrupted.
    """
    from ecnomy.agents.errors import InputError
    from ecnomy.analysis.reproduce.papers import PAPERS, select
    from ecnomy.analysis.reproduce.studies import Form
    from ecnomy.markets.engines import engine_kind

    signal.signal(signal.SIGTERM, terminated)
    if what and all_:
        raise InputError(f"--all: found {what!r} beside it, expected one of them")
    if not what and not all_:
        return _list()
    engine_kind(engine)
    names = list(PAPERS) if all_ else [what]
    selected = [each for name in names for each in select(name)]
    form = Form(out, quick, engine, grid=not quick if grid is None else grid)
    _before(out)
    try:
        _reproduce(selected, form, workers, resolve, what.partition(".")[2])
    except KeyboardInterrupt:
        print("ecnomy: interrupted; the same command goes on from there", file=sys.stderr)
        raise SystemExit(INTERRUPTED) from None


def _before(out: Path) -> None:
    """Whether all is there that the end needs: to be told before minutes of runs, not after."""
    from ecnomy.agents.errors import InputError
    from ecnomy.analysis.optional import scipy_part
    from ecnomy.analysis.pages import page_maker
    from ecnomy.analysis.reproduce.papers import PAPERS, load_paper

    scipy_part("stats")
    page_maker()
    for name in PAPERS:
        load_paper(name)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        file = isinstance(error, FileExistsError | NotADirectoryError)
        found = "a file" if file else f"none to be had ({error.strerror})"
        raise InputError(f"--out {out}: found {found}, expected a folder") from None
    if not os.access(out, os.W_OK | os.X_OK):
        raise InputError(f"--out {out}: found a folder that cannot be written")


def _reproduce(selected: Any, form: Any, workers: int, resolve: bool, item: str) -> None:
    from rich.console import Console

    from ecnomy.analysis.reproduce.page import write_page
    from ecnomy.analysis.reproduce.pictures import write_entry
    from ecnomy.analysis.reproduce.session import reproduce
    from ecnomy.analysis.reproduce.table import budget_line, claims_table, closing_line
    from ecnomy.markets.sweep.config import Limits
    from ecnomy.markets.sweep.pool import DaskPool

    console = Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH)
    console.print(budget_line(selected, form), markup=False)

    def done(found: Any) -> None:
        console.print(claims_table(found, item))
        for file in write_entry(found, form):
            console.print(f"  {file}", markup=False, soft_wrap=True)

    found = reproduce(
        selected,
        form,
        lambda: DaskPool("", workers, Limits()),
        _Telling(),
        resolve=resolve,
        done=done,
    )
    console.print(closing_line(found), markup=False)
    print(f"page: {write_page(found, form)}")


def _list() -> None:
    """What there is, with the packets each entry sends."""
    from rich.console import Console

    from ecnomy.analysis.reproduce.papers import PAPERS, load_paper
    from ecnomy.analysis.reproduce.table import catalogue_table

    console = Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH)
    for name in PAPERS:
        console.print(catalogue_table(load_paper(name)))
    for line in (
        "packets: data packets that all runs of an entry may send at most; entries share runs",
        "ecnomy reproduce PAPER[.ITEM] [--quick], or --all",
    ):
        console.print(line, markup=False)


class _Telling:
    """Lines, or a bar on a terminal, per study."""

    def study(self, paper: str, study: str, runs: int, missing: int) -> Any:
        return _Line(f"{paper} {study}", runs, missing)


class _Line:
    """Progress of a study: a live line on a terminal, else one every few seconds."""

    def __init__(self, name: str, runs: int, missing: int) -> None:
        self._name, self._live = name, sys.stderr.isatty()
        self._began_s = self._said_s = time.monotonic()
        if missing and not self._live:
            print(f"ecnomy: {name}: {missing} of {runs} runs to make", file=sys.stderr)

    def at(self, tally: Any) -> None:
        from ecnomy.markets.sweep.command import progress_text

        now_s = time.monotonic()
        text = f"{self._name}: {progress_text(tally, now_s - self._began_s)}"
        if self._live:
            end = "\n" if tally.left == 0 else ""
            print(f"\r\x1b[K{text}", end=end, file=sys.stderr, flush=True)
        elif now_s - self._said_s >= 10:
            self._said_s = now_s
            print(f"ecnomy: {text}", file=sys.stderr)

    def failed(self, outcome: Any) -> None:
        print(f"ecnomy: a run of {self._name} failed: {outcome.reason}", file=sys.stderr)
