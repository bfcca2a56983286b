# SPDX-License-Identifier: Apache-2.0
"""Sweeps whose disk, workers and scheduler fail, in histories drawn from seeds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ecnomy.markets.sweep import driver, store
from ecnomy.markets.sweep.config import Sweep, load_sweep
from ecnomy.markets.sweep.outcome import RunOutcome
from ecnomy.markets.sweep.rows import row_of
from ecnomy.markets.sweep.store import Store
from simulated_sweep import STRANGER, World
from sweep_world import SWEEP, write
from tiers import rare

HISTORIES, SOME = 1000, 100


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    """Eight runs."""
    text = SWEEP.replace("replicates: 3", "replicates: 2")
    return load_sweep(write(tmp_path_factory.mktemp("sweep"), text))


def live(seed: int, folder: Path, sweep: Sweep) -> None:
    """One history. Removes its files but leaves its folders, because removing folders is slow."""
    World(seed, folder, sweep).live()
    for file in folder.rglob("*"):
        if file.is_file():
            file.unlink()


@pytest.mark.parametrize("first", [1, *map(rare, range(126, HISTORIES + 1, 125))])
def test_each_run_is_there_once_whatever_happens(first: int, tmp_path: Path, sweep: Sweep) -> None:
    """No history loses, doubles, misreads or repeats a run, or raises an undocumented error."""
    for seed in range(first, first + 125):
        live(seed, tmp_path, sweep)


def _counted_before_written(patch: pytest.MonkeyPatch) -> None:
    """A record is written with the next one, or with the compaction."""
    add, compact = Store.add, Store.compact
    waiting: dict[Store, list[RunOutcome]] = {}

    def early(self: Store, outcome: RunOutcome) -> None:
        waiting.setdefault(self, []).append(outcome)
        if len(waiting[self]) > 1:
            add(self, waiting[self].pop(0))

    def late(self: Store) -> None:
        for outcome in waiting.pop(self, []):
            add(self, outcome)
        compact(self)

    patch.setattr(Store, "add", early)
    patch.setattr(Store, "compact", late)


def _removed_before_the_shard(patch: pytest.MonkeyPatch) -> None:
    """A compaction removes the records first."""

    def hasty(self: Any) -> None:
        records = [self._loose_record(point) for point in sorted(self._loose)]
        for point in sorted(self._loose):
            (self.folder / "outcomes" / f"{point}.json").unlink(missing_ok=True)
        if records:
            rows = [row_of(record) for record in records]
            store._write_shard(self.folder / "shards", rows, self._kinds)
        self._loose.clear()

    patch.setattr(Store, "compact", hasty)


def _a_double_counts_twice(patch: pytest.MonkeyPatch) -> None:
    """A second answer for one run counts as the answer of the requested run."""
    right = driver._of_run

    def believing(outcome: Any, point: str) -> RunOutcome:
        double = isinstance(outcome, RunOutcome) and outcome.point != STRANGER
        return outcome if double else right(outcome, point)

    patch.setattr(driver, "_of_run", believing)


@pytest.mark.parametrize(
    ("plant", "says"),
    [
        (_counted_before_written, "is lost"),
        (_removed_before_the_shard, "is lost"),
        (_a_double_counts_twice, "Tally"),
    ],
)
def test_planted_faults_are_found(
    plant: Callable[[pytest.MonkeyPatch], None],
    says: str,
    tmp_path: Path,
    sweep: Sweep,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A tenth of the histories suffices; the message names the seed and the fault."""
    plant(monkeypatch)
    with pytest.raises(AssertionError, match=rf"history of seed \d+: .*{says}"):
        for seed in range(1, SOME + 1):
            live(seed, tmp_path, sweep)
