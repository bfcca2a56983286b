# SPDX-License-Identifier: Apache-2.0
"""Count the marks of each flow that are set in a domain, as meters at the domain's links would.

The (source, link) counters contain the marks of whole sources. If a source has several rows, its
marks are divided in proportion to the marks delivered to each row in the epoch. The method of
largest remainders rounds the parts to integers.
"""

from __future__ import annotations

import numpy as np

from ecnomy.agents.arrays import LARGEST_INT64, Integers
from ecnomy.markets.economy.posted_prices import Domains
from ecnomy.markets.economy.readings import Epoch, PairBooks
from ecnomy.markets.plan import Plan

__all__ = ["MarksByFlow", "shared"]


class MarksByFlow:
    """Meters the marks set in one domain."""

    def __init__(self, plan: Plan, domains: Domains, domain: int) -> None:
        books = PairBooks(plan, domains)
        own = books.domain == domain
        self._books, self._source, self._own = books, books.source[own], own
        counts = np.array([source.row_count for source in plan.sources], dtype=np.int64)
        self._first = np.concatenate(([0], np.cumsum(counts)))
        self._single = counts == 1

    def of_sources(self, epoch: Epoch) -> Integers:
        """Return the number of marks set in the domain during the epoch, for each source."""
        marks = np.zeros(len(self._single), dtype=np.int64)
        np.add.at(marks, self._source, self._books.marks(epoch)[self._own])
        return marks

    def of(self, epoch: Epoch) -> Integers:
        """Return the number of marks set in the domain during the epoch, for each row of flows."""
        return self.by_row(epoch, self.of_sources(epoch))

    def by_row(self, epoch: Epoch, marks: Integers) -> Integers:
        """Divide the number of marks of each source among its rows of flows."""
        marks_by_row = np.zeros(int(self._first[-1]), dtype=np.int64)
        marks_by_row[self._first[:-1][self._single]] = marks[self._single]
        delivered = epoch.flows("ce")
        for source in np.flatnonzero((marks > 0) & ~self._single).tolist():
            own = slice(int(self._first[source]), int(self._first[source + 1]))
            marks_by_row[own] = shared(int(marks[source]), delivered[own])
        return marks_by_row


def shared(total: int, weights: Integers) -> Integers:
    """Divide `total` into integers in proportion to weights, by the method of largest remainders.

    Ties favour earlier weights. If all weights are 0, the parts are as equal as possible.
    """
    if len(weights) == 1:
        return np.array([total], dtype=np.int64)
    weights = weights if weights.any() else np.ones_like(weights)
    shares = np.zeros(len(weights), dtype=np.int64)
    used = np.flatnonzero(weights)  # other rows have a remainder of 0
    weight = weights[used]
    whole = sum(weight.tolist())
    if total * int(weight.max()) > LARGEST_INT64 or whole > LARGEST_INT64:
        weight = weight.astype(object)  # Python integers do not overflow
    part, rest = total * weight // whole, total * weight % whole
    shares[used] = part
    left = total - int(shares.sum())
    if left:
        shares[used[np.argsort(-rest, kind="stable")[:left]]] += 1
    return shares
