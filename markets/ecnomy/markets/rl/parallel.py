# SPDX-License-Identifier: Apache-2.0
"""A market as a PettingZoo ParallelEnv, in which all learners act at the start of each step.

An episode is truncated after the number of steps in the environment file. Infos contain `seed` and
the observed quantities in their units. If a run fails, the current call raises the error, such as
an EngineError with the last message of a dead engine. After an error, reset() begins a new episode.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ecnomy.agents.errors import InputError
from ecnomy.markets.inputs.missing_packages import extras
from ecnomy.markets.rl.environment_file import Environment, load_environment
from ecnomy.markets.rl.spaces import action_space, observation_space, shares
from ecnomy.markets.rl.world import World

try:
    from pettingzoo import ParallelEnv
except ModuleNotFoundError as error:  # pragma: no cover
    raise InputError(f"environments need pettingzoo; to install, run: {extras()}") from error

__all__ = ["MarketParallelEnv", "parallel_env"]


class MarketParallelEnv(ParallelEnv):
    """An environment whose agents are learners, with their names in the scenario.

    Attributes:
        agents: names of the learners in the current episode.
        possible_agents: names of all learners.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "ecnomy_v0", "render_modes": []}
    render_mode = None

    def __init__(self, environment: Environment, learners: Sequence[str] = ()) -> None:
        """Use these learners, by default all in the file. Other agents keep their strategies."""
        names = tuple(learners) or tuple(learner.name for learner in environment.learners)
        self._world = World(environment, names)
        self.possible_agents, self.agents = list(names), list[str]()
        self._learners = {name: environment.learner(name) for name in names}
        self.observation_spaces = {n: observation_space(of) for n, of in self._learners.items()}
        self.action_spaces = {n: action_space(of) for n, of in self._learners.items()}

    def observation_space(self, agent: str) -> Any:
        """Return the observation space of a learner, which is always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the action space of a learner, which is always the same object."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode with this seed or, by default, with the next seed of a sequence.

        The last seed given, or at first the seed of the scenario, determines the sequence. Give
        environments different seeds if their episodes should differ. `options` is ignored.

        Raises:
            EcnomyError: as for open_market.
        """
        self._world.reset(seed)
        self.agents = list(self.possible_agents)
        return self._observations(), self._infos()

    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Let learners act, and return observations, rewards, terminations, truncations and infos.

        Raises:
            InputError: an action is missing, or is not in its space.
            NotRunningError: no episode is in progress.
            EcnomyError: as for Market.step. The error ends the episode.
        """
        given = {}
        for name in self.agents:
            if name not in actions:
                raise InputError(f"{name}: found no action, expected one action per agent")
            given[name] = shares(self._learners[name], self.action_spaces[name], actions[name])
        try:
            self._world.step(given)
        except BaseException:
            self.agents = []
            raise
        names, over = self.agents, self._world.over
        rewards = {name: self._world.reward(name) for name in names}
        step = (
            self._observations(),
            rewards,
            dict.fromkeys(names, False),
            dict.fromkeys(names, over),
        )
        infos = self._infos()
        if over:
            self.agents = []
        return *step, infos

    def render(self) -> None:
        """Do nothing. `ecnomy show` draws runs that write tables."""

    def close(self) -> None:
        """End the episode, and stop its engine."""
        self._world.close()
        self.agents = []

    def _observations(self) -> dict[str, Any]:
        return {name: self._world.observed(name).astype(np.float32) for name in self.agents}

    def _infos(self) -> dict[str, Any]:
        return {n: {"seed": self._world.seed, **self._world.quantities(n)} for n in self.agents}


def parallel_env(path: str | os.PathLike[str], learners: Sequence[str] = ()) -> MarketParallelEnv:
    """Return the environment in a file as a PettingZoo ParallelEnv.

    Raises:
        ScenarioError: the file or its scenario is invalid.
        InputError: one of the names is not that of a learner in the file.
    """
    return MarketParallelEnv(load_environment(path), learners)
