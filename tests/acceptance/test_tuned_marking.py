# SPDX-License-Identifier: Apache-2.0
"""`tuned-marking` on packets: a constant price, and marking tuned to a target utilisation.

The criteria are those of `target-utilization` (steering_world.held), while demand doubles, but
for means over four decision intervals. With the virtual queue a decision corrects 90 % of an
error, including noise: at a constant theta, utilisation in 5 s has a standard
deviation of 0.009 to 0.011 here, so individual intervals will always be off by 0.02 at times.
"""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import pytest

from ecnomy.markets import load, run
from steering_world import EXAMPLES, PS, Course, course, held
from tiers import rare, seeds

QUEUE = (
    "network.links.bottleneck.marking={law: virtual-queue, theta: 0.98, buffer: 30 packets}",
    "market.price_per_mark=0.07 money",
)
SEEDS = seeds(3, fast=1)


@functools.cache
def tuned(law: str, seed: int) -> Course:
    by_load = law == "load-based"
    name, target = ("slope", 0.85) if by_load else ("theta", 0.75)
    return course(
        "tuned-marking.yaml", seed, target, f"bottleneck.{name}", () if by_load else QUEUE
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("law", [rare("load-based"), "virtual-queue"])
def test_the_link_has_its_target_utilization(law: str, seed: int) -> None:
    """The criteria hold from wrong parameters, in the crowd and after it."""
    found = tuned(law, seed)
    print(found)
    assert held(found, over=4)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_slope_is_the_one_that_theory_has(seed: int) -> None:
    """N users' N money/s buy N / price marks/s on 85 % of the link: p = slope (0.85 - 0.6).

    The tolerance is 7 %: with ten seeds the slope is at most 2 % off before and after the crowd,
    and 2.2 to 4.4 % above theory in the crowd.
    """
    packets_per_s = 0.85 * 10e6 / 8000
    for k, users in enumerate((20, 40, 20)):
        slope = users / 0.109 / packets_per_s / (0.85 - 0.6)
        assert tuned("load-based", seed).ends[k] == pytest.approx(slope, rel=0.07)


def test_without_tuning_the_crowd_fills_the_link() -> None:
    """The control keeps the slope of the calm phase through the crowd."""
    overrides = [
        "market.agents.isp.strategy={kind: stay}",
        "network.links.bottleneck.marking.slope=0.7",
    ]
    scenario = load(EXAMPLES / "tuned-marking.yaml", overrides=overrides)
    with tempfile.TemporaryDirectory() as folder:
        links = run(scenario, seed=1, out=Path(folder) / "run").link_epochs
    own = links[links["link"] == 0].set_index("t_ps")["busy_ps"]
    assert (own[400 * PS] - own[300 * PS]) / (100 * PS) > 0.9
