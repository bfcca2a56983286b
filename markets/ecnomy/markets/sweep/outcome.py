# SPDX-License-Identifier: Apache-2.0
"""One run of a sweep, as a worker makes it: a task in, an outcome out, whatever happens.

A run that fails is an outcome with its reason. Nothing is written but the results folder, if one is
kept; the driver alone writes outcomes.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from ecnomy.agents.errors import EcnomyError
from ecnomy.markets.engines import Engine, find_engine
from ecnomy.markets.market import Market
from ecnomy.markets.nomarket import MarketLike, NoMarket
from ecnomy.markets.plan import Plan
from ecnomy.markets.plan.make import make_plan
from ecnomy.markets.runner import Quiet, run, simulate
from ecnomy.markets.scenario import Scenario
from ecnomy.markets.sweep.config import UNLIMITED, Limits, scenario_at
from ecnomy.markets.sweep.fingerprint import (
    Code,
    code_now,
    forget_edited_modules,
    remember_modules,
    run_key,
    strategy_modules,
)
from ecnomy.markets.sweep.gathered import Gathered
from ecnomy.markets.sweep.space import Assignment

__all__ = ["DONE", "FAILED", "Outcome", "Task", "execute"]

DONE: Final = "done"
FAILED: Final = "failed"
PS_PER_S: Final = 1e12
_GRACE_S: Final = 20.0  # for Python code that a time limit has interrupted


class Task(msgspec.Struct, frozen=True):
    """What a worker is sent. `folder`: where the run's results are kept, "" for nowhere."""

    point: str
    base: str
    name: str
    params: Assignment
    seed: int
    limits: Limits
    code: Code
    folder: str = ""


class Outcome(msgspec.Struct, frozen=True):
    """What became of a run.

    Attributes:
        point: the run's identity within its sweep (see store.point_id).
        run: its key; "" where it did not get as far as a plan.
        status: done or failed.
        reason: why it failed.
        strategies: digests of the users' modules it used.
        values: outcome columns (see gathered.py); None where there is nothing to take a mean of.
    """

    point: str
    run: str
    status: str
    reason: str
    code: Code
    strategies: dict[str, str]
    values: dict[str, float | None]
    engine_cpu_s: float = 0.0
    wall_s: float = 0.0
    data_packets: int = 0
    generation: int = 0
    worker: str = ""


class _TimeLimit(BaseException):
    """Raised in the thread of a run that has had its time; no strategy should catch it."""


def execute(task: Task) -> Outcome:
    """Make the run; never raises but for what is no run's fault (a worker of other code)."""
    began_s = time.monotonic()
    outcome = Outcome(task.point, "", FAILED, "", code_now(), {}, {})
    if outcome.code != task.code:
        raise RuntimeError(f"worker {os.uname().nodename}: its engine or ecnomy is another version")
    try:
        forget_edited_modules()
        scenario = scenario_at(task.base, task.name, task.params, task.seed)
        strategies = strategy_modules(scenario.market)
        remember_modules(strategies)
        plan = make_plan(scenario)
        key = run_key(plan, scenario.market, outcome.code, strategies)
        outcome = msgspec.structs.replace(outcome, run=key, strategies=strategies)
        outcome = _simulated(task, scenario, plan, outcome)
    except _TimeLimit:
        limit_s = task.limits.time_ps / PS_PER_S
        outcome = _failed(outcome, f"over its time limit of {limit_s:g} s")
    except EcnomyError as error:
        outcome = _failed(outcome, " ".join(str(error).split()))
    except Exception as error:
        outcome = _failed(outcome, f"{type(error).__name__}: {' '.join(str(error).split())}")
    return msgspec.structs.replace(outcome, wall_s=time.monotonic() - began_s, worker=_where())


def _where() -> str:
    """Address of the worker this is, "" where there is none."""
    if "distributed" not in sys.modules:
        return ""
    distributed: Any = sys.modules["distributed"]
    try:
        address: str = distributed.get_worker().address
    except ValueError:
        return ""
    return address.partition("://")[2]


def _failed(outcome: Outcome, reason: str) -> Outcome:
    return msgspec.structs.replace(outcome, status=FAILED, reason=reason, values={})


def _simulated(task: Task, scenario: Scenario, plan: Plan, outcome: Outcome) -> Outcome:
    spec = scenario.market
    market: MarketLike = NoMarket(plan) if spec is None else Market(plan, spec)
    try:
        sink = Gathered(plan)
        with Engine(plan, find_engine()) as engine, _limited(engine, task.limits):
            finish = simulate(engine, plan, market, sink, Quiet())
            engine.finished()
        if task.folder:
            run(scenario, out=Path(task.folder), force=True)
        return msgspec.structs.replace(
            outcome,
            status=DONE,
            values=sink.row(market),
            engine_cpu_s=finish.cpu_s,
            data_packets=finish.data_packets,
        )
    finally:
        market.close()


@contextlib.contextmanager
def _limited(engine: Engine, limits: Limits) -> Iterator[None]:
    """Bounds on a run: the engine's memory by the kernel, the time by a watchdog of its own."""
    if limits.memory_bytes != UNLIMITED:
        both = (limits.memory_bytes, limits.memory_bytes)
        resource.prlimit(engine.pid, resource.RLIMIT_AS, both)
    if limits.time_ps == UNLIMITED:
        yield
        return
    over, killed = threading.Event(), threading.Event()
    limit_s, thread = limits.time_ps / PS_PER_S, threading.get_ident()
    watched = (engine, thread, limit_s, over, killed)
    threading.Thread(target=_watch, args=watched, daemon=True).start()
    try:
        yield
    except EcnomyError:
        if killed.is_set():
            raise _TimeLimit from None
        raise
    finally:
        over.set()


def _watch(
    engine: Engine, thread: int, limit_s: float, over: threading.Event, killed: threading.Event
) -> None:
    if over.wait(limit_s):
        return
    killed.set()
    engine.kill()
    if over.wait(1.0):
        return
    # The run is not waiting for the engine: a strategy computes, and is interrupted.
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(_TimeLimit))
    if not over.wait(_GRACE_S):
        os._exit(75)
