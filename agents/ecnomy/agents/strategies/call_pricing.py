# SPDX-License-Identifier: Apache-2.0
"""Determines when a call provider posts a new price, and rounds posted prices.

Strategies that post prices have `margin` and `reprice`. At intervals of `reprice`, V is set so that
an admitted call yields the margin on average (estimators/pricing.py). The cost of test streams is
spread over the calls sold. A `reprice` of 0 disables posting.
"""

from __future__ import annotations

import math
from typing import Final

from ecnomy.agents.money import MICRO
from ecnomy.agents.parameters import Refused
from ecnomy.agents.times import PS_PER_S

__all__ = ["Repricing", "postable"]

_DEAREST: Final = 10**12  # largest price in a scenario, micro-units


class Repricing:
    """The schedule on which a call provider posts prices.

    Attributes:
        wanted_micro: target mean profit P [micro-units per call].
        on: whether the provider posts prices.
    """

    def __init__(self, margin: float, reprice_s: float) -> None:
        """Create the schedule from `margin` in money and `reprice_s` in seconds (0 for never).

        Raises:
            Refused: `margin` or `reprice_s` is out of range.
        """
        if not math.isfinite(margin):
            raise Refused("margin", f"{margin:g} money", "a finite amount")
        if not 0 <= reprice_s < math.inf:
            raise Refused("reprice", f"{reprice_s:g} s", "a finite time, or 0 s for never")
        self.wanted_micro, self.on = margin * MICRO, reprice_s > 0
        self._every_ps = round(reprice_s * PS_PER_S)
        self._next_ps = self._every_ps

    def due(self, t_ps: int) -> bool:
        """Return whether a pricing attempt is due, `reprice` after the last one or the start."""
        return self.on and t_ps >= self._next_ps

    def posted(self, t_ps: int) -> None:
        """Record a pricing attempt at this time."""
        self._next_ps = t_ps + self._every_ps


def postable(price_micro: float) -> int | None:
    """Return a price rounded up to whole micro-units, at least 0, or None if it is too large."""
    if not price_micro <= _DEAREST:
        return None
    return max(0, math.ceil(price_micro))
