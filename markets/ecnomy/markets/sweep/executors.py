# SPDX-License-Identifier: Apache-2.0
"""Makes runs without dask, in this process or on any executor of concurrent.futures."""

from __future__ import annotations

import concurrent.futures
import contextlib
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from ecnomy.markets.support.intact import write_synced
from ecnomy.markets.sweep.pool import RESUME, PoolLost, RunAbandoned

__all__ = ["ExecutorPool", "InlinePool"]

T = TypeVar("T")
_DEATHS: Final = 5  # a run is abandoned after this number of dead processes
_BEGUN: Final = "begun.json"


class ExecutorPool:
    """The workers of an executor, such as mpi4py.futures.MPIPoolExecutor.

    Args:
        executor: the executor, which the caller shuts down.
        workers: number of the executor's workers.
    """

    ahead = 3

    def __init__(self, executor: concurrent.futures.Executor, workers: int) -> None:
        self._executor, self.workers, self.lost = executor, workers, False

    def submit(self, function: Callable[..., T], task: Any) -> concurrent.futures.Future[T]:
        """See Pool.

        Raises:
            PoolLost: the executor accepts no more runs.
        """
        try:
            return self._executor.submit(function, task)
        except RuntimeError as error:  # the executor was shut down, or a worker died
            raise PoolLost(f"the executor accepts no more runs ({error}); {RESUME}") from None

    def close(self) -> None:
        """See Pool."""


class InlinePool:
    """Makes each run immediately, in this process.

    A file names the run in progress. If the process dies during this run, the next process counts
    the death. After five deaths, the run is abandoned.

    Args:
        folder: folder of the file.
        points: the missing runs. Deaths during other runs are ignored.
    """

    ahead = workers = 1
    lost = False

    def __init__(self, folder: Path, points: Collection[str]) -> None:
        self._file = folder / _BEGUN
        self._deaths: dict[str, int] = {}
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            deaths = msgspec.json.decode(self._file.read_bytes(), type=dict[str, int])
            self._deaths = {point: n for point, n in deaths.items() if point in points}

    def submit(self, function: Callable[..., T], task: Any) -> concurrent.futures.Future[T]:
        """Run `function(task)`, and return its result or exception as a completed future."""
        done: concurrent.futures.Future[Any] = concurrent.futures.Future()
        if self._deaths.get(task.point, 0) >= _DEATHS:
            done.set_exception(RunAbandoned())
            return done
        self._write({**self._deaths, task.point: self._deaths.get(task.point, 0) + 1})
        try:
            done.set_result(function(task))
        except Exception as error:
            done.set_exception(error)
        finally:
            self._deaths.pop(task.point, None)
        return done

    def close(self) -> None:
        """See Pool."""
        with contextlib.suppress(OSError):
            if self._deaths:
                self._write(self._deaths)
            else:
                self._file.unlink()

    def _write(self, deaths: dict[str, int]) -> None:
        write_synced(self._file, msgspec.json.encode(deaths), synced=False)
