# SPDX-License-Identifier: Apache-2.0
"""The draws of a wire, and a test that its events are independent."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from oracle_random import stream

__all__ = ["Z", "draws_below", "expect_independent"]

Z = float(stats.norm.ppf(0.995))


def draws_below(probability: float, seed: int, name: str, count: int) -> list[bool]:
    """Whether each of the first draws of a Philox stream is below the probability."""
    words = stream(seed, name)
    return [((next(words) >> 12) + 0.5) * 2.0**-52 < probability for _ in range(count)]


def expect_independent(events: npt.NDArray[Any], p: float) -> None:
    """The share of events in a hundred thousand packets, and of two in a row, are p and p^2."""
    events = np.asarray(events, dtype=bool)
    n = len(events)
    assert n > 99_000
    assert abs(events.mean() - p) < Z * math.sqrt(p * (1 - p) / n)
    pairs, square = (events[1:] & events[:-1]).mean(), p**2
    assert abs(pairs - square) < Z * math.sqrt(square * (1 + 2 * p - 3 * square) / n)
