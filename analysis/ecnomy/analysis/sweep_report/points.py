# SPDX-License-Identifier: Apache-2.0
"""Reads a sweep into arrays: the completed runs, their points, and the selected outcomes.

DuckDB reads the columns, at 100,000 runs per second. If seeds are paired, the runs of a replicate
share a seed, so they have the same random streams at all points.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.analysis.statistics.intervals import LEVEL, Interval
from ecnomy.analysis.sweeps.failed_runs import no_finished_run
from ecnomy.analysis.sweeps.labels import (
    Factor,
    factors_in,
    labels_of_column,
    levels_at,
    quoted_name,
)
from ecnomy.analysis.sweeps.missing import missing_runs
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.sweep.head import head_of
from ecnomy.markets.sweep.main_outcomes import main_outcomes

__all__ = ["SearchGoal", "Swept", "Varied", "half_widths", "mean_interval", "open_swept"]

_ANY: Final = 4  # number of outcomes shown if all are unknown
_COUNTED: Final = "welfare_agents"
_OF_UTILITIES: Final = ("welfare", "consumer_surplus", "optimum_ratio")
_NO_OUTCOMES: Final = (
    *("run", "number", "point", "replicate", "label", "seed", "status", "reason"),
    *("engine_cpu_s", "wall_s", "data_packets", "worker"),
)


class SearchGoal(msgspec.Struct, frozen=True):
    """The goal of a search and its checks (ecnomy.markets.sweep.searched).

    Attributes:
        verb: the verb of ecnomy that continues the search and prints the result.
        bounds: (outcome, least mean, largest mean) of each bound; None on a side without a bound.
        checked: the points that the search checked with new seeds; empty before the check.
        there: the mean of the main outcome over the new seeds, at the last point checked.
    """

    verb: str
    aim: str
    outcome: str
    target: float | None
    bounds: tuple[tuple[str, float | None, float | None], ...] = ()
    checked: tuple[int, ...] = ()
    there: Interval | None = None


class Varied(msgspec.Struct, frozen=True):
    """A factor with several values, and its value in each run.

    Attributes:
        codes: number of the level in each run; for samples, the rank of the value.
        x: value in each run; for categorical factors, the number of the level.
    """

    factor: Factor
    codes: Any
    x: Any

    @property
    def is_number(self) -> bool:
        """Whether the values are numbers."""
        return self.factor.sampled or bool(self.factor.values)

    @property
    def axis(self) -> str:
        """The name of the factor with its unit."""
        return self.factor.axis

    def level_words(self, level: int) -> str:
        """Return a level in words for sentences."""
        name = self.factor.labels[level]
        return name if not self.is_number else f"{self.factor.name} {name}"


class Swept(msgspec.Struct, frozen=True):
    """The completed runs of a sweep.

    Attributes:
        varied: the factors with several values.
        outcomes: the selected outcomes, the main one first.
        values: outcomes of shape (runs, outcomes); NaN if a run lacks an outcome.
        point: point of each run, numbered from 0 without gaps.
        replicate: replicate of each run, numbered as in the sweep.
        labels: the label of each point.
        paired: whether the runs of a replicate share a seed.
        level: confidence level of intervals. It is above LEVEL if replicates were added until an
            interval was narrow, so that all looks together are at LEVEL (sequential.py).
        looks: largest number of looks at the replicates of a point.
        notes: notes for readers, e.g. on failed runs.
        search: the goal of a search; None for a sweep without a search.
    """

    folder: Path
    title: str
    varied: tuple[Varied, ...]
    outcomes: tuple[str, ...]
    values: Any
    point: Any
    replicate: Any
    labels: tuple[str, ...]
    paired: bool
    level: float = LEVEL
    looks: int = 1
    notes: tuple[str, ...] = ()
    search: SearchGoal | None = None

    def of(self, outcome: str) -> Floats:
        """Return the values of an outcome by run."""
        column: Floats = self.values[:, self.outcomes.index(outcome)]
        return column

    @property
    def runs(self) -> int:
        """The number of completed runs."""
        return len(self.point)

    @property
    def points(self) -> int:
        """The number of points with a completed run."""
        return len(self.labels)

    def table(self, outcome: str) -> tuple[Floats, Floats, Integers]:
        """Return mean, standard deviation (NaN for one run) and number of runs at each point."""
        return moments(self.of(outcome), self.point, self.points)


def moments(values: Floats, groups: Integers, count: int) -> tuple[Floats, Floats, Integers]:
    """Return the mean, standard deviation and number of the finite values in each group."""
    known = np.isfinite(values)
    own, y = groups[known], values[known]
    n = np.bincount(own, minlength=count)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.bincount(own, y, count) / n
        squares = np.bincount(own, (y - mean[own]) ** 2, count)
        spread = np.sqrt(np.where(n > 1, squares / (n - 1), np.nan))
    return mean, spread, n


def half_widths(spread: Floats, n: Integers, level: float) -> Floats:
    """Return the half-width of Student's t interval of each group's mean; NaN for one run."""
    from scipy.stats import t

    with np.errstate(divide="ignore", invalid="ignore"):
        halves: Floats = t.ppf((1 + level) / 2, np.maximum(n - 1, 1)) * spread / np.sqrt(n)
    return np.where(n > 1, halves, np.nan)


def mean_interval(values: Floats, level: float) -> Interval:
    """Return Student's t interval of a mean; both ends are NaN for a single run."""
    mean, spread, n = moments(values, np.zeros(len(values), dtype=np.int64), 1)
    half = float(half_widths(spread, n, level)[0])
    at = float(mean[0])
    return Interval(at, at - half, at + half, level, int(n[0]))


def open_swept(folder: Path, named: Sequence[str] = ()) -> Swept:
    """Open the completed runs of a sweep.

    Args:
        folder: the folder of the sweep.
        named: outcomes to select; if empty, those of the sweep file or the usual ones.

    Raises:
        ResultsError: the sweep does not exist or has no completed run.
        InputError: an outcome is missing from all runs.
    """
    from ecnomy.analysis.sweeps.open_sweep import connect

    head = head_of(folder)
    with connect(folder) as connection:
        kinds = _columns(connection)
        outcomes = _chosen(folder, connection, kinds, head, named)
        paths = [path for path in head["kinds"] if path in kinds]
        counts = [_COUNTED] if _COUNTED in kinds else []
        columns = dict.fromkeys([*paths, *outcomes, *counts])
        wanted = ["point", "replicate", *(quoted_name(c) for c in columns)]
        done = "from runs where status = 'done'"
        made, failed = connection.execute(
            "select count(*) filter (status = 'done'), count(*) filter (status <> 'done') from runs"
        ).fetchall()[0]
        numbers = connection.execute("select number from runs").fetchnumpy()["number"]
        if not made:
            raise no_finished_run(folder)
        read = connection.sql(f"select {', '.join(wanted)} {done}").fetchnumpy()
        labelled = connection.execute(
            f"select point, any_value(label) as label {done} group by 1 order by 1"
        ).fetchall()
    unlike = _unlike(read) if set(outcomes) & set(_OF_UTILITIES) else ()
    if not (named or head.get("outcomes")):
        if unlike:
            outcomes = tuple(name for name in outcomes if name not in _OF_UTILITIES) or outcomes
        outcomes = tuple(n for n in outcomes if _moves(_floats(read[n]))) or outcomes[:1]
    places = np.asarray(read["point"], dtype=np.int64)
    there = np.array([place for place, _ in labelled], dtype=np.int64)
    varied = tuple(v for v in _varied(head, read, places, paths) if len(np.unique(v.codes)) > 1)
    looks = len(head.get("looks", ())) or 1
    swept = Swept(
        folder=folder,
        title=head.get("title") or Path(head["file"]).stem,
        varied=varied,
        outcomes=outcomes,
        values=np.column_stack([_floats(read[name]) for name in outcomes]),
        point=np.searchsorted(there, places),
        replicate=np.asarray(read["replicate"], dtype=np.int64),
        labels=tuple(str(label) for _, label in labelled),
        paired=bool(head.get("paired", True)),
        level=1 - (1 - LEVEL) / looks,
        looks=looks,
        notes=_notes(folder, failed, list(numbers), head) + unlike,
    )
    return _of_search(swept, head) if "search" in head else swept


def _unlike(read: dict[str, Any]) -> tuple[str, ...]:
    """Return a note if welfare covers more agents in some runs than in others."""
    if _COUNTED not in read:
        return ()
    counts = np.nan_to_num(_floats(read[_COUNTED])).astype(np.int64)
    if counts.min() == counts.max():
        return ()
    return (
        f"Welfare and consumer surplus count the agents whose strategies declare a utility: "
        f"{counts.min()} in some runs, {counts.max()} in others. Do not compare such runs by "
        "these outcomes.",
    )


def _columns(connection: Any) -> dict[str, str]:
    return {str(row[0]): str(row[1]) for row in connection.execute("describe runs").fetchall()}


def _chosen(
    folder: Path,
    connection: Any,
    kinds: dict[str, str],
    head: dict[str, Any],
    named: Sequence[str],
) -> tuple[str, ...]:
    numbers = ("DOUBLE", "BIGINT", "INTEGER", "HUGEINT")
    parameters = set(head["kinds"])
    there = [
        name
        for name, kind in kinds.items()
        if kind in numbers and name not in _NO_OUTCOMES and name not in parameters
    ]
    given = tuple(named or head.get("outcomes") or ())
    for name in given:
        if name not in there:
            where = "--outcome" if named else "outcomes of the sweep file"
            raise InputError(
                f"{folder}: {where}: found {name!r}, which no run has, expected an outcome "
                f"({known_name(name, there)})"
            )
    own = bool(head.get("own"))
    everywhere = there if given else _in_every_point(connection, there)
    mains = (main_outcomes(names, given, own) for names in (everywhere, there))
    outcomes = dict.fromkeys(itertools.chain(*mains))
    if not (outcomes or there):
        raise ResultsError(f"{folder}: the runs have no outcomes to report")
    return tuple(outcomes) or tuple(there[:_ANY])


def _in_every_point(connection: Any, names: Sequence[str]) -> list[str]:
    """Return the outcomes that all points with a completed run have.

    For example, the profit of agents that declare a utility may exist at some points only, so
    that only these points can be compared by it.
    """
    if not names:
        return []
    counts = ", ".join(f"count({quoted_name(name)}) as {quoted_name(name)}" for name in names)
    least = ", ".join(f"min({quoted_name(name)})" for name in names)
    row = connection.execute(
        f"select {least} from (select {counts} from runs where status = 'done' group by point)"
    ).fetchone()
    return [name for name, count in zip(names, row or (), strict=True) if count]


def _of_search(swept: Swept, head: dict[str, Any]) -> Swept:
    """Return the runs that determined a search's choice, without the checks with new seeds."""
    search = msgspec.convert(head["search"], SearchGoal)
    own = swept.replicate < head["replicates"]
    if not own.all():
        places = swept.point[~own]
        last = int(places[-1])
        there = mean_interval(swept.values[~own, 0][places == last], LEVEL)
        checked = tuple(dict.fromkeys(int(place) for place in places))
        search = msgspec.structs.replace(search, checked=checked, there=there)
    varied = tuple(msgspec.structs.replace(v, codes=v.codes[own], x=v.x[own]) for v in swept.varied)
    left = int((~own).sum())
    note = f"{left} runs with seeds not used in the search are excluded from the means of points."
    return msgspec.structs.replace(
        swept,
        varied=varied,
        values=swept.values[own],
        point=swept.point[own],
        replicate=swept.replicate[own],
        notes=(*swept.notes, *(() if own.all() else (note,))),
        search=search,
    )


def _moves(column: Floats) -> bool:
    known = column[np.isfinite(column)]
    return bool(known.size) and float(np.ptp(known)) > 0


def _floats(column: Any) -> Floats:
    if isinstance(column, np.ma.MaskedArray):
        masked: Any = column.astype(np.float64)
        filled: Floats = masked.filled(math.nan)
        return filled
    return np.asarray(column, dtype=np.float64)


def _varied(
    head: dict[str, Any], read: dict[str, Any], places: Integers, paths: Sequence[str]
) -> list[Varied]:
    factors = factors_in(head)
    if "factors" not in head:
        return [_by_values(head, path, read[path]) for path in paths]
    levels = levels_at(head, places)
    parameters = []
    for factor, level in zip(factors, levels, strict=True):
        if factor.sampled:
            x = _floats(read[factor.paths[0]])
            parameters.append(Varied(factor, np.unique(x, return_inverse=True)[1], x))
        elif factor.values:
            parameters.append(Varied(factor, level, np.array(factor.values)[level]))
        else:
            parameters.append(Varied(factor, level, level.astype(np.float64)))
    return parameters


def _by_values(head: dict[str, Any], path: str, column: Any) -> Varied:
    """Return a factor of a sweep made by an earlier version of ecnomy, which stored no factors."""
    unit = head["kinds"][path]
    if unit is None:
        values, codes = np.unique(np.asarray(column, dtype=str), return_inverse=True)
        return Varied(labels_of_column(path, "", [str(v) for v in values], ()), codes, codes * 1.0)
    x = _floats(column)
    numbers, codes = np.unique(x, return_inverse=True)
    labels = [f"{v:.5g} {unit}".strip() for v in numbers]
    return Varied(labels_of_column(path, unit, labels, tuple(map(float, numbers))), codes, x)


def _notes(folder: Path, failed: int, numbers: list[int], head: dict[str, Any]) -> tuple[str, ...]:
    notes, requested = [], len(head["points"])
    if failed:
        notes.append(f"{failed} of {requested} runs failed and are excluded.")
    if missing := missing_runs(folder, requested, numbers):
        notes.append(f"{missing}.")
    if head.get("plan"):
        kind = head["plan"]["kind"].capitalize()
        notes.append(f"The points were sampled for {kind}'s indices: ecnomy sensitivity {folder}")
    if head.get("until"):
        until = head["until"]
        shown = until["half_width"]
        width = f"{100 * shown:g} % of its mean" if until["relative"] else f"{shown:g}"
        looks = f"{len(head['looks'])} looks"
        notes.append(
            f"Replicates were added until the interval of {until['outcome']} was within {width}, "
            f"or to {until['most']}. The interval of each look is at "
            f"{100 * head['level_of_look']:.4g} %, so that all {looks} "
            f"together are at {100 * until['level']:g} %."
        )
    return tuple(notes)
