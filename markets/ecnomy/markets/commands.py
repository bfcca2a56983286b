# SPDX-License-Identifier: Apache-2.0
"""The verbs `run` and `check` of the command line (entry points `ecnomy.commands`).

What a verb needs is imported when it runs, so that `ecnomy check` stays quick.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Annotated, Final, NoReturn

import typer

__all__ = ["INTERRUPTED", "check_command", "run_command", "terminated"]

INTERRUPTED: Final = 130

Config = Annotated[Path, typer.Argument(help="A scenario, such as configs/examples/sample.yaml.")]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Change one value; may be repeated."),
]
Seed = Annotated[int | None, typer.Option(help="In place of the scenario's seed.")]
Out = Annotated[
    Path | None, typer.Option(help="Results folder; default results/<scenario>-<seed>.")
]
WithoutMarket = Annotated[
    bool, typer.Option("--no-market", help="Packets only: nobody pays, nobody decides.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace the results in the folder.")]


def run_command(
    config: Config,
    set_: Changes = None,
    seed: Seed = None,
    out: Out = None,
    no_market: WithoutMarket = False,
    force: Force = False,
) -> None:
    """Run a scenario and write its results."""
    from rich.console import Console

    from ecnomy.markets.payments import groups, payment_table
    from ecnomy.markets.progress import progress_for
    from ecnomy.markets.runner import run

    signal.signal(signal.SIGTERM, terminated)
    try:
        result = run(
            config,
            overrides=set_ or (),
            seed=seed,
            out=out,
            market=not no_market,
            progress=progress_for(sys.stderr),
            force=force,
        )
    except KeyboardInterrupt:
        print("ecnomy: interrupted; the results so far are kept as partial", file=sys.stderr)
        raise SystemExit(INTERRUPTED) from None
    console = Console(width=None if sys.stdout.isatty() else 100)
    console.print("Means over the whole measured window, all phases together:", markup=False)
    console.print(payment_table(groups(result.folder)), markup=False)
    print(f"results: {result.folder}")


def check_command(config: Config, set_: Changes = None, seed: Seed = None) -> None:
    """Say what a scenario would run, and what about it is doubtful, without running it."""
    from ecnomy.markets.plan.make import make_plan
    from ecnomy.markets.scenario import load
    from ecnomy.markets.scenario.check import warnings
    from ecnomy.markets.scenario.summary import summary

    scenario = load(config, overrides=set_ or (), seed=seed)
    plan = make_plan(scenario)
    print(summary(scenario, plan))
    for warning in warnings(scenario, plan):
        print(f"warning: {warning}")


def terminated(*_: object) -> NoReturn:
    """SIGTERM unwinds the run, so that its results are closed as partial."""
    raise SystemExit(128 + signal.SIGTERM)
