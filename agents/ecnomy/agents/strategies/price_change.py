# SPDX-License-Identifier: Apache-2.0
"""A changed price: one Newton step to the demand at the price that marks show.

`elastic-utility` steps to x U'(x). At a given price, this leaves 1 - R of an error, with R = -x
U''/U'. So users with elastic demand (R far below 1) follow a price slowly. The marks since the last
decision show the price even while the rate is still changing. With r = x / x0 and n marks of the
total cost m,

    p = m / sum of r dt        money/s per x0, with a standard error of p / sqrt(n)

If w lies outside the payments for the demand at p (1 - 3 / sqrt(n)) and at p (1 + 3 / sqrt(n)), the
price has changed, and w goes to p D(p). This is Newton's step for a user whose w does not affect
the price. It changes w by a factor of e at most, because a price that has just changed overshoots
first.

A user whose w affects the price would overshoot and return. So a step in the opposite direction of
the previous one is at most half as long. At any other decision the limit grows by a quarter, so a
change long ago does not shorten the current step. Steps apply to flows without a contract by use,
with a demand below their traffic's rate, and with R < 1 down to p (1 - 3 / sqrt(n)). Otherwise p
D(p) would have its maximum between these prices.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import FlowColumns, Truths
from ecnomy.agents.utilities import Utility

__all__ = ["ERRORS", "PriceChange"]

ERRORS: Final = 3.0  # number of standard errors, 1 / sqrt(n) each, that chance explains
LONGEST: Final = 1.0  # largest step of log w
GROWTH: Final = 1.25  # growth of the limit per decision
LEAST_MICRO: Final = 1.0


class PriceChange:
    """Flows with one utility: steps in log w towards the demand at the price of their marks."""

    def __init__(self, utility: Utility) -> None:
        self._utility = utility
        self._last: Floats = np.zeros(0)  # last step
        self._limit: Floats = np.zeros(0)  # limit of the next step

    def meet(self, count: int, new: Integers, old: Integers) -> None:
        """Resize to `count` flows; rows `old` become rows `new`."""
        last, limit = np.zeros(count), np.full(count, LONGEST)
        last[new], limit[new] = self._last[old], self._limit[old]
        self._last, self._limit = last, limit

    def steps(
        self, flows: FlowColumns, used_s: Floats, log_pay: Floats, most: Floats
    ) -> tuple[Truths, Floats]:
        """Return the flows with a changed price, and their steps in log w.

        `used_s` is r dt of each flow [s]. The demand of a flow that takes a step must be below the
        r in `most`; 0 prevents steps.
        """
        money = flows.charge_micro / MICRO / np.maximum(flows.active, 1)
        known = (most > 0) & (money > 0) & (used_s > 0) & (flows.marks > ERRORS**2)
        if not known.any():
            return known, np.zeros(len(known))
        price = np.divide(money, used_s, out=np.ones_like(money), where=known)
        error = np.where(known, ERRORS / np.sqrt(np.maximum(flows.marks, 1)), 0.0)
        dear, cheap = price * (1 + error), price * (1 - error)
        known &= self._utility.demand(price) < most
        known &= self._utility.curvature_at(self._utility.demand(cheap)) < 1
        low, high = self._log_paid(dear), self._log_paid(cheap)
        changed = known & ((log_pay < low) | (log_pay > high))
        step = self._log_paid(price) - log_pay
        back = changed & (np.sign(step) * np.sign(self._last) < 0)
        shorter = np.minimum(self._limit, np.abs(self._last)) / 2
        limit = np.where(back, shorter, np.minimum(GROWTH * self._limit, LONGEST))
        step = step.clip(-limit, limit)
        self._limit = limit
        self._last = np.where(changed, step, np.clip(GROWTH * self._last, -LONGEST, LONGEST))
        return changed, step

    def _log_paid(self, price: Floats) -> Floats:
        """Return the logarithm of p D(p), in micro-units per second."""
        paid = MICRO * price * self._utility.demand(price)
        return np.asarray(np.log(np.maximum(paid, LEAST_MICRO)))
