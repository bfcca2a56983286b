# SPDX-License-Identifier: Apache-2.0
"""A user who anticipates the effect of its payment on the price of a shared link.

Users of a link of capacity C pay w_i for the shares x_i = C w_i / sum of w. If users take the
price, sum of w / C, as given, they reach the optimum U_i'(x_i) = price. A user who anticipates the
price takes account of its share w_i / sum of w and buys less, so that

    U'(x) (1 - x / C)  =  price

A price taker with the slope U'(x) (1 - x / C) has the same demand. Together, such users reach the
unique Nash equilibrium of the game. Source: Johari, Tsitsiklis 2004, theorem 2.
"""

from __future__ import annotations

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.utilities.utility import RateUtility, Utility, delay_cost_of

__all__ = ["Anticipating"]


class Anticipating(RateUtility):
    """A utility with which a price taker acts like a user who anticipates the price.

    Args:
        utility: concave utility of r = x / x0.
        capacity: relative capacity C / x0 [number].
    """

    def __init__(self, utility: Utility, capacity: float) -> None:
        self._utility, self._capacity = utility, capacity
        object.__setattr__(self, "x0", utility.x0)
        object.__setattr__(self, "delay_cost", delay_cost_of(utility))

    @property
    def needs_x0(self) -> bool:
        """Always True, because the capacity is in units of x0."""
        return True

    @property
    def concave(self) -> bool:
        """True, because the slope is a product of two factors that never increase."""
        return True

    @property
    def curvature(self) -> float:
        """Infinite, because the utility saturates when the user has the complete link."""
        return float(np.inf)

    def value(self, r: Floats) -> Floats:
        """Return the value of the original utility."""
        return self._utility.value(r)

    def slope(self, r: Floats) -> Floats:
        """Return U'(r) (1 - r / capacity)."""
        return self._utility.slope(r) * np.maximum(1.0 - r / self._capacity, 0.0)

    def curvature_at(self, r: Floats) -> Floats:
        """Return the utility's curvature plus (r / capacity) / (1 - r / capacity)."""
        share = np.asarray(r) / self._capacity
        left = np.maximum(1.0 - share, 0.0)
        own = np.divide(share, left, out=np.full_like(share, np.inf), where=left > 0)
        return self._utility.curvature_at(r) + own

    def demand(self, p: Floats) -> Floats:
        """Return the r with slope p, or 0 if the first bit is not worth p, or C / x0 at p = 0."""
        p = np.asarray(p, dtype=np.float64)
        most = np.where(p > 0, self.inverse(np.maximum(p, 1e-300)), self._capacity)
        return np.where(np.isnan(most), 0.0, most)
