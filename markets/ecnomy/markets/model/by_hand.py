# SPDX-License-Identifier: Apache-2.0
"""Operations that a user may apply to a running market between two steps.

Amounts are in money. A wrong type raises TypeError, and an impossible value raises InputError. The
market continues after these errors. After the end of the run, operations raise NotRunningError. The
manifest counts the operations, because the scenario alone does not reproduce the results.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ecnomy.agents.arrays import Integers
from ecnomy.agents.decision import Decision
from ecnomy.agents.errors import InputError, NotRunningError
from ecnomy.agents.money import DEAREST_MICRO, MICRO
from ecnomy.agents.observation import NO_OFFER
from ecnomy.markets.economy.hand_changes import HandChanges
from ecnomy.markets.economy.journal import Journal
from ecnomy.markets.economy.parties import Parties
from ecnomy.markets.economy.posted_prices import Domains
from ecnomy.markets.economy.willingness import Aims
from ecnomy.markets.model.stepped import Stepped
from ecnomy.markets.plan import Plan

__all__ = ["ByHand"]


class ByHand(Stepped):
    """A market that accepts operations of a user. `Market` describes the attributes."""

    plan: Plan
    parties: Parties
    domains: Domains
    aims: Aims
    journal: Journal
    offer: Integers

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._moves: list[tuple[Integers, int]] = []
        self._changes = HandChanges()

    @property
    def by_hand(self) -> list[dict[str, Any]]:
        """Return the number of operations and the time of the first, for each kind and name."""
        return self._changes.listed

    def note_by_hand(self, what: str, of: str, value: object) -> None:
        """Record an operation for the manifest, unless it repeats the previous one.

        Raises: NotRunningError: the run has ended.
        """
        if not self.running:
            raise NotRunningError(f"the run has ended, so the {what} of {of!r} cannot change")
        self._changes.note(self.t_ps, what, of, value)

    @property
    def prices(self) -> dict[str, float]:
        """Return the price per mark in money, by carrier; without carriers, the name is ""."""
        micro = self.domains.price_micro.tolist()
        return {name: price / MICRO for name, price in zip(self.domains.names, micro, strict=True)}

    def post_price(self, carrier: str, price: float) -> None:
        """Post a carrier's price per mark, which applies from the last report on.

        Args:
            carrier: name of the carrier; "" if the market has no carrier.
            price: money per mark in [0, 10^6], rounded to the nearest micro-unit.

        Raises: TypeError, InputError: the carrier does not exist or the price is invalid.
        """
        domain = self.domains.number(_name("post_price", "carrier", carrier))
        micro = _amount("post_price", "price", price, "money") * MICRO
        if micro > DEAREST_MICRO:
            raise InputError(
                f"post_price({carrier!r}): found {price:g} money, expected at most 10^6 money"
            )
        self.note_by_hand("price", carrier, price)
        self.domains.post(domain, round(micro))

    def set_willingness(self, source: str, pay: float) -> None:
        """Set the willingness to pay of each flow of a source, until an agent sets it again.

        Args:
            source: name of the source.
            pay: willingness to pay of each flow [money/s], 0 or more.

        Raises:
            TypeError, InputError: the source does not exist, its law has no weight, or the amount
                is invalid.
        """
        rows = self._rows("set_willingness", source)
        micro_per_s = _amount("set_willingness", "willingness", pay, "money/s") * MICRO
        weighted = {one.name: one.weighted for one in self.plan.sources}
        if not weighted[source]:
            having = ", ".join(name for name, has in weighted.items() if has)
            expected = (
                f"one of {having}"
                if having
                else "a scenario with a source that has one, e.g. over wtp"
            )
            raise InputError(
                f"set_willingness({source!r}): found a source whose law has no weight, "
                f"expected {expected}"
            )
        self.note_by_hand("willingness", source, pay)
        self.aims.take(self.t_ps, "", rows, np.True_, Decision(np.full(len(rows), micro_per_s)))

    def set_active(self, source: str, share: float) -> None:
        """Let only this share of a source's flows send, beginning with the first flow.

        The share overrides agents; a share of 1 returns control to them. A flow that is held back
        does not pay charges by time.

        Args:
            source: name of the source.
            share: share in [0, 1]; the first share x n of n rows may send (rounded, halves up).

        Raises:
            TypeError, InputError: the source does not exist, or the share is invalid. If the flows
                share one row (`rows: together`), the share must be 0 or 1.
        """
        rows = self._rows("set_active", source)
        share = _amount("set_active", "share", share, "0 to 1")
        together = any(one.name == source and one.row_flows > 1 for one in self.plan.sources)
        if not 0 <= share <= 1 or (together and share not in (0, 1)):
            wanted = "0 or 1, because its flows are one row" if together else "0 to 1"
            raise InputError(f"set_active({source!r}): found {share:g}, expected {wanted}")
        self.note_by_hand("active share", source, share)
        may = np.arange(len(rows)) < int(share * len(rows) + 0.5)
        self.aims.admit(self.t_ps, rows, may)

    def set_class(self, source: str, name: str) -> None:
        """Move all flows of a source to another class of the same provider.

        The flows move at the next report, after customers have chosen and before providers decide
        their payments, so that fee and payment change together. The limits of the class are not
        checked, and its seller is not queried. Customers may move the flows again.

        Raises:
            TypeError, InputError: the source does not exist, it is not in a class, or its provider
                does not have the class.
        """
        rows = self._rows("set_class", source)
        offers = self.parties.offers
        held = {offers[i].provider for i in self.offer[rows].tolist() if i != NO_OFFER}
        matches = [i for i, o in enumerate(offers) if o.provider in held and o.name == name]
        if not matches or np.any(self.offer[rows] == NO_OFFER):
            sold = ", ".join(offer.name for offer in offers if offer.provider in held)
            expected = f"one of {sold}" if sold else "a source in a class"
            raise InputError(f"set_class({source!r}): found {name!r}, expected {expected}")
        self.note_by_hand("class", source, name)
        self._moves.append((rows, matches[0]))

    def _rows(self, who: str, source: str) -> Integers:
        return self.parties.flows([_name(who, "source", source)])

    def carry_out_moves(self) -> None:
        """Carry out the moves requested since the previous report."""
        for rows, offer in self._moves:
            moved = rows[self.offer[rows] != offer]
            if len(moved):
                self.offer[moved] = offer
                self.journal.many(self.t_ps, "", moved, "class", self.offer[moved])
        self._moves.clear()


def _name(who: str, of: str, name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"{who}: the {of} must be a name, got {name!r}")
    return name


def _amount(who: str, of: str, amount: object, unit: str) -> float:
    """Return an amount, which must be 0 or more.

    True and False are accepted as shares (1 and 0), but not as other amounts.
    """
    if isinstance(amount, bool | np.bool_) and of == "share":
        return float(amount)
    if isinstance(amount, bool) or not isinstance(amount, int | float | np.integer | np.floating):
        raise TypeError(f"{who}: the {of} must be a number ({unit}), got {amount!r}")
    if not 0 <= amount < np.inf:
        raise InputError(f"{who}: the {of} must be a number >= 0 ({unit}), got {amount}")
    return float(amount)
