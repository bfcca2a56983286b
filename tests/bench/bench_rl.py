# SPDX-License-Identifier: Apache-2.0
"""What an environment costs beside the engine that it is on: steps a second, and where time goes.

The monopolist of configs/rl, whose step is 120 simulated seconds and 40 reports: the engine alone
(no market, the plan of one episode), the market stepped without anybody who learns, the Gymnasium
view, and 64 environments in one process, stepped in turn.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np

sys.path.append(str(Path(__file__).parent))

import measuring  # noqa: E402
from ecnomy.markets import make_plan, open_market  # noqa: E402
from ecnomy.markets.rl.declared import load_environment  # noqa: E402

FILE = Path(__file__).parents[2] / "configs" / "rl" / "monopolist.yaml"
RUNS, STEPS, MANY = 5, 50, 64


def engine_s() -> float:
    """CPU seconds of the engine alone for a step."""
    environment = load_environment(FILE)
    plan = make_plan(environment.played(("isp",)))
    return measuring.cost(plan).cpu_s / environment.steps


def market_s() -> float:
    """Wall seconds of a market for a step."""
    environment = load_environment(FILE)
    with open_market(environment.played(("isp",)), tables=False) as market:
        before = time.perf_counter()
        market.run_model()
        return (time.perf_counter() - before) / environment.steps


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
    """All four in turn."""
    if importlib.util.find_spec("gymnasium") is None:
        print("environments: gymnasium is not installed (pip install '.[rl]')")
        return
    rows = [(engine_s(), market_s(), *environment_s(1, STEPS)) for _ in range(RUNS)]
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
