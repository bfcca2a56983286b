# SPDX-License-Identifier: Apache-2.0
"""Create the spaces of a learner, and convert actions to shares of their ranges.

observation   Box from 0 to 1, with a float32 for each quantity
action        Box from -1 to 1, with a float32 for each quantity; with levels, Discrete (for one
              action) or MultiDiscrete
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.errors import InputError
from ecnomy.markets.inputs.missing_packages import extras
from ecnomy.markets.rl.environment_file import Learner

try:
    from gymnasium import spaces
except ModuleNotFoundError as error:  # pragma: no cover
    raise InputError(f"environments need gymnasium; to install, run: {extras()}") from error

__all__ = ["action_space", "observation_space", "shares"]


def observation_space(learner: Learner) -> Any:
    """Return the observation space of a learner."""
    return spaces.Box(0.0, 1.0, (len(learner.observations),), np.float32)


def action_space(learner: Learner) -> Any:
    """Return the action space of a learner."""
    levels = [of.levels for of in learner.actions.values()]
    if not levels[0]:
        return spaces.Box(-1.0, 1.0, (len(levels),), np.float32)
    return spaces.Discrete(levels[0]) if len(levels) == 1 else spaces.MultiDiscrete(levels)


def shares(learner: Learner, space: Any, action: Any) -> Floats:
    """Convert an action to shares of its ranges, from 0 to 1.

    Raises:
        InputError: the action is not in the space.
    """
    if isinstance(space, spaces.Box):
        action = np.asarray(action, dtype=np.float32)
    if not space.contains(action):
        raise InputError(
            f"{learner.name}: found the action {action!r}, expected an action in {space}"
        )
    given = np.atleast_1d(np.asarray(action, dtype=np.float64))
    if isinstance(space, spaces.Box):
        return np.asarray((given + 1.0) / 2.0)
    levels = np.array([of.levels for of in learner.actions.values()])
    return np.asarray(given / (levels - 1))
