# SPDX-License-Identifier: Apache-2.0
"""Samples of a share of packets: k_i of n_i were marked, or late or lost; the n_i may differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from ecnomy.agents.arrays import Floats

__all__ = ["Samples"]


class Samples(msgspec.Struct, frozen=True, eq=False):
    """Counts, one value a sample.

    Attributes:
        hits: k_i, packets that were marked or bad, from 0 to n_i.
        packets: n_i, packets in all, at least 1.
    """

    hits: Floats
    packets: Floats

    @classmethod
    def of(cls, hits: Sequence[float] | Floats, packets: Sequence[float] | Floats) -> Samples:
        """Samples of counts as they were taken.

        A sample without packets says nothing and is left out. One with more hits than packets
        counts as if all were hit: marks may be of packets that were sent before the sample began.

        Raises:
            ValueError: there are not as many hits as packets.
        """
        k, n = np.asarray(hits, dtype=np.float64), np.asarray(packets, dtype=np.float64)
        if k.shape != n.shape or k.ndim != 1:
            raise ValueError(f"found {k.shape} hits of {n.shape} packets, expected as many of both")
        there = n > 0
        return cls(np.clip(k[there], 0, n[there]), n[there])

    def __len__(self) -> int:
        return len(self.packets)

    @property
    def rates(self) -> Floats:
        """k_i / n_i."""
        rates: Floats = self.hits / self.packets
        return rates

    def where(self, chosen: npt.NDArray[Any]) -> Samples:
        """Those chosen by a truth value or an index each."""
        return Samples(self.hits[chosen], self.packets[chosen])
