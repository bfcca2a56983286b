# SPDX-License-Identifier: Apache-2.0
"""Sweeps on real workers: processes that are killed, and a scheduler with workers elsewhere."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from ecnomy.analysis.sweeps import open_sweep
from sweep_world import SWEEP, write

pytestmark = pytest.mark.xdist_group("cluster")

BIN = Path(sys.executable).parent
MANY = SWEEP.replace("replicates: 3", "replicates: 15")  # 60 runs


def start(*arguments: object, folder: Path) -> subprocess.Popen[str]:
    """A process of its own group, so that nothing of it is left behind."""
    return subprocess.Popen(
        [str(a) for a in arguments],
        cwd=folder,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def sweep(folder: Path, *more: str) -> subprocess.Popen[str]:
    """The command, with two workers."""
    command = (BIN / "ecnomy", "sweep", "sweep.yaml", "--out", "out", "--jobs", "2", *more)
    return start(*command, folder=folder)


def end(process: subprocess.Popen[str]) -> str:
    """Its output, once it has ended well."""
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0, output
    return output


def finished(folder: Path) -> int:
    """Runs with a record, in a file of its own or in a shard."""
    out = folder / "out"
    shards = sum(pq.read_metadata(file).num_rows for file in (out / "shards").glob("*.parquet"))
    return shards + len(list((out / "outcomes").glob("*.json")))


def some_records(folder: Path, least: int) -> None:
    """Wait until this many runs are finished."""
    for _ in range(3600):
        if finished(folder) >= least:
            return
        time.sleep(0.05)
    raise AssertionError("no runs get finished")


def children(pid: int) -> list[int]:
    """Processes below one, the nearest first."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        found += [int(child) for child in task.read_text().split()]
    return found + [grandchild for child in found for grandchild in children(child)]


def workers(driver: int) -> list[int]:
    """Worker processes of a local cluster."""

    def spawned(pid: int) -> bool:
        try:
            return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return False

    return [pid for pid in children(driver) if spawned(pid)]


def check(folder: Path, runs: int) -> None:
    """Every run is there once, done, and nothing is half-written."""
    table = open_sweep(folder / "out")
    assert len(table) == runs == table.number.nunique() == table.run.nunique()
    assert (table.status == "done").all(), table.reason.unique()
    assert not list((folder / "out").rglob("*.tmp"))
    assert not list((folder / "out" / "outcomes").glob("*.json"))


def test_a_busy_port_is_not_spoken_of(tmp_path: Path) -> None:
    """Two sweeps at once do not fight for dask's port 8787: nobody looks at what it serves."""
    write(tmp_path, SWEEP)
    with socket.socket() as other:
        with contextlib.suppress(OSError):  # somebody has it: as good
            other.bind(("127.0.0.1", 8787))
            other.listen()
        output = end(sweep(tmp_path))
    assert "8787" not in output and "Warning" not in output


def test_a_killed_worker_costs_no_run(tmp_path: Path) -> None:
    """The driver goes on with another in its place."""
    write(tmp_path, MANY)
    process = sweep(tmp_path)
    some_records(tmp_path, 5)
    os.kill(workers(process.pid)[0], signal.SIGKILL)
    assert "60 runs: 60 made" in end(process)
    check(tmp_path, 60)


def test_a_killed_driver_goes_on_where_it_was(tmp_path: Path) -> None:
    """The same command makes exactly what is missing; killed twice, no run is made again."""
    write(tmp_path, MANY)
    for least in (5, 26):
        process = sweep(tmp_path)
        some_records(tmp_path, least)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
    there = finished(tmp_path)
    assert 26 <= there < 60
    assert f"60 runs: {60 - there} made, {there} were there" in end(sweep(tmp_path))
    check(tmp_path, 60)


def scheduler(folder: Path) -> tuple[subprocess.Popen[str], str]:
    """A dask scheduler on a free port, and its address."""
    process = start(
        sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard",
        "--host", "127.0.0.1", folder=folder,
    )  # fmt: skip
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"tcp://127\.0\.0\.1:\d+", line):
            return process, found[0]
    raise AssertionError("no scheduler")


def worker(folder: Path, address: str, host: str) -> subprocess.Popen[str]:
    """A worker with an address of its own."""
    return start(
        sys.executable, "-m", "distributed.cli.dask_worker", address, "--host", host, "--nthreads",
        "1", "--no-dashboard", "--no-nanny", "--name", host, folder=folder,
    )  # fmt: skip


def stop(*processes: subprocess.Popen[str]) -> None:
    for process in processes:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def test_workers_on_two_addresses_share_a_sweep(tmp_path: Path) -> None:
    """Both make runs of one sweep; a scheduler that dies ends it in one line, and it goes on."""
    write(tmp_path, MANY)
    hub, address = scheduler(tmp_path)
    hands = [worker(tmp_path, address, host) for host in ("127.0.0.2", "127.0.0.3")]
    try:
        process = sweep(tmp_path, "--scheduler", address)
        some_records(tmp_path, 10)
        os.kill(hub.pid, signal.SIGKILL)
        output, _ = process.communicate(timeout=90)
        assert process.returncode == 1, output
        assert output.strip().splitlines()[-1].startswith("ecnomy: the scheduler is gone")
        assert "Traceback" not in output
    finally:
        stop(hub, *hands)
    hub, address = scheduler(tmp_path)
    hands = [worker(tmp_path, address, host) for host in ("127.0.0.2", "127.0.0.3")]
    try:
        end(sweep(tmp_path, "--scheduler", address))
    finally:
        stop(hub, *hands)
    check(tmp_path, 60)
    made_by = open_sweep(tmp_path / "out").worker
    assert {"127.0.0.2", "127.0.0.3"} <= {name.split(":")[0] for name in made_by}
