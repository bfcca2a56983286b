# SPDX-License-Identifier: Apache-2.0
"""Values that the user of the page sets by hand, applied to the market before each step.

These values override the decisions of agents. The page's thread changes them while another thread
steps the market, so each change is a single atomic operation on a dict.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ecnomy.agents.money import MICRO
from ecnomy.analysis.dashboard.groups import DashboardGroup
from ecnomy.markets.model.market import Market

__all__ = ["HeldValues", "stops"]

_DECADES: Final = 10  # stops of a slider per factor of ten


class HeldValues:
    """The values set by hand; agents decide all others.

    Attributes:
        price_micro: carrier -> price [micro-units per mark].
        service: group -> name of its service class.
        pay_micro: group -> payment of each flow for marks [micro-units/s].
        load: group -> share of its flows that may send [0 to 1].
    """

    def __init__(self) -> None:
        self.price_micro: dict[str, int] = {}
        self.service: dict[str, str] = {}
        self.pay_micro: dict[str, int] = {}
        self.load: dict[str, float] = {}

    def apply(self, market: Market, groups: Sequence[DashboardGroup]) -> None:
        """Apply the values to the market for the next epoch.

        Raises:
            EcnomyError: the market refuses a value.
        """
        for carrier, price in list(self.price_micro.items()):
            market.post_price(carrier, price / MICRO)
        service, pay, load = dict(self.service), dict(self.pay_micro), dict(self.load)
        whole = {s.name for s in market.plan.sources if s.row_flows > 1}
        for group in groups:
            for source in group.sources:
                if group.name in service:
                    market.set_class(source, service[group.name])
                if group.name in pay:
                    market.set_willingness(source, pay[group.name] / MICRO)
                if group.name in load:
                    share = load[group.name]
                    market.set_active(source, round(share) if source in whole else share)


def stops(base_micro: int) -> tuple[int, ...]:
    """Return the stops of a money slider: 0, and a tenth to ten times its initial value.

    Each factor of ten has ten stops, rounded to three digits. If the initial value is 0, the stops
    range from a tenth to ten units of money.
    """
    base = base_micro or MICRO
    amounts = {0, base}
    for step in range(-_DECADES, _DECADES + 1):
        amount = base * 10 ** (step / _DECADES)
        amounts.add(int(float(f"{amount:.3g}")) if step else base)
    return tuple(sorted(amounts))
