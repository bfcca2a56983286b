# SPDX-License-Identifier: Apache-2.0
"""Inelastic utilities, which are not concave: a small rate is worth little or nothing.

With r = x / x0 (see utility.py) and S(r) = 1 / (1 + exp(-k (r - 1))), where k is the steepness:

    kind     U [money/s]                      bought at the price p [money/s per x0]
    sigmoid  a (S(r) - S(0)) / (1 - S(0))     r > 1 with dU/dr = p, below p*; nothing from p* on
    step     a from r = 1 on, else 0          r = 1 below p* = a; nothing from a on

At p*, the line p* r through the origin touches U. The best rate at p* is positive but leaves no
surplus, so demand jumps from this rate to 0. With several such users, an equilibrium price may not
exist, and rates then oscillate (Lee, Mazumdar, Shroff 2005). So `elastic-utility` does not accept
these utilities. Sources: Shenker 1995, figures 2 to 4 for the shapes of real-time utilities; Lee,
Mazumdar, Shroff 2005 and Fazel, Chiang 2005 for the sigmoid.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.parameters import Refused, positive
from ecnomy.agents.utilities.utility import RateUtility

__all__ = ["Sigmoid", "Step"]

_STEEPEST: Final = 100.0  # keeps exp(k) and its square finite


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Inelastic(RateUtility):
    @property
    def concave(self) -> bool:
        """Always False."""
        return False

    @property
    def curvature(self) -> float:
        """Infinite, because U levels off."""
        return np.inf


@dataclasses.dataclass(frozen=True, kw_only=True)
class Sigmoid(_Inelastic):
    """U = a (S(r) - S(0)) / (1 - S(0)): convex up to x0, then levelling off at a.

    It models adaptive real-time applications (Shenker 1995, figure 3; Lee, Mazumdar, Shroff 2005).

    Attributes:
        steepness: k; three quarters of the rise are within 2 x0 / k of x0 [above 0, up to 100].
    """

    steepness: float = 10.0

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("steepness", self.steepness)
        if self.steepness > _STEEPEST:
            raise Refused("steepness", f"{self.steepness:g}", f"at most {_STEEPEST:g}")

    @property
    def _most(self) -> float:
        """a / (1 - S(0)), the factor of S(r) in U."""
        return self.a * (1.0 + math.exp(-self.steepness))

    @property
    def dearest(self) -> float:
        """p*, the lowest price with a demand of 0 [money/s per x0]: dU/dr where U(r) = r dU/dr."""
        low, high = 1.0, 2.0
        while self._left(high) < 0:
            low, high = high, 2 * high
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if self._left(middle) < 0 else (low, middle)
        return float(self.slope(np.asarray(high)))

    def _left(self, r: float) -> float:
        """Return the surplus U - r dU/dr if r is the best rate; it grows from r = 1 on."""
        return float(self.value(np.asarray(r)) - self.worth(np.asarray(r)))

    def value(self, r: Floats) -> Floats:
        """See Utility."""
        k = self.steepness
        low = 1.0 / (1.0 + math.exp(k))
        return self._most * (1.0 / (1.0 + np.exp(-k * (np.asarray(r) - 1.0))) - low)

    def slope(self, r: Floats) -> Floats:
        """See Utility."""
        k = self.steepness
        far = np.exp(-k * np.abs(np.asarray(r) - 1.0))  # S (1 - S) is the same on both sides
        return self._most * k * far / np.square(1.0 + far)

    def inverse(self, p: Floats) -> Floats:
        """Return the r of at least 1 with dU/dr = p, for p up to the slope at x0."""
        q = np.divide(p, self._most * self.steepness)
        root = np.sqrt(np.maximum(1.0 - 4.0 * q, 0.0))
        rest = np.minimum(2.0 * q / (1.0 + root), 0.5)  # 1 - S
        with np.errstate(divide="ignore"):
            r = 1.0 + (np.log1p(-rest) - np.log(rest)) / self.steepness
        return np.where(4.0 * q <= 1.0, r, np.nan)

    def demand(self, p: Floats) -> Floats:
        """Return the inverse if the user has a surplus at this rate, otherwise 0."""
        r = self.inverse(p)
        finite = np.where(np.isfinite(r), r, 0.0)
        left = self.value(finite) - np.multiply(p, finite)
        return np.where(np.isposinf(r), np.inf, np.where(left > 0, finite, 0.0))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Step(_Inelastic):
    """U = a from x0 on, otherwise 0: hard real-time applications (Shenker 1995, figure 2).

    U' is 0 at every rate except x0, where it does not exist, so U' has no inverse.
    """

    def value(self, r: Floats) -> Floats:
        """See Utility."""
        return np.where(np.asarray(r) >= 1.0, self.a, 0.0)

    def slope(self, r: Floats) -> Floats:
        """Return 0, even at the step."""
        return np.zeros_like(np.asarray(r, dtype=np.float64))

    @property
    def dearest(self) -> float:
        """a, the lowest price with a demand of 0 [money/s per x0]."""
        return self.a

    def inverse(self, p: Floats) -> Floats:
        """Return NaN, because the inverse does not exist."""
        return np.full_like(np.asarray(p, dtype=np.float64), np.nan)

    def demand(self, p: Floats) -> Floats:
        """Return 1 below the price a, and 0 from a on."""
        return np.where(np.asarray(p) < self.a, 1.0, 0.0)
