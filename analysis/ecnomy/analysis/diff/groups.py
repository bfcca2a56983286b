# SPDX-License-Identifier: Apache-2.0
"""Opens the two groups of a diff, from the names of runs, folders or sweeps.

A group is selected by one or more of these names:

    results/red-1                     the results folder of a run
    results/red                       a folder that contains results folders: 1/, 2/, 3/
    results/price                     a sweep of one point with any number of seeds
    results/price:PATH=VALUE          the runs of a sweep with this value of a parameter
    results/laws:red                  the same, if only one parameter has a value with this name

Two runs form a pair if they have the same seed and, in sweeps, the same values of all other
parameters.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.analysis.diff.outcomes import outcomes_of
from ecnomy.analysis.sweeps.labels import labels_of
from ecnomy.analysis.sweeps.value_words import words_of
from ecnomy.markets.results.rawrun import RawRun, open_raw
from ecnomy.markets.support.wording import counted
from ecnomy.markets.sweep.head import head_of, is_sweep

__all__ = ["Member", "RunGroup", "open_group", "sweep_groups"]

_MANIFEST: Final = "manifest.json"
_NO_OUTCOME: Final = (
    *("run", "number", "replicate", "seed", "status", "reason", "engine_cpu_s", "wall_s"),
    *("data_packets", "worker", "label", "engine", "point"),
)
_MOST_NAMED: Final = 6


class Member(msgspec.Struct, frozen=True, eq=False):
    """A run in a group.

    Attributes:
        key: the seed and the values of the other sweep parameters; two runs with equal keys form a
            pair.
        values: column of the outcome -> value; None if undefined.
        scenario: the scenario with all its defaults; None if unknown.
        run: the results; None if the sweep did not keep them.
        made_by: names and versions of the engine and of ecnomy.
    """

    label: str
    seed: int
    key: tuple[Any, ...]
    values: dict[str, float | None]
    scenario: dict[str, Any] | None
    run: RawRun | None
    made_by: dict[str, str] = {}


class RunGroup(msgspec.Struct, frozen=True, eq=False):
    """One of the two groups of a diff.

    Attributes:
        name: short name for headings.
        members: the complete runs.
        left_out: descriptions of the runs left out: incomplete, failed or missing ones.
    """

    name: str
    members: tuple[Member, ...]
    left_out: tuple[str, ...] = ()


def open_group(names: Sequence[str | Path]) -> RunGroup:
    """Return the group of runs that names select.

    Raises:
        ResultsError: a name does not select a run, or all selected runs are incomplete.
        InputError: a run occurs twice in the group.
    """
    groups = [_opened(str(name)) for name in names]
    members = tuple(member for group in groups for member in group.members)
    left_out = tuple(note for group in groups for note in group.left_out)
    if not members:
        raise ResultsError(f"{names[0]}: found only incomplete runs ({'; '.join(left_out)})")
    twice = [m.label for i, m in enumerate(members) if m.label in {o.label for o in members[:i]}]
    if twice:
        raise InputError(f"{twice[0]}: found twice in a group, expected once")
    parents = {Path(str(name)).parent for name in names}
    alone = groups[0].name if len(groups) == 1 else ""
    common = parents.pop().name if len(parents) == 1 else ""
    return RunGroup(alone or common or f"{names[0]} and {len(names) - 1} more", members, left_out)


def _opened(name: str) -> RunGroup:
    folder, _, chosen = name.partition(":")
    if Path(name).is_dir() or not chosen:
        folder, chosen = name, ""
    path = Path(folder)
    if path.is_dir() and is_sweep(path):
        return _of_sweep(path, chosen)
    if chosen:
        raise ResultsError(
            f"{folder}: not a sweep, expected the folder of a sweep before ':{chosen}'"
        )
    if (path / _MANIFEST).is_file() or not path.is_dir():
        return _of_runs([path], path)
    inside = sorted((f.parent for f in path.glob(f"*/{_MANIFEST}")), key=_by_number)
    if not inside:
        expected = "the results of a run, a folder of several runs, or a sweep"
        raise ResultsError(
            f"{path}: missing {_MANIFEST} in the folder and its subfolders, expected {expected}"
        )
    return _of_runs(inside, path)


def _by_number(folder: Path) -> tuple[float, str]:
    return (float(folder.name) if folder.name.isdecimal() else math.inf, folder.name)


def _of_runs(folders: Sequence[Path], of: Path) -> RunGroup:
    members, left_out = [], []
    for folder in folders:
        run = open_raw(folder)
        if run.note is not None:
            left_out.append(f"{folder}: {run.note}")
            continue
        manifest = run.manifest
        members.append(
            Member(
                label=str(folder),
                seed=manifest.seed,
                key=(manifest.seed,),
                values=outcomes_of(run),
                scenario=manifest.scenario,
                run=run,
                made_by={name: str(version) for name, version in manifest.versions.items()},
            )
        )
    return RunGroup(of.name or str(of), tuple(members), tuple(left_out))


def sweep_groups(folder: Path, path: str) -> tuple[RunGroup, RunGroup]:
    """Return two groups of runs: one for each value of a sweep's parameter.

    Raises:
        InputError: the sweep does not have this parameter, or the parameter does not have two
            values.
    """
    sweep = _Sweep(folder)
    words = sweep.words(path)
    if len(words) != 2:
        listed = ", ".join(words.values())
        two = [f"{folder}:{path}={value}" for value in [*words.values()][:: len(words) - 1 or 1]]
        found = f"only one value ({listed})"
        how = "run the sweep with another value too"
        if len(two) > 1:
            found = f"{len(words)} values ({listed})"
            how = f"choose two: {shlex.join(['ecnomy', 'diff', *two])}"
        raise InputError(f"--by {path}: found {found}, expected two; {how}")
    first, second = (sweep.group({path: value}, text) for value, text in words.items())
    return first, second


def _of_sweep(folder: Path, chosen: str) -> RunGroup:
    sweep = _Sweep(folder)
    if not chosen:
        if sweep.points > 1:
            known = " or ".join(sweep.paths[:_MOST_NAMED])
            how = f"expected {folder}:PATH=VALUE, or --by PATH, with {known} as PATH"
            raise InputError(f"{folder}: found a sweep of {sweep.points} points, {how}")
        return sweep.group({}, folder.name)
    named, _, written = chosen.rpartition("=")
    paths = [named] if named else sweep.paths
    matches = [(p, v, w) for p in paths for v, w in sweep.words(p).items() if _meant(written, v, w)]
    if len(matches) != 1:
        values = "; ".join(f"{p}: {', '.join(sweep.words(p).values())}" for p in paths)
        if matches:
            several = " and ".join(dict.fromkeys(p for p, _, _ in matches))
            raise InputError(
                f"{folder}: {written!r} is a value of {several}, expected PATH={written}"
            )
        raise InputError(f"{folder}: found no value {written!r}, expected one of {values}")
    ((path, value, words),) = matches
    return sweep.group({path: value}, words)


def _meant(written: str, value: Any, words: str) -> bool:
    if written in (words, str(value)):
        return True
    try:
        return isinstance(value, (int, float)) and float(written.partition(" ")[0]) == value
    except ValueError:
        return False


class _Sweep:
    def __init__(self, folder: Path) -> None:
        from ecnomy.analysis.sweeps.failed_runs import no_finished_run
        from ecnomy.analysis.sweeps.missing import missing_runs
        from ecnomy.analysis.sweeps.open_sweep import open_sweep

        self.folder, self._head = folder, head_of(folder)
        frame = open_sweep(folder, partial=True)
        done = frame["status"] == "done"
        self._rows: list[dict[str, Any]] = [
            {str(name): value for name, value in row.items()}
            for row in frame[done].to_dict(orient="records")
        ]
        failures = int((~done).sum())
        failed = f"{counted(failures, 'run')} failed" if failures else ""
        missing = missing_runs(folder, len(self._head["points"]), frame["number"])
        self._left_out = tuple(f"{folder}: {words}" for words in (failed, missing) if words)
        self.paths = [path for path in self._head["kinds"] if path in frame]
        self._written = labels_of(folder)
        if not self._rows:
            raise no_finished_run(folder)

    @property
    def points(self) -> int:
        """The number of distinct points in the completed runs."""
        return len({tuple(row[path] for path in self.paths) for row in self._rows})

    def words(self, path: str) -> dict[Any, str]:
        """Return the values of a parameter, each with its name in words."""
        if path not in self.paths:
            known = ", ".join(self.paths)
            raise InputError(
                f"{self.folder}: the sweep has no parameter {path!r}, expected one of {known}"
            )
        return words_of(list(dict.fromkeys(row[path] for row in self._rows)))

    def group(self, values: dict[str, Any], name: str) -> RunGroup:
        """Return the group of the runs in which parameters have the given values."""
        own = [row for row in self._rows if all(row[p] == v for p, v in values.items())]
        rest = [path for path in self.paths if path not in values]
        return RunGroup(name, tuple(self._members(own, rest)), self._left_out)

    def _members(self, rows: list[dict[str, Any]], rest: list[str]) -> Iterator[Member]:
        for row in rows:
            other = {n: v for n, v in row.items() if n not in (*_NO_OUTCOME, *self.paths)}
            numbers = {n: v for n, v in other.items() if isinstance(v, (int, float))}
            finite = {n: v if math.isfinite(v) else None for n, v in numbers.items()}
            kept = self.folder / "runs" / self._head["points"][int(row["number"])]
            run = open_raw(kept) if (kept / _MANIFEST).is_file() else None
            made_by = {"engine": str(row["engine"])} if row.get("engine") else {}
            if run is not None:
                made_by = {name: str(version) for name, version in run.manifest.versions.items()}
            yield Member(
                label=f"{self.folder} run {int(row['number']) + 1}",
                seed=int(row["seed"]),
                key=(int(row["seed"]), *(row[path] for path in rest)),
                values=finite,
                scenario=self._scenario(row),
                run=run,
                made_by=made_by,
            )

    def _scenario(self, row: dict[str, Any]) -> dict[str, Any] | None:
        from ecnomy.agents.errors import EcnomyError
        from ecnomy.markets.sweep.point_scenario import scenario_at

        head = self._head
        units = {path: head["kinds"][path] for path in self.paths}
        params = {
            p: f"{row[p]!r} {u}" if u else self._written.get(p, {}).get(row[p], row[p])
            for p, u in units.items()
        }
        variant = tuple(head.get("variant") or ())
        try:
            scenario = scenario_at(
                head["base"],
                head["scenario"],
                params,
                int(row["seed"]),
                variant,
                head.get("ties", {}),
            )
        except EcnomyError:
            return None
        return scenario.resolved()
