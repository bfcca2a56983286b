# SPDX-License-Identifier: Apache-2.0
"""Probes: new quick runs, whose values are compared with the recorded values.

The probe of a study consists of the first seed of each of its points, and the first run under each
alternative over which a claim is judged. A probe takes seconds. A row has changed if any of its
recorded values differs. New columns do not count.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ecnomy.agents.errors import ResultsError
from ecnomy.analysis.calibrate.calibration import planned_sweep
from ecnomy.analysis.reproduce.catalogue import Paper
from ecnomy.analysis.reproduce.claim_digests import first_of_each, study_variants
from ecnomy.analysis.reproduce.papers import PAPERS, load_paper
from ecnomy.analysis.reproduce.quick_results import missing, not_kept
from ecnomy.analysis.reproduce.studies import Form, changed_points, load_study
from ecnomy.markets.sweep.config import Sweep
from ecnomy.markets.sweep.driver import task_of
from ecnomy.markets.sweep.outcome import DONE, RunOutcome, Task, execute

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Probe",
    "all_studies",
    "made",
    "moved_in",
    "params_of",
    "probes_of",
    "row_of",
    "within",
]

_QUICK: Final = Form(Path(), quick=True)
_KEYS: Final = ("number", "point", "replicate", "seed", "status", "reason")
_ROUNDING: Final = 1e-12  # relative tolerance of a value
_START_S: Final = 0.2  # CPU time of a run that sends nothing
_PACKETS_PER_S: Final = 1.5e6
Tables = Mapping[str, "pd.DataFrame"]


class Probe(msgspec.Struct, frozen=True):
    """A run to repeat.

    Attributes:
        table: the table with the run's row: `paper/study`, or `paper/study@setting=alternative`.
        number: the number of that row.
        task: the task for the worker.
    """

    table: str
    number: int
    task: Task


def all_studies() -> list[str]:
    """Return the studies that entries of the papers use, as `paper/study`."""
    studies = []
    for name in PAPERS:
        paper = load_paper(name)
        used = {study for entry in paper.entries.values() for study in entry.studies}
        studies += [f"{name}/{study}" for study in paper.studies if study in used]
    return studies


def probes_of(paper: Paper, study: str, tables: Tables) -> list[Probe]:
    """Return the runs that a study's probe repeats.

    Args:
        paper: the paper of the study.
        study: name of the study.
        tables: stored results of quick runs, which determine the runs of a calibration.

    Raises:
        ScenarioError, InputError: the study is invalid.
        ResultsError: the quick runs of a calibration are not stored.
    """
    key, sweep = f"{paper.paper}/{study}", _sweep_of(paper, study, tables)
    probes = [Probe(key, point.number, task_of(sweep, point)) for point in first_of_each(sweep)]
    for variant in study_variants(paper, study):
        varied = load_study(paper, study, _QUICK, variant=variant)
        point = changed_points(varied)[0]
        probes.append(Probe(f"{key}@{variant.name}", 0, task_of(varied, point)))
    return probes


def params_of(paper: Paper, study: str, tables: Tables) -> frozenset[str]:
    """Return the names of the parameter columns in a study's table."""
    return frozenset(name for p in _sweep_of(paper, study, tables).points() for name in p.params)


def _sweep_of(paper: Paper, study: str, tables: Tables) -> Sweep:
    """Return the study's quick form; for a calibration, with all runs that its searches use."""
    sweep, key = load_study(paper, study, _QUICK), f"{paper.paper}/{study}"
    if sweep.calibrate is None:
        return sweep
    if key not in tables:
        raise not_kept(key)
    return planned_sweep(sweep, tables[key])


def cost_s(probe: Probe, tables: Tables) -> float:
    """Return the estimated CPU time of a run [s], from the packets that the recorded run sent."""
    return _START_S + float(row_of(probe, tables)["data_packets"]) / _PACKETS_PER_S


def row_of(probe: Probe, tables: Tables) -> dict[str, Any]:
    """Return the recorded values of a run, by column.

    Raises:
        ResultsError: the row is not recorded.
    """
    if probe.table in tables:
        table = tables[probe.table]
        for values in table[table["number"] == probe.number].itertuples(index=False, name=None):
            return dict(zip(map(str, table), values, strict=True))
    raise ResultsError(f"{probe.table}: run {probe.number} is not recorded")


def within(
    probes: Mapping[str, Sequence[Probe]], tables: Tables, budget_s: float = math.inf
) -> list[str]:
    """Return the first studies whose probes together fit into the budget of CPU time."""
    taken, studies = 0.0, []
    for study, own in probes.items():
        taken += sum(cost_s(probe, tables) for probe in own)
        if taken <= budget_s:
            studies.append(study)
    return studies


def made(probes: Iterable[Probe], jobs: int = 0) -> list[RunOutcome]:
    """Run the probes in `jobs` processes (0: one per core), and report progress.

    Raises:
        ResultsError: a run failed.
    """
    queue = list(probes)
    if not queue:
        return []
    outcomes: list[RunOutcome] = []
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs or os.cpu_count(), context) as pool:
        tasks = [probe.task for probe in queue]
        for outcome in pool.map(execute, tasks, chunksize=4):
            outcomes.append(outcome)
            if len(outcomes) % 100 == 0:
                progress = f"ecnomy: {len(outcomes)} of {len(queue)} probes"
                print(progress, file=sys.stderr, flush=True)
    for probe, outcome in zip(queue, outcomes, strict=True):
        if outcome.status != DONE:
            raise ResultsError(f"{probe.table}: run {probe.number} failed: {outcome.reason}")
    return outcomes


def moved_in(
    probes: Sequence[Probe], outcomes: Sequence[RunOutcome], tables: Tables
) -> dict[str, tuple[int, ...]]:
    """Return the numbers of the rows that have changed, by table."""
    rows: dict[str, list[int]] = {}
    for probe, outcome in zip(probes, outcomes, strict=True):
        now = {**outcome.values, "data_packets": outcome.data_packets}
        then = {
            name: value
            for name, value in row_of(probe, tables).items()
            if name not in _KEYS and name not in probe.task.params
        }
        if any(not _same(value, now.get(name)) for name, value in then.items()):
            rows.setdefault(probe.table, []).append(probe.number)
    return {table: tuple(numbers) for table, numbers in rows.items()}


def _same(then: Any, now: Any) -> bool:
    """Return whether values agree up to rounding, which depends on the processor and numpy."""
    if missing(then) or missing(now):
        return missing(then) and missing(now)
    if isinstance(then, float) and isinstance(now, float):
        return math.isclose(then, now, rel_tol=_ROUNDING)
    return bool(then == now)
