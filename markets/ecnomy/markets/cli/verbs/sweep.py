# SPDX-License-Identifier: Apache-2.0
"""The verb `sweep`, which makes the runs of a sweep."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ecnomy.markets.cli.ending import stoppable
from ecnomy.markets.cli.options import Jobs, SweepEngine
from ecnomy.markets.cli.printing import Json, print_json
from ecnomy.markets.cli.sweeping import (
    Observed,
    Out,
    Quick,
    Scheduler,
    chosen_options,
    command_on,
    resumable,
)
from ecnomy.markets.support.additions import load_added
from ecnomy.markets.support.printable import say
from ecnomy.markets.support.wording import counted, exclusive

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

Shard = Annotated[
    str,
    typer.Option(
        metavar="K/N",
        help="Run only every Nth run of the sweep, starting at run K, in this process. "
        "When all shards are done, run `ecnomy merge`.",
    ),
]
Emit = Annotated[
    str,
    typer.Option(metavar="NAME", help="Write job files: slurm, kubernetes or snakemake."),
]
Shards = Annotated[
    int,
    typer.Option(
        help="Number of jobs with --emit. Default: at most 1,000, each of at least ten minutes if "
        "possible.",
        min=0,
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
    shard: Shard = "",
    emit: Emit = "",
    shards: Shards = 0,
    as_json: Json = False,
) -> None:
    """Make the missing runs of a sweep. The exit status is 1 if runs failed."""
    from ecnomy.agents.errors import InputError
    from ecnomy.markets.sweep.config import load_sweep
    from ecnomy.markets.sweep.driver import default_folder
    from ecnomy.markets.sweep.engine_choice import with_engine
    from ecnomy.markets.sweep.preflight import try_values

    _refuse_mixed(shard, emit, shards, dry_run)
    folder = out or default_folder(str(config))
    sweep = with_engine(load_sweep(config, quick=quick), engine, folder)
    if sweep.calibrate:
        raise InputError(
            f"{config}: found a 'calibrate' section; run `ecnomy calibrate {config}` instead"
        )
    if sweep.tune:
        raise InputError(f"{config}: found a 'tune' section; run `ecnomy tune {config}` instead")
    try_values(sweep, config)
    if dry_run:
        with stoppable("nothing was saved"):
            return _dry(sweep, workers, scheduler, as_json)
    chosen = chosen_options(quick, engine)
    if emit:
        return _emit(emit, sweep, (config, folder), shards, chosen, as_json=as_json)
    part = _part(shard, workers, scheduler)
    with resumable():
        reuse = {"retry_failed": retry_failed, "accept_old_code": accept_old_code}
        tally = _make(sweep, folder, part, (scheduler, workers), reuse)
    if as_json:
        _print_values(folder, tally, part)
        return _end(tally, valid=True)
    _report(tally, folder)
    if part is not None:
        print(f"after the last shard: {command_on('merge', config, folder, chosen)}")
        return _end(tally, valid=True)
    _end(tally, valid=_conclude(folder))


def _refuse_mixed(shard: str, emit: str, shards: int, dry_run: bool) -> None:
    """Raise InputError for options that exclude each other, or that need another option."""
    from ecnomy.agents.errors import InputError

    for one, other, wrong in (
        ("--shard", "--emit", shard and emit),
        ("--shard", "--dry-run", shard and dry_run),
        ("--emit", "--dry-run", emit and dry_run),
    ):
        if wrong:
            raise InputError(exclusive(one, other))
    if shards and not emit:
        raise InputError("--shards needs --emit; to run a single shard, use --shard")


def _part(shard: str, jobs: int, scheduler: str) -> Any:
    """Return the part that --shard selects, or None without the option."""
    from ecnomy.agents.errors import InputError
    from ecnomy.markets.sweep.parts import part_from

    if shard and (jobs or scheduler):
        other = "--scheduler" if scheduler else "--jobs"
        raise InputError(
            f"--shard and {other} exclude each other; to run in parallel, use more shards"
        )
    return part_from(shard) if shard else None


def _emit(
    kind: str,
    sweep: Any,
    where: tuple[Path, Path],
    count: int,
    options: tuple[str, ...],
    *,
    as_json: bool,
) -> None:
    """Write a job file that runs the sweep in parts, and print how to use it."""
    from ecnomy.markets.session.progress import duration
    from ecnomy.markets.sweep.driver import estimate_s
    from ecnomy.markets.sweep.job_files import Jobs, check_kind, parts_for, write_jobs
    from ecnomy.markets.sweep.making import refuse_until

    check_kind(kind)
    refuse_until(sweep)
    with stoppable("nothing was saved"):
        each_s = estimate_s(sweep)
    count = min(count or parts_for(len(sweep), each_s), len(sweep))
    part_s = each_s * math.ceil(len(sweep) / count)
    jobs = Jobs(str(where[0]), str(where[1]), count, part_s, options)
    file, submit = write_jobs(kind, jobs)
    if as_json:
        print_json(
            {"file": file, "shards": count, "each_s": part_s, "submit": submit, "then": jobs.merge}
        )
        return
    runs, shards = counted(len(sweep), "run"), counted(count, "shard")
    print(f"{runs} in {shards}, about {duration(part_s)} each: {file}")
    print(f"submit: {submit}")
    print(f"then: {jobs.merge}")


def _make(
    sweep: Any, folder: Path, part: Any, where: tuple[str, int], reuse: dict[str, bool]
) -> Any:
    """Make the missing runs of a part or of the whole sweep, and return the Tally."""
    from ecnomy.markets.sweep.making import make_part, make_rounds
    from ecnomy.markets.sweep.pool import DaskPool, LazyPool

    pool, observer = LazyPool(lambda: DaskPool(*where, sweep.limits)), None

    def observed() -> Observed:
        nonlocal observer
        observer = observer or Observed(so_far=sweep.until is not None, outcomes=sweep.outcomes)
        observer.begin_round()
        return observer

    try:
        if part is not None:
            return make_part(sweep, folder, part, observed, opened=_say_store, **reuse)
        return make_rounds(sweep, folder, pool, observed, opened=_say_store, **reuse)
    finally:
        if observer:
            observer.stop()
        pool.close()


def _say_store(store: Any) -> None:
    for file in store.put_aside:
        print(f"ecnomy: {file} is incomplete; its runs will be repeated", file=sys.stderr)
    if store.others:
        print(
            f"ecnomy: {store.folder}: {counted(store.others, 'earlier run')} outside the current "
            "sweep file, kept but not shown",
            file=sys.stderr,
        )


def _report(tally: Any, folder: Path) -> None:
    made = f"{tally.done} new, {tally.present} reused"
    failed = f"; {tally.failed} failed (--retry-failed repeats them)" if tally.failed else ""
    print(f"{counted(tally.total, 'run')}: {made}{failed}")
    print(f"results: {folder}")


def _print_values(folder: Path, tally: Any, part: Any) -> None:
    """Print the results and the numbers of runs as JSON.

    For a shard, or if all runs failed, results are omitted.
    """
    from ecnomy.agents.errors import ResultsError

    runs = {"asked": tally.total, "made": tally.done, "failed": tally.failed}
    if part is not None:
        return print_json({"folder": part.folder_in(folder), "shard": str(part), "runs": runs})
    try:
        summary = load_added("values")(folder)
    except ResultsError:
        summary = {"folder": folder, "runs": {"done": 0}}
    print_json({**summary, "runs": {**summary["runs"], **runs}})


def _end(tally: Any, valid: bool) -> None:
    """Exit with status 2 if the results are not valid, or with status 1 if runs failed."""
    if not valid or tally.failed:
        raise typer.Exit(1 if valid else 2)


def _conclude(folder: Path) -> bool:
    """Print the results, if the necessary packages are installed, and commands that show more.

    Returns:
        Whether the results contain everything that the sweep file requests.
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
    print(f"table and plot: ecnomy show {folder}")
    print(f"page: ecnomy report {folder}")
    return valid


def _dry(sweep: Any, workers: int, scheduler: str, as_json: bool) -> None:
    """Print the number of runs, and an estimate of their time from a few test runs."""
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
    total_s = each_s * len(sweep) / count
    print(f"about {each_s:.2g} s per run, {total_s:.3g} s on {counted(count, 'worker')}")
