# SPDX-License-Identifier: Apache-2.0
"""What verbs share whose runs are chosen as they go: calibrate, tune, tournament.

Runs are kept, so that the same command goes on where it was interrupted.
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
    limits: Limits, scheduler: str, workers: int
) -> Iterator[tuple[LazyPool, Callable[[int, int], Any]]]:
    """Workers that are started when the first run is missing, and who is told of the progress.

    Args:
        limits: of each run.
        scheduler: the address of a running one, "" for workers of one's own.
        workers: how many of these, 0 for one per CPU.
    """
    from ecnomy.markets.cli.sweeping import Observed
    from ecnomy.markets.sweep.pool import DaskPool, LazyPool

    pool = LazyPool(lambda: DaskPool(scheduler, workers, limits))
    observer = Observed(so_far=True)

    def told(total: int, missing: int) -> Any:
        observer.begin_round()
        return observer

    try:
        yield pool, told
    finally:
        observer.stop()
        pool.close()
