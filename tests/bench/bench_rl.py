# SPDX-License-Identifier: Apache-2.0
"""The cost of an environment in addition to its engine: steps per second, and time shares.

The monopolist of configs/rl, whose step is 120 simulated seconds and 40 reports: the engine's own
CPU time, the market stepped at the same price without a learner, the Gymnasium view, and
64 environments in one process, stepped in turn.
"""

from __future__ import annotations

import importlib.util
import json
import tempfile
import time
from pathlib import Path
from statistics import median

import msgspec
import numpy as np

from ecnomy.markets import open_market, run
from ecnomy.markets.rl.environment_file import load_environment

FILE = Path(__file__).parents[2] / "configs" / "rl" / "monopolist.yaml"
RUNS, STEPS, MANY = 3, 30, 64


def without_learner() -> tuple[float, float]:
    """Seconds per step: CPU of the engine, and wall time of a market at the price of action 0."""
    environment = load_environment(FILE)
    played = environment.played(("isp",))
    spec = msgspec.structs.replace(environment.market, price_micro_per_mark=100_000)
    played = msgspec.structs.replace(played, market=spec)
    with open_market(played, tables=False) as market:
        before = time.perf_counter()
        market.run_model()
        wall_s = time.perf_counter() - before
    with tempfile.TemporaryDirectory() as folder:
        result = run(played, out=Path(folder) / "run")
        machine = json.loads((result.folder / "machine.json").read_bytes())
    return float(machine["engine"]["cpu_s"]) / environment.steps, wall_s / environment.steps


def environment_s(count: int, steps: int) -> tuple[float, float]:
    """Wall seconds of a reset, and of a step, of `count` environments in turn."""
    from ecnomy.markets.rl import market_env

    action = np.zeros(1, np.float32)
    envs = [market_env(FILE) for _ in range(count)]
    before = time.perf_counter()
    for seed, env in enumerate(envs):
        env.reset(seed=seed)
    begun = time.perf_counter()
    for _ in range(steps):
        for env in envs:
            env.step(action)
    done = time.perf_counter()
    for env in envs:
        env.close()
    return (begun - before) / count, (done - begun) / count / steps


def main() -> None:
    """Measure all four in turn."""
    if importlib.util.find_spec("gymnasium") is None:
        print("environments: gymnasium is not installed (pip install '.[rl]')")
        return
    rows = [(*without_learner(), *environment_s(1, STEPS)) for _ in range(RUNS)]
    engine, market, reset, step = (median(column) for column in zip(*rows, strict=True))
    many_reset, many = environment_s(MANY, 2)
    print(
        f"environment (monopolist, 40 reports a step): {1 / step:.1f} steps/s, the engine alone "
        f"{1 / engine:.1f} a CPU second, the market without a learner {1 / market:.1f} (medians of "
        f"{RUNS}); a reset {reset * 1e3:.0f} ms; {MANY} in one process {1 / many:.1f} steps/s in "
        f"all, a reset {many_reset * 1e3:.0f} ms"
    )


if __name__ == "__main__":
    main()
