# SPDX-License-Identifier: Apache-2.0
"""A risk broker for a provider of calls: a custom role for gsp-insured.yaml in the same folder.

It insures what marks cost a guaranteed stream provider: for a premium by the hour it pays back what
the marks of a period cost beyond a cap (Andreassen 2002, 1.1: a GSP is itself a risk broker for its
callers; who takes the risk from it?).
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
    """What is insured.

    Attributes:
        insured: the agent that pays the premium.
        premium: for its time.
        cap: the most that marks of a period cost the insured; the insurer pays the rest.
        period: each begins where the last one ended, the first one at time 0.
    """

    insured: str
    premium: Annotated[float, Unit("money/h")]
    cap: Annotated[float, Unit("money")]
    period: Annotated[float, Unit("s")] = 3600.0

    def __post_init__(self) -> None:
        for name, unit in (("premium", "money/h"), ("cap", "money"), ("period", "s")):
            positive(name, getattr(self, name), unit)


class GspInsurer(Role):
    """Insures what the marks of its sources cost one agent."""

    preset = Preset(takes=("sources",), needs={"sources": "the sources whose marks are insured"})
    terms = Insurance

    def join(self, seat: Seat) -> None:
        """A premium by the time, and what exceeds the cap."""
        insured = seat.account_of(self.own.insured)
        seat.add(Premium(self.own, insured, seat.account))
        seat.add(PayBack(self.own, insured, seat))


class Premium:
    """So much for the time, in whole micro-units; what is left of one is carried on."""

    def __init__(self, terms: Insurance, insured: int, insurer: int) -> None:
        self._micro_per_hour = round(terms.premium * MICRO)
        self._ends = np.array([insured]), np.array([insurer])

    def due(self, epoch: Any) -> Dues:
        """From the insured to the insurer."""
        until, since = (
            self._micro_per_hour * t // PS_PER_HOUR for t in (epoch.to_ps, epoch.from_ps)
        )
        time, none = np.array([epoch.to_ps - epoch.from_ps]), np.array([0])
        return Dues("premium", *self._ends, np.array([until - since]), none - 1, time, none)


class PayBack:
    """What the marks of a period have cost the insured beyond the cap."""

    def __init__(self, terms: Insurance, insured: int, seat: Seat) -> None:
        self._seat, self._insured, self._rows = seat, insured, seat.rows_of(seat.spec.sources)
        self._ends = np.array([seat.account]), np.array([insured])
        self._cap_micro = round(terms.cap * MICRO)
        self._period_ps = round(terms.period * PS_PER_S)
        self._cost = self._period = 0

    def due(self, epoch: Any) -> Dues:
        """From the insurer to the insured; an epoch is of the period it begins in."""
        period = epoch.from_ps // self._period_ps
        if period != self._period:
            self._period, self._cost = period, 0
        before = max(self._cost - self._cap_micro, 0)
        own = self._seat.payers_of(self._rows) == self._insured
        self._cost += int(epoch.charge_micro[self._rows][own].sum())
        amount = np.array([max(self._cost - self._cap_micro, 0) - before])
        return Dues("pay-back", *self._ends, amount, np.array([-1]), np.array([1]), amount)
