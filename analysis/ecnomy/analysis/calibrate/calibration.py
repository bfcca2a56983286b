# SPDX-License-Identifier: Apache-2.0
"""Runs the searches of a calibration for all points of a sweep's blocks.

The searches proceed in rounds. Each round simulates all missing runs that any search needs, as one
sweep. Because completed runs are kept, the same command resumes an interrupted search, and a search
with more seeds reuses earlier runs.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.analysis.calibrate.search import SearchProgress, SearchResult, searched
from ecnomy.analysis.sweeps.failed_runs import refuse_failed_runs
from ecnomy.analysis.sweeps.open_sweep import open_sweep
from ecnomy.analysis.sweeps.searching import make_missing
from ecnomy.markets.sweep.config import Sweep
from ecnomy.markets.sweep.driver import Observer
from ecnomy.markets.sweep.pool import Pool
from ecnomy.markets.sweep.rows import cell_of, kinds_of
from ecnomy.markets.sweep.space import Assignment, Point, products

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["calibrated", "planned_sweep", "search_results"]

ObserverOf = Callable[[int, int], Observer]  # runs requested so far, missing runs -> listener


def calibrated(
    sweep: Sweep, folder: Path, pool: Pool, observer_of: ObserverOf
) -> list[SearchResult]:
    """Run the searches until each has a result.

    Args:
        sweep: a sweep with `calibrate`.
        folder: the folder of the sweep's runs.
        pool: the workers for the runs.
        observer_of: function that returns a progress listener for each round.

    Returns:
        One result for each point of the sweep's blocks.

    Raises:
        ResultsError: runs failed or lack the outcome.
        SweepError, PoolLost: as for ecnomy.markets.sweep.driver.sweep_runs.
    """
    planned = sweep
    while True:
        make_missing(planned, folder, pool, observer_of)
        frame = open_sweep(folder, raw=True)
        more = planned_sweep(sweep, frame)
        if more.points() == planned.points():
            return search_results(sweep, frame)
        planned = more


def search_results(sweep: Sweep, frame: pd.DataFrame) -> list[SearchResult]:
    """Return the result of each search from the completed runs.

    Raises:
        ResultsError: runs failed, are missing, or lack the outcome.
    """
    results = [search.result for search in _searches(sweep, frame)]
    if any(each is None for each in results):
        raise ResultsError(
            f"{sweep.file}: the search is incomplete; resume it with `ecnomy calibrate`"
        )
    return [each for each in results if each is not None]


def planned_sweep(sweep: Sweep, frame: pd.DataFrame) -> Sweep:
    """Return the sweep of all runs that the searches need so far.

    The check runs one value of the search again with other seeds. In the sweep's table, `replicate`
    continues its count for that value.

    Raises:
        ResultsError: runs failed or lack the outcome.
    """
    points: list[Point] = []
    assert sweep.calibrate is not None
    for params, search in zip(_bases(sweep), _searches(sweep, frame), strict=True):
        for value in search.values:
            _add(points, sweep, {**params, **sweep.calibrate.assignment(value)}, unseen=False)
        if search.checked is not None:
            values = sweep.calibrate.assignment(search.checked)
            _add(points, sweep, {**params, **values}, unseen=True)
    return msgspec.structs.replace(sweep, chosen=tuple(points))


def _add(points: list[Point], sweep: Sweep, params: Assignment, *, unseen: bool) -> None:
    """Add the runs of a value, with the seeds of the search or with as many unused seeds."""
    first = sweep.replicates if unseen else 0
    for replicate in range(first, first + sweep.replicates):
        points.append(Point(len(points), params, replicate, sweep.seed + replicate))


def _bases(sweep: Sweep) -> list[Assignment]:
    return list(products(sweep.blocks, sweep.seed))


def _searches(sweep: Sweep, frame: pd.DataFrame) -> list[SearchProgress]:
    calibration = sweep.calibrate
    if calibration is None:
        raise InputError(
            f"{sweep.file}: missing 'calibrate', the section that names the parameter to search"
        )
    refuse_failed_runs(frame, sweep.file)
    if calibration.figure not in frame or frame[calibration.figure].isna().any():
        lacking = calibration.figure not in frame
        what = "which is not a column" if lacking else "which some runs lack"
        expected = "a column with a value in every run (`ecnomy query` lists the columns)"
        place = f"{sweep.file}: calibrate.figure"
        raise ResultsError(f"{place}: found {calibration.figure!r}, {what}, expected {expected}")
    kinds = kinds_of(sweep)
    return [
        searched(calibration, dict(params), calibration.target(index), _Rows(sweep, own))
        for index, params in enumerate(_bases(sweep))
        for own in [_at(frame, params, kinds)]
    ]


def _at(frame: pd.DataFrame, params: Assignment, kinds: dict[str, Any]) -> pd.DataFrame:
    for path, value in params.items():
        frame = frame[frame[path] == cell_of(value, kinds[path])]
    return frame


class _Rows:
    """The outcomes at one point of the blocks, by parameter value and seed."""

    def __init__(self, sweep: Sweep, frame: pd.DataFrame) -> None:
        assert sweep.calibrate is not None
        self._calibration, self._count, self._first = sweep.calibrate, sweep.replicates, sweep.seed
        columns = (frame[name] for name in (sweep.calibrate.path, "seed", sweep.calibrate.figure))
        self._rows = {(float(v), int(s)): float(y) for v, s, y in zip(*columns, strict=True)}

    def __call__(self, value: float, unseen: bool) -> Floats | None:
        shown = cell_of(self._calibration.range.shown(value), self._calibration.range.unit)
        first = self._first + (self._count if unseen else 0)
        row = [self._rows.get((float(shown), first + number)) for number in range(self._count)]
        return None if None in row else np.array(row, dtype=np.float64)
