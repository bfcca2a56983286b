# SPDX-License-Identifier: Apache-2.0
"""Stores the outcomes of a sweep in a folder, as single records and as shards of many records.

    sweep.json               the resolved sweep; its `points` decide which runs are shown
    outcomes/<point>.json    one finished run each, until a shard contains it
    shards/<sha256>.parquet  many runs each, with parameters and outcomes as columns
    runs/<point>/            results folders, if they are kept
    parts/3-of-40/           the same content for one part of the runs (parts.py)
    lock                     held by the driver

A run has ended if and only if its outcome record exists, in a file or in a shard. A file gets
its final name only when it is complete. The name of a shard is the digest of its content. Truncated
or altered files are renamed, and their runs are repeated. Each start of the driver begins a new
generation. If a point has several records, the record of the latest generation is used. Within a
generation, a record in a file takes precedence over a record in a shard.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.markets.inputs.argument_error import FolderRefused
from ecnomy.markets.support.intact import (
    check_file,
    check_sealed,
    read_regular,
    sealed,
    sync_file,
    unreadable,
    write_synced,
)
from ecnomy.markets.support.locking import locked
from ecnomy.markets.sweep.head import FORMAT, HEAD, OtherFormat, head_of, is_sweep
from ecnomy.markets.sweep.outcome import RunOutcome
from ecnomy.markets.sweep.parts import JOBS, PARTS, SweepPart
from ecnomy.markets.sweep.plans import PLANS
from ecnomy.markets.sweep.rows import factors_of, kinds_of, row_of, table_of, whole_of
from ecnomy.markets.sweep.searched import search_of
from ecnomy.markets.sweep.space import Point
from ecnomy.markets.sweep.sweep_file import Sweep

__all__ = [
    "SHARD_RUNS",
    "Store",
    "check_shard",
    "every_name",
    "identified",
    "loose_table",
    "read_record",
    "shards",
]

SHARD_RUNS: Final = 1000
_OURS: Final = {HEAD + ".tmp", "outcomes", "shards", "runs", PARTS, JOBS, "lock"}
_REMEDY: Final = "run the sweep's command to repeat its runs"
_NOTHING: Final[dict[str, int | float | None]] = {}
_ENCODE: Final = msgspec.json.Encoder(order="sorted").encode


def identified(sweep: Sweep) -> Iterator[tuple[str, Point]]:
    """Yield the identity of each point together with the point.

    An identity depends on the base scenario, variant, ties, values and seed. It also depends on the
    number of earlier equal points, because samples of integers may coincide.
    """
    most = sweep.until.most if sweep.until else 0
    counts = sweep.counts or (sweep.replicates,) * (sweep.places if most else 0)
    number = itertools.count()
    for name, point in _named(sweep, sweep.all_points(most) if most else sweep.points()):
        if not most:
            yield name, point
        elif point.replicate < counts[point.number // most]:
            yield name, msgspec.structs.replace(point, number=next(number))


def every_name(sweep: Sweep) -> list[list[str]]:
    """Return the identities of all possible replicates, for each point of the blocks.

    Additional replicates do not change identities, even if samples coincide.
    """
    assert sweep.until is not None
    most = sweep.until.most
    names = [name for name, _ in _named(sweep, sweep.all_points(most))]
    return [names[first : first + most] for first in range(0, len(names), most)]


def _named(sweep: Sweep, points: Iterable[Point]) -> Iterator[tuple[str, Point]]:
    before: Counter[bytes] = Counter()
    head = hashlib.sha256(sweep.base.encode())
    if sweep.variant:
        head.update(_ENCODE(sweep.variant))
    if sweep.ties:
        head.update(_ENCODE(sweep.ties))
    for point in points:
        text = _ENCODE([point.params, point.seed])
        digest = head.copy()
        digest.update(text + b"%d" % before[text])
        before[text] += 1
        yield digest.hexdigest()[:32], point


def shards(folder: Path) -> list[Path]:
    """Return the shards of a sweep, including damaged ones."""
    return sorted((folder / "shards").glob("*.parquet"))


class Store:
    """The records of a sweep, locked for writing.

    Attributes:
        folder: folder of the records.
        kept: folder that holds the results folders of runs, if they are kept.
        generation: generation of new records.
        others: number of records of points that the current sweep lacks.
        put_aside: damaged files, under their new names.
    """

    def __init__(
        self,
        folder: Path,
        sweep: Sweep,
        part: SweepPart | None = None,
        points: dict[str, Point] | None = None,
    ) -> None:
        """Claim the folder and read its records.

        Args:
            folder: folder of the sweep.
            sweep: the sweep.
            part: the part of the runs that this store holds, in a separate folder below `folder`.
            points: all points of the sweep by identity, if they are known.

        Raises:
            Busy: another driver is using the folder.
            InputError: the folder holds other content, or a sweep of another format or engine.
        """
        self.kept, self._sweep, before = folder / "runs", sweep, 0
        if part is not None:
            _judge(folder, sweep)
            before, folder = _generation_in(folder), part.folder_in(folder)
        self.folder, self._part = folder, part
        busy = f"{folder}: another sweep is writing to it"
        self._lock = locked(folder / "lock", lambda: _judge(folder, sweep), busy)
        for name in ("outcomes", "shards"):
            (folder / name).mkdir(exist_ok=True)
        self.put_aside: list[Path] = []
        self.others = 0
        self._kinds = kinds_of(sweep)
        points = dict(identified(sweep)) if points is None else points
        self._points = (
            points if part is None else {n: p for n, p in points.items() if part.has(p.number)}
        )
        self.records: dict[str, RunOutcome] = {}
        self._shared: dict[bytes, Any] = {}
        self._loose: set[str] = set()
        self._read()
        generations = (record.generation for record in self.records.values())
        self.generation = 1 + max(before, *generations, 0)
        self._write_head()

    def _write_head(self) -> None:
        head = _head(self._sweep, self._points) | {"generation": self.generation}
        if self._part is not None:
            head["part"] = str(self._part)
        write_synced(self.folder / HEAD, sealed(head))
        sync_file(self.folder)

    @property
    def points(self) -> dict[str, Point]:
        """Return all points of the sweep or of its part, by identity."""
        return self._points

    def add(self, outcome: RunOutcome) -> None:
        """Store an outcome. The file gets its final name only when the record is on disk.

        A power loss can remove records that are not in a shard yet. The sweep's command repeats
        their runs.

        Raises:
            OSError: the record cannot be written. An earlier record remains.
        """
        point = self._points[outcome.point]
        outcome = msgspec.structs.replace(
            outcome, generation=self.generation, params=point.params, seed=point.seed
        )
        write_synced(self.folder / "outcomes" / f"{outcome.point}.json", sealed(outcome))
        self.records[outcome.point] = _lean(outcome, self._shared)
        self._loose.add(outcome.point)
        if len(self._loose) >= SHARD_RUNS and self._part is None:
            self.compact()

    def compact(self) -> None:
        """Move the records that are in single files to a shard.

        Raises:
            OSError: the shard cannot be written. The records stay.
        """
        if not self._loose:
            return
        loose = sorted(self._loose, key=lambda point: self._points[point].number)
        rows, read = [], []
        for point in loose:
            outcome = self._loose_record(point)
            if outcome is None:
                self._put_aside(self.folder / "outcomes" / f"{point}.json")
                del self.records[point]
            else:
                rows.append(row_of(outcome))
                read.append(point)
        if rows:
            _write_shard(self.folder / "shards", rows, self._kinds)
        for point in read:
            (self.folder / "outcomes" / f"{point}.json").unlink(missing_ok=True)
        self._loose.clear()

    def take_in(self, part: Store) -> None:
        """Copy the records of a part of the sweep.

        Raises:
            OSError: a file cannot be written.
        """
        part.compact()
        for file in shards(part.folder):
            write_synced(self.folder / "shards" / file.name, file.read_bytes())
        sync_file(self.folder / "shards")
        for point, record in part.records.items():
            known = self.records.get(point)
            if known is None or record.generation >= known.generation:
                self.records[point] = record
        self.generation = max(self.generation, part.generation)
        self._write_head()

    def close(self) -> None:
        """Release the folder."""
        self._lock.close()

    def _loose_record(self, point: str) -> RunOutcome | None:
        with contextlib.suppress(OSError, ResultsError):
            return read_record(self.folder / "outcomes" / f"{point}.json")
        return None

    def _read(self) -> None:
        for folder in ("", "outcomes", "shards"):
            for left in (self.folder / folder).glob("*.tmp"):
                left.unlink()
        for file in shards(self.folder):
            try:
                check_shard(file)
            except ResultsError:
                self._put_aside(file)
                continue
            for outcome in _shard_outcomes(file):
                self._take(outcome)
        for file in (self.folder / "outcomes").glob("*.json"):
            record = self._loose_record(file.stem)
            if record is None or record.point != file.stem:
                self._put_aside(file)
            elif file.stem in self._points:
                self._take(record)
                self._loose.add(file.stem)

    def _take(self, outcome: RunOutcome) -> None:
        if outcome.point not in self._points:
            self.others += 1
        known = self.records.get(outcome.point)
        if outcome.point in self._points and (
            known is None or outcome.generation >= known.generation
        ):
            self.records[outcome.point] = _lean(outcome, self._shared)

    def _put_aside(self, file: Path) -> None:
        aside = file.with_suffix(file.suffix + ".corrupt")
        with contextlib.suppress(FileNotFoundError):
            file.replace(aside)
        self.put_aside.append(aside)


def _judge(folder: Path, sweep: Sweep) -> None:
    """Refuse a folder with other content, another format, or runs of another engine."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: found a file, expected a folder")
    if folder.exists() and not is_sweep(folder) and set(os.listdir(folder)) - _OURS:
        raise FolderRefused(f"{folder} already exists and is not a sweep")
    try:
        there = head_of(folder).get("engine", sweep.engine)
    except OtherFormat as error:
        raise FolderRefused(str(error)) from None
    except ResultsError:
        return  # a new head replaces an unreadable one
    if there != sweep.engine:
        raise FolderRefused(
            f"{folder}: found runs of the engine {there}, expected runs of {sweep.engine}",
            f"continue with --engine {there}",
        )


def _generation_in(folder: Path) -> int:
    with contextlib.suppress(ResultsError):
        return int(head_of(folder).get("generation", 0))
    return 0


def _head(sweep: Sweep, points: dict[str, Point]) -> dict[str, Any]:
    searched = search_of(sweep, list(points.values()))
    more: dict[str, Any] = searched or {"factors": factors_of(sweep)}
    if sweep.until:
        level = sweep.until.level_of_look(sweep.replicates)
        more |= {"until": msgspec.to_builtins(sweep.until), "level_of_look": level}
        more["looks"] = sweep.until.looks(sweep.replicates)
        more["counts"] = sweep.counts or (sweep.replicates,) * sweep.places
    return {
        "outcomes": sweep.outcomes,
        **more,
        "paired": sweep.paired,
        "own": bool(sweep.measure),
        "whole": whole_of(sweep),
        "format": FORMAT,
        "title": sweep.title,
        "file": sweep.file,
        "scenario": sweep.scenario,
        "base": sweep.base,
        "variant": sweep.variant,
        "engine": sweep.engine,
        "kinds": kinds_of(sweep),
        "replicates": sweep.replicates,
        "points": list(points),
        "plan": _plan(sweep),
        **({"ties": sweep.ties} if sweep.ties else {}),
    }


def _plan(sweep: Sweep) -> dict[str, Any] | None:
    if sweep.calibrate or sweep.tune or not sweep.blocks or sweep.blocks[0].kind not in PLANS:
        return None
    block = sweep.blocks[0]
    return {
        "kind": block.kind,
        "paths": block.paths,
        "samples": block.samples,
        "levels": block.levels,
        "second_order": block.second_order,
        "paired": sweep.paired,
    }


def _lean(outcome: RunOutcome, shared: dict[bytes, Any]) -> RunOutcome:
    """Return the part of an outcome that stays in memory, with equal data kept only once."""

    def once(value: Any) -> Any:
        return shared.setdefault(_ENCODE(value), value)

    return msgspec.structs.replace(
        outcome,
        values=_NOTHING,
        params={},
        reason="",
        worker="",
        code=once(outcome.code),
        strategies=once(outcome.strategies),
    )


def loose_table(folder: Path, head: dict[str, Any]) -> Any:
    """Return the records outside shards as a table with a shard's columns, or None without any.

    Args:
        folder: folder of the sweep.
        head: the head, from `head_of`.

    Raises:
        ResultsError: a record is unreadable or altered.
    """
    rows = []
    for file in sorted((folder / "outcomes").glob("*.json")):
        with contextlib.suppress(FileNotFoundError):  # it has just been compacted
            rows.append(row_of(read_record(file)))
    return table_of(rows, head["kinds"]) if rows else None


def _write_shard(folder: Path, rows: list[dict[str, Any]], kinds: dict[str, str | None]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(table_of(rows, kinds), sink, compression="zstd")
    data = sink.getvalue().to_pybytes()
    write_synced(folder / f"{hashlib.sha256(data).hexdigest()[:32]}.parquet", data)
    sync_file(folder)


def check_shard(file: Path) -> None:
    """Raise ResultsError if a shard is missing or altered. Check each shard once per process."""
    check_file(file, file.stem, _REMEDY)


def read_record(file: Path) -> RunOutcome:
    """Return the outcome record in a file.

    Raises:
        FileNotFoundError: the file is missing, for example because a shard now has the record.
        ResultsError: the record is unreadable or altered.
    """
    try:
        text = read_regular(file)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise unreadable(file, error, _REMEDY) from None
    check_sealed(file, text, _REMEDY)
    try:
        return msgspec.json.decode(text, type=RunOutcome)
    except msgspec.DecodeError as error:
        raise ResultsError(f"{file}: not an outcome record ({error}); {_REMEDY}") from None


def _shard_outcomes(file: Path) -> Iterator[RunOutcome]:
    import pyarrow.parquet as pq

    names = ["point", "run", "status", "generation", "code", "strategies"]
    for row in pq.read_table(file, columns=names).to_pylist():
        yield msgspec.convert(
            {
                **row,
                "reason": "",
                "values": {},
                "code": msgspec.json.decode(row["code"]),
                "strategies": msgspec.json.decode(row["strategies"]),
            },
            type=RunOutcome,
        )
