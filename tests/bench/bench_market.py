# SPDX-License-Identifier: Apache-2.0
"""The cost of the market: wall time per epoch with and without it.

gold-silver is 4 steered flows of 24; Abilene 143 flows on 30 links, each with a price handler's
utility (left out if topohub is not installed).
"""

from __future__ import annotations

import importlib.util
import json
import tempfile
import time
from pathlib import Path
from statistics import median

from ecnomy.markets import load, run

EXAMPLES = Path(__file__).parents[2] / "configs" / "examples"
RUNS = 5


def timed(name: str, market: bool) -> tuple[float, int, float]:
    """Wall seconds of one run of an example, its epochs, and the engine's CPU seconds."""
    with tempfile.TemporaryDirectory() as folder:
        scenario = load(EXAMPLES / f"{name}.yaml", seed=1)
        before = time.perf_counter()
        result = run(scenario, out=Path(folder) / "run", market=market)
        wall_s = time.perf_counter() - before
        machine = json.loads((result.folder / "machine.json").read_bytes())
        epochs = int(result.link_epochs.t_ps.nunique())
        return wall_s, epochs, float(machine["engine"]["cpu_s"])


def compare(name: str) -> None:
    """Interleaves runs with and without the market and compares medians."""
    timed(name, True)
    pairs = [(timed(name, True), timed(name, False)) for _ in range(RUNS)]
    with_s = median(a[0] for a, _ in pairs)
    without_s = median(b[0] for _, b in pairs)
    engine_s = median(b[2] for _, b in pairs)
    epochs = pairs[0][0][1]
    print(
        f"{name}, {epochs} epochs: {with_s:.3f} s with the market, {without_s:.3f} s without "
        f"(medians of {RUNS}): {(with_s - without_s) / epochs * 1e6:.0f} us per epoch for agents "
        f"and ledger; {with_s / epochs * 1e3:.2f} ms per epoch in all, of which the engine alone "
        f"{engine_s / epochs * 1e3:.2f} ms"
    )


def main() -> None:
    """Measure both examples."""
    compare("gold-silver")
    if importlib.util.find_spec("topohub"):
        compare("abilene")


if __name__ == "__main__":
    main()
