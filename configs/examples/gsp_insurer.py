# SPDX-License-Identifier: Apache-2.0
"""An insurer for a provider of calls: a custom role for gsp-insured.yaml in the same folder.

The insurer covers a guaranteed stream provider (GSP) against high costs of marks. For an hourly
premium, it pays back the cost of a period's marks beyond a cap. Andreassen (2002, 1.1) describes a
GSP as a risk broker for its callers. The insurer in turn takes the GSP's risk.
"""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

import numpy as np

from ecnomy.agents.parameters import Unit, positive
from ecnomy.agents.roles import Preset
from ecnomy.agents.roles.role import Role
from ecnomy.agents.seat import Seat
from ecnomy.markets.economy.contracts import Dues

MICRO, PS_PER_S = 10**6, 10**12
PS_PER_HOUR = 3600 * PS_PER_S


@dataclasses.dataclass(frozen=True)
class Insurance:
    """The terms of the insurance.

    Attributes:
        insured: the agent that pays the premium.
        premium: the price of the insurance per unit of time.
        cap: the largest cost of a period's marks to the insured; the insurer pays the rest.
        period: length of a period; the first period begins at time 0.
    """

    insured: str
    premium: Annotated[float, Unit("money/h")]
    cap: Annotated[float, Unit("money")]
    period: Annotated[float, Unit("s")] = 3600.0

    def __post_init__(self) -> None:
        for name, unit in (("premium", "money/h"), ("cap", "money"), ("period", "s")):
            positive(name, getattr(self, name), unit)


class GspInsurer(Role):
    """Insures an agent against high costs of marks on the traffic of its sources."""

    preset = Preset(takes=("sources",), needs={"sources": "the sources whose marks are insured"})
    terms = Insurance

    def join(self, seat: Seat) -> None:
        """Add a contract for the premium, and one for the cost beyond the cap."""
        insured = seat.account_of(self.own.insured)
        seat.add(Premium(self.own, insured, seat.account))
        seat.add(PayBack(self.own, insured, seat))


class Premium:
    """Charges the premium in whole micro-units, and carries fractions over."""

    def __init__(self, terms: Insurance, insured: int, insurer: int) -> None:
        self._micro_per_hour = round(terms.premium * MICRO)
        self._ends = np.array([insured]), np.array([insurer])

    def due(self, epoch: Any) -> Dues:
        """Return the premium that the insured owes the insurer for an epoch."""
        until, since = (
            self._micro_per_hour * t // PS_PER_HOUR for t in (epoch.to_ps, epoch.from_ps)
        )
        time, none = np.array([epoch.to_ps - epoch.from_ps]), np.array([0])
        return Dues("premium", *self._ends, np.array([until - since]), none - 1, time, none)


class PayBack:
    """Pays back the cost of a period's marks beyond the cap."""

    def __init__(self, terms: Insurance, insured: int, seat: Seat) -> None:
        self._seat, self._insured, self._rows = seat, insured, seat.rows_of(seat.spec.sources)
        self._ends = np.array([seat.account]), np.array([insured])
        self._cap_micro = round(terms.cap * MICRO)
        self._period_ps = round(terms.period * PS_PER_S)
        self._cost = self._period = 0

    def due(self, epoch: Any) -> Dues:
        """Return the amount that the insurer owes the insured for an epoch.

        An epoch belongs to the period in which it begins.
        """
        period = epoch.from_ps // self._period_ps
        if period != self._period:
            self._period, self._cost = period, 0
        before = max(self._cost - self._cap_micro, 0)
        own = self._seat.payers_of(self._rows) == self._insured
        self._cost += int(epoch.charge_micro[self._rows][own].sum())
        amount = np.array([max(self._cost - self._cap_micro, 0) - before])
        return Dues("pay-back", *self._ends, amount, np.array([-1]), np.array([1]), amount)
