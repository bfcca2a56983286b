# SPDX-License-Identifier: Apache-2.0
"""What the market adds to the engine on gold-silver: wall time per epoch, with and without it."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median

from ecnomy.markets import load, run

CONFIG = Path(__file__).parents[2] / "configs" / "examples" / "gold-silver.yaml"
RUNS = 5


def timed(market: bool) -> tuple[float, int]:
    """Wall seconds of one run, and its epochs."""
    with tempfile.TemporaryDirectory() as folder:
        scenario = load(CONFIG, seed=1)
        before = time.perf_counter()
        result = run(scenario, out=Path(folder) / "run", market=market)
        wall_s = time.perf_counter() - before
        return wall_s, int(result.link_epochs.t_ps.nunique())


def main() -> None:
    """Interleave runs with and without the market and compare medians."""
    timed(True)
    pairs = [(timed(True), timed(False)) for _ in range(RUNS)]
    with_s = median(a[0] for a, _ in pairs)
    without_s = median(b[0] for _, b in pairs)
    epochs = pairs[0][0][1]
    print(
        f"gold-silver, {epochs} epochs: {with_s:.3f} s with the market, {without_s:.3f} s without "
        f"(medians of {RUNS}): {(with_s - without_s) / epochs * 1e6:.0f} us per epoch for agents "
        f"and ledger; {with_s / epochs * 1e3:.2f} ms per epoch in all"
    )


if __name__ == "__main__":
    main()
