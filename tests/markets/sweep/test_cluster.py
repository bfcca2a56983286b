# SPDX-License-Identifier: Apache-2.0
"""Sweeps on real workers: processes that are killed, and a scheduler with workers elsewhere."""

from __future__ import annotations

import contextlib
import gc
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import resource_tracker
from pathlib import Path

import dask
import pyarrow.parquet as pq
import pytest
from distributed import LocalCluster, Security
from distributed.diskutils import WorkSpace

from command_line import ecnomy
from ecnomy.analysis.sweeps.open_sweep import open_sweep
from ecnomy.markets.sweep.pool import DaskPool, LazyPool, PoolLost
from ecnomy.markets.sweep.sweep_file import Limits
from processes import ended, line_of, started, wait_for
from sweep_world import SWEEP, go, workers, write
from tiers import full, in_full
from worker_tasks import breaks, second_time

pytestmark = pytest.mark.xdist_group("cluster")

JOBS = 2 if in_full() else 1
HOSTS = ("127.0.0.2", "127.0.0.3")
BIN = Path(sys.executable).parent
KILLS, RUNS = ((5, 26), 120) if in_full() else ((3,), 40)  # records at which the driver is killed
MANY = SWEEP.replace("replicates: 3", f"replicates: {RUNS // 4}")


Started = contextlib.AbstractContextManager[subprocess.Popen[str]]


def start(*arguments: object, folder: Path) -> Started:
    """Starts a process in this folder."""
    return started(arguments, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def sweep(folder: Path, *more: str, jobs: int = 2) -> Started:
    """The command with this number of workers."""
    command = (BIN / "ecnomy", "sweep", "sweep.yaml", "--out", "out", "--jobs", str(jobs), *more)
    return start(*command, folder=folder)


def end(process: subprocess.Popen[str]) -> str:
    """The output of a process after a successful end."""
    status, output, _ = ended(process)
    assert status == 0, output
    return output


def finished(folder: Path) -> int:
    """Runs with a record, in a separate file or in a shard."""
    out = folder / "out"
    shards = sum(pq.read_metadata(file).num_rows for file in (out / "shards").glob("*.parquet"))
    return shards + len(list((out / "outcomes").glob("*.json")))


def some_records(folder: Path, least: int, process: subprocess.Popen[str]) -> None:
    """Waits until this many runs are finished."""
    wait_for(lambda: finished(folder) >= least, f"{least} finished runs", while_runs=process)


def check(folder: Path, runs: int) -> None:
    """Checks that every run exists once and is done, and no file is incomplete."""
    table = open_sweep(folder / "out")
    assert len(table) == runs == table.number.nunique() == table.run.nunique()
    assert (table.status == "done").all(), table.reason.unique()
    assert not list((folder / "out").rglob("*.tmp"))
    assert not list((folder / "out" / "outcomes").glob("*.json"))


@contextlib.contextmanager
def busy_port() -> Iterator[None]:
    """Dask's port 8787 is in use."""
    with socket.socket() as other:
        with contextlib.suppress(OSError):  # already in use, which is equally good
            other.bind(("127.0.0.1", 8787))
            other.listen()
        yield


def _ignores(pid: int | None, number: int) -> bool:
    """Whether a process ignores a signal."""
    status = Path(f"/proc/{pid}/status").read_text()
    return bool(int(re.search(r"SigIgn:\s+(\w+)", status)[1], 16) >> (number - 1) & 1)


@full
def test_deaths_at_the_worst_moments(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A worker dies in its run or right after its answer, or the connection breaks.

    dask checks some time after a death, and releases a worker that is starting at that moment. Two
    simultaneous sweeps do not compete for dask's port, because its pages are not used.
    """
    monkeypatch.setattr("ecnomy.markets.sweep.pool._GIVEN_UP", "0.2s")
    monkeypatch.setattr("ecnomy.markets.sweep.pool._COUNT_S", 0.1)
    with busy_port(), contextlib.closing(DaskPool("", 1, Limits())) as pool:
        assert _ignores(resource_tracker._resource_tracker._pid, signal.SIGHUP)
        repeated = pool.submit(second_time, tmp_path / "begun")
        wait_for((tmp_path / "begun").exists, "the run")
        os.kill(workers(os.getpid())[0], signal.SIGKILL)
        more = pool.submit(str, 7)
        wait_for(lambda: pool.workers and more.done(), "the answer of another worker", 60)
        assert more.result(0) == "7" and repeated.result(60) == "done"
        with monkeypatch.context() as patch:  # as for an answer whose worker has just died
            patch.setattr("distributed.Future.status", "lost")
            assert pool.submit(str, 8).result(60) == "8"
        with monkeypatch.context() as patch:  # as for a connection that breaks during the answer
            patch.setattr("distributed.Client._gather", breaks)
            assert isinstance(pool.submit(str, 9).exception(60), PoolLost)
        assert str(pool.submit(breaks, "of a run").exception(60)) == "Stream is closed"
        waiting = pool.submit(time.sleep, 3600)
        assert waiting.cancel()


def test_killed_drivers_and_workers_cost_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same command makes exactly the missing runs, even after a driver was killed twice.

    A run leaves nothing behind in the folder for temporary files. If a worker
    is killed, the driver goes on with another in its place; the fast tier makes the rest here.
    """
    write(tmp_path, MANY)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with monkeypatch.context() as patch:
        patch.setenv("TMPDIR", str(temporary))
        for least in KILLS:
            with sweep(tmp_path, jobs=JOBS) as process:
                some_records(tmp_path, least, process)
                os.kill(process.pid, signal.SIGKILL)
                ended(process)  # its workers hold its output, so they end by themselves
    there = finished(tmp_path)
    assert KILLS[-1] <= there < RUNS
    left = {path.name for path in temporary.rglob("*") if path.is_dir()}
    left = {name for name in left if not name.startswith(("scheduler-", "worker-"))}  # dask's
    assert left == {f"ecnomy-{os.getuid()}", "dask-scratch-space"}
    if not in_full():
        tally, _, _ = go(tmp_path / "sweep.yaml", tmp_path / "out")
        assert (tally.done, tally.present) == (RUNS - there, there)
        check(tmp_path, RUNS)
        return
    with busy_port(), sweep(tmp_path, jobs=JOBS) as process:
        some_records(tmp_path, there + KILLS[0], process)
        os.kill(workers(process.pid)[0], signal.SIGKILL)
        output = end(process)
    assert f"{RUNS} runs: {RUNS - there} new, {there} reused" in output
    assert "8787" not in output and "Warning" not in output
    check(tmp_path, RUNS)


def certified(folder: Path) -> tuple[list[str], dict[str, str]]:
    """A self-signed certificate, as options for dask's commands and variables for a sweep."""
    made = Security.temporary()
    for name, text in (("cert.pem", made.tls_client_cert), ("key.pem", made.tls_client_key)):
        (folder / name).touch(mode=0o600)
        (folder / name).write_text(text)
    cert, key = str(folder / "cert.pem"), str(folder / "key.pem")
    named = {"CA_FILE": cert, "CLIENT__CERT": cert, "CLIENT__KEY": key}
    options = ["--tls-ca-file", cert, "--tls-cert", cert, "--tls-key", key]
    return options, {f"DASK_DISTRIBUTED__COMM__TLS__{name}": file for name, file in named.items()}


@contextlib.contextmanager
def scheduler(folder: Path, *tls: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A dask scheduler on a free port, and its address."""
    with start(
        sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard",
        "--host", "127.0.0.1", *(("--protocol", "tls", *tls) if tls else ()), folder=folder,
    ) as process:  # fmt: skip
        while not (address := re.search(r"(?:tcp|tls)://127\.0\.0\.1:\d+", line_of(process))):
            pass
        yield process, address[0]


def worker(folder: Path, address: str, host: str, *tls: str) -> Started:
    """A worker with its own address."""
    return start(
        sys.executable, "-m", "distributed.cli.dask_worker", address, "--host", host, "--nthreads",
        "1", "--no-dashboard", "--no-nanny", "--name", host, *tls, folder=folder,
    )  # fmt: skip


@contextlib.contextmanager
def cluster(
    folder: Path, hosts: Sequence[str], *tls: str
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A scheduler with a worker at each of these hosts: its process and address."""
    with scheduler(folder, *tls) as (hub, address), contextlib.ExitStack() as hands:
        for host in hosts:
            hands.enter_context(worker(folder, address, host, *tls))
        yield hub, address


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_scheduler_at_tls_is_used_and_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A cluster's worker makes runs; after its end one line says so, and records are complete."""
    write(tmp_path, MANY)
    options, _ = certified(tmp_path)
    _, ca, _, cert, _, key = options
    tls = {"distributed.comm.tls.ca-file": ca}
    for role in ("client", "scheduler", "worker"):
        tls |= {
            f"distributed.comm.tls.{role}.{name}": at for name, at in (("cert", cert), ("key", key))
        }
    with (
        dask.config.set(tls),
        LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None,
            protocol="tls", host="127.0.0.1", security=Security(),
        ) as hub,
    ):  # fmt: skip

        def leave() -> None:
            wait_for(lambda: finished(tmp_path) >= 2 * KILLS[0], "finished runs")
            hub.close(5)

        with ThreadPoolExecutor(1) as other:
            left = other.submit(leave)
            words = (tmp_path / "sweep.yaml", "--out", tmp_path / "out")
            status = ecnomy("sweep", *words, "--scheduler", hub.scheduler_address)
            left.result(60)
    errors = capsys.readouterr().err
    assert status == 1, errors
    assert errors.strip().splitlines()[-1].startswith("ecnomy: the scheduler is gone")
    assert 2 * KILLS[0] <= len(open_sweep(tmp_path / "out").query("status == 'done'")) < RUNS
    gc.collect()  # here, a client that was about to connect again may say so as it goes


@full
@pytest.mark.parametrize("hosts", [HOSTS[:1], HOSTS])
def test_workers_elsewhere_share_a_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hosts: Sequence[str]
) -> None:
    """All workers make runs. If the scheduler dies, the sweep ends in one line and can continue.

    With one worker, the scheduler is at tls:// and has a self-signed certificate.
    """
    write(tmp_path, MANY)
    tls, variables = certified(tmp_path) if len(hosts) == 1 else ([], {})
    for name, file in variables.items():
        monkeypatch.setenv(name, file)
    with (
        cluster(tmp_path, hosts, *tls) as (hub, address),
        sweep(tmp_path, "--scheduler", address) as process,
    ):
        some_records(tmp_path, 2 * KILLS[0], process)
        os.kill(hub.pid, signal.SIGKILL)
        status, output, _ = ended(process)
        assert status == 1, output
        assert output.strip().splitlines()[-1].startswith("ecnomy: the scheduler is gone")
        assert "Traceback" not in output
    if len(hosts) > 1:
        with (
            cluster(tmp_path, hosts) as (hub, address),
            sweep(tmp_path, "--scheduler", address) as process,
        ):
            end(process)
        check(tmp_path, RUNS)
    made_by = open_sweep(tmp_path / "out").worker
    assert set(hosts) <= {name.split(":")[0] for name in made_by}


def test_a_killed_driver_says_nothing() -> None:
    """A killed driver causes no warnings of Python's resource tracker about semaphores."""
    code = """
import multiprocessing, os, signal
from ecnomy.markets.sweep.pool import _ctrl_c_later
with _ctrl_c_later():
    held = multiprocessing.get_context("spawn").Semaphore()
os.kill(os.getpid(), signal.SIGKILL)
"""
    with started([sys.executable, "-c", code], stderr=subprocess.PIPE) as process:
        assert ended(process) == (-signal.SIGKILL, "", "")


def test_a_sweep_without_missing_runs_removes_leavings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sweep without missing runs removes folders of killed workers, but not of live ones."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    scratch = tmp_path / f"ecnomy-{os.getuid()}" / "dask-scratch-space"
    live = WorkSpace(str(scratch)).new_work_dir(prefix="worker-")
    (scratch / "worker-dead").mkdir()
    (scratch / "worker-dead.dirlock").touch()
    LazyPool(lambda: pytest.fail("no run needs it")).close()
    assert {path for path in scratch.iterdir() if path.is_dir()} == {Path(live.dir_path)}
    assert not (scratch / "worker-dead.dirlock").exists()
    live.release()
