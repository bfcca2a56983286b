# SPDX-License-Identifier: Apache-2.0
"""Verdicts: does what was measured lie where the paper says?

For each figure that a claim expects, the Student-t interval of its mean over seeds (or batches) at
90 % is held against the claim's region:

    confirmed      the interval lies inside
    refuted        it lies outside
    inconclusive   it straddles a bound, or there is nothing to take a mean of
    reported       there is no bound: the paper, or our catalogue of it, says nothing to hold it to

A claim is confirmed if all its figures with bounds are, refuted if one of them is, else
inconclusive; reported if none has a bound. A figure of theory alone has one value and no interval,
one that is no mean (a rank correlation of means) the bootstrap's.
This is the only module that reads the regions.
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
    "REPORTED",
    "Judged",
    "Sample",
    "Samples",
    "Verdict",
    "judge",
    "whole_of",
]

CONFIRMED: Final = "confirmed"
REFUTED: Final = "refuted"
INCONCLUSIVE: Final = "inconclusive"
PENDING: Final = "pending"
REPORTED: Final = "reported"
LEVEL: Final = 0.90

Sample = npt.NDArray[np.float64] | Sequence[float] | float | Interval
Samples = Mapping[str, Sample]


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
        samples: per figure one value per seed or batch, one exact value, or an interval of its own.
    """
    if claim.pending:
        return Verdict(PENDING, ())
    judged: list[Judged] = []
    for pattern, (low, high) in claim.expect.items():
        names = [name for name in samples if fnmatch.fnmatchcase(name, pattern)]
        judged += [_judged(name, samples[name], low, high) for name in names]
        if not names:
            judged.append(Judged(pattern, None, low, high, INCONCLUSIVE))
    return Verdict(whole_of({figure.verdict for figure in judged}), tuple(judged))


def whole_of(verdicts: set[str]) -> str:
    """The verdict on a claim from those on its figures."""
    if REFUTED in verdicts:
        return REFUTED
    bounded = verdicts - {REPORTED}
    if not bounded:
        return REPORTED if verdicts else INCONCLUSIVE
    return CONFIRMED if bounded == {CONFIRMED} else INCONCLUSIVE


def _judged(name: str, sample: Sample, low: float | None, high: float | None) -> Judged:
    interval = interval_of(sample)
    if interval is None:
        return Judged(name, None, low, high, INCONCLUSIVE)
    if low is None and high is None:
        return Judged(name, interval, low, high, REPORTED)
    least = -math.inf if low is None else low
    most = math.inf if high is None else high
    if least <= interval.low and interval.high <= most:
        verdict = CONFIRMED
    elif interval.high < least or interval.low > most:
        verdict = REFUTED
    else:
        verdict = INCONCLUSIVE
    return Judged(name, interval, low, high, verdict)


def interval_of(sample: Sample) -> Interval | None:
    """Mean and interval of a sample; None where a value is missing or there is but one."""
    if isinstance(sample, Interval):
        return sample if math.isfinite(sample.mean) else None
    values = np.asarray(sample, dtype=np.float64)
    if values.size == 0 or not np.isfinite(values).all():
        return None
    if values.ndim == 0:
        value = float(values)
        return Interval(value, value, value, LEVEL, 1)
    if values.size == 1:
        return None
    return t_interval(values, LEVEL)
