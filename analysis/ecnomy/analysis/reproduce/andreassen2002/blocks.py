# SPDX-License-Identifier: Apache-2.0
"""Counts packets of streams in blocks of 60 s, and bootstraps ratios of two streams' rates."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np

from ecnomy.analysis.reproduce.andreassen2002.samples import SHORT_S, counts_of, streams
from ecnomy.analysis.reproduce.studies import Runs
from ecnomy.analysis.statistics.block_bootstrap import BlockCounts, block_ratio
from ecnomy.analysis.statistics.intervals import DrawnInterval

__all__ = ["BLOCK_S", "ratio", "streams_and_blocks"]

BLOCK_S: Final = 60
_COUNTS: Final = ("sent", "marked", "late")
_OF: Final = {"marking": "marked", "late": "late"}
_SEED: Final = "seed"


def streams_and_blocks(results: Path) -> Mapping[str, float | list[float] | None]:
    """Return the columns of `samples.streams` and packet counts in blocks.

    Returns:
        Each test stream and `udp` also has rows with one count per whole block of 60 s: block.sent
        (packets), block.marked, and block.late (lost or later than 15 ms).
    """
    from ecnomy.markets.results.rawrun import open_raw

    columns = dict(streams(results))
    steps = BLOCK_S // SHORT_S
    for name, counts in counts_of(open_raw(results)).items():
        if name.startswith("stream") or name == "udp":
            whole = (counts.shape[1] - 1) // steps * steps + 1
            for column, row in zip(_COUNTS, counts, strict=True):
                columns[f"block.{column}.{name}"] = np.diff(row[:whole:steps]).tolist()
    return columns


def ratio(runs: Runs, rate: str, over: str, under: str) -> DrawnInterval:
    """Return the ratio of two streams' rates, with a 99 % bootstrap interval over blocks.

    Args:
        runs: runs of one setting. Their smallest seed also seeds the bootstrap.
        rate: `marking` or `late`.
        over: the stream in the numerator, or `udp`.
        under: the stream in the denominator, or `udp`.
    """
    events, seed = _OF[rate], int(runs.frame[_SEED].min())
    pair = [
        BlockCounts(runs.row(f"block.{events}.{name}"), runs.row(f"block.sent.{name}"))
        for name in (over, under)
    ]
    return block_ratio(pair[0], pair[1], seed)
