# SPDX-License-Identifier: Apache-2.0
"""The runs behind the entries: studies are sweeps, made by the sweep runner and kept in its stores.

<out>/<paper>/<study>/            the store of a study as a whole
<out>/<paper>/<study>-quick/      of its quick form
<out>/<paper>/<study>-omnet/      by another engine than the built-in one
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from ecnomy.agents.errors import ResultsError
from ecnomy.analysis.reproduce.catalogue import Paper
from ecnomy.analysis.sweeps import load
from ecnomy.markets.engines import DEFAULT_ENGINE
from ecnomy.markets.sweep.config import Sweep, load_sweep
from ecnomy.markets.sweep.driver import Observer, missing, sweep_runs
from ecnomy.markets.sweep.pool import Pool
from ecnomy.markets.sweep.store import Store

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MOST_SEEDS", "Form", "Listener", "Runs", "Studies", "make_study", "study_folder"]

MOST_SEEDS: Final = 40
_ROW: Final = re.compile(r"(?P<name>.+)\[(?P<index>\d+)\]")


class Form(msgspec.Struct, frozen=True):
    """How runs are made.

    Attributes:
        out: the folder of all stores.
        quick: fewer seeds and points.
        engine: by name.
    """

    out: Path
    quick: bool = False
    engine: str = DEFAULT_ENGINE

    @property
    def ending(self) -> str:
        """What names of stores and files end with, so that forms do not mix."""
        quick = "-quick" if self.quick else ""
        return quick + ("" if self.engine == DEFAULT_ENGINE else f"-{self.engine}")


class Listener(Protocol):
    """Who is told how a study goes."""

    def study(self, paper: str, study: str, runs: int, missing: int) -> Observer:
        """A study begins."""


class Runs:
    """The finished runs of one study.

    Attributes:
        frame: as ecnomy.analysis.load gives them.
        batches: whether samples are the batches of a run, not its replicates.
        budget: data packets that the study may send.
    """

    def __init__(self, frame: pd.DataFrame, *, batches: bool, budget: float) -> None:
        self.frame, self.batches, self.budget = frame, batches, budget

    @property
    def data_packets(self) -> int:
        """Sent by all runs together."""
        return int(self.frame["data_packets"].sum())

    def values(self, parameter: str) -> list[Any]:
        """The values of a parameter, in the order of the sweep; mappings as their JSON text."""
        return list(dict.fromkeys(self.frame[parameter]))

    def where(self, **columns: Any) -> Runs:
        """The runs that have these values; `__` in a name stands for a dot.

        Raises:
            ResultsError: there is none.
        """
        return self.at({name.replace("__", "."): value for name, value in columns.items()})

    def at(self, columns: Mapping[str, Any]) -> Runs:
        """The runs that have these values of these columns.

        Raises:
            ResultsError: there is none.
        """
        kept = self.frame
        for name, value in columns.items():
            kept = kept[kept[name] == value]
        if kept.empty:
            raise ResultsError(f"no run with {dict(columns)}")
        return Runs(kept, batches=self.batches, budget=self.budget)

    def sample(self, column: str) -> npt.NDArray[np.float64]:
        """One value per replicate in order of seeds; or, of a study of batches, per batch.

        Raises:
            ResultsError: no such column, or several runs of a seed (some parameter is not fixed).
        """
        if self.batches:
            row: npt.NDArray[np.float64] = self.row(column)[0]
            return row
        if column not in self.frame:
            raise ResultsError(f"no column {column!r}")
        own = self.frame.sort_values("replicate")
        if own["replicate"].duplicated().any():
            raise ResultsError(f"{column!r}: several runs of a seed; fix more parameters")
        return np.asarray(own[column], dtype=np.float64)

    def row(self, column: str) -> npt.NDArray[np.float64]:
        """A measured row of numbers, [replicate, index].

        Raises:
            ResultsError: no such column.
        """
        matches = [_ROW.fullmatch(str(name)) for name in self.frame]
        found = [(int(m["index"]), m[0]) for m in matches if m]
        names = [name for _, name in sorted(found) if name.rpartition("[")[0] == column]
        if not names:
            raise ResultsError(f"no row {column!r}")
        own = self.frame.sort_values("replicate")
        return own[names].to_numpy(dtype=np.float64)


class Studies:
    """The studies of an entry by name, loaded when first asked for."""

    def __init__(self, paper: Paper, names: Iterable[str], form: Form) -> None:
        self._paper, self._names, self._form = paper, tuple(names), form
        self._loaded: dict[str, Runs] = {}

    def __getitem__(self, name: str) -> Runs:
        if name not in self._names:
            raise KeyError(f"{name!r} is none of the entry's studies: {', '.join(self._names)}")
        if name not in self._loaded:
            self._loaded[name] = _load(self._paper, name, self._form)
        return self._loaded[name]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the studies, in the entry's order."""
        return self._names

    @property
    def data_packets(self) -> int:
        """Sent by all runs of all studies."""
        return sum(self[name].data_packets for name in self._names)


def _load(paper: Paper, name: str, form: Form) -> Runs:
    folder = study_folder(paper, name, form)
    frame = load(folder)
    failed = frame[frame["status"] != "done"]
    if len(failed):
        reason = failed["reason"].iloc[0]
        raise ResultsError(f"{folder}: {len(failed)} runs failed, the first one: {reason}")
    study = paper.studies[name]
    return Runs(frame, batches=study.batches, budget=study.budget)


def study_folder(paper: Paper, name: str, form: Form) -> Path:
    """The store of a study."""
    return form.out / paper.paper / (name + form.ending)


def load_study(paper: Paper, name: str, form: Form, doublings: int = 0) -> Sweep:
    """The sweep of a study; `doublings` of its seeds, up to MOST_SEEDS.

    Raises:
        ScenarioError: its file is wrong.
    """
    file = Path(paper.folder) / paper.studies[name].sweep
    sweep = load_sweep(file, quick=form.quick)
    replicates = sweep.replicates
    if doublings and not paper.studies[name].batches:
        replicates = max(replicates, min(MOST_SEEDS, replicates * 2**doublings))
    return msgspec.structs.replace(sweep, engine=form.engine, replicates=replicates)


def make_study(
    paper: Paper, name: str, form: Form, pool: Pool, listener: Listener, doublings: int = 0
) -> int:
    """Make the runs of a study that are missing; returns how many runs it has.

    Raises:
        ScenarioError: its sweep is wrong.
        SweepError, PoolLost: as ecnomy.markets.sweep.driver.sweep_runs.
    """
    sweep = load_study(paper, name, form, doublings)
    folder = study_folder(paper, name, form)
    folder.parent.mkdir(parents=True, exist_ok=True)
    store = Store(folder, sweep)
    try:
        store.compact()
        points = missing(store, retry_failed=True, accept_old_code=False, engine=form.engine)
        observer = listener.study(paper.paper, name, len(store.points), len(points))
        if points:
            sweep_runs(sweep, store, pool, points, observer)
        return len(store.points)
    finally:
        store.close()
