# SPDX-License-Identifier: Apache-2.0
"""The spaces of a learner, and the conversion of actions to shares of their ranges.

observation   Box from 0 to 1, one number for each quantity, float32
action        Box from -1 to 1 in the same form; with levels, Discrete or MultiDiscrete
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
    raise InputError(f"environments need gymnasium: {extras()}") from error

__all__ = ["action_space", "observation_space", "shares"]


def observation_space(learner: Learner) -> Any:
    """Return the space of observations."""
    return spaces.Box(0.0, 1.0, (len(learner.observations),), np.float32)


def action_space(learner: Learner) -> Any:
    """Return the space of actions."""
    levels = [of.levels for of in learner.actions.values()]
    if not levels[0]:
        return spaces.Box(-1.0, 1.0, (len(levels),), np.float32)
    return spaces.Discrete(levels[0]) if len(levels) == 1 else spaces.MultiDiscrete(levels)


def shares(learner: Learner, space: Any, action: Any) -> Floats:
    """Return an action as shares of its ranges, from 0 to 1.

    Raises:
        InputError: the action is not in the space.
    """
    if isinstance(space, spaces.Box):
        action = np.asarray(action, dtype=np.float32)
    if not space.contains(action):
        raise InputError(f"{learner.name}: found the action {action!r}, expected one of {space}")
    given = np.atleast_1d(np.asarray(action, dtype=np.float64))
    if isinstance(space, spaces.Box):
        return np.asarray((given + 1.0) / 2.0)
    levels = np.array([of.levels for of in learner.actions.values()])
    return np.asarray(given / (levels - 1))
