# SPDX-License-Identifier: Apache-2.0
"""Simulates the runs of a comparison in several processes.

A worker simulates one run after another and writes their outcomes. Workers end when the process
that started them ends or is killed. An interrupted run leaves no outcomes.
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
from ecnomy.analysis.compare.runs import ComparedScenario, Done, SimulationTask, make

__all__ = ["make_all"]


def make_all(
    study: ComparedScenario,
    tasks: Sequence[SimulationTask],
    jobs: int,
    progress: Callable[[SimulationTask, Done], None] = lambda task, done: None,
) -> dict[SimulationTask, Done]:
    """Simulate runs and keep their outcomes.

    Args:
        study: the study that the runs belong to.
        tasks: the runs to simulate.
        jobs: number of processes; with 1, or for a single run, this process simulates.
        progress: function called after each run.

    Raises:
        EcnomyError: a run failed, or a worker was killed; completed runs are kept.
    """
    if jobs == 1 or len(tasks) == 1:
        return {task: _reported(progress, task, make(study, task)) for task in tasks}
    outcomes: dict[SimulationTask, Done] = {}
    try:
        with _pool(min(jobs, len(tasks))) as pool:
            waiting = {pool.submit(make, study, task): task for task in tasks}
            for future in concurrent.futures.as_completed(waiting):
                task = waiting[future]
                outcomes[task] = _reported(progress, task, future.result())
    except BrokenProcessPool:
        raise EngineError(
            "a worker process died; run the same comparison again to resume"
        ) from None
    return outcomes


def _reported(
    progress: Callable[[SimulationTask, Done], None], task: SimulationTask, done: Done
) -> Done:
    progress(task, done)
    return done


@contextmanager
def _pool(jobs: int) -> Iterator[concurrent.futures.ProcessPoolExecutor]:
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
    """Ignore Ctrl-C, because the parent process handles it and ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)  # the parent was killed; the engine ends when its connection breaks
