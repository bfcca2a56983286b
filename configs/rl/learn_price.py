# SPDX-License-Identifier: Apache-2.0
"""Let a monopolist learn its best price: `python configs/rl/learn_price.py [SEED]` (extra rl).

The policy is a normal distribution over the action, which is the logarithm of the price. In each
round, the monopolist posts six prices drawn from the policy, one per step. It then moves the policy
along the natural gradient of the expected income, estimated from the ranks of the six rewards. This
method is CMA-ES (Akimoto, Nagata, Ono, Kobayashi 2010; Ollivier, Arnold, Auger, Hansen 2017), as
implemented in pycma. Its only input is the monopolist's income, without any information about
homes, links or marks.

The best price is 0.139 money per mark, at which the income is 10 money/s (monopolist-market.yaml).
At prices 20 % above or below, the income is 1 % lower.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import cma
import numpy as np

from ecnomy.agents.random_streams import agent_stream
from ecnomy.markets.rl import MarketEnv, market_env

ENVIRONMENT = Path(__file__).parent / "monopolist.yaml"
BEGIN, SPREAD = -0.7, 0.5  # of the policy: 0.02 money a mark, give or take a factor of 3
TRIES = 6


def learn(seed: int, rounds: int = 12) -> list[tuple[float, float]]:
    """Return the course of learning as pairs of a price per mark [money] and an income [money/s].

    The first and the last pair belong to the policy's mean before and after learning. Each pair
    between them contains the policy's mean after a round, and the mean income of the round's six
    prices.
    """
    draws = agent_stream(seed, "learner")
    options = {
        "popsize": TRIES,
        "randn": lambda *shape: draws.standard_normal(shape),  # no generator but our own
        "seed": np.nan,
        "verbose": -9,
    }
    policy = cma.CMAEvolutionStrategy([BEGIN], SPREAD, options)
    env = market_env(ENVIRONMENT)
    try:
        env.reset(seed=seed)
        course = [_posted(env, [BEGIN])]
        for _ in range(rounds):
            tried = policy.ask()
            incomes = [_posted(env, action)[1] for action in tried]
            policy.tell(tried, [-income for income in incomes])
            course.append((_price(env, policy.result.xfavorite), float(np.mean(incomes))))
        course.append(_posted(env, policy.result.xfavorite))
        return course
    finally:
        env.close()


def _posted(env: MarketEnv, action: Sequence[float]) -> tuple[float, float]:
    """Post a price for one step, and return its price and income. Begin new episodes as needed."""
    _, reward, _, over, quantities = env.step(np.clip(action, -1, 1).astype(np.float32))
    if over:
        env.reset()
    return quantities["price"], 10.0 * reward


def _price(env: MarketEnv, action: Sequence[float]) -> float:
    return env.amounts(np.clip(action, -1, 1).astype(np.float32))["price"]


def main() -> None:
    """Learn a price, and print the course of learning."""
    course = learn(int(sys.argv[1]) if sys.argv[1:] else 1)
    for number, (price, income) in enumerate(course):
        print(f"{number:3d}  {price:.4f} money a mark  {income:6.3f} money/s")


if __name__ == "__main__":
    main()
