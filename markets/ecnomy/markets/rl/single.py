# SPDX-License-Identifier: Apache-2.0
"""A market as a Gymnasium environment with one learner."""

from __future__ import annotations

import os
from typing import Any, ClassVar

import numpy as np

from ecnomy.agents.errors import InputError
from ecnomy.markets.inputs.missing_packages import extras
from ecnomy.markets.rl.environment_file import Environment, load_environment
from ecnomy.markets.rl.spaces import action_space, observation_space, shares
from ecnomy.markets.rl.world import World

try:
    import gymnasium
except ModuleNotFoundError as error:  # pragma: no cover
    raise InputError(f"environments need gymnasium; to install, run: {extras()}") from error

__all__ = ["MarketEnv", "market_env"]


class MarketEnv(gymnasium.Env):
    """A Gymnasium environment of one learner; errors and seeds are as in MarketParallelEnv."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}  # type: ignore[misc]
    render_mode = None

    def __init__(self, environment: Environment, learner: str = "") -> None:
        """Use the learner with this name in the file. "" means the first learner."""
        self._name = learner or environment.learners[0].name
        self._learner = environment.learner(self._name)
        self._world = World(environment, (self._name,))
        self.observation_space = observation_space(self._learner)
        self.action_space = action_space(self._learner)

    @property
    def scenario_seed(self) -> int:
        """Return the seed of the scenario."""
        return self._world.environment.scenario.seed

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode (see MarketParallelEnv.reset).

        Raises:
            EcnomyError: as for open_market.
        """
        super().reset(seed=seed)
        self._world.reset(seed)
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Let the learner act, and return observation, reward, termination, truncation and info.

        Raises:
            InputError: the action is not in the space.
            NotRunningError: no episode is in progress.
            EcnomyError: as for Market.step. The error ends the episode.
        """
        given = shares(self._learner, self.action_space, action)
        self._world.step({self._name: given})
        reward = self._world.reward(self._name)
        return self._observation(), reward, False, self._world.over, self._info()

    def amounts(self, action: Any) -> dict[str, float]:
        """Return the values that an action sets, by name, in the units of the file's ranges.

        Raises:
            InputError: the action is not in the space.
        """
        return self._learner.amounts(shares(self._learner, self.action_space, action))

    def close(self) -> None:
        """End the episode, and stop its engine."""
        self._world.close()

    def _observation(self) -> Any:
        return self._world.observed(self._name).astype(np.float32)

    def _info(self) -> dict[str, Any]:
        return {"seed": self._world.seed, **self._world.quantities(self._name)}


def market_env(path: str | os.PathLike[str], learner: str = "") -> MarketEnv:
    """Return the environment in a file as a Gymnasium environment.

    Raises:
        ScenarioError: the file or its scenario is invalid.
        InputError: the file has no learner with this name.
    """
    return MarketEnv(load_environment(path), learner)
