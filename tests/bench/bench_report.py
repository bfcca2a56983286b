# SPDX-License-Identifier: Apache-2.0
"""The cost of opening and reporting a sweep of 100,000 recorded runs: seconds, peak memory.

    python tests/bench/bench_report.py [runs]

Outcomes are artificial (forty columns); each step runs in a separate process, whose peak memory
(VmHWM) is printed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "markets"))
from made_up_sweep import made_up

SWEEP = """
version: 1
title: A large sweep
scenario: scenario.yaml
parameters:
  grid:
    market.price_per_mark: [{prices}]
    sources.gold.count: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    network.links.wire.marking:
      - {{label: rare, value: {{law: fixed, probability: 0.02}}}}
      - {{label: often, value: {{law: fixed, probability: 0.05}}}}
replicates: {replicates}
outcomes: [balance.shop, gold.goodput_bps, silver.goodput_bps, wire.utilization]
"""
LOAD = """
from ecnomy.analysis.sweeps.open_sweep import open_sweep as load
print(len(load(FOLDER)), "rows")
"""
SHOW = """
from pathlib import Path
from rich.console import Console
from ecnomy.analysis.sweep_report.printed import print_sweep
print_sweep(Path(FOLDER), Console(file=open("/dev/null", "w")), Path(FOLDER) / "sweep.png")
"""
REPORT = """
from pathlib import Path
from ecnomy.analysis.sweep_report.page import write_sweep_page
file = Path(FOLDER) / "report.html"
write_sweep_page(Path(FOLDER), file, ["ecnomy", "report"])
print(f"{file.stat().st_size / 1e6:.1f} MB")
"""
PEAK = """
import time
print(f"{time.process_time():.1f} s of CPU")
print([line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")][0])
"""


def figures(rng: np.random.Generator):
    """Outcomes that depend on the price and the marking, and on the seed."""

    def of(point):
        price = float(point.params["market.price_per_mark"].split()[0])
        often = "0.05" in point.params["network.links.wire.marking"]
        noise = rng.standard_normal(40) + np.sin(point.seed)
        delays = {f"source-{n}.mean_delay_s": 0.01 + 0.001 * float(noise[n]) for n in range(36)}
        return {
            "balance.shop": 10 + price * (2 - price) + often + 0.1 * float(noise[36]),
            "gold.goodput_bps": 1e6 / (0.1 + price) + 1e4 * float(noise[37]),
            "silver.goodput_bps": 5e5 / (0.1 + price) + 1e4 * float(noise[38]),
            "wire.utilization": 0.9 - 0.1 * price + 0.01 * float(noise[39]),
            "wire.drops": int(point.replicate % 3),
            **delays,
        }

    return of


def main() -> None:
    """Makes the sweep, then opens, shows and reports it."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    prices = ", ".join(f"{0.1 * n:.1f} money" for n in range(1, 11))
    with tempfile.TemporaryDirectory() as folder:
        text = SWEEP.format(prices=prices, replicates=max(2, runs // 200))
        out = made_up(Path(folder), text, figures(np.random.default_rng(1)))
        for name, code in (("load", LOAD), ("show", SHOW), ("report", REPORT)):
            began_s = time.monotonic()
            words = [sys.executable, "-c", code.replace("FOLDER", repr(str(out))) + PEAK]
            done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=3600)
            *said, peak_kb = done.stdout.split("\n")[:-1]
            took_s = time.monotonic() - began_s
            print(f"{name}: {took_s:.1f} s, {int(peak_kb) / 1000:.0f} MB; {' '.join(said)}")


if __name__ == "__main__":
    main()
