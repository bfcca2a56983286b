# SPDX-License-Identifier: Apache-2.0
"""Domains: the links of each carrier (ownership.py), who posts a price per mark for them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from ecnomy.agents.observation import Integers
from ecnomy.markets.plan import Plan

__all__ = ["Domains", "Way", "ways"]


class Way(msgspec.Struct, frozen=True):
    """A source's way through domains.

    Attributes:
        domains: those it crosses, in order; one comes again where the way comes back.
        of_link: for each link of its path, which of them.
    """

    domains: tuple[int, ...]
    of_link: tuple[int, ...]


def ways(plan: Plan, of_link: Sequence[int]) -> list[Way]:
    """The way of each source's data, by the owner of each link."""
    found = []
    for source in plan.sources:
        crossed: list[int] = []
        at: list[int] = []
        for link in source.path:
            if not crossed or crossed[-1] != of_link[link]:
                crossed.append(of_link[link])
            at.append(len(crossed) - 1)
        found.append(Way(tuple(crossed), tuple(at)))
    return found


class Domains:
    """The domains of a run.

    Attributes:
        names: of the owners, "" where there is no carrier.
        accounts: of the owners.
        of_link: index of the domain of each link.
        ways: of each source.
        access: per row of flows, the domain where its data enters the network.
        price_micro: per mark in each domain, in force; replaced, never written to.
    """

    def __init__(
        self,
        plan: Plan,
        names: Sequence[str],
        accounts: Sequence[int],
        of_link: Sequence[int],
        price_micro: Sequence[int],
    ) -> None:
        self.names = tuple(names)
        self.accounts = np.array(accounts, dtype=np.int64)
        self.of_link = np.array(of_link, dtype=np.int64)
        self.ways = ways(plan, of_link)
        counts = [source.row_count for source in plan.sources]
        first = [way.domains[0] for way in self.ways]
        self.access = np.repeat(np.array(first, dtype=np.int64), np.array(counts, dtype=np.int64))
        self.price_micro: Integers = np.array(price_micro, dtype=np.int64)

    def post(self, domain: int, price_micro: int) -> None:
        """A new price in a domain."""
        if int(self.price_micro[domain]) != price_micro:
            self.price_micro = self.price_micro.copy()
            self.price_micro[domain] = price_micro

    def links(self, domain: int) -> Integers:
        """The links of a domain."""
        return np.flatnonzero(self.of_link == domain).astype(np.int64)
