# SPDX-License-Identifier: Apache-2.0
"""A user who knows that its own payment moves the price of the link that it shares.

Users who pay w_i for shares x_i = C w_i / sum of w of a link of capacity C, and take the price
sum of w / C for given, come to the optimum U_i'(x_i) = price. One who anticipates the price takes
w_i / sum of w into account and stops earlier, at

    U'(x) (1 - x / C)  =  price

That is the demand of a price taker whose slope is U'(x) (1 - x / C); all of them together come to
the game's one Nash equilibrium. Source: Johari, Tsitsiklis 2004, theorem 2.
"""

from __future__ import annotations

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.utilities.utility import RateUtility, Utility, delay_cost_of

__all__ = ["Anticipating"]


class Anticipating(RateUtility):
    """The utility that guides the user; its `value` is the original utility's.

    Args:
        utility: concave, of r = x / x0.
        capacity: C / x0 [number].
    """

    def __init__(self, utility: Utility, capacity: float) -> None:
        self._utility, self._capacity = utility, capacity
        object.__setattr__(self, "x0", utility.x0)
        object.__setattr__(self, "delay_cost", delay_cost_of(utility))

    @property
    def needs_x0(self) -> bool:
        """Always, as C is a multiple of it."""
        return True

    @property
    def concave(self) -> bool:
        """As a product of two falling slopes."""
        return True

    @property
    def curvature(self) -> float:
        """It sates where the link is its own."""
        return float(np.inf)

    def value(self, r: Floats) -> Floats:
        """See Utility: what the rate is worth, whoever pays."""
        return self._utility.value(r)

    def slope(self, r: Floats) -> Floats:
        """U'(r) (1 - r / capacity)."""
        return self._utility.slope(r) * np.maximum(1.0 - r / self._capacity, 0.0)

    def curvature_at(self, r: Floats) -> Floats:
        """That of the utility, and (r / capacity) / (1 - r / capacity)."""
        share = np.asarray(r) / self._capacity
        left = np.maximum(1.0 - share, 0.0)
        own = np.divide(share, left, out=np.full_like(share, np.inf), where=left > 0)
        return self._utility.curvature_at(r) + own

    def demand(self, p: Floats) -> Floats:
        """The r at which the slope is p, 0 where not even the first bit is worth it."""
        p = np.asarray(p, dtype=np.float64)
        most = np.where(p > 0, self.inverse(np.maximum(p, 1e-300)), self._capacity)
        return np.where(np.isnan(most), 0.0, most)
