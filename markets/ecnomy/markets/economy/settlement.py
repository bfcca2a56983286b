# SPDX-License-Identifier: Apache-2.0
"""Define the rules of settlement, which determine who pays whom for marks.

Each rule is a class. A market selects its rule by `settlement:`. A new built-in rule must be
added to SETTLEMENTS in this module and to RULES in scenario/document.py.

    retail    the customer pays its access carrier, at that carrier's price, for every mark
              delivered; the access carrier owes each other domain the price of that domain x the
              marks set there on the customer's traffic
    cascade   the customer pays as under `retail`; each domain owes the next domain downstream the
              price of that domain x the marks set beyond the border between them (congestion
              exposure, RFC 7713; the border meter of re-feedback)
    direct    the customer pays each domain the price of that domain x the marks set there
    peering   the customer pays as under `retail`; carriers do not pay each other

The access carrier of a source owns the first link of its path. `retail`, `cascade` and `peering`
charge customers for marks that arrive, so customers do not pay for marks on packets that are
dropped downstream. Meters at links count such marks. A custom rule is a class with the methods of
Settlement; a scenario names it by its dotted path or its entry point.
"""

from __future__ import annotations

from typing import ClassVar, Final, Protocol

import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.errors import InputError
from ecnomy.agents.find import Family, find
from ecnomy.markets.economy.charges import Per, times
from ecnomy.markets.economy.contracts import CHARGE, Contract, Dues, MarkDelivered
from ecnomy.markets.economy.marks_by_flow import MarksByFlow
from ecnomy.markets.economy.parties import Parties
from ecnomy.markets.economy.posted_prices import Domains
from ecnomy.markets.economy.readings import Epoch, PairBooks
from ecnomy.markets.plan import Plan
from ecnomy.markets.terms.ledger_kinds import MARKS, SETTLEMENT

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

NO_FLOW: Final = -1
# Least number of recent marks over which `direct` averages a source's price. Prices with a
# coefficient of variation v need v^2 times as many; 1/mean is then 0.5 % too large on average.
RECENT: Final = 100.0


class Settlement(Protocol):
    """The interface of a settlement rule. A market creates one rule per run.

    Attributes:
        contracts: the contracts that charge for marks.
        by_delivery: whether users pay one price for each delivered mark and nothing else for marks,
            as budgets require; False by default.
    """

    contracts: tuple[Contract, ...]

    def __init__(self, plan: Plan, parties: Parties, domains: Domains, per: Per) -> None:
        """Create the rule. Prices are per mark, or per byte of marked packets (`per`)."""

    def row_price_micro(self) -> Integers | Floats:
        """Return the current price of a mark for each flow [micro-units]."""


class Peering:
    """Charges customers for marks delivered, and pays their access carriers only."""

    by_delivery: ClassVar[bool] = True

    def __init__(self, plan: Plan, parties: Parties, domains: Domains, per: Per = "mark") -> None:
        self._domains = domains
        self.contracts: tuple[Contract, ...] = (MarkDelivered(parties, domains, per),)
        self._of = domains.price_micro
        self._price = domains.row_price_micro(self._of)

    def row_price_micro(self) -> Integers:
        """Return the price of each flow's access carrier."""
        if self._of is not self._domains.price_micro:
            self._of = self._domains.price_micro
            self._price = self._domains.row_price_micro(self._of)
        return self._price


class Retail(Peering):
    """Extends `peering`: access carriers pay other carriers for marks set in their domains."""

    def __init__(self, plan: Plan, parties: Parties, domains: Domains, per: Per = "mark") -> None:
        super().__init__(plan, parties, domains, per)
        self.contracts = (*self.contracts, _Owed(plan, domains, _to_each_other(domains)))


class Cascade(Peering):
    """Extends `peering`: each domain pays the next one for all marks set beyond their border."""

    def __init__(self, plan: Plan, parties: Parties, domains: Domains, per: Per = "mark") -> None:
        super().__init__(plan, parties, domains, per)
        self.contracts = (*self.contracts, _Owed(plan, domains, _to_the_next(domains)))


class Direct:
    """Charges customers for marks, and pays each domain for the marks set there.

    Note:
        Agents decide at one price per source: the mean price over the source's marks, in which the
        weight of a mark falls by a factor of e with every RECENT later marks, or RECENT v^2 later
        marks if the coefficient of variation v of the prices exceeds 1. Soon after congestion moves
        to another domain, users therefore again pay as much as they bid.
    """

    def __init__(self, plan: Plan, parties: Parties, domains: Domains, per: Per = "mark") -> None:
        if per != "mark":
            found = f"found `direct` with a price per {per}"
            raise InputError(f"settlement: {found}, expected a price per mark")
        self._domains = domains
        self._direct = _MarkSet(plan, parties, domains)
        self.contracts: tuple[Contract, ...] = (self._direct,)
        self._recent = np.zeros(self._direct.counts.shape)
        self._counted = self._direct.counts
        self._of = self._direct.counts, domains.price_micro
        self._price = self._mean(self._source_prices())

    def row_price_micro(self) -> Floats:
        """Return the mean mark price of each flow's source.

        Before any mark, this is the price of the access domain.
        """
        counts, prices = self._direct.counts, self._domains.price_micro
        if counts is not self._of[0] or prices is not self._of[1]:
            self._of, price = (counts, prices), self._source_prices()
            self._count(counts, price)
            self._price = self._mean(price)
        return self._price

    def _source_prices(self) -> Floats:
        """Return the price of a mark by [source, domain]."""
        shape = self._direct.counts.shape
        domain = np.broadcast_to(np.arange(shape[1]), shape)
        other = self._domains.other[:, np.newaxis]
        return self._domains.priced(self._domains.price_micro, domain, other).astype(np.float64)

    def _count(self, counts: Integers, price: Floats) -> None:
        """Add the marks set since the last call, and reduce the weight of earlier marks."""
        new = counts - self._counted
        self._counted = counts
        mean, square = (_mean_of(self._recent, price**power) for power in (1, 2))
        with np.errstate(divide="ignore", invalid="ignore"):
            variation = np.nan_to_num(square / mean**2 - 1.0, posinf=0.0)
        fade = np.exp(-new.sum(axis=1) / (RECENT * np.maximum(variation, 1.0)))
        self._recent = self._recent * fade[:, np.newaxis] + new

    def _mean(self, price: Floats) -> Floats:
        mean = _mean_of(self._recent, price)
        first = price[np.arange(len(price)), self._direct.access]
        return np.repeat(np.where(np.isnan(mean), first, mean), self._direct.rows_of_source)


def _mean_of(counts: Floats, values: Floats) -> Floats:
    """Return the mean of each row's values, weighted by counts; NaN if the counts sum to 0."""
    with np.errstate(invalid="ignore"):
        mean: Floats = (counts * values).sum(axis=1) / counts.sum(axis=1)
    return mean


SETTLEMENTS: Final[dict[str, type[Settlement]]] = {
    "retail": Retail,
    "cascade": Cascade,
    "direct": Direct,
    "peering": Peering,
}


_FAMILY: Final = Family(
    noun="settlement",
    group="ecnomy.settlements",
    methods=("row_price_micro",),
    error=InputError,
    built_in={word: f"{rule.__module__}:{rule.__name__}" for word, rule in SETTLEMENTS.items()},
)


def find_settlement(word: str) -> type[Settlement]:
    """Find a rule by its name in SETTLEMENTS, by `module:Class` or by the name of an entry point.

    Raises:
        InputError: the rule does not exist.
    """
    return find(_FAMILY, word)


# (debtor, creditor, whether the classic price applies) -> (source, place on way)
Debts = dict[tuple[int, int, bool], list[tuple[int, int]]]


def _to_each_other(domains: Domains) -> Debts:
    """Return the debts of access carriers for marks set in other domains."""
    debts: Debts = {}
    for source, way in enumerate(domains.ways):
        for place, domain in enumerate(way.domains):
            if domain != way.domains[0]:
                pair = way.domains[0], domain, bool(domains.other[source])
                debts.setdefault(pair, []).append((source, place))
    return debts


def _to_the_next(domains: Domains) -> Debts:
    """Return the debts at each border for marks set beyond it."""
    debts: Debts = {}
    for source, way in enumerate(domains.ways):
        for border in range(1, len(way.domains)):
            pair = way.domains[border - 1], way.domains[border], bool(domains.other[source])
            further = [(source, place) for place in range(border, len(way.domains))]
            debts.setdefault(pair, []).extend(further)
    return debts


class _Owed:
    """Debts between carriers for marks: one amount per pair of carriers and kind of price."""

    def __init__(self, plan: Plan, domains: Domains, debts: Debts) -> None:
        self._books, self._domains = PairBooks(plan, domains), domains
        at: dict[tuple[int, int], list[int]] = {}
        for row, (source, hop) in enumerate(
            zip(self._books.source.tolist(), self._books.hop.tolist(), strict=True)
        ):
            at.setdefault((source, domains.ways[source].of_link[hop]), []).append(row)
        self._pairs = sorted(debts)
        rows = [[row for where in debts[pair] for row in at[where]] for pair in self._pairs]
        self._debt = np.repeat(np.arange(len(rows)), [len(r) for r in rows]).astype(np.int64)
        self._rows = np.array([row for own in rows for row in own], dtype=np.int64)
        pairs = np.array(self._pairs, dtype=np.int64).reshape(-1, 3)
        self._debit, self._credit = domains.accounts[pairs[:, 0]], domains.accounts[pairs[:, 1]]
        self._seller, self._other = pairs[:, 1], pairs[:, 2] > 0

    def due(self, epoch: Epoch) -> Dues:
        """See Contract."""
        quantity = np.zeros(len(self._pairs), dtype=np.int64)
        np.add.at(quantity, self._debt, self._books.marks(epoch)[self._rows])
        price = self._domains.priced(epoch.price_micro, self._seller, self._other)
        flow = np.full(len(quantity), NO_FLOW, dtype=np.int64)
        amount = times(quantity, price)
        return Dues(SETTLEMENT, self._debit, self._credit, amount, flow, quantity, price)


class _MarkSet:
    """Charges the payers of flows for the marks set in each domain.

    Attributes:
        counts: number of marks set so far, by [source, domain].
        access: access domain of each source.
        rows_of_source: number of rows of each source.
    """

    def __init__(self, plan: Plan, parties: Parties, domains: Domains) -> None:
        self._parties, self._domains = parties, domains
        self._marks = [MarksByFlow(plan, domains, d) for d in range(len(domains.names))]
        self.rows_of_source = np.array([s.row_count for s in plan.sources], dtype=np.int64)
        self.counts: Integers = np.zeros((len(plan.sources), len(domains.names)), dtype=np.int64)
        self.access = np.array([way.domains[0] for way in domains.ways], dtype=np.int64)

    def due(self, epoch: Epoch) -> Dues:
        """See Contract."""
        columns = [marks.of_sources(epoch) for marks in self._marks]
        self.counts = self.counts + np.array(columns, dtype=np.int64).T
        met = zip(self._marks, columns, strict=True)
        marks_by_row = [marks.by_row(epoch, column) for marks, column in met]
        rows = [np.flatnonzero(quantity).astype(np.int64) for quantity in marks_by_row]
        row = np.concatenate(rows)
        quantity = np.concatenate([q[own] for q, own in zip(marks_by_row, rows, strict=True)])
        domain = np.repeat(np.arange(len(rows), dtype=np.int64), [len(own) for own in rows])
        price = self._domains.priced(epoch.price_micro, domain, self._domains.other_rows[row])
        debit = self._parties.mark_payers(epoch.offer)[row]
        credit = self._domains.accounts[domain]
        amount = times(quantity, price)
        return Dues(MARKS, debit, credit, amount, row, quantity, price, CHARGE)
