# SPDX-License-Identifier: Apache-2.0
"""Makes the missing runs of a sweep.

A run is present if the current code made its record, or if records of other code are accepted. The
code consists of the engine, ecnomy's sources, the versions of packages and the user's modules. A
failed run also counts as present, unless failed runs are to be repeated.
"""

from __future__ import annotations

import concurrent.futures
import errno
import functools
import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import Final, Protocol

import msgspec

from ecnomy.agents.errors import EcnomyError
from ecnomy.markets.engines.registry import DEFAULT_ENGINE
from ecnomy.markets.sweep.fingerprint import Code, code_now, digest_of
from ecnomy.markets.sweep.outcome import DONE, FAILED, RunOutcome, Task, execute
from ecnomy.markets.sweep.pool import LOST, RESUME, Pool, PoolLost, RunAbandoned
from ecnomy.markets.sweep.space import Point
from ecnomy.markets.sweep.store import Store
from ecnomy.markets.sweep.sweep_file import Sweep

__all__ = ["Observer", "SweepError", "Tally", "missing", "sweep_runs", "task_of", "unwritten"]

_LOOK_S: Final = 1.0


class SweepError(EcnomyError):
    """A sweep cannot continue. Finished runs are kept."""


class Tally(msgspec.Struct):
    """The numbers of runs of a sweep. `present` counts the runs of earlier commands."""

    total: int
    present: int
    done: int = 0
    failed: int = 0

    @property
    def left(self) -> int:
        """Return the number of runs that remain."""
        return self.total - self.present - self.done - self.failed


class Observer(Protocol):
    """Receives the progress of a sweep."""

    def at(self, tally: Tally) -> None:
        """Show the tally. Called after runs end, and every second while the driver waits."""

    def ended(self, outcome: RunOutcome) -> None:
        """Record the outcome of a run that is done or has failed."""


def missing(
    store: Store, *, retry_failed: bool, accept_old_code: bool, engine: str = DEFAULT_ENGINE
) -> list[str]:
    """Return the points without a valid record of this `engine`, in order."""
    present = _Present(code_now(engine), retry_failed, accept_old_code)
    return [p for p in store.points if not present.counts(store.records.get(p))]


class _Present:
    def __init__(self, code: Code, retry_failed: bool, accept_old_code: bool) -> None:
        self._code, self._retry, self._accept = code, retry_failed, accept_old_code
        self._digests: dict[str, str] = {}

    def counts(self, record: RunOutcome | None) -> bool:
        """Return whether a record makes a run unnecessary."""
        if record is None or (record.status == FAILED and self._retry):
            return False
        return self._accept or (record.code == self._code and self._same(record.strategies))

    def _same(self, strategies: dict[str, str]) -> bool:
        return all(self._digest(name) == sha for name, sha in strategies.items())

    def _digest(self, module: str) -> str:
        if module not in self._digests:
            self._digests[module] = digest_of(module)
        return self._digests[module]


def sweep_runs(
    sweep: Sweep, store: Store, pool: Pool, points: list[str], observer: Observer
) -> Tally:
    """Make the runs of these points, store their outcomes, and return the tally.

    Raises:
        SweepError: outcomes cannot be written, or a worker fails, for example with other code.
        PoolLost: the scheduler, the executor or all workers are gone.
    """
    tally = Tally(total=len(store.points), present=len(store.points) - len(points))
    waiting = iter(points)
    running: dict[concurrent.futures.Future[RunOutcome], str] = {}
    try:
        _hand_out(sweep, store, pool, waiting, running)
        while running:
            done, _ = concurrent.futures.wait(
                running, timeout=_LOOK_S, return_when=concurrent.futures.FIRST_COMPLETED
            )
            for future in done:
                outcome = _outcome(future, running.pop(future), pool, sweep.engine)
                _written(functools.partial(store.add, outcome))
                _count(tally, outcome)
                observer.ended(outcome)
            if not done and pool.lost:
                raise PoolLost(LOST)
            _hand_out(sweep, store, pool, waiting, running)
            observer.at(tally)
    finally:
        for future in running:
            future.cancel()
        _written(store.compact)
    return tally


def task_of(sweep: Sweep, point: Point, name: str = "", folder: str = "") -> Task:
    """Return the task of running a point. `folder` is "" if results are not kept."""
    return Task(
        point=name,
        base=sweep.base,
        name=sweep.scenario,
        params=point.params,
        seed=point.seed,
        limits=sweep.limits,
        code=code_now(sweep.engine),
        folder=folder,
        engine=sweep.engine,
        measure=sweep.measure,
        variant=sweep.variant,
        ties=sweep.ties,
    )


def _hand_out(
    sweep: Sweep,
    store: Store,
    pool: Pool,
    waiting: Iterator[str],
    running: dict[concurrent.futures.Future[RunOutcome], str],
) -> None:
    wanted = pool.ahead * pool.workers - len(running)
    for point in itertools.islice(waiting, max(0, wanted)):
        folder = str((store.kept / point).absolute()) if sweep.keep else ""
        task = task_of(sweep, store.points[point], point, folder)
        running[pool.submit(execute, task)] = point


def _outcome(
    future: concurrent.futures.Future[RunOutcome], point: str, pool: Pool, engine: str
) -> RunOutcome:
    """Return a worker's answer, or a failed outcome if workers died repeatedly during the run."""
    if future.cancelled():
        raise PoolLost(LOST)
    error = future.exception()
    if error is None:
        return _of_run(future.result(), point)
    if pool.lost or isinstance(error, PoolLost):
        raise PoolLost(LOST)
    if isinstance(error, BrokenExecutor):
        raise PoolLost(f"a worker of the executor died ({error}); {RESUME}") from None
    if isinstance(error, RunAbandoned) or type(error).__name__ == "KilledWorker":
        reason = "the worker of this run died repeatedly"
        return RunOutcome(point, "", FAILED, reason, code_now(engine), {}, {})
    raise SweepError(" ".join(str(error).split()) or type(error).__name__) from error


def _of_run(outcome: object, point: str) -> RunOutcome:
    """Return the answer if it is the outcome of `point`, and refuse other answers."""
    if isinstance(outcome, RunOutcome) and outcome.point == point:
        return outcome
    found = f"run {outcome.point}" if isinstance(outcome, RunOutcome) else type(outcome).__name__
    raise SweepError(f"a worker's answer: found {found}, expected the outcome of run {point}")


def _written(write: Callable[[], None]) -> None:
    try:
        write()
    except OSError as error:
        raise unwritten(error) from error


def unwritten(error: OSError) -> SweepError:
    """Return the error for a sweep's folder that cannot be written."""
    full = " (the disk is full)" if error.errno == errno.ENOSPC else ""
    return SweepError(
        f"outcomes cannot be written: {error.strerror or error}{full}; completed runs are kept, "
        "so run the same command again to resume"
    )


def _count(tally: Tally, outcome: RunOutcome) -> None:
    if outcome.status == FAILED:
        tally.failed += 1
    else:
        tally.done += 1


def estimate_s(sweep: Sweep, tries: int = 3) -> float:
    """Return the mean time of a run in seconds, from up to `tries` local test runs.

    The results of the test runs are discarded.

    Raises:
        SweepError: all test runs failed.
    """
    points = sweep.points()
    at = {round(i * (len(points) - 1) / max(tries - 1, 1)) for i in range(tries)}
    tried = [points[i] for i in sorted(at)]  # with the last one, because costs may differ
    made = [execute(task_of(sweep, point)) for point in tried]
    times = [outcome.wall_s for outcome in made if outcome.status == DONE]
    if not times:
        raise SweepError(f"the test runs failed: {made[0].reason}")
    return sum(times) / len(times)


def default_folder(file: str) -> Path:
    """Return `results/<name of the sweep file without its suffix>`."""
    return Path("results") / Path(file).stem
