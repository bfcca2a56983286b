# SPDX-License-Identifier: Apache-2.0
"""Compares two engines, and can double the number of seeds while a row is undecided.

compare.json   subject and result (Comparison)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

import msgspec

from ecnomy.agents.errors import InputError
from ecnomy.analysis.compare.runs import (
    LINUX,
    ComparedScenario,
    Done,
    SimulationTask,
    claim,
    rows_of_study,
    to_make,
)
from ecnomy.analysis.compare.verdicts import (
    BOUNDS,
    FEWEST,
    IN_REAL_TIME,
    LEVEL,
    UNDECIDED,
    Compared,
    compared,
)
from ecnomy.analysis.compare.workers import make_all
from ecnomy.markets.scenario import load

__all__ = [
    "FORMAT",
    "MOST_SEEDS",
    "Comparison",
    "Cost",
    "Silence",
    "Telling",
    "compare",
    "write_comparison",
]

FORMAT: Final = 1
MOST_SEEDS: Final = 40  # doubling stops at this number of seeds


class Cost(msgspec.Struct, frozen=True):
    """The cost of the runs of an engine: CPU time and number of data packets."""

    engine: str
    cpu_s: float  # per run, mean over seeds
    data_packets: float  # per run, mean over seeds


class Comparison(msgspec.Struct, frozen=True):
    """The result of `ecnomy compare`.

    Attributes:
        engines: the names of the engines, the reference first.
        seeds: the seeds, which are the same for both engines.
        window_ps: the measured window [ps], from the end of the warm-up to the end of the run.
        costs: the CPU time and the data packets of each engine.
        rows: one row for each quantity of each source, link and kind of posting.
    """

    format: int
    scenario: str
    title: str
    overrides: tuple[str, ...]
    engines: tuple[str, str]
    seeds: tuple[int, ...]
    window_ps: tuple[int, int]
    level: float
    costs: tuple[Cost, Cost]
    rows: tuple[Compared, ...]

    @property
    def undecided(self) -> list[Compared]:
        """The rows with the verdict UNDECIDED."""
        return [row for row in self.rows if row.verdict == UNDECIDED]


class Telling(Protocol):
    """The observer of the progress of a comparison."""

    def start(self, total: int, there: int) -> None:
        """Report the total number of runs, and the number of runs that already exist."""

    def done(self, task: SimulationTask, done: Done) -> None:
        """Report that a run is complete."""

    def doubled(self, undecided: Sequence[Compared], seeds: int) -> None:
        """Report the undecided rows, and the doubled number of seeds."""

    def stop(self) -> None:
        """Report that the runs have ended."""


class Silence:
    """An observer without output."""

    def start(self, total: int, there: int) -> None:
        """Do nothing."""

    def done(self, task: SimulationTask, done: Done) -> None:
        """Do nothing."""

    def doubled(self, undecided: Sequence[Compared], seeds: int) -> None:
        """Do nothing."""

    def stop(self) -> None:
        """Do nothing."""


def compare(
    study: ComparedScenario,
    seeds: int,
    *,
    jobs: int = 1,
    double: bool = False,
    telling: Telling | None = None,
    level: float = LEVEL,
) -> Comparison:
    """Simulate the missing runs and compare the two engines.

    Args:
        study: the scenario, the engines, and the folder of the runs.
        seeds: number of seeds; both engines run seeds 1 to `seeds`.
        jobs: number of processes; runs in real time are simulated one at a time.
        double: whether to double the number of seeds, up to MOST_SEEDS, while a row is undecided.
        telling: the observer of progress.
        level: confidence level of intervals; each one-sided test has size (1 - level) / 2.

    Raises:
        InputError: fewer than two seeds, an invalid scenario or an unknown engine.
        EngineError: a run failed; completed runs are kept, and the same call resumes.
    """
    if seeds < FEWEST:
        raise InputError(f"seeds: found {seeds}, expected at least {FEWEST}")
    telling = telling or Silence()
    rows = rows_of_study(study)
    bounds = IN_REAL_TIME if LINUX in study.engines else BOUNDS
    with claim(study.folder):
        while True:
            runs_by_engine = _runs(study, seeds, jobs, telling)
            first, second = ({d.seed: d.figures for d in runs_by_engine[e]} for e in study.engines)
            outcome = compared(rows, first, second, level, bounds)
            undecided = [row for row in outcome if row.verdict == UNDECIDED]
            if not (double and undecided) or seeds >= MOST_SEEDS:
                break
            seeds = min(2 * seeds, MOST_SEEDS)
            telling.doubled(undecided, seeds)
    return _comparison(study, seeds, level, runs_by_engine, outcome)


def _runs(
    study: ComparedScenario, seeds: int, jobs: int, telling: Telling
) -> dict[str, list[Done]]:
    tasks = study.tasks(range(1, seeds + 1))
    runs, missing = to_make(study, tasks)
    telling.start(len(tasks), len(runs))
    try:
        alone = [task for task in missing if task.engine == LINUX]  # parallel runs would be slow
        others = [task for task in missing if task.engine != LINUX]
        for some, processes in ((others, jobs), (alone, 1)):
            if some:
                runs |= make_all(study, some, processes, telling.done)
    finally:
        telling.stop()
    return {name: [runs[t] for t in tasks if t.engine == name] for name in study.engines}


def _comparison(
    study: ComparedScenario,
    seeds: int,
    level: float,
    runs_by_engine: dict[str, list[Done]],
    rows: list[Compared],
) -> Comparison:
    scenario = load(study.config, overrides=study.overrides)
    first, second = (_cost(runs_by_engine[name]) for name in study.engines)
    return Comparison(
        format=FORMAT,
        scenario=Path(study.config).name,
        title=scenario.title,
        overrides=study.overrides,
        engines=study.engines,
        seeds=tuple(range(1, seeds + 1)),
        window_ps=(scenario.document.warmup, scenario.document.duration),
        level=level,
        costs=(first, second),
        rows=tuple(rows),
    )


def _cost(runs: Sequence[Done]) -> Cost:
    count = len(runs)
    cpu_s = sum(run.cpu_s for run in runs) / count
    return Cost(runs[0].engine, cpu_s, sum(run.data_packets for run in runs) / count)


def write_comparison(comparison: Comparison, file: Path) -> None:
    """Write compare.json.

    Raises:
        OSError: the file cannot be written.
    """
    temporary = file.with_suffix(".json.tmp")
    temporary.write_bytes(msgspec.json.format(msgspec.json.encode(comparison), indent=1) + b"\n")
    temporary.replace(file)
