# SPDX-License-Identifier: Apache-2.0
"""Makes, stores and loads the runs of studies, which are sweeps.

<out>/<paper>/<study>/            the store of a study in full form
<out>/<paper>/<study>-quick/      the store of its quick form
<out>/<paper>/<study>-omnet/      the store of an engine other than the built-in one
<out>/<paper>/<study>@<setting>=<alternative>/   the store of a variant (grid.py)

The store of a variant holds only the points that the variant changes. All other points are in the
study's store.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.analysis.reproduce.catalogue import Paper
from ecnomy.analysis.reproduce.grid import Variant, touched
from ecnomy.analysis.sweeps.failed_runs import refuse_failed_runs
from ecnomy.analysis.sweeps.open_sweep import open_sweep
from ecnomy.markets.engines.registry import DEFAULT_ENGINE
from ecnomy.markets.sweep.config import Sweep, load_sweep
from ecnomy.markets.sweep.driver import Observer, missing, sweep_runs
from ecnomy.markets.sweep.head import head_of, is_sweep
from ecnomy.markets.sweep.pool import Pool
from ecnomy.markets.sweep.space import Point
from ecnomy.markets.sweep.store import Store

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "GRID_SEEDS",
    "MOST_SEEDS",
    "Form",
    "Runs",
    "Studies",
    "StudyProgress",
    "changed_points",
    "load_study",
    "make_study",
    "seeds_of",
    "study_folder",
    "unmade",
]

MOST_SEEDS: Final = 40
GRID_SEEDS: Final = 20  # largest number of seeds of an alternative
_ROW: Final = re.compile(r"(?P<name>.+)\[(?P<index>\d+)\]")


class Form(msgspec.Struct, frozen=True):
    """The form of runs, and where they are stored.

    Attributes:
        out: folder of all stores.
        quick: whether runs have fewer seeds and points.
        engine: name of the engine.
        grid: whether claims are judged over all settings that papers leave open.
    """

    out: Path
    quick: bool = False
    engine: str = DEFAULT_ENGINE
    grid: bool = False

    @property
    def ending(self) -> str:
        """Return the suffix of stores and files, which depends on the form."""
        quick = "-quick" if self.quick else ""
        return quick + ("" if self.engine == DEFAULT_ENGINE else f"-{self.engine}")


class StudyProgress(Protocol):
    """Receives the progress of a study."""

    def study(self, paper: str, study: str, runs: int, missing: int) -> Observer:
        """Report the start of a study, and return the observer of its runs."""


class Runs:
    """The completed runs of one study.

    Attributes:
        batches: whether samples are the batches of a run instead of replicates.
        budget: number of data packets that the study may send.
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        *,
        batches: bool,
        budget: float,
        rows: Integers | None = None,
    ) -> None:
        """Store the table and the numbers of the rows to use, or None for all rows."""
        self._table, self.batches, self.budget = frame, batches, budget
        self._rows = np.arange(len(frame)) if rows is None else rows

    @functools.cached_property
    def frame(self) -> pd.DataFrame:
        """The runs as a table in the format of ecnomy.analysis.open_sweep."""
        whole = len(self._rows) == len(self._table)
        return self._table if whole else self._table.take(self._rows)

    @property
    def data_packets(self) -> int:
        """The number of data packets sent by all runs."""
        return int(self.frame["data_packets"].sum())

    def values(self, parameter: str) -> list[Any]:
        """Return the distinct values of a parameter in sweep order, with mappings as JSON."""
        return list(dict.fromkeys(self._table[parameter].iloc[self._rows]))

    def where(self, **columns: Any) -> Runs:
        """Return the runs with these parameter values; `__` in a name stands for a dot.

        Raises:
            ResultsError: no run has these values.
        """
        return self.at({name.replace("__", "."): value for name, value in columns.items()})

    def at(self, columns: Mapping[str, Any]) -> Runs:
        """Return the runs with these values of the named columns.

        Raises:
            ResultsError: no run has these values.
        """
        rows = self._rows
        for name, value in columns.items():
            equal = (self._table[name] == value).to_numpy(dtype=bool, na_value=False)
            rows = rows[equal[rows]]
        if not len(rows):
            conditions = ", ".join(f"{name} = {value}" for name, value in columns.items())
            raise ResultsError(f"no run with {conditions}")
        return Runs(self._table, batches=self.batches, budget=self.budget, rows=rows)

    def sample(self, column: str) -> Floats:
        """Return a column's value per replicate, in order of seeds, or per batch of the first run.

        Raises:
            ResultsError: the column does not exist, or a seed has several runs (some parameter is
                not fixed).
        """
        if self.batches:
            row: Floats = self.row(column)[0]
            return row
        if column not in self._table:
            raise ResultsError(f"no column {column!r}")
        replicates = self._table["replicate"].to_numpy()[self._rows]
        if len(np.unique(replicates)) < len(replicates):
            raise ResultsError(f"{column!r}: found several runs of one seed; fix more parameters")
        values = np.asarray(self._table[column].iloc[self._rows], dtype=np.float64)
        return values[np.argsort(replicates)]

    def row(self, column: str) -> Floats:
        """Return the numbers in `<column>[0]`, `<column>[1]` and so on, [replicate, index].

        Raises:
            ResultsError: there are no such columns.
        """
        matches = [_ROW.fullmatch(str(name)) for name in self.frame]
        columns = [(int(m["index"]), m[0]) for m in matches if m]
        names = [name for _, name in sorted(columns) if name.rpartition("[")[0] == column]
        if not names:
            raise ResultsError(f"no row {column!r}")
        own = self.frame[["replicate", *names]].sort_values("replicate")
        return own[names].to_numpy(dtype=np.float64)


class Studies:
    """The studies of an entry by name, each loaded when it is first used."""

    def __init__(
        self, paper: Paper, names: Iterable[str], form: Form, variant: Variant | None = None
    ) -> None:
        self._paper, self._names, self._form = paper, tuple(names), form
        self._variant = variant
        self._loaded: dict[str, Runs] = {}

    def __getitem__(self, name: str) -> Runs:
        if name not in self._names:
            expected = f"expected one of {', '.join(self._names)}"
            raise KeyError(f"{name!r} is not a study of the entry, {expected}")
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def _load(self, name: str) -> Runs:
        paper, form, study = self._paper, self._form, self._paper.studies[name]
        variant = self._variant
        varied = variant is not None and touched(paper, [name], variant)
        sweep = load_study(paper, name, form, variant=variant if varied else None)
        if variant is not None and varied:
            frame = _of_variant(paper, name, form, variant)
            least = sweep.replicates  # the number of seeds in every variant of this study
        else:
            frame, least = _finished(study_folder(paper, name, form)), 0
        # A calibration also has seeds beyond its replicates, which check its result.
        if not study.batches and sweep.calibrate is None:
            frame = frame[frame["replicate"] < max(least, self._seeds())]
        return Runs(frame, batches=study.batches, budget=study.budget)

    def _seeds(self) -> float:
        """Return how many seeds of a study to use next to a variant, which may have fewer seeds."""
        paper, variant = self._paper, self._variant
        if variant is None:
            return math.inf
        varied = [n for n in touched(paper, self._names, variant) if not paper.studies[n].batches]
        return min((seeds_of(paper, n, self._form, variant) for n in varied), default=math.inf)

    def setting(self, name: str, path: str) -> str:
        """Return a setting of a study's runs as written, or all its values if the sweep varies it.

        Raises:
            InputError: the study or setting does not exist.
        """
        if name not in self._names:
            raise InputError(
                f"{name}@{path}: no such study, expected one of {', '.join(self._names)}"
            )
        variant = self._variant
        if variant and not touched(self._paper, [name], variant):
            variant = None
        sweep = load_study(self._paper, name, self._form, variant=variant)
        texts = dict.fromkeys(sweep.written_value(point.params, path) for point in sweep.points())
        return " and ".join(texts)

    def replicates(self, name: str) -> int:
        """Return the number of seeds of a study's existing runs, including doubled seeds."""
        varied = self._variant and touched(self._paper, [name], self._variant)
        variant = self._variant if varied else None
        return seeds_of(self._paper, name, self._form, variant)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the studies, in the entry's order."""
        return self._names

    @property
    def data_packets(self) -> int:
        """The number of data packets sent by all runs of all studies."""
        return sum(self[name].data_packets for name in self._names)


def _finished(folder: Path) -> pd.DataFrame:
    frame = open_sweep(folder, raw=True)
    refuse_failed_runs(frame, folder)
    return frame


def _of_variant(paper: Paper, name: str, form: Form, variant: Variant) -> pd.DataFrame:
    """Return the runs of a study under a variant, including points that it does not change."""
    import pandas as pd

    folder = study_folder(paper, name, form, variant)
    sweep, own = load_study(paper, name, form, variant=variant), _finished(folder)
    replicates = seeds_of(paper, name, form, variant)
    changed = {p.number // sweep.replicates for p in changed_points(sweep)}
    if len(changed) * sweep.replicates == len(sweep):
        return own
    others = _finished(study_folder(paper, name, form))
    index = others["number"] // seeds_of(paper, name, form)
    others = others[~index.isin(changed) & (others["replicate"] < replicates)]
    others = others.assign(number=index * replicates + others["replicate"])
    return pd.concat([own, others]).sort_values("number", ignore_index=True)


def changed_points(sweep: Sweep) -> list[Point]:
    """Return the points at which a sweep's variant changes the scenario, or all without a variant.

    Raises:
        ScenarioError: the scenario lacks a path that the variant names.
    """
    points = sweep.points()
    if not sweep.variant:
        return points
    known: dict[bytes, bool] = {}
    for point in points:
        text = msgspec.json.encode(point.params)
        if text not in known:
            known[text] = sweep.varied(point.params)
    return [point for point in points if known[msgspec.json.encode(point.params)]]


def study_folder(paper: Paper, name: str, form: Form, variant: Variant | None = None) -> Path:
    """Return the folder that stores a study, or a variant of it."""
    of = f"@{variant.name}" if variant else ""
    return form.out / paper.paper / (name + of + form.ending)


def load_study(
    paper: Paper, name: str, form: Form, doublings: int = 0, variant: Variant | None = None
) -> Sweep:
    """Return the sweep of a study, with its seeds doubled `doublings` times, up to MOST_SEEDS.

    The seeds of a study of batches are not doubled.

    Raises:
        ScenarioError: the sweep's file is invalid.
        InputError: the variant changes no point.
    """
    study = paper.studies[name]
    sweep = load_sweep(Path(paper.folder) / study.sweep, quick=form.quick)
    replicates = sweep.replicates
    if variant and study.grid_replicates:
        replicates = min(replicates, study.grid_replicates)
    if doublings and not study.batches:
        replicates = max(replicates, min(MOST_SEEDS, replicates * 2**doublings))
    changes = variant.changes if variant else ()
    sweep = msgspec.structs.replace(
        sweep, engine=form.engine, replicates=replicates, variant=changes
    )
    if variant and not changed_points(sweep):
        place = f"{paper.folder}/claims.yaml: settings.{variant.setting}"
        found = f"{variant.alternative!r}, which changes nothing in study {name!r}"
        raise InputError(f"{place}: found {found}, expected a change, or the study under `except`")
    return sweep


def seeds_of(paper: Paper, name: str, form: Form, variant: Variant | None = None) -> int:
    """Return the number of seeds of the existing runs of a study, or of a variant of it.

    Raises:
        ResultsError: the runs do not exist.
    """
    return int(head_of(study_folder(paper, name, form, variant))["replicates"])


def make_study(
    paper: Paper,
    name: str,
    form: Form,
    pool: Pool,
    listener: StudyProgress,
    doublings: int = 0,
    variant: Variant | None = None,
    least: int = 0,
) -> int:
    """Make the missing runs of a study, or of a variant of it, and return the number of all runs.

    Existing seeds are kept. `least` is the minimum number of seeds, except for a study of batches.

    Raises:
        ScenarioError, InputError: the sweep or variant is invalid.
        SweepError, PoolLost: as for ecnomy.markets.sweep.driver.sweep_runs.
    """
    sweep = load_study(paper, name, form, doublings, variant)
    folder = study_folder(paper, name, form, variant)
    if not paper.studies[name].batches:
        had = seeds_of(paper, name, form, variant) if is_sweep(folder) else 0
        sweep = msgspec.structs.replace(sweep, replicates=max(sweep.replicates, least, had))
    folder.parent.mkdir(parents=True, exist_ok=True)
    wanted = {point.number for point in changed_points(sweep)}
    label = f"{name}@{variant.name}" if variant else name
    store = Store(folder, sweep)
    try:
        store.compact()
        points = _missing(store, form, wanted)
        observer = listener.study(paper.paper, label, len(wanted), len(points))
        if points:
            sweep_runs(sweep, store, pool, points, observer)
        return len(wanted)
    finally:
        store.close()


def _missing(store: Store, form: Form, wanted: set[int]) -> list[str]:
    points = missing(store, retry_failed=True, accept_old_code=False, engine=form.engine)
    return [point for point in points if store.points[point].number in wanted]


def unmade(paper: Paper, name: str, form: Form, variant: Variant | None = None) -> int:
    """Return the number of a study's runs that are missing, failed or made by other code.

    Raises:
        ResultsError: the study has no store.
    """
    replicates = seeds_of(paper, name, form, variant)
    sweep = load_study(paper, name, form, variant=variant)
    sweep = msgspec.structs.replace(sweep, replicates=replicates)
    store = Store(study_folder(paper, name, form, variant), sweep)
    try:
        return len(_missing(store, form, {point.number for point in changed_points(sweep)}))
    finally:
        store.close()
