# SPDX-License-Identifier: Apache-2.0
"""The posted prices of marks: the links of each carrier (ownership.py) have one price per mark."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ecnomy.agents.arrays import Integers
from ecnomy.agents.errors import InputError
from ecnomy.agents.seat import Truths
from ecnomy.agents.spec import AgentSpec, MarketSpec
from ecnomy.markets.economy.parties import Parties
from ecnomy.markets.economy.shared_columns import held
from ecnomy.markets.plan import Plan
from ecnomy.markets.terms.money import classic_price_micro
from ecnomy.markets.terms.ownership import owners_of, ways

__all__ = ["Domains", "domains_of"]


class Domains:
    """The domains of a run.

    Attributes:
        names: names of the owners; a single "" without carriers.
        accounts: accounts of the owners.
        of_link: index of the domain of each link.
        ways: the domains that each source crosses (Way).
        access: access domain of each row of flows, where its data enter the network.
        price_micro: posted price of a mark in each domain, which applies to ECT(1) packets;
            replaced, never modified in place.
        other: whether the marks of each source have a classic price that differs from the posted
            price (`classic_price_ratio` times the posted price).
        other_rows: the same for each row of flows.
    """

    def __init__(
        self,
        plan: Plan,
        names: Sequence[str],
        accounts: Sequence[int],
        of_link: Sequence[int],
        price_micro: Sequence[int],
        classic_price_ratio: float = 1.0,
    ) -> None:
        self.names = tuple(names)
        self.accounts = np.array(accounts, dtype=np.int64)
        self.of_link = np.array(of_link, dtype=np.int64)
        self.ways = ways(plan, of_link)
        counts = [source.row_count for source in plan.sources]
        first = [way.domains[0] for way in self.ways]
        self.access = np.repeat(np.array(first, dtype=np.int64), np.array(counts, dtype=np.int64))
        self.price_micro: Integers = held(np.array(price_micro, dtype=np.int64))
        self._ratio = classic_price_ratio
        l4s = np.array([source.l4s for source in plan.sources], dtype=np.bool_)
        self.other: Truths = ~l4s & (classic_price_ratio != 1)
        self.other_rows = np.repeat(self.other, np.array(counts, dtype=np.int64))

    def post(self, domain: int, price_micro: int) -> None:
        """Set the price per mark in a domain."""
        if int(self.price_micro[domain]) != price_micro:
            posted = self.price_micro.copy()
            posted[domain] = price_micro
            self.price_micro = held(posted)

    def priced(self, price_micro: Integers, domain: Integers, other: Truths) -> Integers:
        """Return the price of a mark for each element of `domain` [micro-units].

        Args:
            price_micro: posted price of each domain.
            domain: domains in which marks are set.
            other: for each element, whether the classic price applies instead of the posted price.
        """
        posted = price_micro[domain]
        if not other.any():
            return posted
        classic = [classic_price_micro(price, self._ratio) for price in price_micro.tolist()]
        return np.where(other, np.array(classic, dtype=np.int64)[domain], posted)

    def row_price_micro(self, price_micro: Integers) -> Integers:
        """Return the price of a mark in each row's access domain, at these posted prices."""
        return self.priced(price_micro, self.access, self.other_rows)

    def number(self, owner: str) -> int:
        """Return the index of an owner's domain, or of the only domain if `owner` is "".

        Raises:
            InputError: the carrier does not exist, or `owner` is "" and there are several carriers.
        """
        if owner not in self.names and (owner or len(self.names) > 1):
            known = ", ".join(self.names) or "'', because the market has no carriers"
            raise InputError(f"found carrier {owner!r}, expected {known}")
        return self.names.index(owner) if owner else 0

    def links(self, domain: int) -> Integers:
        """Return the links of a domain."""
        return np.flatnonzero(self.of_link == domain).astype(np.int64)


def domains_of(
    plan: Plan, spec: MarketSpec, carriers: Sequence[AgentSpec], parties: Parties
) -> Domains:
    """Return the domains of a market's carriers. Without carriers, one domain has all links.

    Raises:
        Misowned: a link is not in exactly one domain, or a carrier names missing links or nodes.
    """
    links = [(link.name, plan.nodes[link.source]) for link in plan.links]
    price, ratio = spec.price_micro_per_mark, spec.classic_price_ratio
    if not carriers:
        return Domains(plan, [""], [parties.nobody()], [0] * len(links), [price], ratio)
    own = [carrier.price_micro_per_mark for carrier in carriers]
    prices = [price if first < 0 else first for first in own]
    names = [carrier.name for carrier in carriers]
    accounts = [parties.account(name) for name in names]
    return Domains(plan, names, accounts, owners_of(links, carriers), prices, ratio)
