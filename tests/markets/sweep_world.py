# SPDX-License-Identifier: Apache-2.0
"""Small sweeps, and workers in this process, for tests that need no cluster."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec
import psutil

from ecnomy.markets.sweep.config import Sweep, load_sweep
from ecnomy.markets.sweep.driver import Tally, missing, sweep_runs
from ecnomy.markets.sweep.outcome import RunOutcome
from ecnomy.markets.sweep.store import Store

SCENARIO = """
version: 1
title: one link
duration: 3 s
warmup: 1 s
network:
  links:
    - name: wire
      from: a
      to: b
      rate: 2 Mbps
      delay: 5 ms
      marking: {law: fixed, probability: 0.05}
sources:
  - {name: gold, count: 2, from: a, to: b, transport: {law: wtp}}
  - {name: silver, from: a, to: b, transport: {law: wtp}}
market:
  epoch: 0.5 s
  price_per_mark: 0.1 money
  agents:
    - {name: isp, role: connectivity-provider}
    - name: shop
      role: application-provider
      classes: {gold: {fee: 4 money/s, sources: gold}, silver: {fee: 1 money/s, sources: silver}}
"""
SWEEP = """
version: 1
scenario: scenario.yaml
parameters:
  grid:
    market.price_per_mark: [0.1 money, 0.2 money]
    sources.gold.count: [1, 2]
replicates: 3
"""


_MADE: Final[dict[bytes, RunOutcome]] = {}  # outcomes of finished runs, by their tasks


class Here:
    """A pool of one thread, which records its points."""

    ahead, workers = 3, 1
    lost = False

    def __init__(self, before: Callable[[Any], None] = lambda task: None) -> None:
        self._executor = concurrent.futures.ThreadPoolExecutor(1)
        self._before = before
        self.points: list[str] = []

    def submit(self, function: Callable[..., Any], task: Any) -> concurrent.futures.Future[Any]:
        self.points.append(task.point)
        self._before(task)
        return self._executor.submit(function, task)

    def close(self) -> None:
        self._executor.shutdown()


class Once(Here):
    """Makes each run once for all tests of this process, unless it depends on a user's module.

    Otherwise a run depends only on its task, without `name`, the scenario's file in messages.
    """

    def submit(self, function: Callable[..., Any], task: Any) -> concurrent.futures.Future[Any]:
        key = msgspec.json.encode(msgspec.structs.replace(task, name=""))
        if key in _MADE:
            self.points.append(task.point)
            known: concurrent.futures.Future[Any] = concurrent.futures.Future()
            known.set_result(_MADE[key])
            return known
        coming = super().submit(function, task)
        coming.add_done_callback(lambda done: _keep(key, task, done))
        return coming


def _keep(key: bytes, task: Any, done: concurrent.futures.Future[Any]) -> None:
    if done.cancelled() or done.exception() or task.folder or task.measure:
        return
    if done.result().status == "done" and not done.result().strategies:
        _MADE[key] = done.result()


class Watcher:
    """Records failures."""

    def __init__(self) -> None:
        self.failures: list[RunOutcome] = []

    def at(self, tally: Tally) -> None:
        assert tally.left >= 0

    def ended(self, outcome: RunOutcome) -> None:
        if outcome.status == "failed":
            self.failures.append(outcome)


def write(folder: Path, sweep: str = SWEEP, scenario: str = SCENARIO) -> Path:
    """Writes a sweep file and its scenario to a folder."""
    (folder / "scenario.yaml").write_text(scenario)
    (folder / "sweep.yaml").write_text(sweep)
    return folder / "sweep.yaml"


def go(
    sweep: Sweep | Path,
    out: Path,
    pool: Here | None = None,
    *,
    retry: bool = False,
    old: bool = False,
) -> tuple[Tally, Here, Watcher]:
    """Makes the missing runs in this process."""
    sweep = load_sweep(sweep) if isinstance(sweep, Path) else sweep
    pool, watcher = pool or Once(), Watcher()
    store = Store(out, sweep)
    try:
        points = missing(store, retry_failed=retry, accept_old_code=old)
        return sweep_runs(sweep, store, pool, points, watcher), pool, watcher
    finally:
        store.close()
        pool.close()


def workers(driver: int) -> list[int]:
    """Worker processes of a driver's local cluster."""
    below = psutil.Process(driver).children(recursive=True)
    return [process.pid for process in below if b"spawn_main" in _command(process.pid)]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # it has ended
        return b""
