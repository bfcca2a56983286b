# SPDX-License-Identifier: Apache-2.0
"""Detects a changed price, and takes one Newton step to the demand at the new price.

`elastic-utility` steps to x U'(x). At a given price, this leaves a share 1 - R of an error, with R
= -x U''/U'. So users with elastic demand (R far below 1) follow a price slowly. The marks since the
last decision show the price even while the rate is still changing. With r = x / x0 and n marks of
the total cost m,

    p = m / sum of r dt        money/s per x0

A price of p' would have given n' = n p' / p marks. Chance explains n marks at p' if

    (n - n')^2  <=  9 d n'     d: dispersion, variance / mean of the number of marks

If w lies outside the range of p' D(p') over all these prices p', the price has changed, and w goes
to p D(p). This is Newton's step for a user whose w does not affect the price. It changes w by a
factor of e at most, because a price that has just changed overshoots first.

Marks that are independent of each other have d = 1. But a virtual queue marks whole windows, and
then nothing for many round trips. At d = 1, users with U = sqrt(x) took such bursts for new prices
and bought up to 23 % more than their demand. So d is the mean over recent decisions before the
current one, at least 1, of

    (n1 u2 - n2 u1)^2 / ((n1 + n2) u1 u2)      n1, n2 marks of two decisions in a row, u = r dt

which is 1 on average for independent marks at the same price. A change of the price adds to d only
once.

A user whose w affects the price would overshoot and return. So a step in the opposite direction of
the previous one is at most half as long. At any other decision, the limit grows by a quarter, so
that an old change does not shorten the current step. Steps apply to flows without a contract by
use, with a demand below their traffic's rate, and with R < 1 down to the lowest p'. Otherwise, p
D(p) would have its maximum between these prices.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ecnomy.agents.arrays import Floats, Integers, moved_rows
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import FlowColumns, Truths
from ecnomy.agents.utilities import Utility

__all__ = ["ERRORS", "PriceChange"]

ERRORS: Final = 3.0  # number of standard errors that chance explains
LONGEST: Final = 1.0  # largest step of log w
GROWTH: Final = 1.25  # growth of the limit per decision
LEAST_MICRO: Final = 1.0
KEPT: Final = 0.9  # share of the dispersion that the next decision keeps
MOST: Final = 25.0  # largest dispersion that one decision shows


class PriceChange:
    """Computes steps in log w, for flows of one utility, towards the demand at a changed price."""

    def __init__(self, utility: Utility) -> None:
        self._utility = utility
        self._last: Floats = np.zeros(0)  # last step
        self._limit: Floats = np.zeros(0)  # limit of the next step
        self._marks: Floats = np.zeros(0)  # before the last decision
        self._used_s: Floats = np.zeros(0)  # likewise, r dt
        self._dispersion: Floats = np.zeros(0)  # variance / mean of the number of marks

    def meet(self, count: int, new: Integers, old: Integers) -> None:
        """Set the number of flows; the records of the flows at `old` move to `new`."""
        self._last = moved_rows(self._last, count, new, old)
        self._limit = moved_rows(self._limit, count, new, old, LONGEST)
        self._marks = moved_rows(self._marks, count, new, old)
        self._used_s = moved_rows(self._used_s, count, new, old)
        self._dispersion = moved_rows(self._dispersion, count, new, old, 1.0)

    def steps(
        self, flows: FlowColumns, used_s: Floats, log_pay: Floats, most: Floats
    ) -> tuple[Truths, Floats]:
        """Return the flows with a changed price, and their steps in log w.

        `used_s` is r dt of each flow [s]. The demand of a flow that takes a step must be below the
        r in `most`; 0 prevents steps.
        """
        users = np.maximum(flows.active, 1)
        money = flows.charge_micro / MICRO / users
        known = (most > 0) & (money > 0) & (used_s > 0) & (flows.marks > ERRORS**2)
        dispersion = self._disperse(flows.marks, used_s * users)
        if not known.any():
            return known, np.zeros(len(known))
        price = np.divide(money, used_s, out=np.ones_like(money), where=known)
        cheap, dear = _bounds(price, flows.marks, dispersion)
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

    def _disperse(self, marks: Integers, used_s: Floats) -> Floats:
        """Return the dispersion of earlier decisions, and update it."""
        dispersion = self._dispersion
        n, before, used_before = marks, self._marks, self._used_s
        both, time = n + before, used_s * used_before
        compared = (both > 0) & (time > 0)
        error = np.square(n * used_before - before * used_s)
        error = np.divide(error, both * time, out=np.ones_like(time), where=compared)
        kept = KEPT * dispersion + (1 - KEPT) * np.minimum(error, MOST)
        self._dispersion = np.where(compared, np.maximum(kept, 1.0), dispersion)
        self._marks, self._used_s = n.astype(np.float64), used_s
        return dispersion

    def _log_paid(self, price: Floats) -> Floats:
        """Return the logarithm of p D(p), in micro-units per second."""
        paid = MICRO * price * self._utility.demand(price)
        return np.asarray(np.log(np.maximum(paid, LEAST_MICRO)))


def _bounds(price: Floats, marks: Integers, dispersion: Floats) -> tuple[Floats, Floats]:
    """Return the lowest and the highest price at which chance explains the number of marks."""
    n = np.maximum(marks, 1)
    half = ERRORS**2 / 2 * dispersion
    middle, width = n + half, np.sqrt(half * (2 * n + half))
    return price * (middle - width) / n, price * (middle + width) / n
