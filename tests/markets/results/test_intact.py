# SPDX-License-Identifier: Apache-2.0
"""Results that are altered, or cut off by a loss of power, are never read as if complete."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ecnomy.agents.errors import ResultsError
from ecnomy.markets.results.rawrun import RawRun, open_raw
from ecnomy.markets.support import intact
from ecnomy.markets.sweep.head import head_of
from ecnomy.markets.sweep.store import read_record
from lost_power import Disk
from small_results import write
from undigested import undigested


def _read(run: RawRun) -> dict[str, object]:
    """Everything that a reader gets from a run."""
    return {name: run.table(name).to_dict("list") for name in run.manifest.tables} | {
        "manifest": run.manifest
    }


def _flips(file: Path, count: int) -> Iterator[None]:
    """Alters one bit of the file at a time, and restores the file at the end."""
    data, draw = file.read_bytes(), random.Random(file.name)
    for _ in range(count):
        altered = bytearray(data)
        altered[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        file.write_bytes(altered)
        intact._same.cache_clear()  # a disk's fault leaves the times of a file as they were
        yield
    file.write_bytes(data)
    intact._same.cache_clear()


def test_an_altered_bit_is_refused_or_changes_nothing(tmp_path: Path) -> None:
    """A table is refused in a line that names it; a manifest is refused, or reads the same."""
    folder = write(tmp_path / "r")
    whole = repr(_read(open_raw(folder)))
    for name in ("flows", "ledger", "flow_epochs"):
        for _ in _flips(folder / f"{name}.parquet", 12):
            with pytest.raises(ResultsError, match=f"/{name}.parquet: .*; run it again$") as error:
                open_raw(folder).table(name)
            assert error.value.exit_status == 2
            with pytest.raises(ResultsError, match=r"\.parquet: .*; run it again$"):
                open_raw(folder).file(name)
    refused = 0
    for _ in _flips(folder / "manifest.json", 60):
        try:
            run = open_raw(folder)
        except ResultsError as error:
            refused += "\n" not in str(error) and "manifest.json" in str(error)
        else:
            assert repr(_read(run)) == whole
    assert refused > 40
    with pytest.raises(ResultsError, match=r"ledger.parquet: .*; run it again$"):
        next(_flips(folder / "ledger.parquet", 1))
        open_raw(folder).groups()
    (folder / "ledger.parquet").unlink()
    with pytest.raises(ResultsError, match="ledger.parquet is missing; run it again"):
        open_raw(folder).table("ledger")


@pytest.mark.parametrize("name", ["ledger.parquet", "outcomes/1.json", "sweep.json"])
@pytest.mark.parametrize("endless", [False, True])
def test_a_pipe_or_a_device_in_the_place_of_a_file_is_refused(
    name: str, endless: bool, tmp_path: Path
) -> None:
    """The file is refused in one line, without waiting or reading forever."""
    folder = write(tmp_path / "r")
    (folder / "outcomes").mkdir()
    (folder / name).unlink(missing_ok=True)
    if endless:
        (folder / name).symlink_to("/dev/zero")
    else:
        os.mkfifo(folder / name)
    readers: dict[str, Callable[[], object]] = {
        "ledger.parquet": lambda: open_raw(folder).table("ledger"),
        "outcomes/1.json": lambda: read_record(folder / name),
        "sweep.json": lambda: head_of(folder),
    }
    with pytest.raises(
        ResultsError, match=r"not a regular file|expected the results of `ecnomy sw"
    ):
        readers[name]()


def test_results_of_earlier_versions_open(tmp_path: Path) -> None:
    """Results of earlier versions have no digests and open. Unreadable files give one line."""
    folder = undigested(write(tmp_path / "r"))
    assert len(open_raw(folder).flows) == 2
    file = folder / "flows.parquet"
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(ResultsError, match="flows.parquet: not a readable Parquet file"):
        open_raw(folder).groups()


def test_a_run_cut_off_by_a_loss_of_power_is_never_complete_and_wrong(tmp_path: Path) -> None:
    """A loss of power after any step of the writer never leaves a wrong complete run.

    The tables are on the disk before a manifest calls the run complete.
    """
    folder = write(tmp_path / "r")  # is replaced below
    with Disk(folder) as disk:
        write(folder, force=True)
    whole = repr(_read(open_raw(folder)))
    names = json.loads((folder / "manifest.json").read_text())["tables"]
    complete = 0
    for number, state in enumerate(disk.states()):
        there = tmp_path / str(number)
        there.mkdir()
        for name, data in state.items():
            (there / name).write_bytes(data)
        with contextlib.suppress(ResultsError):
            run = open_raw(there)
            if run.manifest.complete:
                complete += 1
                assert names == run.manifest.tables
                assert {f"{name}.parquet" for name in names} <= state.keys()
                assert repr(_read(run)) == whole
        shutil.rmtree(there)
    assert complete


DEEP = '{"format":1,"complete":true,"points":[],"replicates":1,"kinds":{},"x":%s}' % (
    "[" * 5000 + "]" * 5000
)


@pytest.mark.parametrize(("name", "read"), [("manifest.json", open_raw), ("sweep.json", head_of)])
def test_what_is_too_deep_to_read_is_one_line(
    tmp_path: Path, name: str, read: Callable[[Path], object]
) -> None:
    """No reader of a hostile folder ends with a traceback."""
    (tmp_path / name).write_text(DEEP)
    with pytest.raises(ResultsError):
        read(tmp_path)
