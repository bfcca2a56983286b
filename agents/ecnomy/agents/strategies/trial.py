# SPDX-License-Identifier: Apache-2.0
"""A carrier's trial of a price: customers respond, and then the carrier measures its profit.

The profit of a price is the carrier's receipts minus its payments, per second. The time directly
after a change does not count, because a higher price earns more until customers respond. The
response and the measurement each last one decision interval, or as many as customers need to
respond (`PriceObservation.responds_ps`), at most ten. A shorter trial would measure the previous
price. By default, a carrier's interval is the customers' response time, from 5 s to 10 min.
"""

from __future__ import annotations

from typing import Final

from ecnomy.agents.errors import StrategyError
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import PriceObservation
from ecnomy.agents.parameters import Refused
from ecnomy.agents.times import PS_PER_S

__all__ = ["DEAREST", "LONGEST", "Trial", "check_range"]

DEAREST: Final = 1e6  # largest price in a market, money
LONGEST: Final = 10  # most decision intervals for a response, and for a measurement


def _gained_micro(observation: PriceObservation, who: str) -> int:
    """Return a carrier's receipts minus its payments since the last query [micro-units].

    Raises:
        StrategyError: the run has no market, and so no accounts. The message names the strategy
            `who`.
    """
    if observation.agent is None:
        raise StrategyError(f"{who}: the income of a carrier requires a market")
    return sum(observation.agent.received_since().values()) - sum(
        observation.agent.paid_since().values()
    )


class Trial:
    """Measures the profit of a carrier's price."""

    def __init__(self, who: str) -> None:
        """Begin a trial; messages name the strategy `who`."""
        self._who = who
        self.changed()

    def earned(self, observation: PriceObservation) -> float | None:
        """Return the profit of the price in force [micro-units/s]; None until it has been measured.

        Call it at every decision.

        Raises:
            StrategyError: the run has no market and so no accounts.
        """
        gained = _gained_micro(observation, self._who)
        if not observation.dt_ps:
            self.changed()
            return None
        self._ps += observation.dt_ps
        self._intervals += 1
        if not self._responding:
            self._gained += gained
        if self._ps < observation.responds_ps and self._intervals < LONGEST:
            return None
        if self._responding:
            self._measure()
            return None
        earned = self._gained * PS_PER_S / self._ps
        self._measure()
        return earned

    def changed(self) -> None:
        """Begin the trial of a changed price."""
        self._measure()
        self._responding = True

    def _measure(self) -> None:
        self._responding = False
        self._ps = self._intervals = self._gained = 0


def check_range(floor: float, ceiling: float) -> None:
    """Check that price bounds [money] are suitable for a logarithmic scale.

    Raises:
        Refused: `floor` is below a micro-unit, or `ceiling` is not above `floor` or exceeds the
            market's largest price.
    """
    if not 1 / MICRO <= floor <= DEAREST:
        raise Refused("floor", f"{floor:g} money", "from 0.000001 to 1000000 money")
    if not floor < ceiling <= DEAREST:
        expected = f"above the floor of {floor:g} money and at most 1000000 money"
        raise Refused("ceiling", f"{ceiling:g} money", expected)
