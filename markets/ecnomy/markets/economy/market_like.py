# SPDX-License-Identifier: Apache-2.0
"""The interface of a market to its run, and a substitute for runs without a market."""

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
        """Return the values that a user set in the running market (HandChange of the manifest)."""

    def note_by_hand(self, what: str, of: str, value: object) -> None:
        """Record a value that a user has set, unless it repeats the previous one."""

    @property
    def prices_micro(self) -> dict[str, int]:
        """Return the current price per mark by carrier ("" for no owner); {} without a market."""

    @property
    def fee_micro(self) -> Integers:
        """Return the class fees of each flow so far."""

    @property
    def charge_micro(self) -> Integers:
        """Return the mark charges of each flow so far."""

    def meet(self, report: Report) -> None:
        """Book the epoch that ended, and let agents decide."""

    def orders(self) -> Decide:
        """Return the answer to the last report: the changes since the previous answer."""

    def request(self, request: Request) -> Verdict:
        """Answer the request of a call."""

    def record(self, record: Record) -> Record:
        """Return the rows of a record for its table."""


class NoMarket:
    """The market of a run without a market: it admits every call, without payments or decisions."""

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
        """Do nothing, because nothing is to be booked or decided."""
        self._epoch, self._t_ps = report.epoch, report.t_ps

    def orders(self) -> Decide:
        """Return orders that change nothing."""
        return Decide(self._epoch)

    def decide(self, report: Report) -> Decide:
        """Meet, and return the orders."""
        self.meet(report)
        return self.orders()

    def request(self, request: Request) -> Verdict:
        """Admit the call, without a price."""
        return Verdict(request.id, True)

    def record(self, record: Record) -> Record:
        """Add a cost of 0 to calls, and leave other records unchanged."""
        if record.table != "calls":
            return record
        return replace(record, columns=unsold(record.columns))
