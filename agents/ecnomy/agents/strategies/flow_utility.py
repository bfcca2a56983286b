# SPDX-License-Identifier: Apache-2.0
"""Functions for strategies with a utility: keys of errors, x0 of flows, damping of steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.parameters import Refused
from ecnomy.agents.utilities import Utility

__all__ = ["damping", "rate_key", "under_key", "x0_of_flows"]

_KEY = "utility"


def under_key(
    make: Callable[[Mapping[str, object]], Utility], params: Mapping[str, object]
) -> Utility:
    """Return the object that `make` creates from the parameter `utility`.

    Raises:
        Refused: as for `make`; the key is a path below `utility`.
    """
    try:
        return make(params)
    except Refused as refused:
        raise Refused(f"{_KEY}.{refused.key}", refused.found, refused.expected) from None


def rate_key(utility: Utility) -> str:
    """Return the parameter to set for flows without a rate limit, or "" if not needed."""
    return f"{_KEY}.x0" if utility.x0 is None and utility.needs_x0 else ""


def damping(utility: Utility) -> float:
    """Return g = 1 / max(1, R), R the largest -x U''/U', or g = 1 if the utility saturates."""
    return 1.0 if math.isinf(utility.curvature) else 1.0 / max(1.0, utility.curvature)


def x0_of_flows(utility: Utility, limit_bps: Floats, who: str) -> Floats:
    """Return x0 of each flow [bit/s]: the utility's, or the traffic's largest rate; 1 if unneeded.

    Raises:
        StrategyError: the utility needs x0, but both are missing. The message names the strategy
            `who`.
    """
    finite = np.isfinite(limit_bps)
    if rate_key(utility) and not finite.all():
        raise StrategyError(f"{who}: missing 'x0' for a flow without a rate limit")
    if utility.x0 is None:  # without a limit, 1, because the utility then ignores x0
        return np.where(finite, limit_bps, 1.0)
    return np.full(len(limit_bps), utility.x0)
