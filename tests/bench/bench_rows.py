# SPDX-License-Identifier: Apache-2.0
"""The cost of 10,000 telephone users with epochs of 1 s: a row per user, or one row for all.

Wall time of a whole run (engine, exchange, bookings, tables) less the engine's own CPU time, per
epoch, and the size of the results folder.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from ecnomy.markets import run
from ecnomy.markets.scenario import scenario_from_text

DURATION_S = 60
TEXT = """\
version: 1
duration: 60 s
network:
  links: [{name: wire, from: a, to: b, rate: 100 Mbps, delay: 5 ms,
           marking: {law: fixed, probability: 0.01}}]
sources:
  - {name: callers, count: 10000, from: a, to: b, traffic: {kind: voip},
     transport: {law: udp, payload: 160 bytes, ecn: ect}, rows: ROWS}
market:
  price_per_mark: 0.01 money
  agents: [{name: isp, role: connectivity-provider}]
record: {transfers: false, calls: false}
"""


def measure(rows: str, folder: Path) -> tuple[float, float, int]:
    """Milliseconds per epoch outside the engine, CPU seconds of the engine, bytes of results."""
    scenario = scenario_from_text(TEXT.replace("ROWS", rows))
    before = time.perf_counter()
    run(scenario, out=folder)
    wall_s = time.perf_counter() - before
    cpu_s = json.loads((folder / "machine.json").read_text())["engine"]["cpu_s"]
    size = sum(file.stat().st_size for file in folder.iterdir())
    return 1000 * (wall_s - cpu_s) / DURATION_S, cpu_s, size


def main() -> None:
    """Print the costs of both forms."""
    with tempfile.TemporaryDirectory() as name:
        for rows in ("each", "together"):
            epoch_ms, cpu_s, size = measure(rows, Path(name) / rows)
            print(
                f"10,000 callers, rows {rows}: {epoch_ms:.1f} ms an epoch beside the engine's "
                f"{cpu_s:.1f} CPU s, {size / 1e6:.2f} MB of results"
            )


if __name__ == "__main__":
    sys.exit(main())
