# SPDX-License-Identifier: Apache-2.0
"""A user's own roles and settlements, each with a fault."""

from __future__ import annotations

from typing import Any

import numpy as np

from ecnomy.agents.roles import Preset
from ecnomy.agents.roles.role import Role
from ecnomy.agents.seat import Seat
from ecnomy.markets.economy.settlement import Peering


class Short(Peering):
    """A settlement that takes too few arguments."""

    def __init__(self, plan: Any) -> None:
        raise AssertionError(plan)


class Broken(Peering):
    """A settlement that cannot be constructed."""

    def __init__(self, *given: Any) -> None:
        raise ValueError("boom")


class Priceless(Peering):
    """Fails when it is called."""

    def row_price_micro(self) -> Any:
        """See Settlement."""
        return dict[str, Any]()["x"]


class Silent(Peering):
    """Returns nothing."""

    def row_price_micro(self) -> Any:
        """See Settlement."""


class Few(Peering):
    """Returns values for two flows, whatever their number."""

    def row_price_micro(self) -> Any:
        """See Settlement."""
        return np.ones(2, dtype=np.int64)


class _Watcher(Role):
    preset = Preset(takes=("sources",))

    def join(self, seat: Seat) -> None:
        """Nothing."""


class Joining(_Watcher):
    """Fails as it joins."""

    def join(self, seat: Seat) -> None:
        """See Role."""
        raise RuntimeError("no way in")


class Acting(_Watcher):
    """Fails as it acts."""

    def act(self, seat: Seat) -> None:
        """See Role."""
        _ = 1 / 0


class Posting(_Watcher):
    """Posts a price without a domain."""

    def act(self, seat: Seat) -> None:
        """See Role."""
        seat.post_price(5)


class Adding(_Watcher):
    """Adds an object that is not a contract."""

    def join(self, seat: Seat) -> None:
        """See Role."""
        seat.add(object())


class Owing(_Watcher):
    """Adds a contract whose dues cannot be booked."""

    def join(self, seat: Seat) -> None:
        """See Role."""
        seat.add(self)

    def due(self, epoch: Any) -> Any:
        """See Contract."""
        return 3


class Late(_Watcher):
    """Acts in a phase that does not exist."""

    phase = "later"


class Stranger:
    """Joins, but is not a Role."""

    def join(self, seat: Seat) -> None:
        """See Role."""


class Plain:
    """A strategy that is not a dataclass."""

    def decide(self, view: object) -> None:
        """Nothing."""
