# SPDX-License-Identifier: Apache-2.0
"""Simulates the runs of a comparison, in separate processes, and keeps their outcomes.


    <folder>/runs/<engine>-<seed>.json     the outcomes of a run (Done)
    <folder>/results/<engine>-<seed>/      the run's results folder, if kept
    <folder>/lock                          locked while a comparison runs

The outcomes of a run are valid while its key is unchanged: plan, market, strategies, engine and
sources. A repeated comparison therefore simulates only runs that are missing or whose key has
changed. The file of a run gets its final name only when it is complete.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, TextIO

import msgspec

from ecnomy.agents.errors import EcnomyError, EngineError, InputError
from ecnomy.analysis.compare.figures import Figures, Row, figures_of, rows_of
from ecnomy.analysis.compare.sources import engine_digest
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.engines.registry import ENGINES, engine_kind
from ecnomy.markets.results.rawrun import open_raw
from ecnomy.markets.scenario import Scenario, load
from ecnomy.markets.session.runner import run
from ecnomy.markets.session.session import check_plan
from ecnomy.markets.support.locking import locked
from ecnomy.markets.sweep.fingerprint import code_now, run_key, strategy_modules

__all__ = [
    "BUILT_IN",
    "ENGINES",
    "LINUX",
    "OMNET",
    "ComparedScenario",
    "Done",
    "Simulate",
    "SimulationTask",
    "check_engine",
    "claim",
    "make",
    "rows_of_study",
    "simulated",
    "to_make",
]

BUILT_IN, OMNET, LINUX = ENGINES
_LOCK: Final = "lock"
_RUNS: Final = "runs"
_RESULTS: Final = "results"
_TRIES: Final = 3  # attempts at a real-time run that is late


class SimulationTask(msgspec.Struct, frozen=True):
    """One run to simulate."""

    config: str
    overrides: tuple[str, ...]
    engine: str
    seed: int


class Done(msgspec.Struct, frozen=True):
    """The outcomes of a run.

    Attributes:
        key: digest of all that the run depends on (see sweep/fingerprint.py).
        plan_digest: digest of the plan.
        figures: outcomes by row key (figures.py).
        cpu_s: CPU time of the engine [s].
        data_packets: number of data packets sent.
        engine: name and version of the engine.
    """

    key: str
    seed: int
    plan_digest: str
    figures: Figures
    cpu_s: float
    data_packets: int
    engine: str


# Simulates a run in a folder. Tests replace it to choose another simulator.
Simulate = Callable[[SimulationTask, Path], None]


def simulated(task: SimulationTask, folder: Path) -> None:
    """Simulate a scenario with the engine that the task names.

    Raises:
        InputError: the engine is unknown, or the scenario is invalid.
        EngineError: an engine in real time was late in all three attempts.
        EcnomyError: as for ecnomy.markets.run.
    """
    check_engine(task.engine)
    for _ in range(_TRIES):
        run(_scenario(task), out=folder, force=True, **_engine_argument(task.engine))
        if _engine_facts(folder).get("valid", True):
            return
    raise EngineError(
        f"the engine was late in all {_TRIES} attempts (engine.late in machine.json); "
        "stop other programs and try again"
    )


def check_engine(engine: str) -> None:
    """Refuse an engine that is unknown or not installed.

    Raises:
        InputError: the engine is unknown, or is not installed.
        EngineError: the built-in engine is not installed.
    """
    if engine not in ENGINES:
        raise InputError(f"engine: found {engine!r}, expected one of {', '.join(ENGINES)}")
    _engine_argument(engine)


def _engine_argument(engine: str) -> dict[str, Any]:
    engine_kind(engine)  # raises at once if something is missing
    return {"engine": engine}


class ComparedScenario(msgspec.Struct, frozen=True):
    """A scenario, two engines, and the folder of the runs.

    Attributes:
        config: the scenario's file.
        overrides: `path=value` changes to the scenario.
        engines: the names of the engines, the reference first.
        folder: the folder of the runs.
        keep: whether to keep the results folder of each run.
        simulate: function that simulates a run.
    """

    config: str
    overrides: tuple[str, ...]
    engines: tuple[str, str]
    folder: Path
    keep: bool = False
    simulate: Simulate = simulated

    def tasks(self, seeds: Iterable[int]) -> list[SimulationTask]:
        """Return the runs of the given seeds, engine by engine."""
        both = self.engines if self.engines[0] != self.engines[1] else self.engines[:1]
        seeds = list(seeds)
        return [
            SimulationTask(self.config, self.overrides, name, seed)
            for name in both
            for seed in seeds
        ]

    def row_file(self, task: SimulationTask) -> Path:
        """Return the file with the outcomes of a run."""
        return self.folder / _RUNS / f"{task.engine}-{task.seed}.json"


def rows_of_study(study: ComparedScenario) -> list[Row]:
    """Return the rows that a study compares, without money.

    Raises:
        InputError: an engine cannot run the scenario.
    """
    scenario = load(study.config, overrides=study.overrides)
    plan = make_plan(scenario)
    if study.simulate is simulated:
        for engine in study.engines:
            check_engine(engine)
            given = _engine_argument(engine).get("engine", BUILT_IN)
            check_plan(engine_kind(given), scenario, plan)
    return rows_of(plan)


def claim(folder: Path) -> TextIO:
    """Claim a folder for a comparison until the returned object is closed.

    Raises:
        InputError: the path is a file, the folder contains files other than a comparison's, or
            another comparison uses it.
    """

    def judge() -> None:
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder}: found a file, expected a folder")
        if folder.is_dir() and not (folder / _RUNS).is_dir() and set(os.listdir(folder)) - {_LOCK}:
            other = "not a comparison; choose another folder with --out"
            raise InputError(f"{folder}: {other}")

    lock = locked(folder / _LOCK, judge, f"{folder}: another comparison is writing to it")
    (folder / _RUNS).mkdir(exist_ok=True)
    return lock


def to_make(
    study: ComparedScenario, tasks: Sequence[SimulationTask]
) -> tuple[dict[SimulationTask, Done], list[SimulationTask]]:
    """Return the valid outcomes by run, and the runs without valid outcomes."""
    there: dict[SimulationTask, Done] = {}
    for task in tasks:
        done = _read(study.row_file(task))
        if done is not None and done.key == _key(task, _scenario(task)):
            there[task] = done
    return there, [task for task in tasks if task not in there]


def make(study: ComparedScenario, task: SimulationTask) -> Done:
    """Simulate a run and keep its outcomes.

    Raises:
        EcnomyError: the run failed; an EngineError names engine and seed.
        OSError: the results cannot be written.
    """
    folder = study.folder / _RESULTS / f"{task.engine}-{task.seed}"
    try:
        done = _made(study, task, folder)
    finally:
        if not study.keep:
            shutil.rmtree(folder, ignore_errors=True)
            with contextlib.suppress(OSError):
                folder.parent.rmdir()  # fails if it contains other folders
    file = study.row_file(task)
    temporary = file.with_suffix(".json.tmp")
    temporary.write_bytes(msgspec.json.format(msgspec.json.encode(done), indent=1) + b"\n")
    temporary.replace(file)
    return done


def _made(study: ComparedScenario, task: SimulationTask, folder: Path) -> Done:
    try:
        study.simulate(task, folder)
    except InputError:
        raise
    except EcnomyError as error:
        raise EngineError(f"{task.engine}, seed {task.seed}: {error}") from error
    results = open_raw(folder)
    engine = _engine_facts(folder)
    return Done(
        key=_key(task, _scenario(task)),
        seed=task.seed,
        plan_digest=results.manifest.plan_digest,
        figures=figures_of(results),
        cpu_s=float(engine.get("cpu_s", 0.0)),
        data_packets=int(engine.get("data_packets", 0)),
        engine=str(results.manifest.versions.get("engine", task.engine)),
    )


def _engine_facts(folder: Path) -> dict[str, Any]:
    machine: dict[str, Any] = msgspec.json.decode((folder / "machine.json").read_bytes())
    facts: dict[str, Any] = machine.get("engine", {})
    return facts


def _scenario(task: SimulationTask) -> Scenario:
    return load(task.config, overrides=task.overrides, seed=task.seed)


def _key(task: SimulationTask, scenario: Scenario) -> str:
    """Return the key that a sweep would use, with the digest of the engine that the task names."""
    code = msgspec.structs.replace(code_now(), engine=engine_digest(task.engine))
    return run_key(make_plan(scenario), scenario.market, code, strategy_modules(scenario.market))


def _read(file: Path) -> Done | None:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Done)
    except (OSError, msgspec.DecodeError):
        return None
