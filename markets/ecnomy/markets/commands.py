# SPDX-License-Identifier: Apache-2.0
"""The verbs `run`, `check` and `serve` of the command line (entry points `ecnomy.commands`).

What a verb needs is imported when it runs, so that `ecnomy check` stays quick.
"""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final, NoReturn

import typer

from ecnomy.markets.engines import DEFAULT_ENGINE, SERVED
from ecnomy.markets.printable import say
from ecnomy.markets.printing import Json, console_for_tables, print_json

__all__ = [
    "INTERRUPTED",
    "Changes",
    "Config",
    "EngineName",
    "Jobs",
    "Seed",
    "SweepEngine",
    "WithoutMarket",
    "check_command",
    "run_command",
    "serve_command",
    "stoppable",
    "terminated",
]

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
EngineName = Annotated[
    str, typer.Option("--engine", help="builtin, or omnet: OMNeT++/INET.", metavar="NAME")
]
SweepEngine = Annotated[
    str | None,
    typer.Option(
        "--engine",
        help="builtin, or omnet: OMNeT++/INET; default: the sweep file's, then the folder's.",
        metavar="NAME",
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        "--listen",
        help=f"unix:PATH, or tcp://HOST:PORT (0: any) with --token-file; default: {SERVED} beside "
        "the scenario.",
    ),
]
Runs = Annotated[
    Path | None, typer.Option("--out", help="Holds a folder per run; results/<scenario>-<seed>.")
]
AnyPlan = Annotated[
    bool,
    typer.Option("--any", help="Also accept networks that differ from the scenario."),
]
Once = Annotated[bool, typer.Option("--once", help="End after one run.")]
TokenFile = Annotated[
    Path | None,
    typer.Option(help="Has the token that engines must know; is made if it is not there."),
]
Jobs = Annotated[int, typer.Option("--jobs", "-j", help="Runs at a time; 0: one per CPU.", min=0)]
Digest = Annotated[bool, typer.Option("--digest", help="Also the plan's digest.")]
Force = Annotated[bool, typer.Option("--force", help="Replace the results in the folder.")]


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
    from ecnomy.markets.progress import RunProgress
    from ecnomy.markets.results.floors import floors
    from ecnomy.markets.runner import run

    with stoppable("the results so far are kept as partial"):
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
        from ecnomy.markets.payments import values

        return print_json(
            values(result.folder) | {"complete": result.complete, "floors": floors(result.raw)}
        )
    _show(result.folder)
    for floor in floors(result.raw):
        say(f"warning: {floor}", sys.stderr)


def _show(folder: Path) -> None:
    from ecnomy.markets import payments

    console = console_for_tables()
    rows = payments.groups(folder)
    print(f"Whole measured window, {payments.window_in_words(folder)}, all phases together")
    print("(means; one row per class, membership at the end, or per source outside any class)\n")
    console.print(payments.payment_table(rows), markup=False)
    if words := payments.background_in_words(rows):
        console.print(f"\n{words}", markup=False, highlight=False)
    print(f"phase by phase: ecnomy show {folder}")
    print(f"results: {folder}")


def check_command(
    config: Config,
    set_: Changes = None,
    seed: Seed = None,
    digest: Digest = False,
    as_json: Json = False,
) -> None:
    """Show the resolved scenario, with warnings, without running it."""
    from ecnomy.markets.plan.make import make_plan
    from ecnomy.markets.scenario import load
    from ecnomy.markets.scenario.check import warnings
    from ecnomy.markets.scenario.summary import summary

    scenario = load(config, overrides=set_ or (), seed=seed)
    plan = make_plan(scenario)
    doubts = warnings(scenario, plan)
    if as_json:
        from ecnomy.markets.scenario.summary_values import summary_values

        return print_json(summary_values(scenario, plan, doubts))
    say(summary(scenario, plan))
    if digest:
        print(f"\nplan {plan.digest}")
    print(f"\n{len(doubts) or 'no'} warning{'' if len(doubts) == 1 else 's'}")
    for warning in doubts:
        say(f"warning: {warning}")


def serve_command(
    config: Config,
    address: Address = None,
    out: Runs = None,
    once: Once = False,
    token_file: TokenFile = None,
    set_: Changes = None,
    seed: Seed = None,
    no_market: WithoutMarket = False,
    any_plan: AnyPlan = False,
) -> None:
    """Wait for engines started by hand, and be their market, one run after another."""
    from ecnomy.markets.bridge.listen import listen
    from ecnomy.markets.bridge.token import token_in
    from ecnomy.markets.plan.make import make_plan
    from ecnomy.markets.runner import default_folder
    from ecnomy.markets.scenario import load
    from ecnomy.markets.serve import served

    _heed_ends()
    scenario = load(config, overrides=set_ or (), seed=seed)
    plan = make_plan(scenario)
    folder = out or default_folder(scenario)
    try:
        token = token_in(token_file) if token_file else ""
        with listen(address or f"unix:{config.parent / SERVED}", token) as listener:
            print(f"listening on {listener.address}, plan {plan.digest}", flush=True)
            market = not no_market
            runs = served(
                listener, scenario, plan, folder, token=token, market=market, any_plan=any_plan
            )
            for run, reason in runs:
                say(f"{run}: {reason or 'complete'}")
                if once:
                    raise SystemExit(1 if reason else 0)
    except KeyboardInterrupt:
        _last_words("interrupted")
        raise SystemExit(INTERRUPTED) from None


class _Terminated(SystemExit):
    """SIGTERM has come, or the terminal is gone."""


def terminated(number: int = signal.SIGTERM, *_: object) -> NoReturn:
    """A signal unwinds the run, so that its results are closed as partial."""
    raise _Terminated(128 + number)


def _heed_ends() -> None:
    """End in good order on SIGTERM and, unless nohup has it ignored, on SIGHUP."""
    signal.signal(signal.SIGTERM, terminated)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, terminated)


@contextlib.contextmanager
def stoppable(kept: str = "the same command goes on from there") -> Iterator[None]:
    """Ctrl-C, SIGTERM and SIGHUP end a command with one line, which says what is `kept`."""
    _heed_ends()
    try:
        yield
    except KeyboardInterrupt:
        _last_words(f"interrupted; {kept}")
        raise SystemExit(INTERRUPTED) from None
    except _Terminated:
        _last_words(f"terminated; {kept}")
        raise


def _last_words(line: str) -> None:
    with contextlib.suppress(OSError):  # the terminal may be gone
        print(f"ecnomy: {line}", file=sys.stderr)
