# SPDX-License-Identifier: Apache-2.0
"""How a carrier tries a price: it gives customers time to respond, and then measures for as long.

The earnings of a price are the carrier's receipts less its payments, per second. The time right
after a change does not count: a higher price earns more until customers have found out. Both times
are a decision interval, or as many as customers take to respond (`PriceObservation.responds_ps`),
up to ten: a price held for less would be judged by the money of the price before.
"""

from __future__ import annotations

from typing import Final

from ecnomy.agents.errors import StrategyError
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import PriceObservation
from ecnomy.agents.parameters import Refused
from ecnomy.agents.times import PS_PER_S

__all__ = ["DEAREST", "LONGEST", "Trial", "check_range", "gained_micro"]

DEAREST: Final = 1e6  # money; the market takes no higher price
LONGEST: Final = 10  # decision intervals for a response, and for what is measured


def gained_micro(seen: PriceObservation, who: str) -> int:
    """What a carrier received less what it paid since it last asked [micro-units].

    Raises:
        StrategyError: there is no market, which keeps the accounts; it names the strategy `who`.
    """
    if seen.agent is None:
        raise StrategyError(f"{who}: the income of a carrier requires a market")
    return sum(seen.agent.received_since().values()) - sum(seen.agent.paid_since().values())


class Trial:
    """The price that is being tried."""

    def __init__(self, who: str) -> None:
        """`who` is the strategy, for messages."""
        self._who = who
        self.changed()

    def earned(self, seen: PriceObservation) -> float | None:
        """What the price in force earned [micro-units/s], None while customers respond to it.

        It is to be asked at every decision.

        Raises:
            StrategyError: there is no market, which keeps the accounts.
        """
        gained = gained_micro(seen, self._who)
        if not seen.dt_ps:
            self.changed()
            return None
        self._ps += seen.dt_ps
        self._intervals += 1
        if not self._responding:
            self._gained += gained
        if self._ps < seen.responds_ps and self._intervals < LONGEST:
            return None
        if self._responding:
            self._measure()
            return None
        earned = self._gained * PS_PER_S / self._ps
        self._measure()
        return earned

    def changed(self) -> None:
        """The price is another one from now on."""
        self._measure()
        self._responding = True

    def _measure(self) -> None:
        self._responding = False
        self._ps = self._intervals = self._gained = 0


def check_range(floor: float, ceiling: float) -> None:
    """Refuses bounds of a price [money] that are none on a scale of ratios.

    Raises:
        Refused: `floor` is below a micro-unit, or `ceiling` not above it or beyond the market's.
    """
    if not 1 / MICRO <= floor <= DEAREST:
        raise Refused("floor", f"{floor:g} money", "from 0.000001 to 1000000 money")
    if not floor < ceiling <= DEAREST:
        expected = f"above the floor of {floor:g} money, at most 1000000 money"
        raise Refused("ceiling", f"{ceiling:g} money", expected)
