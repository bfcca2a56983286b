# SPDX-License-Identifier: Apache-2.0
"""Sources that took more marks than they aimed at, or fewer than they pay for."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ecnomy.markets.results.floors import Floor, floors
from ecnomy.markets.results.losses import Losses, losses
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.results.saturated import Saturated, saturated

__all__ = ["Missed", "missed"]


class Missed(msgspec.Struct, frozen=True):
    """Targets missed by over 5 %, by reason.

    Attributes:
        floors: sources that took more marks because their windows were at the floor.
        saturated: sources that took fewer marks because of queueing.
        losses: sources that took fewer marks because of losses.
    """

    floors: list[Floor]
    saturated: list[Saturated]
    losses: list[Losses]

    def __iter__(self) -> Iterator[Floor | Saturated | Losses]:
        """Iterate over all sources. The text of each is one line for users."""
        yield from self.floors
        yield from self.saturated
        yield from self.losses


def missed(run: RawRun) -> Missed:
    """Return the targets that the sources of a run missed.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    return Missed(floors(run), saturated(run), losses(run))
