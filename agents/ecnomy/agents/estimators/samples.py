# SPDX-License-Identifier: Apache-2.0
"""Samples of a share of packets: k_i of n_i packets were marked (or late or lost)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from ecnomy.agents.arrays import Floats

__all__ = ["Samples"]


class Samples(msgspec.Struct, frozen=True, eq=False):
    """Counts, one value per sample.

    Attributes:
        hits: k_i, number of packets that were marked or bad, from 0 to n_i.
        packets: n_i, number of all packets, at least 1.
    """

    hits: Floats
    packets: Floats

    @classmethod
    def of(cls, hits: Sequence[float] | Floats, packets: Sequence[float] | Floats) -> Samples:
        """Create samples from raw counts.

        Samples without packets are dropped. In a sample with more hits than packets, all packets
        count as hit, because marks may belong to packets that were sent before the sample began.

        Raises:
            ValueError: the lengths of hits and packets differ, or they are not one-dimensional.
        """
        k, n = np.asarray(hits, dtype=np.float64), np.asarray(packets, dtype=np.float64)
        if k.shape != n.shape or k.ndim != 1:
            needed = "hits and packets must be one-dimensional and of equal length"
            raise ValueError(f"{needed}, got shapes {k.shape} and {n.shape}")
        there = n > 0
        return cls(np.clip(k[there], 0, n[there]), n[there])

    def __len__(self) -> int:
        return len(self.packets)

    @property
    def rates(self) -> Floats:
        """The rate k_i / n_i of each sample."""
        rates: Floats = self.hits / self.packets
        return rates

    def where(self, chosen: npt.NDArray[Any]) -> Samples:
        """Return the samples selected by Booleans or indices."""
        return Samples(self.hits[chosen], self.packets[chosen])
