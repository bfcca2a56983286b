# SPDX-License-Identifier: Apache-2.0
"""Histories of a sweep, each drawn from a seed: its driver and its store on a simulated disk.

A history starts the sweep again and again until it is finished. Workers answer in any order, late,
for another run, with nonsense, or die; the scheduler goes away; the user interrupts; the disk fills
up, fails once, or loses power; files decay between two starts. No run is simulated: its outcome
is a function of its number. There are no processes, threads or clocks: a seed is a history.

After each start, and in the end, a history checks the sweep's promises (see World).
"""

from __future__ import annotations

import concurrent.futures
import io
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import msgspec
import pyarrow.parquet as pq

from ecnomy.markets.support.locking import locked
from ecnomy.markets.sweep import driver, store
from ecnomy.markets.sweep.config import Sweep
from ecnomy.markets.sweep.driver import SweepError, Tally, missing
from ecnomy.markets.sweep.fingerprint import Code
from ecnomy.markets.sweep.outcome import DONE, FAILED, RunOutcome
from ecnomy.markets.sweep.pool import LOST, PoolLost
from ecnomy.markets.sweep.space import Point
from simulated_disk import FULL, GLITCH, KILL, POWER, Crash, Disk

STARTS = 6  # the last one is undisturbed
SHARD_RUNS = 5
STRANGER = "f" * 32  # a run that is not in the sweep
CODE = Code("engine", "sources", "packages")
SYNCED = True  # whether a shard and its name are on the disk before its records are removed


class KilledWorker(Exception):
    """An error with the name of dask's, for a run that has killed several workers."""


def values_of(point: Point) -> dict[str, int | float | None]:
    """The outcome of a run."""
    return {"profit": point.number / 8, "sold": 1000 + point.number}


class Workers:
    """A pool in simulated time: runs end while the driver waits for them."""

    ahead = 3

    def __init__(self, world: World, calm: bool) -> None:
        self._world, self._draw = world, world.draw
        self._trouble = 0.0 if calm else self._draw.choice((0.0, 0.03, 0.15))
        self._workers = self._draw.randint(1, 3)
        self._tasks: dict[concurrent.futures.Future[Any], Any] = {}
        self._answers: list[RunOutcome] = []
        self.lost = False

    @property
    def workers(self) -> int:
        if self._draw.random() < self._trouble / 4:
            self._world.note("the scheduler does not answer")
            raise PoolLost(LOST)
        return self._workers

    def submit(self, function: Any, task: Any) -> concurrent.futures.Future[Any]:
        if self.lost:
            raise PoolLost(LOST)
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        self._tasks[future] = task
        return future

    def close(self) -> None:
        """Does nothing, because nothing is open."""

    def wait(self, running: Any, timeout: float, return_when: str) -> tuple[list[Any], list[Any]]:
        """Like concurrent.futures.wait: some runs end, or a second passes."""
        if self._draw.random() < self._trouble / 4:
            self._world.note("interrupted")
            raise KeyboardInterrupt
        waiting = list(running)
        if self._draw.random() < self._trouble / 4:
            self._world.note("the scheduler is gone")
            self.lost = True
            if self._draw.random() < 0.5:
                return [], waiting
            ended = waiting[:1]
            if self._draw.random() < 0.5 or not ended[0].cancel():
                ended[0].set_exception(PoolLost(LOST))
            return ended, waiting[1:]
        if self._trouble and self._draw.random() < 0.1:
            return [], waiting
        ended = self._draw.sample(waiting, self._draw.randint(1, len(waiting)))
        for future in ended:
            self._end(future, self._tasks.pop(future))
        return ended, [future for future in waiting if future not in ended]

    def _end(self, future: concurrent.futures.Future[Any], task: Any) -> None:
        point = self._world.points[task.point]
        kind = "done"
        if self._draw.random() < self._trouble:
            kind = self._draw.choice(
                ("died", "died", "double", "double", "stranger", "nonsense", "other")
            )
            self._world.note(f"run {point.number}: {kind}")
        if kind == "died":
            self._world.answered(task.point, FAILED)
            future.set_exception(KilledWorker(task.point))
            return
        if kind == "other":
            future.set_exception(RuntimeError("worker: its engine is another version"))
            return
        own = RunOutcome(
            task.point, task.point, DONE, "", task.code, {}, values_of(point),
            wall_s=self._draw.random(), worker=f"127.0.0.1:{self._draw.randint(1, 9)}",
        )  # fmt: skip
        if kind == "nonsense":
            future.set_result(None)
        elif kind == "stranger":
            future.set_result(RunOutcome(STRANGER, "", DONE, "", task.code, {}, {}))
        elif kind == "double" and self._answers:
            future.set_result(self._draw.choice(self._answers))
        else:
            self._answers.append(own)
            self._world.answered(task.point, DONE)
            future.set_result(own)


class World:
    """One history. Its promises:

    - A run that counts as done is on the disk, and is not repeated unless its record was damaged.
      A loss of power may remove runs that are not in a shard yet; without `synced`, any run.
    - An incomplete record does not count.
    - A start ends with all runs, or with an error that the driver documents.
    - In the end each run exists once, with its own outcome, and nothing else is left.

    Args:
        seed: seed of all draws.
        root: an empty folder.
        sweep: the sweep, whose runs are not simulated.
        synced: whether a shard is safe before the records in it are removed.
    """

    def __init__(self, seed: int, root: Path, sweep: Sweep, synced: bool = SYNCED) -> None:
        self.draw = random.Random(seed)
        self.points: dict[str, Point] = dict(store.identified(sweep))
        self._seed, self._out, self._synced = seed, root / "out", synced
        self._sweep = msgspec.structs.replace(sweep, file="sweep.yaml", scenario="scenario.yaml")
        self._disk = Disk(root, self.draw)
        self._notes: list[str] = []
        self._answers: list[str] = []  # workers of this start, by runs
        self._counted: set[str] = set()  # done or failed, as last reported
        self._died: set[str] = set()
        self._in_shard: dict[str, list[str]] = {}

    def live(self) -> None:
        """Start the sweep repeatedly until it is finished.

        Raises:
            AssertionError: a promise is broken; the message gives the seed and the events.
        """
        try:
            with self._disk:
                for start in range(1, STARTS + 1):
                    self._notes.append(f"start {start}")
                    if self._start(calm=start == STARTS):
                        return self._check_the_end()
                    if self.draw.random() < 0.1:
                        self._decay()
            raise AssertionError("an undisturbed start did not finish")
        except Exception as error:
            notes = "; ".join(self._notes)
            failure = f"{type(error).__name__}: {error}"
            raise AssertionError(f"history of seed {self._seed}: {failure} ({notes})") from error

    def note(self, what: str) -> None:
        """Record an event for the reader of a failed history."""
        self._notes.append(what)

    def answered(self, point: str, status: str) -> None:
        """A worker returns its run, or dies during it."""
        self._answers.append(point)
        if status == FAILED:
            self._died.add(point)

    def at(self, tally: Tally) -> None:
        """See Observer: all answers so far count, each of them once."""
        assert tally.done + tally.failed == len(self._answers), f"{tally}: {self._answers}"
        assert tally.left >= 0
        self._counted.update(self._answers)

    def ended(self, outcome: RunOutcome) -> None:
        """See Observer."""
        assert outcome.status != FAILED or outcome.point in self._died

    def _start(self, calm: bool) -> bool:
        """Start the sweep. Return whether it is then finished."""
        retry = calm or self.draw.random() < 0.3
        trouble = "" if calm else self.draw.choice((FULL, GLITCH, KILL, KILL, POWER, POWER, ""))
        after = self.draw.randint(1, self.draw.choice((8, 90)))
        if trouble:
            self.note(f"{trouble} at operation {after}")
        whole, locks = self._whole(), []
        self._answers = []
        self._disk.arm(trouble, after)

        def lock(*args: Any) -> Any:
            locks.append(locked(*args))
            return locks[-1]

        try:
            with (
                mock.patch.object(store, "locked", lock),
                mock.patch.object(driver, "code_now", lambda engine: CODE),
            ):
                tally = self._run(Workers(self, calm), whole, retry)
            assert tally.left == 0 and tally.total == len(self.points), tally
            return True
        except (Crash, SweepError, PoolLost, KeyboardInterrupt) as error:
            self.note(f"{type(error).__name__} {error}")
        except OSError:
            assert trouble in (FULL, GLITCH)
        finally:
            for one in locks:
                one.close()
            self._after(trouble)
        return False

    def _run(self, workers: Workers, whole: set[str], retry: bool) -> Tally:
        """Make the missing runs, like the verb `sweep`."""
        kept = store.Store(self._out, self._sweep)
        kept.compact()
        points = missing(kept, retry_failed=retry, accept_old_code=False)
        present = self.points.keys() - set(points)
        assert present <= whole, f"counts, and is not there: {self._numbers(present - whole)}"
        again = whole - present - (self._died if retry else set())
        assert not again, f"is made again, and is there: {self._numbers(again)}"
        futures = SimpleNamespace(wait=workers.wait, FIRST_COMPLETED="")
        with (
            mock.patch.object(driver, "concurrent", SimpleNamespace(futures=futures)),
            mock.patch.object(store, "SHARD_RUNS", SHARD_RUNS),
        ):
            return driver.sweep_runs(self._sweep, kept, workers, points, self)

    def _after(self, trouble: str) -> None:
        power = trouble == POWER and self._disk.dead
        loose = {file.stem for file in self._out.glob("outcomes/*.json")}
        self._disk.start_again()
        gone = self._counted - self._whole()
        excused = set() if not power else loose if self._synced else gone
        assert gone <= excused, f"is lost: {self._numbers(gone - excused)}"
        self._counted -= gone

    def _decay(self) -> None:
        """Truncate a record, or change a bit of a shard."""
        files = sorted([*self._out.glob("outcomes/*.json"), *self._out.glob("shards/*.parquet")])
        if not files:
            return
        file = self.draw.choice(files)
        data = bytearray(file.read_bytes())
        self.note(f"{file.name} decays")
        if not data:
            return
        place = self.draw.randrange(len(data))
        if file.suffix == ".parquet":
            data[place] ^= 1 << self.draw.randrange(8)
        else:
            del data[place:]
        self._disk.damage(file, bytes(data))
        self._counted &= self._whole()

    def _whole(self) -> set[str]:
        """The runs with an intact record on the disk."""
        intact: set[str] = set()
        for file in self._out.glob("outcomes/*.json"):
            if file.read_bytes() in self._disk.whole.get(str(file), ()):
                intact.add(file.stem)
        for file in self._out.glob("shards/*.parquet"):
            data = file.read_bytes()
            if data in self._disk.whole.get(str(file), ()):
                if file.name not in self._in_shard:
                    self._in_shard[file.name] = [row["point"] for row in _rows(data, ["point"])]
                intact.update(self._in_shard[file.name])
        return intact

    def _check_the_end(self) -> None:
        """Checks that each run exists with its outcome, and nothing else."""
        left = {file.name for file in self._out.rglob("*") if file.is_file()}
        left = {name for name in left if not name.endswith((".parquet", ".corrupt"))}
        assert left == {"lock", "sweep.json"}, f"left behind: {left}"
        names = ["point", "seed", "status", "generation"]
        latest: dict[str, dict[str, Any]] = {}
        for file in sorted(self._out.glob("shards/*.parquet")):
            for row in _rows(file.read_bytes(), names + ["profit", "sold"]):
                known = latest.get(row["point"])
                if known is not None and row["generation"] == known["generation"]:
                    same = all(row.get(n) == known.get(n) for n in names)
                    assert same, f"twice: {row} {known}"
                if known is None or row["generation"] > known["generation"]:
                    latest[row["point"]] = row
        assert latest.keys() == self.points.keys()
        for name, row in latest.items():
            self._check_row(name, row)

    def _check_row(self, name: str, row: dict[str, Any]) -> None:
        point = self.points[name]
        assert row["seed"] == point.seed, f"run {point.number}: {row}"
        if row["status"] == FAILED:
            assert name in self._died, f"run {point.number} did not fail"
            return
        for column, value in values_of(point).items():
            assert row[column] == value, f"run {point.number}: {row}"

    def _numbers(self, names: set[str]) -> list[int]:
        return sorted(self.points[name].number for name in names)


def _rows(data: bytes, columns: list[str] | None) -> list[dict[str, Any]]:
    table = pq.ParquetFile(io.BytesIO(data)).read(columns, use_threads=False)
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows
