# SPDX-License-Identifier: Apache-2.0
"""Record the decisions of agents for the table `agents`: (time, agent, flow, name, value).

Names: `price_micro_per_mark` and `willingness_micro_per_s` (micro-units), `class` (index into the
manifest's `classes`), `rate_cap_bps` (bit/s), `weight` (in the law's unit), `active` (0, 1),
`mark_rate` (marks/s; agent "" is the market itself), `tariff:<contract>` (number of the choice from
the contract's menu), `fee:<class>` (micro-units/s, posted by its provider), `price:<tariff>`
(micro-units per call, posted by its provider), `refused` (index into the manifest's `classes`: the
class that refused a flow), `strategy` (number of the choice from the provider's menu), and the
agents' notes.

An entry is written when a value changes, and the value holds from the time of the entry. Refusals
and notes are always written. Flow -1 means no particular flow. If a row stands for many flows, the
value holds for each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats, Integers

__all__ = [
    "ACTIVE",
    "CALL_PRICE",
    "FEE",
    "NAMES",
    "PICKED",
    "PREFIXES",
    "PRICE",
    "REFUSED",
    "TARIFF",
    "Journal",
    "JournalEntry",
]

PRICE: Final = "price_micro_per_mark"
ACTIVE: Final = "active"
TARIFF: Final = "tariff:"  # followed by the name of a contract
FEE: Final = "fee:"  # followed by the name of a class
CALL_PRICE: Final = "price:"  # followed by the name of a call tariff
REFUSED: Final = "refused"
PICKED: Final = "strategy"
PREFIXES: Final = (TARIFF, FEE, CALL_PRICE)
NAMES: Final = (  # written by the market itself
    *(PRICE, "willingness_micro_per_s", "class", "rate_cap_bps", "weight"),
    *(ACTIVE, "mark_rate", REFUSED, PICKED),
)

Column = Integers | Floats


class JournalEntry(msgspec.Struct, frozen=True, eq=False):
    """The values that one agent gives to flows under one name at one time."""

    t_ps: int
    agent: str
    name: str
    flow: Integers
    value: Floats


class Journal:
    """A list of entries, in the order in which they were added."""

    def __init__(self) -> None:
        self._fresh: list[JournalEntry] = []

    def one(self, t_ps: int, agent: str, name: str, value: float) -> None:
        """Add a value that applies to no particular flow."""
        flow, column = np.array([-1], dtype=np.int64), np.array([value], dtype=np.float64)
        self._fresh.append(JournalEntry(t_ps, agent, name, flow, column))

    def many(self, t_ps: int, agent: str, flow: Integers, name: str, value: Column) -> None:
        """Add one value per flow. If there are no flows, nothing is added."""
        if len(flow):
            self._fresh.append(JournalEntry(t_ps, agent, name, flow, value.astype(np.float64)))

    @property
    def fresh(self) -> Sequence[JournalEntry]:
        """Return the entries added since the last `take`, without removing them."""
        return self._fresh

    def take(self) -> list[JournalEntry]:
        """Return and remove the entries added since the last call."""
        fresh, self._fresh = self._fresh, []
        return fresh
