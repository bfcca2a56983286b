# SPDX-License-Identifier: Apache-2.0
"""The verb `sweep` of the command line."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from ecnomy.markets.commands import INTERRUPTED, EngineName, terminated
from ecnomy.markets.engines import DEFAULT_ENGINE

__all__ = ["observer_of", "progress_text", "sweep_command"]

_LINE_S = 10.0  # between two lines of progress where there is no terminal

Config = Annotated[Path, typer.Argument(help="A sweep file, such as configs/sweeps/*.yaml.")]
Out = Annotated[Path | None, typer.Option(help="Its folder; default results/<sweep file>.")]
Workers = Annotated[int, typer.Option(help="Local worker processes; 0: one per CPU.", min=0)]
Scheduler = Annotated[str, typer.Option(help="A running dask scheduler, tcp://HOST:PORT.")]
Dry = Annotated[bool, typer.Option("--dry-run", help="Say how many runs and how long; make none.")]
Retry = Annotated[bool, typer.Option("--retry-failed", help="Make failed runs again.")]
OldCode = Annotated[
    bool, typer.Option("--accept-old-code", help="Let runs of other code or strategies stand.")
]


def sweep_command(
    config: Config,
    out: Out = None,
    workers: Workers = 0,
    scheduler: Scheduler = "",
    dry_run: Dry = False,
    retry_failed: Retry = False,
    accept_old_code: OldCode = False,
    engine: EngineName = DEFAULT_ENGINE,
) -> None:
    """Make all runs of a sweep that are not there yet."""
    import msgspec

    from ecnomy.agents.errors import InputError
    from ecnomy.markets.sweep.config import load_sweep
    from ecnomy.markets.sweep.driver import default_folder, missing, unwritten
    from ecnomy.markets.sweep.store import Store

    signal.signal(signal.SIGTERM, terminated)
    sweep = msgspec.structs.replace(load_sweep(config), engine=engine)
    if sweep.calibrate:
        raise InputError(f"{config}: found calibrate, which `ecnomy calibrate {config}` searches")
    if dry_run:
        return _dry(sweep, workers, scheduler)
    try:
        store = Store(out or default_folder(str(config)), sweep)
        try:
            for file in store.put_aside:
                print(f"ecnomy: {file}: was not whole; its runs are made again", file=sys.stderr)
            if store.others:
                print(
                    f"ecnomy: {store.others} earlier runs in {store.folder} are not of this sweep "
                    "as it is now; they are kept, but not shown",
                    file=sys.stderr,
                )
            store.compact()
            points = missing(
                store, retry_failed=retry_failed, accept_old_code=accept_old_code, engine=engine
            )
            _make(sweep, store, points, scheduler, workers)
        finally:
            store.close()
    except OSError as error:
        raise unwritten(error) from error
    except KeyboardInterrupt:
        print("ecnomy: interrupted; the same command goes on from there", file=sys.stderr)
        raise SystemExit(INTERRUPTED) from None


def _make(sweep: Any, store: Any, points: list[str], scheduler: str, workers: int) -> None:
    from ecnomy.markets.sweep.driver import Tally, sweep_runs
    from ecnomy.markets.sweep.pool import DaskPool

    if not points:
        return _report(Tally(len(store.points), len(store.points)), store)
    pool = DaskPool(scheduler, workers, sweep.limits)
    observer = observer_of(len(store.points))
    try:
        tally = sweep_runs(sweep, store, pool, points, observer)
    finally:
        observer.stop()
        pool.close()
    _report(tally, store)


def _report(tally: Any, store: Any) -> None:
    failed = sum(record.status == "failed" for record in store.records.values())
    made = f"{tally.done + tally.failed} made, {tally.present} were there"
    print(f"{tally.total} runs: {made}" + (f"; {failed} failed" if failed else ""))
    print(f"results: {store.folder}")


def _dry(sweep: Any, workers: int, scheduler: str) -> None:
    """`N runs`, and an estimate from a few made here."""
    import os

    from ecnomy.markets.sweep.driver import estimate_s

    print(f"{len(sweep)} runs")
    each_s = estimate_s(sweep)
    if scheduler:
        print(f"about {each_s:.2g} s a run on this machine, {each_s * len(sweep):.3g} s in all")
        return
    count = workers or os.cpu_count() or 1
    print(f"about {each_s:.2g} s a run: {each_s * len(sweep) / count:.3g} s on {count} workers")


class _Lines:
    """Progress as lines, where standard error is no terminal."""

    def __init__(self, total: int) -> None:
        self._began_s = self._said_s = time.monotonic()

    def at(self, tally: Any) -> None:
        now_s = time.monotonic()
        if now_s - self._said_s >= _LINE_S:
            self._said_s = now_s
            print(f"ecnomy: {progress_text(tally, now_s - self._began_s)}", file=sys.stderr)

    def failed(self, outcome: Any) -> None:
        _say_failed(outcome)

    def stop(self) -> None:
        """Nothing is on the screen."""


class _Bar:
    """Progress as a bar."""

    def __init__(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self._began_s = time.monotonic()
        self._progress = Progress(
            BarColumn(),
            TextColumn("{task.description}", markup=False),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task("starting workers", total=total)
        self._progress.start()

    def at(self, tally: Any) -> None:
        text = progress_text(tally, time.monotonic() - self._began_s)
        self._progress.update(self._task, completed=tally.total - tally.left, description=text)

    def failed(self, outcome: Any) -> None:
        self._progress.console.print(_failure(outcome), markup=False, highlight=False)

    def stop(self) -> None:
        self._progress.stop()


def observer_of(total: int) -> Any:
    """Who tells of the progress of `total` runs: a bar on a terminal, else lines."""
    return _Bar(total) if sys.stderr.isatty() else _Lines(total)


def progress_text(tally: Any, elapsed_s: float) -> str:
    """Done, failed, rate and time left in one line."""
    made = tally.done + tally.failed
    rate = made / elapsed_s if elapsed_s > 0 else 0.0
    left = f"{tally.left / rate:.0f} s left" if rate > 0 else "time left unknown"
    return (
        f"{tally.present + tally.done} of {tally.total} done, {tally.failed} failed, "
        f"{rate:.3g} runs/s, {left}"
    )


def _failure(outcome: Any) -> str:
    return f"ecnomy: a run failed: {outcome.reason} (point {outcome.point})"


def _say_failed(outcome: Any) -> None:
    print(_failure(outcome), file=sys.stderr)
