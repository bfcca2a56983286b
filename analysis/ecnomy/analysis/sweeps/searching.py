# SPDX-License-Identifier: Apache-2.0
"""Common code of verbs that make runs for one answer: calibrate, evaluate, tune, tournament.

Runs are kept, so that the same command resumes an interrupted search.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ecnomy.markets.sweep.config import Limits
    from ecnomy.markets.sweep.pool import LazyPool

__all__ = ["workers_when_needed"]


@contextlib.contextmanager
def workers_when_needed(
    limits: Limits, scheduler: str, workers: int, *, rounds: bool = True
) -> Iterator[tuple[LazyPool, Callable[[int, int], Any]]]:
    """Yield workers that start at the first missing run, and a function that shows progress.

    Args:
        limits: limits of each run.
        scheduler: address of a running dask scheduler, "" for local workers.
        workers: number of local workers, 0 for one per CPU.
        rounds: whether results may request further runs.
    """
    from ecnomy.markets.cli.sweeping import Observed
    from ecnomy.markets.sweep.pool import DaskPool, LazyPool

    pool = LazyPool(lambda: DaskPool(scheduler, workers, limits))
    observer = Observed(so_far=rounds)

    def told(total: int, missing: int) -> Any:
        observer.begin_round()
        return observer

    try:
        yield pool, told
    finally:
        observer.stop()
        pool.close()
