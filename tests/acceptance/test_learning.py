# SPDX-License-Identifier: Apache-2.0
"""A monopolist that learns its price finds that of theory (configs/rl/learn_price.py).

The test judges the learnt price, and the income at it, which is the learner's objective. Income
is flat around its maximum: `posted` gives the cost of a price away from it.
"""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path
from types import ModuleType

import pytest

from ecnomy.analysis.theory import ParallelCarriers
from tiers import rare

HERE = Path(__file__).parents[2] / "configs" / "rl"
MODEL = ParallelCarriers(  # as in configs/rl/monopolist-market.yaml
    links=1, capacity_pps=500.0, threshold=0.2, slope=0.3, satiation_pps=800.0, worth=40.0
)


@pytest.fixture(scope="module")
def example() -> ModuleType:
    """The script."""
    spec = importlib.util.spec_from_file_location("learn_price", HERE / "learn_price.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("seed", "rounds"), [(3, 7), rare(1, 12), rare(2, 12), rare(3, 12)])
def test_a_learner_finds_the_monopolists_price(example: ModuleType, seed: int, rounds: int) -> None:
    """From a seventh of the price, 12 rounds bring income within 2 % and price within 15 %."""
    best = MODEL.monopoly()
    course = example.learn(seed, rounds)
    (first, poor), (price, income) = course[0], course[-1]
    assert first < best.prices[0] / 5 and poor < 0.4 * best.incomes[0]
    assert income == pytest.approx(best.incomes[0], rel=0.02)
    assert abs(math.log(price / best.prices[0])) < math.log(1.15)


def test_the_market_is_that_of_theory(example: ModuleType) -> None:
    """At prices above, at and below the best one, income is within 2 % of the closed form."""
    env = example.market_env(HERE / "monopolist.yaml")
    env.reset(seed=8)
    try:
        for price in (0.1, 0.139, 0.2, 0.3):
            action = 2 * math.log(price / 0.01) / math.log(100) - 1
            posted, income = example._posted(env, [action])
            assert posted == pytest.approx(price, rel=1e-4)
            assert income == pytest.approx(MODEL.posted((price,)).incomes[0], rel=0.02)
    finally:
        env.close()


def test_a_course_is_the_same_every_time(example: ModuleType) -> None:
    """The learner draws from its own stream, the market from its seed."""
    assert example.learn(5, rounds=1) == example.learn(5, rounds=1)
