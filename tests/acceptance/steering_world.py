# SPDX-License-Identifier: Apache-2.0
"""A link that a carrier steers to a target utilisation, while demand doubles and returns.

The scenarios are configs/examples/target-utilization.yaml and those that extend it.
"""

from __future__ import annotations

import dataclasses
import math
import tempfile
from pathlib import Path

import numpy as np

from ecnomy.markets import load, run

__all__ = ["EXAMPLES", "PS", "Course", "course", "held"]

EXAMPLES = Path(__file__).parents[2] / "configs" / "examples"
PS = 10**12
STEP_S = 5  # between two decisions
PHASES = ((0, 200, 1), (200, 400, 1), (400, 600, -1))  # from, to, the side from which it approaches


@dataclasses.dataclass(frozen=True)
class Course:
    """Utilisation in each decision interval, and the steered value at the end of each phase."""

    target: float
    used: np.ndarray
    ends: tuple[float, ...]

    def phase(self, k: int) -> np.ndarray:
        """The intervals of phase k."""
        first, last, _ = PHASES[k]
        return self.used[first // STEP_S : last // STEP_S]

    def last_minute(self, k: int) -> float:
        """Mean of the last 60 s of a phase, less the target."""
        return float(self.phase(k)[-60 // STEP_S :].mean()) - self.target

    def updates(self, k: int, over: int = 1) -> int:
        """The number of decisions after which means `over` that many intervals are within 0.02."""
        means = np.convolve(self.phase(k), np.full(over, 1 / over), "valid")
        off = np.flatnonzero(abs(means - self.target) > 0.02)
        return int(off[-1]) + 1 if len(off) else 0

    def overshoot(self, k: int) -> float:
        """The largest distance beyond the target, once it was approached from one side."""
        beyond = PHASES[k][2] * (self.target - self.phase(k))  # above 0: on the far side
        near = np.flatnonzero(beyond < 0)
        return float(max(beyond[near[0] :].max(), 0.0)) if len(near) else math.nan

    def __str__(self) -> str:
        return "\n".join(
            f"phase {k}: last minute {self.last_minute(k):+.4f}, settled after {self.updates(k)} "
            f"decisions, overshoot {self.overshoot(k):.3f}, farthest "
            f"{abs(self.phase(k)[1:] - self.target).max():.3f}, steered to {self.ends[k]:.5g}"
            for k in range(3)
        )


def held(found: Course, over: int = 1) -> bool:
    """Each phase ends within 0.02, settles within 30 decisions, and overshoots below 0.05."""
    return all(
        abs(found.last_minute(k)) <= 0.02
        and found.updates(k, over) <= 30
        and found.overshoot(k) < 0.05
        for k in range(3)
    )


def course(
    example: str, seed: int, target: float, steered: str, overrides: tuple[str, ...] = ()
) -> Course:
    """A run of an example; `steered` is the carrier's variable in the table `agents`."""
    changes = [f"market.agents.isp.strategy.target={target}", *overrides]
    scenario = load(EXAMPLES / example, overrides=changes)
    with tempfile.TemporaryDirectory() as folder:
        result = run(scenario, seed=seed, out=Path(folder) / "run")
        links, agents = result.link_epochs, result.raw.agents
    own = links[links["link"] == 0].sort_values("t_ps")
    at = np.arange(0, 600 + STEP_S, STEP_S) * PS
    busy = np.interp(at, own["t_ps"].to_numpy(float), own["busy_ps"].to_numpy(float))
    moved = agents[(agents["agent"] == "isp") & (agents["name"] == steered)].sort_values("t_ps")
    ends = [float(moved[moved["t_ps"] < end * PS]["value"].iloc[-1]) for _, end, _ in PHASES]
    return Course(target, np.diff(busy) / (STEP_S * PS), tuple(ends))
