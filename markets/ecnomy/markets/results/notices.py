# SPDX-License-Identifier: Apache-2.0
"""Warnings about the marks of a finished run: missed targets and unequal prices."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ecnomy.markets.results.floors import Floor, floors
from ecnomy.markets.results.losses import Losses, losses
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.results.saturated import Saturated, saturated
from ecnomy.markets.results.unequal_marks import UnequalMarks, unequal_marks

__all__ = ["Notices", "notices"]


class Notices(msgspec.Struct, frozen=True):
    """Warnings about targets missed by over 5 %, and about marking shares that differ by over 10 %.

    Attributes:
        floors: sources that took too many marks because their windows were at the floor.
        saturated: sources that took too few marks because of queueing.
        losses: sources that took too few marks because of losses.
        unequal: pairs of sources whose packets the same links marked unequally.
    """

    floors: list[Floor]
    saturated: list[Saturated]
    losses: list[Losses]
    unequal: list[UnequalMarks]

    def __iter__(self) -> Iterator[Floor | Saturated | Losses | UnequalMarks]:
        """Yield all warnings, each of which `str` converts to one line of text."""
        yield from self.floors
        yield from self.saturated
        yield from self.losses
        yield from self.unequal


def notices(run: RawRun) -> Notices:
    """Return the warnings about the marks of a run.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    return Notices(floors(run), saturated(run), losses(run), unequal_marks(run))
