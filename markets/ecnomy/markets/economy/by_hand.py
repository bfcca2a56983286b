# SPDX-License-Identifier: Apache-2.0
"""What whoever holds a running market may do to it between two steps, beside its agents."""

from __future__ import annotations

import numpy as np

from ecnomy.agents.decision import Decision
from ecnomy.agents.errors import InputError
from ecnomy.agents.observation import NO_OFFER, Integers
from ecnomy.agents.roles.connectivity_provider import price_posted
from ecnomy.markets.economy.aims import Aims
from ecnomy.markets.economy.domains import Domains
from ecnomy.markets.economy.parties import Parties
from ecnomy.markets.plan import Plan
from ecnomy.markets.results.journal import Journal
from ecnomy.markets.stepped import Stepped

__all__ = ["ByHand"]


class ByHand(Stepped):
    """A market that can be acted upon; `Market` says what the attributes are."""

    plan: Plan
    parties: Parties
    domains: Domains
    aims: Aims
    journal: Journal
    offer: Integers

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._moves: list[tuple[Integers, int]] = []

    def post_price(self, price_micro: int, carrier: str = "") -> None:
        """Post a price per mark, micro-units, from the last report on, as a carrier would.

        Args:
            price_micro: in [0, 10^12].
            carrier: its name; "" where there is one domain.

        Raises:
            StrategyError: it is no such price.
            InputError: there is no such carrier.
        """
        price = price_posted("post_price", price_micro)
        self.domains.post(self.domains.number(carrier), price)

    def set_willingness(self, source: str, micro_per_s: float) -> None:
        """What each flow of a source pays for, micro-units/s, until an agent sets it again.

        Raises:
            InputError: there is no such source, or the amount is negative or not finite.
        """
        if not 0 <= micro_per_s < np.inf:
            raise InputError(f"set_willingness({source!r}): found {micro_per_s}, expected >= 0")
        rows = self.parties.flows([source])
        wanted = Decision(np.full(len(rows), float(micro_per_s)))
        self.aims.take(self.t_ps, "", rows, np.True_, wanted)

    def set_active(self, source: str, share: float) -> None:
        """Let only this share of a source's flows send, the first ones, whatever agents decide.

        A share of 1 leaves it to agents again. What goes by time is not charged of a flow that is
        held back.

        Args:
            source: its name.
            share: in [0, 1]; of n rows of flows, share x n rounded to the nearest, halves up.

        Raises:
            InputError: there is no such source or share, or the flows are one row
                (`rows: together`), which is held back as a whole, and the share is not 0 or 1.
        """
        rows = self.parties.flows([source])
        together = any(one.name == source and one.row_flows > 1 for one in self.plan.sources)
        if not 0 <= share <= 1 or (together and share not in (0, 1)):
            wanted = "0 or 1, as its flows are one row" if together else "0 to 1"
            raise InputError(f"set_active({source!r}): found {share}, expected {wanted}")
        may = np.arange(len(rows)) < int(share * len(rows) + 0.5)
        self.aims.admit(self.t_ps, rows, may)

    def set_class(self, source: str, name: str) -> None:
        """Move all flows of a source to another class of the provider that serves them.

        They move at the next report, after customers have chosen and before providers say what they
        pay for them, so that fee and payment change together. Whether the class has room is not
        asked. Customers may move them again.

        Raises:
            InputError: there is no such source, it is in no class, or its provider has no such
                class.
        """
        rows = self.parties.flows([source])
        offers = self.parties.offers
        held = {offers[i].provider for i in self.offer[rows].tolist() if i != NO_OFFER}
        found = [i for i, o in enumerate(offers) if o.provider in held and o.name == name]
        if not found or np.any(self.offer[rows] == NO_OFFER):
            sold = ", ".join(offer.name for offer in offers if offer.provider in held)
            raise InputError(
                f"set_class({source!r}): found {name!r}, expected {sold or 'a source in a class'}"
            )
        self._moves.append((rows, found[0]))

    def carry_out_moves(self) -> None:
        """What was asked for since the report before."""
        for rows, offer in self._moves:
            moved = rows[self.offer[rows] != offer]
            if len(moved):
                self.offer[moved] = offer
                self.journal.many(self.t_ps, "", moved, "class", self.offer[moved])
        self._moves.clear()
