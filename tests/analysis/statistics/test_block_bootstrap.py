# SPDX-License-Identifier: Apache-2.0
"""Ratios of rates by blocks of time, against single draws and against known ratios."""

from __future__ import annotations

import numpy as np
import pytest

from ecnomy.agents.errors import InputError
from ecnomy.analysis.statistics.block_bootstrap import DRAWS, BlockCounts, block_ratio
from tiers import in_full

RUNS, BLOCKS = 3, 40


def poisson(key: int, mean: float = 4.0) -> BlockCounts:
    """Independent events, 600 packets per block."""
    events = np.random.default_rng(key).poisson(mean, (RUNS, BLOCKS)).astype(float)
    return BlockCounts(events, np.full((RUNS, BLOCKS), 600.0))


def test_it_is_what_draws_one_by_one_give() -> None:
    """The interval equals the 99 % quantiles of single draws, with common blocks by run."""
    one, other = poisson(1), poisson(2, 2.0)
    interval = block_ratio(one, other, 7)
    draws = np.random.Generator(np.random.Philox(key=7))
    places = [draws.integers(BLOCKS, size=(DRAWS, BLOCKS)) for _ in range(RUNS)]
    values = []
    for number in range(DRAWS):
        sums = [0.0] * 4
        for run in range(RUNS):
            for place in places[run][number].tolist():
                for column, table in enumerate((*one, *other)):
                    sums[column] += table[run, place]
        values.append((sums[0] / sums[1]) / (sums[2] / sums[3]))
    low, high = np.quantile(values, [0.005, 0.995])
    assert (interval.low, interval.high) == pytest.approx((low, high), rel=1e-12)
    assert interval.mean == pytest.approx(one.events.sum() / other.events.sum())
    assert interval.level == 0.99 and interval.n == RUNS * BLOCKS and len(interval.draws) == DRAWS


def test_the_seed_says_it_all() -> None:
    """Equal seeds give equal bytes, other seeds do not."""
    one, other = poisson(1), poisson(2)
    assert block_ratio(one, other, 3) == block_ratio(one, other, 3)
    assert block_ratio(one, other, 3).low != block_ratio(one, other, 4).low


def test_it_holds_the_truth_as_often_as_it_says() -> None:
    """The 99 % interval misses the ratio 1 for at most 4 % of pairs of equal streams."""
    held, pairs = 0, 200 if in_full() else 50
    for key in range(pairs):
        interval = block_ratio(poisson(2 * key + 10), poisson(2 * key + 11), key)
        held += interval.low <= 1 <= interval.high
    assert held >= 0.96 * pairs


def test_bunches_are_counted_whole() -> None:
    """Marks in bunches of ten give an interval sqrt(10) times as wide as single marks."""
    single, bunched = poisson(1, 4.0), poisson(1, 0.4)
    tens = BlockCounts(10 * bunched.events, bunched.packets)
    wide, narrow = (block_ratio(each, poisson(5, 40.0), 1) for each in (tens, single))
    assert wide.half_width / wide.mean == pytest.approx(
        np.sqrt(10) * narrow.half_width / narrow.mean, rel=0.3
    )


def test_what_two_streams_share_is_no_chance() -> None:
    """Proportional streams have an exact ratio."""
    one = poisson(1)
    interval = block_ratio(BlockCounts(3 * one.events, one.packets), one, 1)
    assert (interval.low, interval.mean, interval.high) == pytest.approx((3, 3, 3))


def test_no_events_have_no_ratio() -> None:
    """The ratio 0 / 0 is NaN; 0 over a positive count is 0."""
    one = poisson(1)
    none = BlockCounts(0 * one.events, one.packets)
    assert np.isnan(block_ratio(one, none, 1).mean) and block_ratio(one, none, 1).n == 0
    assert block_ratio(none, one, 1).high == 0


@pytest.mark.parametrize(
    ("events", "words"),
    [
        (np.ones((RUNS, BLOCKS - 1)), "expected"),
        (np.ones(BLOCKS), "expected"),
        (np.full((RUNS, BLOCKS), -1.0), "negative or missing"),
        (np.full((RUNS, BLOCKS), np.nan), "negative or missing"),
    ],
)
def test_wrong_tables_are_errors(events: np.ndarray, words: str) -> None:
    """The error is one line."""
    one = poisson(1)
    with pytest.raises(InputError, match=words):
        block_ratio(one, BlockCounts(events, one.packets), 1)
