# SPDX-License-Identifier: Apache-2.0
"""How a carrier tries a price: it gives customers an interval to respond, and measures in the next.

What a price earns is what the carrier received less what it paid, per second. The interval right
after a change does not count: a higher price earns more until customers have found out.
"""

from __future__ import annotations

from typing import Final

from ecnomy.agents.errors import StrategyError
from ecnomy.agents.observation import PriceObservation
from ecnomy.agents.parameters import Refused
from ecnomy.agents.times import PS_PER_S

__all__ = ["DEAREST", "MICRO", "Trial", "check_range", "gained_micro"]

MICRO: Final = 1e6
DEAREST: Final = 1e6  # money; the market takes no higher price


def gained_micro(seen: PriceObservation, who: str) -> int:
    """What a carrier received less what it paid since it last asked [micro-units].

    Raises:
        StrategyError: there is no market, which keeps the accounts; it names the strategy `who`.
    """
    if seen.agent is None:
        raise StrategyError(f"{who}: what a carrier earns takes a market")
    return sum(seen.agent.received_since().values()) - sum(seen.agent.paid_since().values())


class Trial:
    """The price that is being tried."""

    def __init__(self, who: str) -> None:
        """`who` is the strategy, for messages."""
        self._who = who
        self._responding = True

    def earned(self, seen: PriceObservation) -> float | None:
        """What the price in force earned [micro-units/s], None while customers respond to it.

        It is to be asked at every decision.

        Raises:
            StrategyError: there is no market, which keeps the accounts.
        """
        gained = gained_micro(seen, self._who)
        if not seen.dt_ps or self._responding:
            self._responding = not seen.dt_ps
            return None
        return gained * PS_PER_S / seen.dt_ps

    def changed(self) -> None:
        """The price is another one from now on."""
        self._responding = True


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
