# SPDX-License-Identifier: Apache-2.0
"""Ratios of event rates per packet, with intervals from a bootstrap over time blocks.

Events of a stream, such as marks, are clustered, because packets that are sent at about the same
time share a queue. Packets are therefore dependent, while time blocks longer than the clusters are
nearly independent. So the bootstrap draws whole blocks with replacement: from each run, as many as
the run has. It draws the counts of all streams in a block together, because their packets met the
same queue. It treats slower changes, such as changes in the number of calls, as independent between
blocks. This does not affect the ratio of two streams that share these changes, but the interval of
a single rate would be too narrow.

Source: Kuensch 1989 (overlapping blocks); Carlstein 1986 (separate blocks, as here); Davison,
Hinkley 1997, chapter 8.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.errors import InputError
from ecnomy.analysis.statistics.intervals import DrawnInterval

__all__ = ["BlockCounts", "block_ratio"]

DRAWS: Final = 5_000


class BlockCounts(NamedTuple):
    """Counts of one stream, in blocks of equal length.

    Attributes:
        events: number of events, [run, block].
        packets: number of packets, [run, block].
    """

    events: Floats
    packets: Floats


def block_ratio(
    over: BlockCounts, under: BlockCounts, seed: int, *, level: float = 0.99
) -> DrawnInterval:
    """Return the event rate per packet of `over` divided by that of `under`, pooled over all runs.

    Args:
        over: counts of the stream in the numerator.
        under: counts of the stream in the denominator, for the same blocks and runs.
        seed: seed of the draws; the same seed draws the same blocks.
        level: confidence level of the percentile interval.

    Returns:
        The ratio with its interval; n is the number of blocks in all runs. Draws without a finite
        ratio are dropped. If none remain, or if the ratio itself is not finite, the ratio and its
        bounds are NaN, and n is 0.

    Raises:
        InputError: the tables differ in shape, are empty or not two-dimensional, or contain
            negative or missing counts.
    """
    rows = [np.asarray(table, dtype=np.float64) for table in (*over, *under)]
    if any(row.ndim != 2 or row.shape != rows[0].shape for row in rows) or not rows[0].size:
        shapes = ", ".join(str(row.shape) for row in rows)
        raise InputError(
            f"a block bootstrap: found tables of shapes {shapes}, expected one shape [run, block]"
        )
    if any(not np.isfinite(row).all() or (row < 0).any() for row in rows):
        raise InputError(
            "a block bootstrap: found negative or missing counts, expected counts of 0 or more"
        )
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
        return DrawnInterval(np.nan, np.nan, np.nan, level, 0)
    tail = (1 - level) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    drawn = tuple(known.tolist())
    return DrawnInterval(estimate, float(low), float(high), level, runs * blocks, drawn)


def _ratio(sums: Floats) -> Floats:
    events, packets, other_events, other_packets = sums
    return np.asarray((events / packets) / (other_events / other_packets))
