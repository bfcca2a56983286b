# SPDX-License-Identifier: Apache-2.0
"""Verdicts: does what was measured lie where the paper says?

For each figure that a claim expects, the Student-t interval of its mean over seeds (or batches) at
90 % is held against the claim's region:

    confirmed      the interval lies inside
    refuted        it lies outside
    inconclusive   it straddles a bound, or there is nothing to take a mean of

A claim is confirmed if all its figures are, refuted if one of them is, else inconclusive. A figure
of theory alone has one value and no interval. This is the only module that reads the regions.
"""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from ecnomy.analysis.reproduce.catalogue import Claim
from ecnomy.analysis.statistics import Interval, t_interval

__all__ = [
    "CONFIRMED",
    "INCONCLUSIVE",
    "PENDING",
    "REFUTED",
    "Judged",
    "Samples",
    "Verdict",
    "judge",
]

CONFIRMED: Final = "confirmed"
REFUTED: Final = "refuted"
INCONCLUSIVE: Final = "inconclusive"
PENDING: Final = "pending"
LEVEL: Final = 0.90

Samples = Mapping[str, npt.NDArray[np.float64] | Sequence[float] | float]


class Judged(msgspec.Struct, frozen=True):
    """One figure against its region; None: nothing was measured, or no bound on that side."""

    name: str
    measured: Interval | None
    low: float | None
    high: float | None
    verdict: str


class Verdict(msgspec.Struct, frozen=True):
    """The verdict on a claim, with the figures behind it."""

    verdict: str
    figures: tuple[Judged, ...]


def judge(claim: Claim, samples: Samples) -> Verdict:
    """The verdict on a claim.

    Args:
        claim: with the regions it expects.
        samples: per figure one value per seed or batch, or one exact value.
    """
    if claim.pending:
        return Verdict(PENDING, ())
    judged: list[Judged] = []
    for pattern, (low, high) in claim.expect.items():
        names = [name for name in samples if fnmatch.fnmatchcase(name, pattern)]
        judged += [_judged(name, samples[name], low, high) for name in names]
        if not names:
            judged.append(Judged(pattern, None, low, high, INCONCLUSIVE))
    verdicts = {figure.verdict for figure in judged}
    if REFUTED in verdicts:
        return Verdict(REFUTED, tuple(judged))
    return Verdict(CONFIRMED if verdicts == {CONFIRMED} else INCONCLUSIVE, tuple(judged))


def _judged(
    name: str,
    sample: npt.NDArray[np.float64] | Sequence[float] | float,
    low: float | None,
    high: float | None,
) -> Judged:
    interval = interval_of(sample)
    if interval is None:
        return Judged(name, None, low, high, INCONCLUSIVE)
    least = -math.inf if low is None else low
    most = math.inf if high is None else high
    if least <= interval.low and interval.high <= most:
        verdict = CONFIRMED
    elif interval.high < least or interval.low > most:
        verdict = REFUTED
    else:
        verdict = INCONCLUSIVE
    return Judged(name, interval, low, high, verdict)


def interval_of(sample: npt.NDArray[np.float64] | Sequence[float] | float) -> Interval | None:
    """Mean and interval of a sample; None where a value is missing or there is but one."""
    values = np.asarray(sample, dtype=np.float64)
    if values.size == 0 or not np.isfinite(values).all():
        return None
    if values.ndim == 0:
        value = float(values)
        return Interval(value, value, value, LEVEL, 1)
    if values.size == 1:
        return None
    return t_interval(values, LEVEL)
