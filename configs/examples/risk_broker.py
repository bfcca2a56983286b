# SPDX-License-Identifier: Apache-2.0
"""A risk broker: a custom role for risk-broker.yaml in the same folder.

A risk broker is a third party that takes the risk of a changing price (Andreassen 2002, 1.1). For a
premium, it caps the cost of a flow's marks in each period, and pays back the cost beyond the cap.
Marks for which another agent pays, such as the provider of a service class, are not covered.
"""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

import numpy as np

from ecnomy.agents.parameters import Unit, positive
from ecnomy.agents.roles import Preset
from ecnomy.agents.roles.role import Role
from ecnomy.agents.seat import Seat
from ecnomy.agents.spec import ContractSpec
from ecnomy.markets.economy.contracts import Dues
from ecnomy.markets.terms.tariffs import Flat
from ecnomy.markets.terms.unit_price import Price

MICRO, PS_PER_S = 10**6, 10**12


@dataclasses.dataclass(frozen=True)
class Cover:
    """The terms of the cover for each flow.

    Attributes:
        premium: price of the cover per unit of time.
        cap: the largest cost of a flow's marks in a period; the broker pays the rest.
        period: length of a period; the first period begins at time 0.
    """

    premium: Annotated[float, Unit("money/s")]
    cap: Annotated[float, Unit("money")]
    period: Annotated[float, Unit("s")] = 30 * 86_400.0

    def __post_init__(self) -> None:
        for name, unit in (("premium", "money/s"), ("cap", "money"), ("period", "s")):
            positive(name, getattr(self, name), unit)


class RiskBroker(Role):
    """Sells cover against high costs of marks to the users of its sources."""

    preset = Preset(takes=("sources",), needs={"sources": "the sources whose flows are covered"})
    terms = Cover

    def join(self, seat: Seat) -> None:
        """Sell the cover by active time, and add a contract for the cost beyond the cap."""
        premium = Price(round(self.own.premium * 3600 * MICRO), 3600 * PS_PER_S, "ps")
        sources = seat.spec.sources
        seat.sell(ContractSpec("premium", "time", Flat(price=premium), sources))
        seat.add(PayBack(self.own, seat))


class PayBack:
    """Pays back the cost of each flow's marks beyond the cap in a period."""

    def __init__(self, cover: Cover, seat: Seat) -> None:
        self._seat, self._rows = seat, seat.rows_of(seat.spec.sources)
        self._cap_micro = round(cover.cap * MICRO)
        self._period_ps = round(cover.period * PS_PER_S)
        self._charged = np.zeros(len(self._rows), dtype=np.int64)  # in the current period
        self._period = 0

    def due(self, epoch: Any) -> Dues:
        """Return the amounts that the broker owes the users of flows for an epoch.

        An epoch belongs to the period in which it begins.
        """
        period = epoch.from_ps // self._period_ps
        if period != self._period:
            self._period, self._charged = period, np.zeros_like(self._charged)
        users = self._seat.users_of(self._rows)
        own = self._seat.payers_of(self._rows) == users
        before = np.maximum(self._charged - self._cap_micro, 0)
        self._charged = self._charged + np.where(own, epoch.charge_micro[self._rows], 0)
        amount = np.maximum(self._charged - self._cap_micro, 0) - before
        payer = np.full(len(self._rows), self._seat.account, dtype=np.int64)
        return Dues("pay-back", payer, users, amount, self._rows, np.ones_like(amount), amount)
