# SPDX-License-Identifier: Apache-2.0
"""A market as a PettingZoo ParallelEnv, in which all learners act together between steps.

An episode is truncated after its number of steps. Infos contain `seed`, and the observed quantities
in their units. The call that detects a fault of a run raises the error, for instance an EngineError
with the last message of a dead engine. reset() begins a new episode.
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
    raise InputError(f"environments need pettingzoo: {extras()}") from error

__all__ = ["MarketParallelEnv", "parallel_env"]


class MarketParallelEnv(ParallelEnv):
    """The learners of an environment, each by its name in the scenario.

    Attributes:
        agents: learners in the current episode.
        possible_agents: all learners.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "ecnomy_v0", "render_modes": []}
    render_mode = None

    def __init__(self, environment: Environment, learners: Sequence[str] = ()) -> None:
        """Use `learners`, by default all in the file. Other agents keep their strategies."""
        names = tuple(learners) or tuple(learner.name for learner in environment.learners)
        self._world = World(environment, names)
        self.possible_agents, self.agents = list(names), list[str]()
        self._learners = {name: environment.learner(name) for name in names}
        self.observation_spaces = {n: observation_space(of) for n, of in self._learners.items()}
        self.action_spaces = {n: action_space(of) for n, of in self._learners.items()}

    def observation_space(self, agent: str) -> Any:
        """Return the space. Every call returns the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space. Every call returns the same object."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode: the run with this seed or, without a seed, with the next seed.

        The next seed follows from the last seed given, initially the scenario's. Give environments
        different seeds if their episodes should differ. `options` is ignored.

        Raises:
            EcnomyError: as for open_market.
        """
        self._world.reset(seed)
        self.agents = list(self.possible_agents)
        return self._seen(), self._infos()

    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Let learners act, and return what they observe.

        Raises:
            InputError: an action is missing, or is not in its space.
            NotRunningError: no episode is in progress.
            EcnomyError: as for Market.step; the episode has then ended.
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
        told = self._seen(), rewards, dict.fromkeys(names, False), dict.fromkeys(names, over)
        infos = self._infos()
        if over:
            self.agents = []
        return *told, infos

    def render(self) -> None:
        """Do nothing, because `ecnomy show` draws runs that keep their tables."""

    def close(self) -> None:
        """End the episode and its engine."""
        self._world.close()
        self.agents = []

    def _seen(self) -> dict[str, Any]:
        return {name: self._world.observed(name).astype(np.float32) for name in self.agents}

    def _infos(self) -> dict[str, Any]:
        return {n: {"seed": self._world.seed, **self._world.told(n)} for n in self.agents}


def parallel_env(path: str | os.PathLike[str], learners: Sequence[str] = ()) -> MarketParallelEnv:
    """Return the environment in a file, for PettingZoo.

    Raises:
        ScenarioError: the file or its scenario is invalid.
        InputError: no agent of this name may learn.
    """
    return MarketParallelEnv(load_environment(path), learners)
