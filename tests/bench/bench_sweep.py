# SPDX-License-Identifier: Apache-2.0
"""The overhead of a sweep: gold-silver cut to 10 simulated seconds, many times, on 2 workers.

Overhead per run = (workers x wall - CPU of all engines) / runs. The driver's memory is read
after each tenth of the runs and has to stay flat. The number of runs is the first argument.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from ecnomy.analysis.sweeps.open_sweep import open_sweep
from ecnomy.markets.sweep.config import load_sweep
from ecnomy.markets.sweep.driver import missing, sweep_runs
from ecnomy.markets.sweep.pool import DaskPool
from ecnomy.markets.sweep.store import Store

SCENARIO = Path(__file__).parents[2] / "configs" / "examples" / "gold-silver.yaml"
RUNS, WORKERS = 10_000, 2


class Memory:
    """The driver's resident memory, MB, after each tenth of the runs."""

    def __init__(self, runs: int) -> None:
        self._step, self.tenths = runs // 10, list[float]()

    def at(self, tally: Any) -> None:
        if tally.done >= (len(self.tenths) + 1) * self._step:
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            self.tenths.append(pages * 4096 / 1e6)

    def ended(self, outcome: Any) -> None:
        if outcome.status == "failed":
            raise SystemExit(f"a run failed: {outcome.reason}")


def main() -> None:
    """Makes the sweep, and prints its cost."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "sweep.yaml"
        file.write_text(
            f"version: 1\nscenario: {SCENARIO}\nset: {{duration: 10 s, warmup: 2 s}}\n"
            f"replicates: {runs}\n"
        )
        sweep = load_sweep(file)
        store = Store(Path(folder) / "out", sweep)
        pool, memory = DaskPool("", WORKERS, sweep.limits), Memory(runs)
        began_s = time.perf_counter()
        points = missing(store, retry_failed=False, accept_old_code=False)
        sweep_runs(sweep, store, pool, points, memory)
        wall_s = time.perf_counter() - began_s
        pool.close()
        store.close()
        table = open_sweep(store.folder)
    engine_s = float(table.engine_cpu_s.sum())
    over_ms = (WORKERS * wall_s - engine_s) / runs * 1e3
    shown = ", ".join(f"{mb:.0f}" for mb in memory.tenths)
    print(
        f"{len(table)} runs of gold-silver, 10 s each, on {WORKERS} workers: {wall_s:.1f} s, "
        f"{over_ms:.1f} ms a run beside the engine's {engine_s / runs * 1e3:.1f} ms; "
        f"driver memory per tenth: {shown} MB"
    )


if __name__ == "__main__":
    main()
