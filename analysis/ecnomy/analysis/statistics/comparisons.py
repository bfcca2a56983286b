# SPDX-License-Identifier: Apache-2.0
"""Comparison of two groups of runs in one outcome, and q-values of many comparisons.

If run i of both groups has the same seed, the difference of means has Student's t interval over
pairs, and otherwise Welch's interval. The effect size is Hedges' g, the difference of means divided
by the pooled standard deviation of the groups, even if runs are paired. The q-value of Benjamini
and Hochberg accounts for many comparisons. Among comparisons with q <= 0.05, at most about one in
twenty is a false positive.

Source: Welch 1947; Hedges 1981; Benjamini, Hochberg 1995 (scipy.stats.false_discovery_control).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.statistics.intervals import (
    LEVEL,
    Interval,
    Values,
    check_paired,
    cleaned,
    t_quantile,
    welch_freedom,
)
from ecnomy.analysis.support.first_use import scipy_part

__all__ = ["MeanComparison", "compared", "q_values"]

_ROUNDING: Final = 1e-12  # as a share of the largest value


class MeanComparison(msgspec.Struct, frozen=True):
    """The means of two groups and their difference.

    Attributes:
        first, second: means, in the unit of the values.
        difference: second - first, with its interval; `n` is the number of pairs, or the size of
            the smaller group.
        effect: Hedges' g. It is 0 if the means are equal up to rounding, and infinite if values
            differ between the groups but not within them.
        p: two-sided p-value of the hypothesis that the true means are equal.
        paired: whether runs are paired by seed.
    """

    first: float
    second: float
    difference: Interval
    effect: float
    p: float
    paired: bool

    @property
    def sign(self) -> int:
        """1 or -1 if the whole interval is above or below 0, otherwise 0."""
        return 1 if self.difference.low > 0 else -1 if self.difference.high < 0 else 0


def compared(
    first: Values, second: Values, *, paired: bool, level: float = LEVEL
) -> MeanComparison:
    """Return the difference between two groups of runs, with its interval, effect size and p-value.

    Args:
        first: one value per run.
        second: one value per run; if paired, for the same seeds in the same order as `first`.
        paired: whether value i of both groups comes from the same seed.
        level: confidence level of the two-sided interval.

    Raises:
        InputError: a group has fewer than two values or a value that is not finite, paired groups
            differ in size, or the level is not between 0 and 1.
    """
    a = cleaned(first, 2, "a comparison")
    b = cleaned(second, 2, "a comparison")
    difference, error, freedom = _paired(a, b) if paired else _independent(a, b)
    half = t_quantile(level, freedom) * error
    between = Interval(difference, difference - half, difference + half, level, min(a.size, b.size))
    if error == 0:
        p = float(difference == 0)
    else:
        p = float(2 * scipy_part("stats").t.sf(abs(difference) / error, freedom))
    effect = _hedges(difference, a, b)
    return MeanComparison(float(a.mean()), float(b.mean()), between, effect, p, paired)


def _paired(a: Floats, b: Floats) -> tuple[float, float, float]:
    """Return the mean difference b - a of pairs, its standard error and its degrees of freedom."""
    check_paired(a, b)
    differences = b - a
    error = float(differences.std(ddof=1)) / math.sqrt(differences.size)
    return float(differences.mean()), error, differences.size - 1.0


def _independent(a: Floats, b: Floats) -> tuple[float, float, float]:
    v_a, v_b = float(a.var(ddof=1)) / a.size, float(b.var(ddof=1)) / b.size
    freedom = welch_freedom(v_a, int(a.size), v_b, int(b.size))
    return float(b.mean() - a.mean()), math.sqrt(v_a + v_b), freedom


def _hedges(difference: float, a: Floats, b: Floats) -> float:
    """Return Hedges' g with the approximate correction for small samples."""
    freedom = a.size + b.size - 2
    pooled = float((a.size - 1) * a.var(ddof=1) + (b.size - 1) * b.var(ddof=1)) / freedom
    rounding = _ROUNDING * float(max(np.abs(a).max(), np.abs(b).max()))
    if abs(difference) <= rounding:
        return 0.0
    if math.sqrt(pooled) <= rounding:
        return math.copysign(math.inf, difference)
    return (1 - 3 / (4 * freedom - 1)) * difference / math.sqrt(pooled)


def q_values(ps: Sequence[float]) -> list[float]:
    """Return the q-value of each comparison; a p-value of NaN stays NaN.

    Args:
        ps: p-values of all comparisons that were made.
    """
    values = np.asarray(ps, dtype=np.float64)
    known = np.isfinite(values)
    if known.any():
        values[known] = scipy_part("stats").false_discovery_control(values[known], method="bh")
    return [float(value) for value in values]
