# SPDX-License-Identifier: Apache-2.0
"""The verb `sweep` of the command line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ecnomy.markets.cli.ending import stoppable
from ecnomy.markets.cli.options import Jobs, SweepEngine
from ecnomy.markets.cli.printing import Json, print_json
from ecnomy.markets.cli.sweeping import Observed, Out, Quick, Scheduler, resumable
from ecnomy.markets.support.additions import load_added
from ecnomy.markets.support.printable import say

__all__ = ["sweep_command"]

Config = Annotated[Path, typer.Argument(help="Sweep file, e.g. configs/sweeps/*.yaml.")]
Dry = Annotated[
    bool,
    typer.Option("--dry-run", help="Print the number of runs and the estimated time, then exit."),
]
Retry = Annotated[bool, typer.Option("--retry-failed", help="Repeat failed runs.")]
OldCode = Annotated[
    bool,
    typer.Option(
        "--accept-old-code", help="Reuse runs made by other versions of the code or of strategies."
    ),
]


def sweep_command(
    config: Config,
    out: Out = None,
    workers: Jobs = 0,
    scheduler: Scheduler = "",
    quick: Quick = False,
    dry_run: Dry = False,
    retry_failed: Retry = False,
    accept_old_code: OldCode = False,
    engine: SweepEngine = None,
    as_json: Json = False,
) -> None:
    """Run whatever is still missing from a sweep. The exit status is 1 if runs failed."""
    from ecnomy.agents.errors import InputError
    from ecnomy.markets.sweep.config import load_sweep
    from ecnomy.markets.sweep.driver import default_folder
    from ecnomy.markets.sweep.engine_choice import with_engine

    folder = out or default_folder(str(config))
    sweep = with_engine(load_sweep(config, quick=quick), engine, folder)
    if sweep.calibrate:
        raise InputError(
            f"{config}: found a 'calibrate' section, expected none; run `ecnomy calibrate {config}`"
        )
    if sweep.tune:
        raise InputError(
            f"{config}: found a 'tune' section, expected none; run `ecnomy tune {config}`"
        )
    if dry_run:
        with stoppable("nothing was saved"):
            return _dry(sweep, workers, scheduler, as_json)
    with resumable():
        tally = _in_rounds(sweep, folder, retry_failed, accept_old_code, (scheduler, workers))
    if as_json:
        _print_values(folder, tally)
        return _end(tally, valid=True)
    _report(tally, folder)
    _end(tally, valid=_conclude(folder))


def _in_rounds(
    sweep: Any, folder: Path, retry: bool, old_code: bool, where: tuple[str, int]
) -> Any:
    """Make missing runs; with `until`, repeat while points need more replicates.

    Returns:
        The Tally of all rounds; `failed` counts the failed runs among the new ones.
    """
    from ecnomy.markets.sweep.driver import Tally, missing, sweep_runs
    from ecnomy.markets.sweep.pool import DaskPool
    from ecnomy.markets.sweep.rounds import grown
    from ecnomy.markets.sweep.store import Store

    asked, made, pool, observer = grown(sweep, folder), 0, None, None
    try:
        while True:
            store = Store(folder, asked)
            try:
                if not made:
                    _say_store(store)
                store.compact()
                points = missing(
                    store, retry_failed=retry and not made, accept_old_code=old_code,
                    engine=sweep.engine,
                )  # fmt: skip
                if points:
                    pool = pool or DaskPool(*where, sweep.limits)
                    observer = observer or Observed(
                        so_far=sweep.until is not None, outcomes=sweep.outcomes
                    )
                    observer.begin_round()
                    sweep_runs(asked, store, pool, points, observer)
                made += len(points)
                more = grown(sweep, folder)
                if not points or more == asked:
                    failed = sum(one.status == "failed" for one in store.records.values())
                    present = max(0, len(store.points) - made)
                    return Tally(len(store.points), present, made, failed)
            finally:
                store.close()
            asked = more
    finally:
        if observer:
            observer.stop()
        if pool:
            pool.close()


def _say_store(store: Any) -> None:
    for file in store.put_aside:
        print(f"ecnomy: {file}: is incomplete; its runs will be repeated", file=sys.stderr)
    if store.others:
        print(
            f"ecnomy: {store.others} earlier runs in {store.folder} do not belong to the current "
            "sweep file; they are kept but not shown",
            file=sys.stderr,
        )


def _report(tally: Any, folder: Path) -> None:
    made = f"{tally.done} new, {tally.present} reused"
    print(f"{tally.total} runs: {made}" + (f"; {tally.failed} failed" if tally.failed else ""))
    print(f"results: {folder}")


def _print_values(folder: Path, tally: Any) -> None:
    """Print the results as JSON, with the number of new runs; failures alone have no results."""
    from ecnomy.agents.errors import ResultsError

    runs = {"asked": tally.total, "made": tally.done, "failed": tally.failed}
    try:
        found = load_added("values")(folder)
    except ResultsError:
        found = {"folder": folder, "runs": {"done": 0}}
    print_json({**found, "runs": {**found["runs"], **runs}})


def _end(tally: Any, valid: bool) -> None:
    """Exit with status 2 after an invalid request, else with 1 if runs failed."""
    if not valid or tally.failed:
        raise typer.Exit(1 if valid else 2)


def _conclude(folder: Path) -> bool:
    """Print the results, and verbs for more; print nothing without the necessary packages.

    Returns:
        Whether the results have what the sweep file requests.
    """
    valid = True
    from ecnomy.agents.errors import EcnomyError, InputError

    try:
        conclude = load_added("conclusion")
        lines = conclude(folder) if conclude else ()
    except ImportError:
        lines = ()
    except EcnomyError as error:
        lines, valid = (), not isinstance(error, InputError)
        say(f"ecnomy: {error}", sys.stderr)
    for line in lines:
        say(line)
    print(f"table and picture: ecnomy show {folder}")
    print(f"page: ecnomy report {folder}")
    return valid


def _dry(sweep: Any, workers: int, scheduler: str, as_json: bool) -> None:
    """Print `N runs`, and an estimate from a few test runs."""
    import os

    from ecnomy.markets.sweep.driver import estimate_s

    most = f", at most {sweep.places * sweep.until.most}" if sweep.until else ""
    if as_json:
        at_most = sweep.places * sweep.until.most if sweep.until else len(sweep)
        runs = {"asked": len(sweep), "most": at_most}
        return print_json({"runs": runs, "each_s": estimate_s(sweep)})
    print(f"{len(sweep)} runs{most}")
    each_s = estimate_s(sweep)
    if scheduler:
        print(f"about {each_s:.2g} s per run on this machine, {each_s * len(sweep):.3g} s in total")
        return
    count = workers or os.cpu_count() or 1
    print(f"about {each_s:.2g} s per run, {each_s * len(sweep) / count:.3g} s on {count} workers")
