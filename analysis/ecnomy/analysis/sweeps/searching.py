# SPDX-License-Identifier: Apache-2.0
"""Runs simulations as needed for the verbs calibrate, evaluate, tune and tournament.

Completed runs are kept, so the same command resumes an interrupted search.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ecnomy.markets.sweep.config import Limits, Sweep
    from ecnomy.markets.sweep.driver import Observer
    from ecnomy.markets.sweep.pool import LazyPool, Pool

__all__ = ["make_missing", "workers_when_needed"]


def make_missing(
    sweep: Sweep,
    folder: Path,
    pool: Pool,
    observer_of: Callable[[int, int], Observer],
    *,
    accept_old_code: bool = False,
) -> None:
    """Simulate the missing runs of a sweep, and repeat failed runs.

    Args:
        sweep: the sweep of all runs that are needed.
        folder: the folder of the runs.
        pool: the workers for the runs.
        observer_of: function that returns a progress listener, given the numbers of all and
            missing runs.
        accept_old_code: whether to keep runs made with other code or strategies.

    Raises:
        SweepError, PoolLost: as for ecnomy.markets.sweep.driver.sweep_runs.
    """
    from ecnomy.markets.sweep.driver import missing, sweep_runs
    from ecnomy.markets.sweep.store import Store

    store = Store(folder, sweep)
    try:
        store.compact()
        points = missing(
            store, retry_failed=True, accept_old_code=accept_old_code, engine=sweep.engine
        )
        if points:
            sweep_runs(sweep, store, pool, points, observer_of(len(sweep), len(points)))
    finally:
        store.close()


@contextlib.contextmanager
def workers_when_needed(
    limits: Limits, scheduler: str, workers: int, *, rounds: bool = True
) -> Iterator[tuple[LazyPool, Callable[[int, int], Any]]]:
    """Yield workers that start at the first missing run, and an `observer_of` for make_missing.

    Args:
        limits: limits of each run.
        scheduler: address of a running dask scheduler; "" for local workers.
        workers: number of local workers; 0 for one per CPU.
        rounds: whether results of runs may lead to further runs.
    """
    from ecnomy.markets.cli.sweeping import Observed
    from ecnomy.markets.sweep.pool import DaskPool, LazyPool

    pool = LazyPool(lambda: DaskPool(scheduler, workers, limits))
    observer = Observed(so_far=rounds)

    def observer_of(total: int, missing: int) -> Any:
        observer.begin_round()
        return observer

    try:
        yield pool, observer_of
    finally:
        observer.stop()
        pool.close()
