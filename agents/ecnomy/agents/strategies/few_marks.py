# SPDX-License-Identifier: Apache-2.0
"""Detects decisions after too few marks, which make users with elastic demand buy too little.

The n marks between two decisions show the price with a relative error of about 1 / sqrt(n), and
demand multiplies this error by its elasticity 1/R (see elastic_utility.py). Demand falls steeply
when the price appears high, and recovers slowly, so users buy too little. They buy about 10 % less
than their demand at n R = 2, 30 % less at 0.6, and half at 0.25 (20 users, U of the kinds log and
quadratic, at 0.5 to 0.9 of the price at which demand ends). With the advised interval, they buy 3
to 4 % less. An adaptive interval follows from the same rule, with the marks of about the last ten
decisions. The first ten intervals stay short, because a new flow is still far from its demand.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.observation import Truths

__all__ = ["FewMarks"]

SAMPLES: Final = 500  # number of flows' decisions needed for advice
FEWEST: Final = 2.0  # n R below which marks are too few
ENOUGH: Final = 6.0  # n R of the advised interval
RARE: Final = 0.1  # below this number of marks per decision, marks do not limit a rate
KEPT: Final = 0.9  # share of the recent sums that the next decision keeps
KNOWN: Final = 6.5  # sum of the weights of recent decisions; ten decisions make 6.51
LONGEST_S: Final = 60.0


class FewMarks:
    """Counts the marks between decisions of flows with an elastic demand."""

    def __init__(self) -> None:
        self._all = np.zeros(4)  # sums over flows and decisions of 1, n, n R and seconds
        self._lately = np.zeros(4)  # means over flows, of recent decisions

    def learn(self, marks: Floats, curvature: Floats, dt_s: float, judged: Truths) -> None:
        """Record the marks and R of flows at a decision; only flows in `judged` count."""
        counted = np.asarray(judged, np.bool_) & (curvature < 1)
        count = int(counted.sum())
        if count:
            n = marks[counted]
            sums = np.array([count, n.sum(), (n * curvature[counted]).sum(), count * dt_s])
            self._lately = KEPT * self._lately + sums / count
            if self._all[0] < SAMPLES:
                self._all += sums

    @property
    def needs_s(self) -> float:
        """The time in which a flow receives `ENOUGH` / R marks, at most `LONGEST_S` [s].

        It is 0 until elastic flows have made ten decisions, or if marks do not limit their rates.
        """
        decisions, marks, scaled, time_s = self._lately.tolist()
        if decisions < KNOWN or marks <= RARE * decisions:
            return 0.0
        return float(min(ENOUGH * time_s / scaled, LONGEST_S)) if scaled else LONGEST_S

    @property
    def advice(self) -> str:
        """The advice, as a clause without a subject, if marks are too few; otherwise ""."""
        if self._all[0] < SAMPLES:
            return ""
        marks, scaled, time_s = (self._all[1:] / self._all[0]).tolist()
        if marks < RARE or scaled >= FEWEST:
            return ""
        interval_s = time_s * ENOUGH / scaled
        return (
            f"decides after {marks:.2g} marks per flow, too few for a demand of elasticity "
            f"{marks / scaled:.2g}, so flows buy less than their demand; "
            f"set its decision_interval to about {interval_s:.2g} s"
        )
