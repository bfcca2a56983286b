# SPDX-License-Identifier: Apache-2.0
"""When a provider of calls posts a new price, and how a price V becomes one that is posted.

`margin` and `reprice` of the strategies that post prices: from time to time V is set so that a call
that is let in leaves the margin on average (estimators/pricing.py), the cost of test streams spread
over the calls sold. Off where `reprice` is 0.
"""

from __future__ import annotations

import math
from typing import Final

from ecnomy.agents.money import MICRO
from ecnomy.agents.parameters import Refused
from ecnomy.agents.times import PS_PER_S

__all__ = ["Repricing", "postable"]

_DEAREST: Final = 10**12  # micro-units: what a scenario takes at most


class Repricing:
    """The rhythm of posting.

    Attributes:
        wanted_micro: P, micro-units a call.
        on: prices are posted at all.
    """

    def __init__(self, margin: float, reprice_s: float) -> None:
        """`margin` in money, `reprice_s` in seconds, 0 for never.

        Raises:
            Refused: one of them is out of range.
        """
        if not math.isfinite(margin):
            raise Refused("margin", f"{margin:g} money", "a finite amount")
        if not 0 <= reprice_s < math.inf:
            raise Refused("reprice", f"{reprice_s:g} s", "a finite time, or 0 s for never")
        self.wanted_micro, self.on = margin * MICRO, reprice_s > 0
        self._every_ps = round(reprice_s * PS_PER_S)
        self._next_ps = self._every_ps

    def due(self, t_ps: int) -> bool:
        """Whether `reprice` has gone by since the last price (since the beginning)."""
        return self.on and t_ps >= self._next_ps

    def posted(self, t_ps: int) -> None:
        """A price was looked for at this time."""
        self._next_ps = t_ps + self._every_ps


def postable(price_micro: float) -> int | None:
    """A price in whole micro-units, rounded up and 0 at least; None for one that nobody can pay."""
    if not price_micro <= _DEAREST:
        return None
    return max(0, math.ceil(price_micro))
