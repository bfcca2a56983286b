# SPDX-License-Identifier: Apache-2.0
"""Altered bits in a sweep's folder: readers refuse them, and the sweep's command repairs them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from ecnomy.agents.errors import ResultsError
from ecnomy.analysis.sweeps.open_sweep import open_sweep
from ecnomy.analysis.sweeps.query import query_command
from ecnomy.markets.engines.registry import DEFAULT_ENGINE
from ecnomy.markets.support import intact
from ecnomy.markets.sweep.config import load_sweep
from ecnomy.markets.sweep.driver import missing
from ecnomy.markets.sweep.fingerprint import code_now
from ecnomy.markets.sweep.outcome import DONE, RunOutcome
from ecnomy.markets.sweep.recorded import figures
from ecnomy.markets.sweep.store import Store
from lost_power import Disk
from sweep_world import write


def _flips(file: Path, count: int) -> Iterator[None]:
    data, draw = file.read_bytes(), random.Random(1)
    for _ in range(count):
        altered = bytearray(data)
        altered[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        file.write_bytes(altered)
        intact._same.cache_clear()  # a disk's fault leaves the times of a file as they were
        yield
    file.write_bytes(data)


def _store(folder: Path) -> Store:
    """A sweep of 12 runs with invented outcomes, not yet in a shard."""
    folder.mkdir(exist_ok=True)
    store = Store(folder / "out", load_sweep(write(folder)))
    for number, name in enumerate(store.points):
        figure = {"gold.goodput_bps": 1e6 / 3 + number}
        store.add(RunOutcome(name, name, DONE, "", code_now(DEFAULT_ENGINE), {}, figure))
    return store


def _refused_or_same(out: Path, file: Path, count: int) -> int:
    """The number of refusals, each in a line with the file; otherwise runs must be the same."""
    whole, refused = open_sweep(out), 0
    for _ in _flips(file, count):
        try:
            assert open_sweep(out).equals(whole)
        except ResultsError as error:
            assert file.name in str(error) and "\n" not in str(error) and error.exit_status == 2
            assert "the sweep's command" in str(error) or "no readable sweep.json" in str(error)
            with pytest.raises(ResultsError, match=file.name):
                query_command(out, "from runs")
            assert len(figures(out, "gold.goodput_bps")) < 12 or file.name == "sweep.json"
            refused += 1
    return refused


def test_an_altered_bit_is_refused_or_changes_nothing(tmp_path: Path) -> None:
    """A damaged shard is always refused, and a record or the head unless only layout differs."""
    store = _store(tmp_path)
    out = store.folder
    record = min((out / "outcomes").glob("*.json"))
    assert _refused_or_same(out, record, 15) > 12
    next(_flips(record, 1))
    store.close()
    again = Store(out, load_sweep(tmp_path / "sweep.yaml"))
    assert missing(again, retry_failed=False, accept_old_code=False) == [record.stem]
    again.compact()
    again.close()
    (shard,) = (out / "shards").glob("*.parquet")
    assert _refused_or_same(out, shard, 15) == 15
    assert _refused_or_same(out, out / "sweep.json", 6) > 3


def test_a_record_that_is_damaged_before_its_shard_is_a_run_to_repeat(tmp_path: Path) -> None:
    """The store forgets the run, so it has as many runs as the sweep's table has rows."""
    store = _store(tmp_path)
    damaged = min((store.folder / "outcomes").glob("*.json"))
    damaged.write_bytes(b"{")
    store.compact()
    assert missing(store, retry_failed=False, accept_old_code=False) == [damaged.stem]
    assert set(store.records) == set(open_sweep(store.folder).run)
    assert len(store.records) == 11 == len(store.points) - len(store.put_aside)
    store.close()


def test_a_record_with_the_name_of_another_run_is_a_run_to_repeat(tmp_path: Path) -> None:
    """A copied file is put aside, so that the user learns of it."""
    store = _store(tmp_path)
    first, second = sorted((store.folder / "outcomes").glob("*.json"))[:2]
    second.write_bytes(first.read_bytes())
    store.close()
    again = Store(store.folder, load_sweep(tmp_path / "sweep.yaml"))
    assert missing(again, retry_failed=False, accept_old_code=False) == [second.stem]
    assert [file.name for file in again.put_aside] == [f"{second.name}.corrupt"]
    again.compact()
    again.close()
    runs = open_sweep(store.folder)
    assert len(runs) == 11 and runs.number.is_unique


def test_a_shard_of_no_runs_is_not_written(tmp_path: Path) -> None:
    """If all records are damaged, no empty shard is written, and the sweep starts again."""
    store = _store(tmp_path)
    for file in (store.folder / "outcomes").glob("*.json"):
        file.write_bytes(b"{")
    store.compact()
    assert not store.records and not list((store.folder / "shards").iterdir())
    store.close()


def test_records_of_earlier_versions_count(tmp_path: Path) -> None:
    """A record without a digest is read without a check."""
    store = _store(tmp_path)
    for file in (store.folder / "outcomes").glob("*.json"):
        content = msgspec.json.decode(file.read_bytes())
        del content["digest"]
        file.write_bytes(msgspec.json.encode(content))
    assert len(open_sweep(store.folder)) == 12
    store.close()


def test_records_go_when_their_shard_is_on_the_disk(tmp_path: Path, monkeypatch) -> None:
    """If power is lost after any disk step, each run is in a synced shard or has its record."""
    store, steps = _store(tmp_path), []
    outcomes = store.folder / "outcomes"
    unlink = Path.unlink

    def unlinked(file: Path, missing_ok: bool = False) -> None:
        if file.parent == outcomes:
            steps.append(file.name)
            kept = [state for state in disk.certain() if state.endswith(".parquet")]
            assert kept, f"{file.name} is removed before its shard would outlive a loss of power"
        unlink(file, missing_ok)

    with Disk(store.folder / "shards") as disk:
        monkeypatch.setattr(Path, "unlink", unlinked)
        store.compact()
    store.close()
    assert len(steps) == 12 == len(open_sweep(store.folder))
