# SPDX-License-Identifier: Apache-2.0
"""What verbs share whose runs are chosen as they go: calibrate, tune, tournament.

Runs are kept, so that the same command goes on where it was interrupted.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ecnomy.markets.commands import INTERRUPTED

if TYPE_CHECKING:
    from ecnomy.markets.sweep.config import Limits
    from ecnomy.markets.sweep.pool import LazyPool

__all__ = ["Out", "Quick", "Scheduler", "resumable", "workers_when_needed"]

Out = Annotated[Path | None, typer.Option(help="Its folder; default results/<sweep file>.")]
Scheduler = Annotated[str, typer.Option(help="A running dask scheduler, tcp://HOST:PORT.")]
Quick = Annotated[bool, typer.Option("--quick", help="In the form that the file has for it.")]


@contextlib.contextmanager
def resumable() -> Iterator[None]:
    """Ctrl-C and a folder that cannot be written are told in one line; what is done is kept."""
    from ecnomy.markets.sweep.driver import unwritten

    try:
        yield
    except OSError as error:
        raise unwritten(error) from error
    except KeyboardInterrupt:
        print("ecnomy: interrupted; the same command goes on from there", file=sys.stderr)
        raise SystemExit(INTERRUPTED) from None


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
    from ecnomy.markets.sweep.command import Observed
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
