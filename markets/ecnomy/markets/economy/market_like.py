# SPDX-License-Identifier: Apache-2.0
"""The interface that a run uses to call its market, and a substitute for runs without a market."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from ecnomy.agents.arrays import Integers
from ecnomy.agents.observation import NO_OFFER, Offer
from ecnomy.markets.bridge.messages import Decide, Record, Report, Request, Verdict
from ecnomy.markets.economy.call_desk import unsold
from ecnomy.markets.economy.hand_changes import HandChanges
from ecnomy.markets.economy.journal import Journal
from ecnomy.markets.economy.ledger import Ledger
from ecnomy.markets.plan import Plan

__all__ = ["MarketLike", "NoMarket"]


class MarketLike(Protocol):
    """The interface that a run needs from a market."""

    ledger: Ledger
    journal: Journal
    offers: tuple[Offer, ...]
    offer: Integers
    warnings: list[str]

    @property
    def by_hand(self) -> list[dict[str, Any]]:
        """Return the values that a user set in the running market, as HandChange entries."""

    def note_by_hand(self, what: str, of: str, value: object) -> None:
        """Record a value that a user has set, unless it equals the previous value."""

    @property
    def prices_micro(self) -> dict[str, int]:
        """Return the current price per mark of each carrier, by name.

        Without carriers, the only name is "". Without a market, the result is {}.
        """

    @property
    def fee_micro(self) -> Integers:
        """Return the fees of each flow so far, for classes and under contracts with a tariff."""

    @property
    def charge_micro(self) -> Integers:
        """Return the mark charges of each flow so far."""

    def meet(self, report: Report) -> None:
        """Book the epoch that ended, and let agents decide."""

    def orders(self) -> Decide:
        """Return the answer to the last report, with the changes since the previous answer."""

    def request(self, request: Request) -> Verdict:
        """Return whether a call is admitted."""

    def record(self, record: Record) -> Record:
        """Return a record with the columns that the market adds to its table."""


class NoMarket:
    """Stands in for the market of a run without one, and admits every call free of charge."""

    def __init__(self, plan: Plan) -> None:
        self.ledger, self.journal = Ledger(), Journal()
        self.offers: tuple[Offer, ...] = ()
        self.warnings: list[str] = []
        self._changes, self._t_ps = HandChanges(), 0
        self.prices_micro: dict[str, int] = {}
        flows = plan.row_count
        self.offer = np.full(flows, NO_OFFER, dtype=np.int64)
        self.fee_micro: Integers = np.zeros(flows, dtype=np.int64)
        self.charge_micro: Integers = self.fee_micro
        self._epoch = 0

    @property
    def by_hand(self) -> list[dict[str, Any]]:
        """See MarketLike."""
        return self._changes.listed

    def note_by_hand(self, what: str, of: str, value: object) -> None:
        """See MarketLike."""
        self._changes.note(self._t_ps, what, of, value)

    def meet(self, report: Report) -> None:
        """Note the epoch and time of a report. Nothing is booked or decided."""
        self._epoch, self._t_ps = report.epoch, report.t_ps

    def orders(self) -> Decide:
        """Return orders that change nothing."""
        return Decide(self._epoch)

    def decide(self, report: Report) -> Decide:
        """Process a report, and return the answer."""
        self.meet(report)
        return self.orders()

    def request(self, request: Request) -> Verdict:
        """Admit a call free of charge."""
        return Verdict(request.id, True)

    def record(self, record: Record) -> Record:
        """Add charges of 0 to records of calls, and leave other records unchanged."""
        if record.table != "calls":
            return record
        return replace(record, columns=unsold(record.columns))
