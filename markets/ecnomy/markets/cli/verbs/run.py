# SPDX-License-Identifier: Apache-2.0
"""The verb `run`, which simulates a scenario."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from ecnomy.markets.cli.ending import stoppable
from ecnomy.markets.cli.options import Changes, Config, EngineName, Seed, WithoutMarket
from ecnomy.markets.cli.printing import Json, console_for_tables, print_json
from ecnomy.markets.engines.registry import DEFAULT_ENGINE
from ecnomy.markets.support.printable import say

__all__ = ["run_command"]

Out = Annotated[
    Path | None, typer.Option(help="Results folder. Default: results/<scenario>-<seed>.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace existing results in the folder.")]


def run_command(
    config: Config,
    set_: Changes = None,
    seed: Seed = None,
    out: Out = None,
    no_market: WithoutMarket = False,
    force: Force = False,
    engine: EngineName = DEFAULT_ENGINE,
    as_json: Json = False,
) -> None:
    """Run a scenario and write its results."""
    from ecnomy.markets.results.notices import notices
    from ecnomy.markets.session.progress import RunProgress
    from ecnomy.markets.session.runner import run

    with stoppable("results up to here are saved as partial"):
        result = run(
            config,
            overrides=set_ or (),
            seed=seed,
            out=out,
            market=not no_market,
            progress=RunProgress(),
            force=force,
            engine=engine,
            again=False,
        )
    if as_json:
        from ecnomy.markets.results.run_summary import values

        return print_json(
            values(result.folder)
            | {"complete": result.complete}
            | msgspec.structs.asdict(notices(result.raw))
        )
    _show(result.folder)
    for one in notices(result.raw):
        say(f"warning: {one}", sys.stderr)


def _show(folder: Path) -> None:
    from ecnomy.markets.results import run_summary

    console = console_for_tables()
    rows = run_summary.groups(folder)
    print(f"Whole measured window, {run_summary.window_in_words(folder)}, all phases together")
    print("(means; one row per class (membership at the end), or per source outside any class)\n")
    console.print(run_summary.payment_table(rows), markup=False)
    if words := run_summary.background_in_words(rows):
        console.print(f"\n{words}", markup=False, highlight=False)
    print(f"results of each phase: ecnomy show {folder}")
    print(f"results: {folder}")
