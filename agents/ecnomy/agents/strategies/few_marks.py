# SPDX-License-Identifier: Apache-2.0
"""Decisions after too few marks, which make users of an elastic demand buy too little.

The n marks between two decisions show the price with a relative error of about 1 / sqrt(n), and a
demand multiplies this error by its elasticity 1/R (see elastic_utility.py). Demand falls steeply
when the price appears high, and recovers slowly, so users buy too little: about 10 % less than
their demand at n R = 2, 30 % at 0.6 and half at 0.25 (20 users, U of the kinds log and quadratic,
at 0.5 to 0.9 of the price without demand). With the advised interval they buy 3 to 4 % less.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.observation import Truths

__all__ = ["FewMarks"]

SAMPLES: Final = 500  # decisions of flows that are counted
FEWEST: Final = 2.0  # n R
ENOUGH: Final = 6.0  # n R of the interval that it advises
RARE: Final = 0.1  # marks per decision, below which marks do not limit a rate


class FewMarks:
    """Counts the marks between decisions of flows with an elastic demand."""

    def __init__(self) -> None:
        self._decisions = 0
        self._marks = self._scaled = self._time_s = 0.0  # sums of n, n R and seconds

    @property
    def counts(self) -> bool:
        """Whether it still counts decisions."""
        return self._decisions < SAMPLES

    def learn(self, marks: Floats, curvature: Floats, dt_s: float, judged: Truths) -> None:
        """Add a decision: marks per flow, R, the time since the last one, and flows that count."""
        counted = np.asarray(judged, np.bool_) & (curvature < 1)
        self._decisions += int(counted.sum())
        self._marks += float(marks[counted].sum())
        self._scaled += float((marks[counted] * curvature[counted]).sum())
        self._time_s += dt_s * int(counted.sum())

    @property
    def advice(self) -> str:
        """A sentence without a subject if marks are too few; "" before `SAMPLES` decisions."""
        if self.counts:
            return ""
        marks, scaled = self._marks / self._decisions, self._scaled / self._decisions
        if marks < RARE or scaled >= FEWEST:
            return ""
        interval_s = self._time_s / self._decisions * ENOUGH / scaled
        return (
            f"decides after {marks:.2g} marks per flow, too few for a demand of elasticity "
            f"{marks / scaled:.2g}, so flows buy less than their demand; "
            f"set its decision_interval to about {interval_s:.2g} s"
        )
