# SPDX-License-Identifier: Apache-2.0
"""Statistics over seeds and over time: intervals, ratios, equivalence, fairness, dispersion.

Source: Law, Simulation Modeling and Analysis (intervals, batch means); Fieller 1954 (ratios);
Schuirmann 1987 (two one-sided tests); Efron 1979 (bootstrap); Jain, Chiu, Hawe 1984 (fairness).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.errors import InputError
from ecnomy.analysis.support.first_use import scipy_part

__all__ = [
    "LEVEL",
    "DrawnInterval",
    "Equivalence",
    "Interval",
    "batch_means",
    "bootstrap",
    "check_paired",
    "cleaned",
    "correlation",
    "dispersion",
    "jain",
    "p_beyond",
    "ratio_of_means",
    "t_interval",
    "t_quantile",
    "tost",
    "welch_freedom",
]

LEVEL: Final = 0.95  # level of printed intervals; `compare` and `reproduce` use 90 %

Values = Sequence[float] | Floats
Rows = list[Floats]
_DRAWS: Final = 2000
_KEY: Final = 1979


class Interval(msgspec.Struct, frozen=True):
    """An estimate from n independent values, with its two-sided confidence interval at `level`."""

    mean: float
    low: float
    high: float
    level: float
    n: int

    @property
    def half_width(self) -> float:
        """Half the width of the interval, in the unit of the mean."""
        return (self.high - self.low) / 2


class DrawnInterval(Interval, frozen=True):
    """A bootstrap interval, with the finite draws from which it was computed."""

    draws: tuple[float, ...] = ()


class Equivalence(msgspec.Struct, frozen=True):
    """Two one-sided tests, which show equivalence if both p-values are below alpha."""

    estimate: float
    p_low: float  # p-value of "the true value is at or below the lower margin"
    p_high: float  # p-value of "the true value is at or above the upper margin"
    alpha: float

    @property
    def p(self) -> float:
        """The p-value of both tests together."""
        return max(self.p_low, self.p_high)

    @property
    def equivalent(self) -> bool:
        """Whether the test shows that the true value lies between the margins."""
        return self.p < self.alpha


def cleaned(values: Values, least: int, what: str) -> Floats:
    """Return the values as an array.

    Raises:
        InputError: the values are not one row of at least `least` finite numbers; `what` names
            their use in the message.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or array.size < least:
        raise InputError(f"{what} needs a row of at least {least} values, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise InputError(f"{what} needs finite values")
    return array


def check_paired(first: Floats, second: Floats) -> None:
    """Raise an InputError if paired samples differ in size."""
    if first.size != second.size:
        raise InputError(
            f"paired samples must have the same size, got {first.size} and {second.size} values"
        )


def t_quantile(level: float, freedom: float) -> float:
    """Return the quantile q of Student's t with P(|t| <= q) = level."""
    if not 0 < level < 1:
        raise InputError(f"a confidence level must lie between 0 and 1, got {level}")
    return float(scipy_part("stats").t.ppf((1 + level) / 2, freedom))


def t_interval(values: Values, level: float = 0.90) -> Interval:
    """Return Student's t confidence interval for the mean of independent values, one per seed.

    Raises:
        InputError: there are fewer than two values, or a value is not finite.
    """
    array = cleaned(values, 2, "a t interval")
    n = int(array.size)
    mean = float(array.mean())
    half = t_quantile(level, n - 1) * float(array.std(ddof=1)) / math.sqrt(n)
    return Interval(mean, mean - half, mean + half, level, n)


def bootstrap(
    statistic: Callable[[Rows], Floats],
    samples: Sequence[Values],
    level: float = 0.90,
) -> Interval:
    """Return the percentile interval of a statistic from samples drawn with replacement.

    In samples of equal size, values at the same index share a seed and are drawn together. The
    draws are reproducible. Draws without a finite value are omitted. If none remain, the estimate
    and its bounds are NaN, and n is 0.

    Args:
        statistic: a function of arrays [..., n], one per sample, that returns an array [...].
        samples: samples of independent values, one per seed.
        level: confidence level.

    Raises:
        InputError: a sample is empty or a value is not finite.
    """
    rows = [cleaned(sample, 1, "a bootstrap") for sample in samples]
    rng = np.random.Generator(np.random.Philox(key=_KEY))
    places = rng.random((_DRAWS, max(row.size for row in rows)))
    drawn = [row[(places[:, : row.size] * row.size).astype(np.int64)] for row in rows]
    tail = (1 - level) / 2
    with np.errstate(divide="ignore", invalid="ignore"):  # draws without a value are omitted
        values = statistic(drawn)
        estimate = float(statistic([row[np.newaxis] for row in rows])[0])
    known = values[np.isfinite(values)]
    if not len(known):
        return Interval(math.nan, math.nan, math.nan, level, 0)
    low, high = np.quantile(known, [tail, 1 - tail])
    count = min(row.size for row in rows)
    return DrawnInterval(estimate, float(low), float(high), level, count, tuple(known.tolist()))


def p_beyond(values: Values | DrawnInterval, low: float, high: float) -> float:
    """Return the p-value of "the true value is in [low, high]", from the bound with the smaller p.

    For values (one per seed), p comes from Student's t of the mean. For a bootstrap, p is the share
    of draws that are not beyond the bound, after one more such draw is added (Davison, Hinkley
    1997, section 4.2). If low equals high, p is doubled (to at most 1), because the test is then
    two-sided.

    Raises:
        InputError: there are fewer than two values, or a value is not finite.
    """
    below, above = _tails(values, low, high)
    return min(1.0, (2 if low == high else 1) * min(below, above))


def _tails(values: Values | DrawnInterval, low: float, high: float) -> tuple[float, float]:
    """Return the p-values of "the true value is at least low" and of "at most high"."""
    if isinstance(values, DrawnInterval):
        draws = np.asarray(values.draws)
        count = draws.size + 1
        return float(1 + (draws >= low).sum()) / count, float(1 + (draws <= high).sum()) / count
    array = cleaned(values, 2, "a t test")
    mean, error = float(array.mean()), float(array.std(ddof=1)) / math.sqrt(array.size)
    if error == 0:
        return float(mean >= low), float(mean <= high)
    below, above = (mean - low) / error, (high - mean) / error
    cdf = scipy_part("stats").t.cdf
    return float(cdf(below, array.size - 1)), float(cdf(above, array.size - 1))


def batch_means(series: Values, batches: int = 20, level: float = 0.90) -> Interval:
    """Return a confidence interval for the mean of a correlated series from equal batches.

    The first len(series) % batches values are dropped, because they are closest to the transient.
    Choose `batches` so that each batch is many correlation times long.

    Raises:
        InputError: there are fewer than two batches or fewer than two values per batch, or a value
            is not finite.
    """
    if batches < 2:
        raise InputError(f"an interval of batch means needs at least 2 batches, got {batches}")
    array = cleaned(series, 2 * batches, "an interval of batch means")
    kept = array[array.size % batches :]
    return t_interval(kept.reshape(batches, -1).mean(axis=1), level)


def welch_freedom(a: float, n_a: int, b: float, n_b: int) -> float:
    """Return the Welch-Satterthwaite degrees of freedom, given the variances a, b of two means."""
    if a + b == 0:
        return float(n_a + n_b - 2)
    return (a + b) ** 2 / (a**2 / (n_a - 1) + b**2 / (n_b - 1))


def ratio_of_means(
    numerators: Values, denominators: Values, level: float = 0.90, *, paired: bool = True
) -> Interval:
    """Return mean(numerators) / mean(denominators) with Fieller's interval.

    Args:
        numerators: one value per seed.
        denominators: one value per seed; if paired, for the same seeds in the same order.
        level: confidence level of the two-sided interval.
        paired: whether value i of both sequences comes from the same run. If so, the interval
            includes the covariance and has n - 1 degrees of freedom. Otherwise, it has Welch's
            degrees of freedom at the estimate.

    Raises:
        InputError: there are fewer than two values, a value is not finite, paired sequences differ
            in size, or the denominator does not differ from zero at this level, so Fieller's
            interval has no bounds.
    """
    top = cleaned(numerators, 2, "a ratio of means")
    bottom = cleaned(denominators, 2, "a ratio of means")
    if paired:
        check_paired(top, bottom)
    a, b = float(top.mean()), float(bottom.mean())
    v_a, v_b = float(top.var(ddof=1)) / top.size, float(bottom.var(ddof=1)) / bottom.size
    both = float(np.cov(top, bottom)[0, 1]) / top.size if paired else 0.0
    if b == 0:
        raise InputError("the denominator's mean is zero")
    scale = (a / b) ** 2
    freedom = top.size - 1.0 if paired else welch_freedom(v_a, top.size, scale * v_b, bottom.size)
    t2 = t_quantile(level, freedom) ** 2
    square = b * b - t2 * v_b
    if square <= 0:
        raise InputError("the denominator does not differ from zero: Fieller has no bounds")
    middle = a * b - t2 * both
    root = math.sqrt(max(middle * middle - (a * a - t2 * v_a) * square, 0.0))
    n = int(min(top.size, bottom.size))
    return Interval(a / b, (middle - root) / square, (middle + root) / square, level, n)


def tost(
    values: Values,
    low: float,
    high: float,
    *,
    against: Values | None = None,
    alpha: float = 0.05,
) -> Equivalence:
    """Test with two one-sided t tests whether a mean, or a difference of means, is in (low, high).

    Args:
        values: one value per seed.
        low: lower margin, in the unit of the values.
        high: upper margin.
        against: a second, independent sample for a test of mean(values) - mean(against) with
            Welch's degrees of freedom; None for a test of the mean.
        alpha: size of the test.

    Raises:
        InputError: the margins are out of order, a sample has fewer than two values, or a value is
            not finite.
    """
    if not low < high:
        raise InputError(f"the margins must satisfy low < high, got {low} and {high}")
    student = scipy_part("stats").t
    first = cleaned(values, 2, "an equivalence test")
    estimate, variance = float(first.mean()), float(first.var(ddof=1)) / first.size
    freedom = first.size - 1.0
    if against is not None:
        second = cleaned(against, 2, "an equivalence test")
        other = float(second.var(ddof=1)) / second.size
        freedom = welch_freedom(variance, first.size, other, second.size)
        estimate, variance = estimate - float(second.mean()), variance + other
    error = math.sqrt(variance)
    if error == 0:
        return Equivalence(estimate, float(estimate <= low), float(estimate >= high), alpha)
    p_low = float(student.sf((estimate - low) / error, freedom))
    p_high = float(student.cdf((estimate - high) / error, freedom))
    return Equivalence(estimate, p_low, p_high, alpha)


def jain(values: Values) -> float:
    """Return Jain's fairness index (sum x)^2 / (n sum x^2), from 1/n to 1 for equal values.

    Raises:
        InputError: there are no values, a value is negative or not finite, or all values are 0.
    """
    array = cleaned(values, 1, "Jain's index")
    squares = float(np.square(array).sum())
    if (array < 0).any() or squares == 0:
        raise InputError("Jain's index needs values >= 0, not all of them zero")
    return float(array.sum()) ** 2 / (array.size * squares)


def dispersion(counts: Values) -> float:
    """Return the index of dispersion of counts in equal intervals, var / mean; 1 for Poisson.

    Raises:
        InputError: there are fewer than two counts, or the mean is not positive.
    """
    array = cleaned(counts, 2, "an index of dispersion")
    mean = float(array.mean())
    if mean <= 0:
        raise InputError(f"an index of dispersion needs a positive mean, got {mean}")
    return float(array.var(ddof=1)) / mean


def correlation(x: Floats, y: Floats) -> float:
    """Return Pearson's correlation, or NaN if x or y is constant or has fewer than three values."""
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(np.corrcoef(x, y)[0, 1])
