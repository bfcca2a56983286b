# SPDX-License-Identifier: Apache-2.0
"""Makes the runs of a comparison in several processes.

A worker makes one run after another, and writes their rows. Workers end when the process that
started them ends or is killed. An interrupted run does not leave a row.
"""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from ecnomy.agents.errors import EngineError
from ecnomy.analysis.compare.runs import Done, Study, Task, make

__all__ = ["make_all"]


def make_all(
    study: Study,
    tasks: Sequence[Task],
    jobs: int,
    told: Callable[[Task, Done], None] = lambda task, done: None,
) -> dict[Task, Done]:
    """Make runs and keep their rows.

    Args:
        study: the comparison's study.
        tasks: the runs to make.
        jobs: number of processes; 1 makes the runs in this process.
        told: a function called with each finished run.

    Raises:
        EcnomyError: a run failed, or a worker was killed; finished runs are kept.
    """
    if jobs == 1 or len(tasks) == 1:
        return {task: _told(told, task, make(study, task)) for task in tasks}
    found: dict[Task, Done] = {}
    try:
        with _pool(min(jobs, len(tasks))) as pool:
            waiting = {pool.submit(make, study, task): task for task in tasks}
            for future in concurrent.futures.as_completed(waiting):
                task = waiting[future]
                found[task] = _told(told, task, future.result())
    except BrokenProcessPool:
        raise EngineError(
            "a worker process died; run the same comparison again to resume"
        ) from None
    return found


def _told(told: Callable[[Task, Done], None], task: Task, done: Done) -> Done:
    told(task, done)
    return done


@contextmanager
def _pool(jobs: int) -> Iterator[concurrent.futures.ProcessPoolExecutor]:
    """Start a pool of processes that an error terminates at once."""
    context = multiprocessing.get_context("spawn")
    pool = concurrent.futures.ProcessPoolExecutor(jobs, context, _begin_worker)
    before = set(multiprocessing.active_children())
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - before:
            process.terminate()
        raise
    finally:
        pool.shutdown()


def _begin_worker() -> None:
    """Ignore Ctrl-C: the process that started the workers handles it by ending them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)  # the parent was killed; the engine ends when its connection breaks
