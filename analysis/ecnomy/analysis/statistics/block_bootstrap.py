# SPDX-License-Identifier: Apache-2.0
"""Ratios of rates of events a packet, with intervals from a bootstrap over blocks of time.

Events of a stream, such as marks, come in bunches: the packets of a second share a queue. Blocks of
time that are longer than bunches are as good as independent, packets are not. So whole blocks are
drawn with replacement, as many of each run as it has, and all streams' counts of a block together,
as they met the same queue. What goes more slowly than a block (how many calls there are) is taken
for chance once a block: that widens no ratio of two streams that share it, but would make the
interval of one rate too short.

Source: Kuensch 1989 (blocks that are not apart overlap there; Carlstein 1986 has those that do
not); Davison, Hinkley 1997, chapter 8.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ecnomy.agents.errors import InputError
from ecnomy.analysis.statistics.intervals import Drawn

__all__ = ["Counts", "block_ratio"]

DRAWS: Final = 5_000
Table = npt.NDArray[np.float64]


class Counts(NamedTuple):
    """Of one stream, in blocks of equal length.

    Attributes:
        events: [run, block].
        packets: [run, block].
    """

    events: Table
    packets: Table


def block_ratio(over: Counts, under: Counts, seed: int, *, level: float = 0.99) -> Drawn:
    """The rate of events a packet of `over` over that of `under`, both pooled over all runs.

    Args:
        over: one stream.
        under: another one, over the same blocks of the same runs.
        seed: of the draws: equal ones draw the same blocks.
        level: of the percentile interval.

    Returns:
        The ratio with its interval; n is the number of blocks. Draws without a value (no event of
        `under`) are left out; where there is no other, all is NaN.

    Raises:
        InputError: tables differ in shape, are empty, or have counts that make no rates.
    """
    rows = [np.asarray(table, dtype=np.float64) for table in (*over, *under)]
    if any(row.ndim != 2 or row.shape != rows[0].shape for row in rows) or not rows[0].size:
        shapes = ", ".join(str(row.shape) for row in rows)
        raise InputError(
            f"a block bootstrap: found tables of {shapes}, expected [run, block] alike"
        )
    if any(not np.isfinite(row).all() or (row < 0).any() for row in rows):
        raise InputError("a block bootstrap: found counts below 0 or none, expected counts")
    runs, blocks = rows[0].shape
    sums = np.zeros((4, DRAWS))
    draws = np.random.Generator(np.random.Philox(key=seed))
    for run in range(runs):
        places = draws.integers(blocks, size=(DRAWS, blocks))
        sums += np.stack([row[run][places].sum(axis=1) for row in rows])
    with np.errstate(divide="ignore", invalid="ignore"):
        values = _ratio(sums)
        estimate = float(_ratio(np.array([row.sum() for row in rows])))
    known = values[np.isfinite(values)]
    if not len(known) or not np.isfinite(estimate):
        return Drawn(np.nan, np.nan, np.nan, level, 0)
    tail = (1 - level) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    drawn = tuple(known.tolist())
    return Drawn(estimate, float(low), float(high), level, runs * blocks, drawn)


def _ratio(sums: Table) -> Table:
    events, packets, other_events, other_packets = sums
    return np.asarray((events / packets) / (other_events / other_packets))
