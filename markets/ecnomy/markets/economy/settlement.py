# SPDX-License-Identifier: Apache-2.0
"""Settlement: who pays whom for marks. One class per rule; `settlement:` of the market names one.

    retail    the customer pays its access carrier, at that carrier's price, for every mark
              delivered; the access carrier owes each other domain its price x the marks set there
              on this traffic
    cascade   the customer pays as above; each domain owes the next one downstream, at that one's
              price, all marks set from that border on (congestion exposure, RFC 7713; the border
              meter of re-feedback)
    direct    the customer pays each domain its own price x the marks set there
    peering   the customer pays its access carrier; carriers pay each other nothing

The access carrier of a source owns the first link of its way. `retail` and `peering` charge what
arrives, so marks on packets dropped downstream are the carriers' loss; where they are metered at
links, such marks count. A rule of one's own is a class with these methods, by dotted path.
"""

from __future__ import annotations

import importlib
from typing import Final, Protocol

import numpy as np

from ecnomy.agents.errors import InputError
from ecnomy.agents.observation import Floats, Integers
from ecnomy.markets.economy.charges import Per, times
from ecnomy.markets.economy.contracts import CHARGE, MARKS, Contract, Dues, MarkDelivered
from ecnomy.markets.economy.domains import Domains
from ecnomy.markets.economy.parties import Parties
from ecnomy.markets.economy.readings import Epoch, PairBooks
from ecnomy.markets.plan import Plan

__all__ = [
    "SETTLEMENT",
    "SETTLEMENTS",
    "Cascade",
    "Direct",
    "Peering",
    "Retail",
    "Settlement",
    "find_settlement",
]

SETTLEMENT: Final = "settlement"
NO_FLOW: Final = -1


class Settlement(Protocol):
    """A rule for marks; made once per run."""

    contracts: tuple[Contract, ...]

    def __init__(self, plan: Plan, parties: Parties, domains: Domains, per: Per) -> None:
        """`per` is what a price is of: a mark, or a byte of a marked packet."""

    def row_price_micro(self) -> Integers | Floats:
        """What a mark costs each flow now, in micro-units."""


class Peering:
    """Customers pay their access carriers; carriers pay each other nothing."""

    def __init__(self, plan: Plan, parties: Parties, domains: Domains, per: Per = "mark") -> None:
        self._domains = domains
        self.contracts: tuple[Contract, ...] = (MarkDelivered(parties, domains, per),)
        self._price, self._of = domains.price_micro[domains.access], domains.price_micro

    def row_price_micro(self) -> Integers:
        """The access carrier's price."""
        if self._of is not self._domains.price_micro:
            self._of = self._domains.price_micro
            self._price = self._of[self._domains.access]
        return self._price


class Retail(Peering):
    """As `peering`, and the access carrier owes the others what was marked there."""

    def __init__(self, plan: Plan, parties: Parties, domains: Domains, per: Per = "mark") -> None:
        super().__init__(plan, parties, domains, per)
        self.contracts = (*self.contracts, _Owed(plan, domains, _to_each_other(domains)))


class Cascade(Peering):
    """As `peering`, and each domain owes the next one for all marks from the border on."""

    def __init__(self, plan: Plan, parties: Parties, domains: Domains, per: Per = "mark") -> None:
        super().__init__(plan, parties, domains, per)
        self.contracts = (*self.contracts, _Owed(plan, domains, _to_the_next(domains)))


class Direct:
    """Customers pay each domain for what was marked there."""

    def __init__(self, plan: Plan, parties: Parties, domains: Domains, per: Per = "mark") -> None:
        self._domains = domains
        self._direct = _MarkSet(plan, parties, domains)
        self.contracts: tuple[Contract, ...] = (self._direct,)

    def row_price_micro(self) -> Floats:
        """The mean price, by where its source's marks came from; the access carrier's at first."""
        counts = self._direct.counts
        total = counts.sum(axis=1)
        mean = self._domains.price_micro[self._direct.access].astype(np.float64)
        met = total > 0
        mean[met] = (counts[met] @ self._domains.price_micro) / total[met]
        return np.repeat(mean, self._direct.rows_of_source)


SETTLEMENTS: Final[dict[str, type[Settlement]]] = {
    "retail": Retail,
    "cascade": Cascade,
    "direct": Direct,
    "peering": Peering,
}


def find_settlement(word: str) -> type[Settlement]:
    """The rule of this name: one of SETTLEMENTS, or `module:Class`.

    Raises:
        InputError: there is none.
    """
    if word in SETTLEMENTS:
        return SETTLEMENTS[word]
    module, colon, name = word.partition(":")
    if not colon:
        known = ", ".join(SETTLEMENTS)
        expected = f"one of {known}, or a class of your own as module:Class"
        raise InputError(f"market.settlement: found {word!r}, expected {expected}")
    try:
        found: type[Settlement] = getattr(importlib.import_module(module), name)
    except Exception as error:  # anything can go wrong in a module of the user's
        raise InputError(f"market.settlement: tried {word}: {error}") from error
    return found


Debts = dict[tuple[int, int], list[tuple[int, int]]]  # (debtor, creditor) -> (source, place on way)


def _to_each_other(domains: Domains) -> Debts:
    """The access carrier owes for the marks of each other domain's links."""
    debts: Debts = {}
    for source, way in enumerate(domains.ways):
        for place, domain in enumerate(way.domains):
            if domain != way.domains[0]:
                debts.setdefault((way.domains[0], domain), []).append((source, place))
    return debts


def _to_the_next(domains: Domains) -> Debts:
    """At each border, what was marked from there on."""
    debts: Debts = {}
    for source, way in enumerate(domains.ways):
        for border in range(1, len(way.domains)):
            pair = way.domains[border - 1], way.domains[border]
            further = [(source, place) for place in range(border, len(way.domains))]
            debts.setdefault(pair, []).extend(further)
    return debts


class _Owed:
    """What carriers owe each other: one row for each pair of them, over all sources."""

    def __init__(self, plan: Plan, domains: Domains, debts: Debts) -> None:
        self._domains, self._books = domains, PairBooks(plan, domains)
        at: dict[tuple[int, int], list[int]] = {}
        for row, (source, hop) in enumerate(
            zip(self._books.source.tolist(), self._books.hop.tolist(), strict=True)
        ):
            at.setdefault((source, domains.ways[source].of_link[hop]), []).append(row)
        self._pairs = sorted(debts)
        rows = [[row for where in debts[pair] for row in at[where]] for pair in self._pairs]
        self._debt = np.repeat(np.arange(len(rows)), [len(r) for r in rows]).astype(np.int64)
        self._rows = np.array([row for own in rows for row in own], dtype=np.int64)
        pairs = np.array(self._pairs, dtype=np.int64).reshape(-1, 2)
        self._debit, self._credit = domains.accounts[pairs[:, 0]], domains.accounts[pairs[:, 1]]
        self._seller = pairs[:, 1]

    def due(self, epoch: Epoch) -> Dues:
        """See Contract."""
        quantity = np.zeros(len(self._pairs), dtype=np.int64)
        np.add.at(quantity, self._debt, self._books.marks(epoch)[self._rows])
        price = epoch.price_micro[self._seller]
        flow = np.full(len(quantity), NO_FLOW, dtype=np.int64)
        amount = times(quantity, price)
        return Dues(SETTLEMENT, self._debit, self._credit, amount, flow, quantity, price)


class _MarkSet:
    """Marks set in each domain, charged to the flows of the source they are on.

    A source with many rows of flows has one book; its marks are shared out in proportion to what
    each row had delivered marked in the epoch, whole marks by largest remainders.

    Attributes:
        counts: marks set so far, [source, domain].
        access: of each source.
        rows_of_source: how many rows each source has.
    """

    def __init__(self, plan: Plan, parties: Parties, domains: Domains) -> None:
        self._parties, self._domains, self._books = parties, domains, PairBooks(plan, domains)
        self.rows_of_source = np.array([s.row_count for s in plan.sources], dtype=np.int64)
        self._first = np.concatenate(([0], np.cumsum(self.rows_of_source)))
        self.counts: Integers = np.zeros((len(plan.sources), len(domains.names)), dtype=np.int64)
        self.access = np.array([way.domains[0] for way in domains.ways], dtype=np.int64)

    def due(self, epoch: Epoch) -> Dues:
        """See Contract."""
        marks = np.zeros_like(self.counts)
        np.add.at(marks, (self._books.source, self._books.domain), self._books.marks(epoch))
        self.counts = self.counts + marks
        delivered = epoch.flows("ce")
        rows, domain, quantity = [], [], []
        for source, place in zip(*(a.tolist() for a in np.nonzero(marks)), strict=True):
            own = np.arange(self._first[source], self._first[source + 1], dtype=np.int64)
            shares = shared(int(marks[source, place]), delivered[own])
            got = shares > 0
            rows.append(own[got])
            quantity.append(shares[got])
            domain.append(np.full(int(got.sum()), place, dtype=np.int64))
        return self._dues(epoch, *(_joined(parts) for parts in (rows, domain, quantity)))

    def _dues(self, epoch: Epoch, row: Integers, domain: Integers, quantity: Integers) -> Dues:
        price = epoch.price_micro[domain]
        debit = self._parties.mark_payers(epoch.offer)[row]
        credit = self._domains.accounts[domain]
        amount = times(quantity, price)
        return Dues(MARKS, debit, credit, amount, row, quantity, price, CHARGE)


def _joined(parts: list[Integers]) -> Integers:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def shared(total: int, weights: Integers) -> Integers:
    """`total` in whole parts in proportion to weights, by largest remainders; earlier rows first.

    Where all weights are 0 the parts are as equal as can be.
    """
    if len(weights) == 1:
        return np.array([total], dtype=np.int64)
    weight = weights.tolist() if weights.any() else [1] * len(weights)
    whole = sum(weight)
    parts = [divmod(total * w, whole) for w in weight]
    left = total - sum(part for part, _ in parts)
    best = sorted(range(len(parts)), key=lambda i: (-parts[i][1], i))[:left]
    found = np.array([part for part, _ in parts], dtype=np.int64)
    found[best] += 1
    return found
