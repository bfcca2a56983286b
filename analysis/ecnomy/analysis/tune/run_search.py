# SPDX-License-Identifier: Apache-2.0
"""Runs the search of a tuning by means of a sweep, and checks its result.

Runs are requested in batches and kept, so a restarted tuning simulates only missing runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.analysis.sweeps.failed_runs import refuse_failed_runs
from ecnomy.analysis.sweeps.open_sweep import open_sweep
from ecnomy.analysis.sweeps.searching import make_missing
from ecnomy.analysis.tune.best_values import Rows, TuningAnswer, answered, best_of
from ecnomy.analysis.tune.search import Search, Values
from ecnomy.markets.sweep.config import Sweep
from ecnomy.markets.sweep.driver import Observer
from ecnomy.markets.sweep.pool import Pool
from ecnomy.markets.sweep.space import Point
from ecnomy.markets.sweep.tuning import Tuning

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["tuned"]

ObserverOf = Callable[[int, int], Observer]  # runs requested so far, missing runs -> listener


def tuned(sweep: Sweep, folder: Path, pool: Pool, observer_of: ObserverOf) -> TuningAnswer:
    """Run the search to its end, then check the best values with new seeds.

    Args:
        sweep: a sweep with `tune`.
        folder: the folder of the sweep's runs.
        pool: the workers for missing runs.
        observer_of: function that returns a progress listener for each batch.

    Raises:
        InputError: the sweep has no `tune`, or optuna is not installed.
        ResultsError: runs failed or lack the outcome.
        SweepError, PoolLost: as for ecnomy.markets.sweep.driver.sweep_runs.
    """
    tuning = sweep.tune
    if tuning is None:
        raise InputError(
            f"{sweep.file}: missing 'tune', the section that names the parameters to search"
        )
    points: list[Point] = []
    tried: dict[Values, Rows] = {}
    search = Search(tuning, sweep.seed)
    while batch := search.ask():
        fresh = [values for values in dict.fromkeys(batch) if values not in tried]
        for values in fresh:
            points += _points(sweep, values, len(points), unseen=False)
        if fresh:
            frame = _made(sweep, folder, points, pool, observer_of)
            tried |= zip(fresh, _rows(sweep, frame, len(fresh)), strict=True)
        search.tell(*_outcomes_and_excesses(tuning, [tried[values] for values in batch]))
    best = best_of(tuning, tried)
    _check_known(sweep, tried[best])
    points += _points(sweep, best, len(points), unseen=True)
    frame = _made(sweep, folder, points, pool, observer_of)
    unseen = _columns(tuning, frame.iloc[-tuning.check :])
    _check_known(sweep, unseen)
    return answered(tuning, tried, unseen)


def _check_known(sweep: Sweep, rows: Rows) -> None:
    for outcome, row in rows.items():
        if not np.isfinite(row).all():
            lacking = f"{(~np.isfinite(row)).sum()} of {len(row)} runs lack {outcome}"
            raise ResultsError(
                f"{sweep.file}: at the best values, {lacking}, expected the outcome in all runs"
            )


def _points(sweep: Sweep, values: Values, number: int, *, unseen: bool) -> Iterator[Point]:
    assert sweep.tune is not None
    params = sweep.tune.assignment(values)
    first = sweep.replicates if unseen else 0
    count = sweep.tune.check if unseen else sweep.replicates
    for replicate in range(first, first + count):
        yield Point(number + replicate - first, params, replicate, sweep.seed + replicate)


def _made(
    sweep: Sweep, folder: Path, points: list[Point], pool: Pool, observer_of: ObserverOf
) -> pd.DataFrame:
    planned = msgspec.structs.replace(sweep, chosen=tuple(points))
    make_missing(planned, folder, pool, observer_of)
    frame = open_sweep(folder, partial=True)
    refuse_failed_runs(frame, sweep.file)
    _check_columns(sweep, frame)
    return frame


def _check_columns(sweep: Sweep, frame: pd.DataFrame) -> None:
    assert sweep.tune is not None
    places = {sweep.tune.outcome: sweep.tune.aim}
    for bound in sweep.tune.bounds:
        places.setdefault(bound.outcome, "constraints")
    for outcome, key in places.items():
        if outcome not in frame or frame[outcome].dtype == object:
            found = f"{outcome!r}, which is not a column of numbers"
            expected = "an outcome of the runs (`ecnomy query` lists the columns)"
            raise ResultsError(f"{sweep.file}: tune.{key}: found {found}, expected {expected}")


def _rows(sweep: Sweep, frame: pd.DataFrame, count: int) -> list[Rows]:
    assert sweep.tune is not None
    each = sweep.replicates
    last = frame.iloc[-count * each :]
    return [
        _columns(sweep.tune, last.iloc[number * each : (number + 1) * each])
        for number in range(count)
    ]


def _columns(tuning: Tuning, frame: pd.DataFrame) -> Rows:
    names = dict.fromkeys((tuning.outcome, *(bound.outcome for bound in tuning.bounds)))
    return {name: frame[name].to_numpy(dtype=np.float64) for name in names}


def _outcomes_and_excesses(tuning: Tuning, rows: list[Rows]) -> tuple[list[float], list[Values]]:
    """Return the mean outcome in each of the rows, and how far the row exceeds each constraint."""
    outcomes = [float(row[tuning.outcome].mean()) for row in rows]
    excesses = [
        tuple(bound.excess(float(row[bound.outcome].mean())) for bound in tuning.bounds)
        for row in rows
    ]
    return outcomes, excesses
