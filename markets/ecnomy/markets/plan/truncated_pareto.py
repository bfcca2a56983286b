# SPDX-License-Identifier: Apache-2.0
"""The Pareto distribution truncated to [low, high], specified by its mean.

With a density proportional to x^-(a+1) on [low, high] and r = low / high, the mean is

    low * a / (a - 1) * (1 - r^(a-1)) / (1 - r^a)      for a != 1
    low * log(1 / r) / (1 - r)                         for a = 1

where a is the shape. As low goes from 0 to high, the mean grows from 0 to high. Each mean below
high therefore has one lower bound, which bisection finds.
"""

from __future__ import annotations

import math

__all__ = ["lower_bound", "mean"]

_STEPS = 200


def mean(low: float, high: float, shape: float) -> float:
    """Return the mean, in the unit of the bounds (0 < low <= high, shape > 0)."""
    log_r = math.log(low / high)
    if log_r == 0:
        return high
    body = -math.expm1(shape * log_r)
    if shape == 1:
        return low * -log_r / body
    return low * shape / (shape - 1) * -math.expm1((shape - 1) * log_r) / body


def lower_bound(wanted: float, high: float, shape: float) -> float:
    """Return the lower bound at which the mean is `wanted`.

    Args:
        wanted: target mean, 0 < wanted < high.
        high: upper bound.
        shape: shape parameter above 0; 1 is allowed.

    Returns:
        The lower bound, in the unit of `wanted` and `high`.
    """
    below, above = 0.0, high
    for _ in range(_STEPS):
        middle = (below + above) / 2
        if middle in (below, above):
            break
        if mean(middle, high, shape) < wanted:
            below = middle
        else:
            above = middle
    return above
