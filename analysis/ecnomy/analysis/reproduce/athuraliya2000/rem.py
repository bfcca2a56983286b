# SPDX-License-Identifier: Apache-2.0
"""REM in closed form (athuraliya2000 Eq. 2 to 5): prices, marks and rates with log utilities.

m = 1 - phi^-p          p = -ln(1 - m) / ln phi          x = w / p
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ecnomy.agents.arrays import Floats

__all__ = ["equal_windows", "marking", "path_marking", "price", "rate"]


def marking(price: npt.ArrayLike, phi: float) -> Floats:
    """Return the marking probability of a link with this price, or of a path with this total."""
    return np.asarray(-np.expm1(-np.asarray(price, dtype=np.float64) * math.log(phi)))


def price(probability: npt.ArrayLike, phi: float) -> Floats:
    """Return the price that leads to a marking probability."""
    return np.asarray(-np.log1p(-np.asarray(probability, dtype=np.float64)) / math.log(phi))


def rate(probability: npt.ArrayLike, phi: float, weight: float) -> Floats:
    """Return the rate of a source with this share of packets marked, in the unit of its weight."""
    return np.asarray(weight / price(probability, phi))


def path_marking(probabilities: npt.ArrayLike) -> Floats:
    """Return 1 - prod(1 - m_l) over the last axis (Eq. 3)."""
    m = np.asarray(probabilities, dtype=np.float64)
    return np.asarray(1 - np.prod(1 - m, axis=-1))


def equal_windows(capacity: float, delays: Sequence[float]) -> float:
    """Return the common window c / sum(1/d) of active sources with weights c / (d_s sum(1/d))."""
    return capacity / sum(1 / d for d in delays)
