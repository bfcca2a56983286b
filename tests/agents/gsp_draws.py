# SPDX-License-Identifier: Apache-2.0
"""Random connections of a guaranteed stream provider, to test prices and strategies."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Drawn", "Row", "connections"]

Row = npt.NDArray[np.float64]


class Drawn(NamedTuple):
    """Draws for the times at which a connection is requested.

    Attributes:
        seen: marks among the packets of the test streams.
        bad: bad packets among them.
        marks: marks of the connection, if it were admitted.
        late: bad packets of the connection, likewise.
    """

    marked: Row
    bad: Row
    marks: Row
    late: Row


def connections(
    rng: np.random.Generator,
    count: int,
    *,
    marking: tuple[float, float],
    delay: tuple[float, float] | None = None,
    slope: float = 1.0,
    probes: int,
    packets: int,
    exact: bool = False,
) -> Drawn:
    """Connections whose rates are also those of the test streams; counts are drawn separately.

    Args:
        rng: generator of the draws.
        count: number of connections.
        marking: a and b of the marking rate M.
        delay: a and b of the delay rate L, independent of M; None: L = slope M.
        slope: see delay.
        probes: packets of the test streams.
        packets: packets of a connection.
        exact: counts are the rates themselves times the packets, without chance (as in the paper).
    """
    rate = rng.beta(*marking, count)
    bad = rng.beta(*delay, count) if delay else np.minimum(slope * rate, 1.0)
    if exact:
        return Drawn(rate * probes, bad * probes, rate * packets, bad * packets)
    drawn = (
        rng.binomial(n, of).astype(np.float64)
        for n, of in ((probes, rate), (probes, bad), (packets, rate), (packets, bad))
    )
    return Drawn(*drawn)
