# SPDX-License-Identifier: Apache-2.0
"""Tariffs as a user may write them."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

import numpy as np

from ecnomy.agents.parameters import Refused, Unit

Column = np.ndarray[Any, np.dtype[np.int64]]


@dataclasses.dataclass
class StartedMegabytes:
    """Each started megabyte costs the same."""

    price: Annotated[float, Unit("money/MB")] = 1.0
    unit = "byte"

    def __post_init__(self) -> None:
        if self.price <= 0:
            raise Refused("price", f"{self.price:g} money/MB", "a price above 0")
        self.bytes: Column | int = 0
        self.started: Column | int = 0

    def due(
        self,
        from_ps: int,
        to_ps: int,
        quantity: Column,
        posted_micro: int | Column,
        active_ps: Column,
    ) -> Column:
        """See Accruer."""
        self.bytes = self.bytes + quantity
        before, self.started = self.started, -(-self.bytes // 10**6)
        return (self.started - before) * round(self.price * 10**6)


@dataclasses.dataclass
class Active:
    """A micro-unit for each second of activity, on any meter."""

    def due(
        self,
        from_ps: int,
        to_ps: int,
        quantity: Column,
        posted_micro: int | Column,
        active_ps: Column,
    ) -> Column:
        """See Accruer."""
        return active_ps // 10**12


@dataclasses.dataclass
class Faulty:
    """Charges amounts that cannot be booked, of the kind that `fault` names."""

    fault: str = ""

    def due(self, *arguments: Any) -> object:
        """Return the requested fault. An unknown one raises KeyError."""
        rows = len(arguments[2])
        return {
            "list": [1] * rows,
            "float": np.ones(rows),
            "length": np.ones(rows + 1, dtype=np.int64),
            "negative": np.full(rows, -3, dtype=np.int64),
            "huge": np.full(rows, 2**62, dtype=np.int64),
        }[self.fault]


class OldDue:
    """A tariff whose `due` has other arguments."""

    def due(self, quantity: Column) -> Column:
        """Does not match Accruer."""
        return quantity


class OddUnit:
    """Names a unit that no meter has."""

    unit = "parsec"

    def due(self, *arguments: Any) -> object:
        """Never called."""
        raise NotImplementedError


@dataclasses.dataclass
class Unreadable:
    """An annotation that names nothing."""

    price: NoSuchName = 1  # type: ignore[name-defined]  # noqa: F821

    def due(self, *arguments: Any) -> object:
        """Never called."""
        raise NotImplementedError
