# SPDX-License-Identifier: Apache-2.0
"""The YAML under `record.histograms:` and `record.counts:`.

Both cover the measured window [warm-up, end]. A histogram's last bin includes all larger values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final

import msgspec

from ecnomy.markets.inputs.amounts import Amount, Choice, Number
from ecnomy.markets.inputs.reading import Misfit

__all__ = ["MOST_ROWS", "OF_LINKS", "OF_SOURCES", "Classes", "Counts", "Histograms"]

OF_LINKS: Final = ("arrivals", "marks", "drops")
OF_SOURCES: Final = ("sent", "delivered", "ce")
MOST_ROWS: Final = 100_000_000

_Bins = Annotated[int, Number(what="a whole number", least=1, most=10_000, whole=True)]
_Time = Annotated[int, Amount(what="a time", example="1 ms", units=("ps",), above=True)]
_Packets = Annotated[
    int, Amount(what="a size", example="1 packet", units=("packet",), least=1, most=10**9)
]


class Delay(msgspec.Struct, frozen=True, kw_only=True):
    """A histogram of the one-way delays of delivered data packets, per source.

    Attributes:
        width: width of a bin.
        bins: number of bins; the last bin includes all longer delays.
    """

    width: _Time
    bins: _Bins = 100


class Queue(msgspec.Struct, frozen=True, kw_only=True):
    """A histogram, per link, of the queue found by arriving packets, without the packet in service.

    Attributes:
        width: width of a bin.
        bins: number of bins; the last bin includes all longer queues. The arriving packet is not
            counted. For Poisson arrivals the histogram equals the distribution over time.
    """

    width: _Packets = 1
    bins: _Bins = 100


class Histograms(msgspec.Struct, frozen=True, kw_only=True):
    """The histograms to record. By default, no histogram is recorded.

    Attributes:
        delay: one-way delays of delivered data packets, per source.
        queue: queues that arriving packets find, per link, without the packet in service.
    """

    delay: Delay | None = None
    queue: Queue | None = None

    def requested(self) -> Iterator[tuple[str, int, int]]:
        """Yield (name, width of a bin in ps or packets, number of bins) for each histogram."""
        for of, entry in (("delay", self.delay), ("queue", self.queue)):
            if entry is not None:
                yield of, entry.width, entry.bins


class Classes(msgspec.Struct, frozen=True, kw_only=True):
    """Records of the classes of links with a scheduler, over the whole run.

    Attributes:
        every: time that one row covers; by default the market's epoch.
    """

    every: _Time | None = None  # None: the market's epoch


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """Quantities to count in bins of time.

    Attributes:
        of: quantities to count. Per link: arrivals, marks and drops. Per source: sent, delivered
            and ce (marked packets).
        every: length of a time bin.
    """

    of: tuple[Annotated[str, Choice(OF_LINKS + OF_SOURCES)], ...]
    every: _Time = 10**10

    def __post_init__(self) -> None:
        if not self.of or len(set(self.of)) < len(self.of):
            found = "the same count twice" if self.of else "nothing to count"
            raise Misfit(
                "of", found, f"one or more of {', '.join(OF_LINKS + OF_SOURCES)}, each once"
            )

    def rows(self, window_ps: int, links: int, sources: int) -> int:
        """Return the number of counts of all links and sources in a window of this length."""
        bins = -(-window_ps // self.every)
        return bins * sum(links if name in OF_LINKS else sources for name in self.of)
