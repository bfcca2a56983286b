# SPDX-License-Identifier: Apache-2.0
"""Makes a sweep in rounds, makes one part of it, or merges its parts.

From Python, `run_sweep` makes a sweep on any executor of concurrent.futures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import closing
from pathlib import Path

import msgspec

from ecnomy.agents.errors import InputError
from ecnomy.markets.support.locking import Busy
from ecnomy.markets.sweep.config import load_sweep
from ecnomy.markets.sweep.driver import Observer, Tally, default_folder, missing, sweep_runs
from ecnomy.markets.sweep.engine_choice import with_engine
from ecnomy.markets.sweep.executors import ExecutorPool, InlinePool
from ecnomy.markets.sweep.outcome import FAILED, RunOutcome
from ecnomy.markets.sweep.parts import PARTS, SweepPart, parts_in
from ecnomy.markets.sweep.pool import Pool
from ecnomy.markets.sweep.rounds import grown
from ecnomy.markets.sweep.store import Store
from ecnomy.markets.sweep.sweep_file import Sweep

__all__ = ["Merged", "make_part", "make_rounds", "merge", "refuse_until", "run_sweep"]


class Merged(msgspec.Struct, frozen=True):
    """The result of merging the parts of a sweep.

    Attributes:
        parts: the merged parts.
        busy: parts that were not merged, because they are still being made.
        runs: number of runs of the sweep.
        missing: number of missing runs of each part. If the sweep was split in several ways, None
            is the only key.
        failed: number of failed runs.
        others: number of runs that do not belong to the current sweep file.
        damaged: incomplete or altered files in the folders of the parts.
    """

    parts: tuple[SweepPart, ...]
    busy: tuple[SweepPart, ...]
    runs: int
    missing: dict[SweepPart | None, int]
    failed: int
    others: int
    damaged: tuple[Path, ...]


class _Silent:
    def at(self, tally: Tally) -> None:
        """See Observer."""

    def ended(self, outcome: RunOutcome) -> None:
        """See Observer."""


def run_sweep(
    file: str | Path,
    out: str | Path | None = None,
    *,
    executor: Executor,
    workers: int,
    quick: bool = False,
    retry_failed: bool = False,
) -> Tally:
    """Make the missing runs of a sweep on an executor, such as mpi4py's or Parsl's.

    Args:
        file: the sweep file.
        out: folder of the results; by default results/<name of the file without its suffix>.
        executor: an executor of concurrent.futures whose workers run the same version of ecnomy.
        workers: number of the executor's workers.
        quick: whether to use the settings that the file defines for quick runs.
        retry_failed: whether to repeat failed runs.

    Returns:
        The numbers of runs: total, already present, new and failed.

    Raises:
        InputError, ScenarioError: the file is invalid, or the folder is in use or holds other
            content.
        SweepError, PoolLost: outcomes cannot be written, or the executor is gone.
    """
    folder = Path(out) if out is not None else default_folder(str(file))
    sweep = with_engine(load_sweep(Path(file), quick=quick), None, folder)
    pool = ExecutorPool(executor, workers)
    return make_rounds(sweep, folder, pool, _Silent, retry_failed=retry_failed)


def make_rounds(
    sweep: Sweep,
    folder: Path,
    pool: Pool,
    observer: Callable[[], Observer],
    *,
    retry_failed: bool = False,
    accept_old_code: bool = False,
    opened: Callable[[Store], None] = lambda store: None,
) -> Tally:
    """Make the missing runs. With `until`, repeat this while points need more replicates.

    Args:
        sweep: the sweep.
        folder: folder of the sweep's results.
        pool: the workers, which the caller closes.
        observer: function that returns the observer of a round. It is called for each round that
            has runs to make.
        retry_failed: whether to repeat failed runs.
        accept_old_code: whether to reuse runs of other versions of the code or of strategies.
        opened: function that is called with the store before the first round.

    Returns:
        The tally of all rounds. `failed` also counts failed runs of earlier commands.

    Raises:
        InputError, SweepError, PoolLost: as for `run_sweep`.
    """
    grown_sweep, made = grown(sweep, folder), 0
    while True:
        with closing(Store(folder, grown_sweep)) as store:
            if not made:
                opened(store)
            store.compact()
            retry = retry_failed and not made
            points = _missing(store, sweep, retry, accept_old_code)
            if points:
                sweep_runs(grown_sweep, store, pool, points, observer())
            made += len(points)
            more = grown(sweep, folder)
            if not points or more == grown_sweep:
                return _tally(store, made)
        grown_sweep = more


def make_part(
    sweep: Sweep,
    folder: Path,
    part: SweepPart,
    observer: Callable[[], Observer],
    *,
    retry_failed: bool = False,
    accept_old_code: bool = False,
    opened: Callable[[Store], None] = lambda store: None,
) -> Tally:
    """Make the missing runs of one part in this process. Arguments are as for `make_rounds`.

    Raises:
        InputError: as for `run_sweep`, or the sweep has `until`, whose runs depend on all parts.
        SweepError: outcomes cannot be written.
    """
    refuse_until(sweep)
    with closing(Store(folder, sweep, part)) as store:
        opened(store)
        points = _missing(store, sweep, retry_failed, accept_old_code)
        with closing(InlinePool(store.folder, points)) as pool:
            if points:
                sweep_runs(sweep, store, pool, points, observer())
        store.compact()
        return _tally(store, len(points))


def refuse_until(sweep: Sweep) -> None:
    """Raise InputError for a sweep with `until`."""
    if sweep.until is not None:
        raise InputError(
            f"{sweep.file}: found 'until', which needs the results of all shards; run the sweep "
            "without shards"
        )


def merge(sweep: Sweep, folder: Path) -> Merged:
    """Copy the runs of the parts into the sweep's folder.

    Parts that are still being made are skipped. Parts can be merged again, for example after more
    of their runs were made.

    Raises:
        InputError: the folder has no parts, holds other files, or is in use.
        OSError: outcomes cannot be written.
    """
    parts = parts_in(folder)
    if not parts:
        raise InputError(
            f"{folder / PARTS}: found no shards, expected the results of `ecnomy sweep --shard`"
        )
    merged: list[SweepPart] = []
    busy: list[SweepPart] = []
    damaged: list[Path] = []
    others = 0
    with closing(Store(folder, sweep)) as store:
        for part in parts:
            try:
                opened = Store(folder, sweep, part, store.points)
            except Busy:
                busy.append(part)
                continue
            with closing(opened):
                store.take_in(opened)
                others += opened.others
                damaged += opened.put_aside
            merged.append(part)
        return Merged(
            parts=tuple(merged),
            busy=tuple(busy),
            runs=len(store.points),
            missing=_missing_by_part(store, parts),
            failed=_failed(store),
            others=others,
            damaged=tuple(damaged),
        )


def _missing_by_part(store: Store, parts: list[SweepPart]) -> dict[SweepPart | None, int]:
    count = parts[0].of if len({part.of for part in parts}) == 1 else 0
    lacking = (point.number for name, point in store.points.items() if name not in store.records)
    counts = Counter(
        SweepPart(of=count, number=number % count + 1) if count else None for number in lacking
    )
    return dict(counts)


def _missing(store: Store, sweep: Sweep, retry: bool, old_code: bool) -> list[str]:
    return missing(store, retry_failed=retry, accept_old_code=old_code, engine=sweep.engine)


def _failed(store: Store) -> int:
    return sum(record.status == FAILED for record in store.records.values())


def _tally(store: Store, made: int) -> Tally:
    return Tally(len(store.points), max(0, len(store.points) - made), made, _failed(store))
