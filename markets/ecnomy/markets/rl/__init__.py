# SPDX-License-Identifier: Apache-2.0
"""Use markets as environments for reinforcement learning (extra `rl`).

    from ecnomy.markets.rl import market_env, parallel_env, vector_env

    env = parallel_env("configs/rl/monopolist.yaml")         # a PettingZoo ParallelEnv
    env = market_env("configs/rl/monopolist.yaml")           # Gymnasium, one learner
    env = vector_env("configs/rl/monopolist.yaml", 64)       # Gymnasium, 64 markets in parallel

The environment file (environment_file.py) defines observations, actions and rewards. Names are
imported when first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ecnomy.markets.rl.environment_file import Environment, load_environment
    from ecnomy.markets.rl.parallel import MarketParallelEnv, parallel_env
    from ecnomy.markets.rl.single import MarketEnv, market_env
    from ecnomy.markets.rl.vector import MarketVectorEnv, vector_env

__all__ = [
    "Environment",
    "MarketEnv",
    "MarketParallelEnv",
    "MarketVectorEnv",
    "load_environment",
    "market_env",
    "parallel_env",
    "vector_env",
]

_HOME: Final = {
    "Environment": "environment_file",
    "MarketEnv": "single",
    "MarketParallelEnv": "parallel",
    "MarketVectorEnv": "vector",
    "load_environment": "environment_file",
    "market_env": "single",
    "parallel_env": "parallel",
    "vector_env": "vector",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value
