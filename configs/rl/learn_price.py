# SPDX-License-Identifier: Apache-2.0
"""A monopolist finds its best price by trial: `python configs/rl/learn_price.py [SEED]` (extra rl).

Its policy is a normal distribution over the action, which is the logarithm of the price. Each round
it posts six prices drawn from the policy, one a step, and moves the policy along the natural
gradient of what it expects to earn, estimated from the ranks of the six rewards. That is what
CMA-ES does (Akimoto, Nagata, Ono, Kobayashi 2010; Ollivier, Arnold, Auger, Hansen 2017), here as
pycma has it. Its only input is its own income: it knows nothing of homes, links or marks.

What it should come to is known: 0.139 money a mark, 10 money/s (monopolist-market.yaml). Income is
flat there: 20 % above or below the best price it is 1 % less.
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
    """Price of a mark [money] and income [money/s] of the policy's mean, before and after learning.

    Rounds of learning lie between; their means are in the list too, with the mean income of what
    was tried.
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
    """Price and income of one step; an episode that is over is followed by the next."""
    _, reward, _, over, told = env.step(np.clip(action, -1, 1).astype(np.float32))
    if over:
        env.reset()
    return told["price"], 10.0 * reward


def _price(env: MarketEnv, action: Sequence[float]) -> float:
    return env.amounts(np.clip(action, -1, 1).astype(np.float32))["price"]


def main() -> None:
    """Learn, and say how it went."""
    course = learn(int(sys.argv[1]) if sys.argv[1:] else 1)
    for number, (price, income) in enumerate(course):
        print(f"{number:3d}  {price:.4f} money a mark  {income:6.3f} money/s")


if __name__ == "__main__":
    main()
