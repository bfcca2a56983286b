# SPDX-License-Identifier: Apache-2.0
"""`make torture`: a sweep whose workers, driver and scheduler are killed and whose disk fills up.

At random times (by a seed, by default a new one, which is printed) one of these happens, 20 times
or more, and the same command is run again:

    worker      kill -9 of one of its workers
    driver      kill -9 of the command itself
    scheduler   kill -9 of a dask scheduler that it uses, which is then started again
    disk        the folder's file system (a small tmpfs) is full until the command has given up
    corrupt     one bit of a shard, or half of a record, while no command runs

In the end every run exists once, with the same outcome as in an undisturbed sweep.

    python tests/torture/torture.py [--seed N] [--events N] [--runs N]
"""

from __future__ import annotations

import argparse
import os
import random
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in (".", "markets")]

import pandas as pd  # noqa: E402

import guardian  # noqa: E402
from ecnomy.analysis.sweeps.open_sweep import open_sweep  # noqa: E402
from sweep_world import SWEEP, workers, write  # noqa: E402

BIN = Path(sys.executable).parent
KINDS = ("worker", "driver", "scheduler", "disk", "corrupt")
OURS = ("wall_s", "engine_cpu_s", "worker")  # columns that no two runs share


class Cluster:
    """A dask scheduler at a fixed address, with its two workers."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._port = folder, 0
        self._hub: subprocess.Popen[str] | None = None
        self._hands: list[subprocess.Popen[str]] = []
        self.start()

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Starts whatever is not running."""
        if self._hub is None or self._hub.poll() is not None:
            self._hub = _start(
                [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1",
                 "--port", str(self._port), "--no-dashboard"], self._folder, subprocess.PIPE,
            )  # fmt: skip
            assert self._hub.stdout is not None
            for line in self._hub.stdout:  # no limit: a person watches
                if match := re.search(r"tcp://127\.0\.0\.1:(\d+)", line):
                    self._port = int(match[1])
                    break
        for hand in self._hands:
            _kill(hand)
        self._hands = [
            _start([sys.executable, "-m", "distributed.cli.dask_worker", self.address, "--host",
                    host, "--nthreads", "1", "--no-dashboard"], self._folder)
            for host in ("127.0.0.2", "127.0.0.3")
        ]  # fmt: skip

    def kill_scheduler(self) -> None:
        assert self._hub is not None
        _kill(self._hub)

    def close(self) -> None:
        for process in (self._hub, *self._hands):
            if process is not None:
                _kill(process)


def main() -> None:
    """Run the torture, then compare. Exit status 1 if anything was lost, doubled or changed."""
    options = argparse.ArgumentParser()
    options.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    options.add_argument("--events", type=int, default=20)
    options.add_argument("--runs", type=int, default=400)
    given = options.parse_args()
    guardian.guarded()
    print(f"seed {given.seed}, at least {given.events} events, {given.runs} runs", flush=True)
    with tempfile.TemporaryDirectory(prefix="torture-") as name:
        root = Path(name)
        disk = _small_disk(root)
        try:
            _torture(root, disk, random.Random(given.seed), given.events, given.runs)
        finally:
            if disk:
                subprocess.run(["umount", "-l", str(root / "disk")], check=False, timeout=60)


def _torture(root: Path, disk: bool, draw: random.Random, events: int, runs: int) -> None:
    home = root / "disk" if disk else root
    write(home, SWEEP.replace("replicates: 3", f"replicates: {runs // 4}"))
    kinds = [kind for kind in KINDS if disk or kind != "disk"]
    if not disk:
        print("no tmpfs can be mounted here (that needs root): the disk is left alone", flush=True)
    cluster, happened = Cluster(root), Counter[str]()
    try:
        while sum(happened.values()) < events or min(happened[kind] for kind in kinds) == 0:
            kind = draw.choice(kinds)
            if _round(home, cluster, kind, draw):
                happened[kind] += 1
                print(f"{sum(happened.values())}: {kind}; {_there(home)} records", flush=True)
    finally:
        cluster.close()
    print(f"events: {dict(happened)}", flush=True)
    _finish(home, root, runs)


def _round(home: Path, cluster: Cluster, kind: str, draw: random.Random) -> bool:
    """Starts the command and disturbs it once; returns whether that was possible."""
    if kind == "corrupt":
        return _corrupt(home, draw)
    far = kind == "scheduler" or draw.random() < 0.3
    if far:
        cluster.start()
    command = _command(home, cluster.address if far else "")
    process = _start(command, home, subprocess.PIPE)
    _let_begin(home, process, draw)
    if process.poll() is not None:
        said = _output(process)
        if "runs:" in said:  # complete: remove a part, so that there is work
            for file in (home / "out" / "shards").glob("*.parquet"):
                file.unlink()
            return False
        raise SystemExit(f"the command failed without being hurt: {said}")
    if kind == "driver":
        _kill(process)
    elif kind == "worker":
        hurt = [] if far else workers(process.pid)
        if not hurt:
            _kill(process)
            return False
        os.kill(draw.choice(hurt), signal.SIGKILL)
        time.sleep(draw.uniform(0.5, 3.0))
        _kill(process)
    elif kind == "scheduler":
        cluster.kill_scheduler()
        return _gave_up(process, "scheduler is gone", "no workers available")
    elif kind == "disk":
        _fill(home)
        gave_up = _gave_up(process, "disk is full")
        (home / "filler").unlink()
        return gave_up
    return True


def _let_begin(home: Path, process: subprocess.Popen[str], draw: random.Random) -> None:
    """In four of five cases, wait until the command makes runs. Then wait for a random time."""
    for _ in range(300 if draw.random() < 0.8 else 0):
        if _there(home) or process.poll() is not None:
            break
        time.sleep(0.1)
    time.sleep(draw.uniform(0.0, 3.0))


def _command(home: Path, address: str) -> list[str]:
    command = [str(BIN / "ecnomy"), "sweep", "sweep.yaml", "--out", "out", "--jobs", "2"]
    return [*command, "--scheduler", address] if address else command


def _finish(home: Path, root: Path, runs: int) -> None:
    """Complete the sweep, and compare it with an undisturbed one."""
    done = subprocess.run(
        _command(home, ""), cwd=home, capture_output=True, text=True, timeout=1800
    )
    if done.returncode != 0:
        raise SystemExit(f"the last command failed: {done.stderr}")
    peace = root / "peace"
    peace.mkdir()
    for name in ("sweep.yaml", "scenario.yaml"):
        (peace / name).write_bytes((home / name).read_bytes())
    subprocess.run(_command(peace, ""), cwd=peace, check=True, capture_output=True, timeout=1800)
    rows, wanted = _table(home / "out"), _table(peace / "out")
    if len(rows) != runs or rows.number.nunique() != runs or rows.run.nunique() != runs:
        raise SystemExit(f"{len(rows)} rows, {rows.run.nunique()} keys for {runs} runs")
    pd.testing.assert_frame_equal(rows[wanted.columns.tolist()], wanted)
    left = [p for p in (home / "out").rglob("*") if p.suffix in (".tmp", ".json")]
    if [p.name for p in left] != ["sweep.json"]:
        raise SystemExit(f"left behind: {left}")
    print(f"{runs} runs, each there once, each as in a sweep left in peace")


def _table(folder: Path) -> pd.DataFrame:
    table = open_sweep(folder).drop(columns=list(OURS))
    return table.sort_values("number", ignore_index=True)[sorted(table.columns)]


def _corrupt(home: Path, draw: random.Random) -> bool:
    shards = sorted((home / "out" / "shards").glob("*.parquet"))
    records = sorted((home / "out" / "outcomes").glob("*.json"))
    if not shards and not records:
        return False
    file = draw.choice([draw.choice(group) for group in (shards, records) if group])
    data = bytearray(file.read_bytes())
    if file.suffix == ".json":
        data = data[: len(data) // 2]
    else:
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    file.write_bytes(bytes(data))
    return True


def _fill(home: Path) -> None:
    with (home / "filler").open("wb", buffering=0) as filler:
        block = bytes(4096)
        try:
            while True:
                filler.write(block)
        except OSError:
            return


def _small_disk(root: Path) -> bool:
    (root / "disk").mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(root / "disk")]
    try:
        return subprocess.run(command, capture_output=True, timeout=60).returncode == 0
    except FileNotFoundError:
        return False


def _there(home: Path) -> int:
    return sum(1 for _ in (home / "out" / "outcomes").glob("*.json"))


def _start(
    command: list[str], folder: Path, out: int = subprocess.DEVNULL
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command, cwd=folder, start_new_session=True, stdout=out, stderr=subprocess.STDOUT, text=True
    )


def _kill(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        os.kill(process.pid, signal.SIGKILL)
    process.wait(120)


def _output(process: subprocess.Popen[str]) -> str:
    output, _ = process.communicate(timeout=120)
    return output or ""


def _gave_up(process: subprocess.Popen[str], *words: str) -> bool:
    """Return whether the command ended for one of these reasons, or had finished before."""
    output = _output(process)
    if process.returncode == 0 and "runs:" in output:
        return False
    named = any(word in output for word in words)
    if process.returncode != 1 or not named or "Traceback" in output:
        raise SystemExit(f"exit {process.returncode}, expected 1 and one of {words}: {output}")
    return True


if __name__ == "__main__":
    main()
