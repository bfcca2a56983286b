# SPDX-License-Identifier: Apache-2.0
"""Makes a run of a sweep in a worker, which receives a task and returns an outcome.

The outcome of a failed run has a reason. The worker writes at most the results folder of the run.
The driver alone writes outcomes.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from ecnomy.agents.errors import EcnomyError, InputError
from ecnomy.markets.bridge.messages import Record, Report
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.economy.market_like import MarketLike
from ecnomy.markets.engines.registry import DEFAULT_ENGINE, engine_kind
from ecnomy.markets.plan import Plan
from ecnomy.markets.results.writer import ResultsWriter
from ecnomy.markets.scenario import Scenario
from ecnomy.markets.session.conversation import Quiet, Sink, simulate
from ecnomy.markets.session.preparing import market_of
from ecnomy.markets.support.temporary import temporary_folder
from ecnomy.markets.sweep.fingerprint import (
    Code,
    code_now,
    edited_since,
    forget_edited_modules,
    measure_modules,
    modules_named_in,
    remember_modules,
    run_key,
    strategy_modules,
)
from ecnomy.markets.sweep.gathered import Gathered
from ecnomy.markets.sweep.measure import added_measures, measured, measures_of
from ecnomy.markets.sweep.point_scenario import scenario_at
from ecnomy.markets.sweep.space import Assignment
from ecnomy.markets.sweep.sweep_file import Limits
from ecnomy.markets.sweep.ties import Ties
from ecnomy.markets.sweep.watchdog import OverTime, Watchdog

__all__ = ["DONE", "FAILED", "RunOutcome", "Task", "execute"]

DONE: Final = "done"
FAILED: Final = "failed"


class Task(msgspec.Struct, frozen=True):
    """The task of a worker.

    Attributes:
        folder: folder of the run's results, or "" if they are not kept.
        engine: name of the engine (see ecnomy.markets.engines.registry).
        measure: module:function that adds outcome columns, or "".
        ties: paths of each parameter that sets several paths, by its name.
    """

    point: str
    base: str
    name: str
    params: Assignment
    seed: int
    limits: Limits
    code: Code
    folder: str = ""
    engine: str = DEFAULT_ENGINE
    measure: str = ""
    variant: tuple[str, ...] = ()
    ties: Ties = {}


class RunOutcome(msgspec.Struct, frozen=True):
    """The outcome of a run.

    Attributes:
        point: the run's identity within its sweep (see store.identified).
        run: key of the run; "" if the run failed before it had a plan.
        status: done or failed.
        reason: reason for a failure, otherwise "".
        strategies: digests of the run's user modules and of the modules of measures, by name.
        params: the point's values, set when the record is stored.
        values: outcome columns (see gathered.py and measure.py). Counts are integers. A mean
            without values is None.
    """

    point: str
    run: str
    status: str
    reason: str
    code: Code
    strategies: dict[str, str]
    values: dict[str, int | float | None]
    engine_cpu_s: float = 0.0
    wall_s: float = 0.0
    data_packets: int = 0
    generation: int = 0
    worker: str = ""
    params: Assignment = {}
    seed: int = 0


def execute(task: Task) -> RunOutcome:
    """Make the run and return its outcome. Raise only if the worker has other code or no engine."""
    began_s = time.monotonic()
    outcome = RunOutcome(task.point, "", FAILED, "", code_now(task.engine), {}, {})
    if outcome.code != task.code:
        raise RuntimeError(
            f"worker {os.uname().nodename}: found another version of ecnomy or its "
            "engine, expected the sweep's version"
        )
    try:
        with Watchdog(task.limits) as watchdog:
            forget_edited_modules()
            laid = task.params, task.seed, task.variant, task.ties
            scenario = scenario_at(task.base, task.name, *laid)
            measures = measures_of(task.measure, scenario.market)
            outcome = _with_key(measures, outcome, scenario, plan := make_plan(scenario))
            outcome = _simulated(task, measures, scenario, plan, outcome, watchdog)
            if edited := edited_since(outcome.strategies):
                reason = f"edited while the run used it: {', '.join(edited)}"
                outcome = _failed(outcome, reason, task)
    except OverTime:
        outcome = _failed(outcome, f"over its time limit of {watchdog.limit_s:g} s", task)
    except EcnomyError as error:
        outcome = _failed(outcome, " ".join(str(error).split()), task)
    except Exception as error:
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        outcome = _failed(outcome, reason, task)
    wall_s = time.monotonic() - began_s
    return msgspec.structs.replace(outcome, wall_s=wall_s, worker=_where())


def _with_key(
    measures: tuple[str, ...], outcome: RunOutcome, scenario: Scenario, plan: Plan
) -> RunOutcome:
    strategies = strategy_modules(scenario.market)
    for measure in measures:
        strategies |= measure_modules(measure)
    remember_modules(strategies)
    key = run_key(plan, scenario.market, outcome.code, strategies)
    return msgspec.structs.replace(outcome, run=key, strategies=strategies)


def _where() -> str:
    if "distributed" not in sys.modules:
        return ""
    distributed: Any = sys.modules["distributed"]
    try:
        address: str = distributed.get_worker().address
    except ValueError:
        return ""
    return address.partition("://")[2]


def _failed(outcome: RunOutcome, reason: str, task: Task) -> RunOutcome:
    """Return a failed outcome. If its modules are unknown, use those that the task names."""
    named = outcome.strategies
    if not outcome.run:
        named = modules_named_in(task.base, *(str(value) for value in task.params.values()))
    return msgspec.structs.replace(
        outcome, status=FAILED, reason=reason, values={}, strategies=named
    )


def _simulated(
    task: Task,
    measures: tuple[str, ...],
    scenario: Scenario,
    plan: Plan,
    outcome: RunOutcome,
    watchdog: Watchdog,
) -> RunOutcome:
    market = market_of(plan, scenario.market)
    with _folder(task, measures) as folder:
        gathered = Gathered(plan)
        with _kept(folder, bool(task.folder), scenario, plan, market, gathered) as sink:
            with engine_kind(task.engine).start(plan, folder) as engine:
                watchdog.guard(engine)
                finish = simulate(engine, plan, market, sink, Quiet())
                engine.finished()
        values = gathered.row(market)
        if folder is not None:
            values = _measured(measures, folder, values)
    if clash := sorted(set(task.ties) & set(values)):
        found = f"the parameter {clash[0]!r}, which is also a column of the run"
        raise InputError(f"found {found}, expected another name")
    return msgspec.structs.replace(
        outcome,
        status=DONE,
        values=values,
        engine_cpu_s=finish.cpu_s,
        data_packets=finish.data_packets,
    )


def _measured(
    measures: tuple[str, ...], folder: Path, values: dict[str, int | float | None]
) -> dict[str, int | float | None]:
    """Return the values with the columns of measures, which never replace existing columns."""
    added = added_measures()
    for measure in measures:
        more = measured(measure, folder, {} if measure in added else values)
        values = {**values, **{name: more[name] for name in more if name not in values}}
    return values


@contextlib.contextmanager
def _folder(task: Task, measures: tuple[str, ...]) -> Iterator[Path | None]:
    """Yield the folder of the run's results: permanent, temporary (for measures), or None."""
    if task.folder or not measures:
        yield Path(task.folder) if task.folder else None
        return
    with temporary_folder() as folder:
        yield folder / "run"


class _Both:
    def __init__(self, first: Sink, second: Sink) -> None:
        self._sinks = (first, second)

    def engine(self, name: str, version: str) -> None:
        for sink in self._sinks:
            sink.engine(name, version)

    def report(self, report: Report, market: MarketLike) -> None:
        for sink in self._sinks:
            sink.report(report, market)

    def record(self, record: Record) -> None:
        for sink in self._sinks:
            sink.record(record)


@contextlib.contextmanager
def _kept(
    folder: Path | None,
    kept: bool,
    scenario: Scenario,
    plan: Plan,
    market: MarketLike,
    gathered: Gathered,
) -> Iterator[Sink]:
    """Yield the sink of a run, which also writes the results folder if there is one."""
    if folder is None:
        yield gathered
        return
    writer = ResultsWriter(folder, plan, scenario.resolved(), force=True, synced=kept)
    reason: str | None = "the run failed"
    try:
        yield _Both(writer, gathered)
        reason = None
    finally:
        try:
            writer.finish(market, {"worker": _where()}, reason=reason)
        finally:
            writer.close()
