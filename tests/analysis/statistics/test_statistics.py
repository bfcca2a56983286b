# SPDX-License-Identifier: Apache-2.0
"""Intervals, tests and indices against textbook numbers and against simulated coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from ecnomy.agents.errors import InputError
from ecnomy.analysis import batch_means, dispersion, jain, ratio_of_means, t_interval, tost
from ecnomy.analysis.reproduce.ranks import rank_correlation
from ecnomy.analysis.statistics.intervals import bootstrap


def _generator(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def test_t_interval_matches_the_tabulated_quantile() -> None:
    """Five values with mean 3 and deviation sqrt(2.5): t(0.95; 4) = 2.1318 from the table."""
    got = t_interval([1, 2, 3, 4, 5])
    assert got.mean == pytest.approx(3)
    assert got.half_width == pytest.approx(2.13185 * math.sqrt(2.5 / 5), rel=1e-4)
    assert (got.level, got.n) == (0.90, 5)


def test_t_interval_covers_at_its_level() -> None:
    """Of 2,000 intervals at 90 % about 1,800 cover the truth (4 standard errors allowed)."""
    rows = _generator(1).normal(7, 3, (2000, 6))
    covered = sum(i.low <= 7 <= i.high for i in (t_interval(row) for row in rows))
    assert abs(covered - 1800) < 4 * math.sqrt(2000 * 0.9 * 0.1)


def test_batch_means_widen_for_correlated_series() -> None:
    """The mean of an AR(1) series with coefficient 0.9 has 4.4 times the naive deviation."""
    rng = _generator(2)
    value, series = 0.0, []
    for noise in rng.normal(0, 1, 40_000):
        value = 0.9 * value + noise
        series.append(value)
    naive = t_interval(series).half_width
    assert 3.0 < batch_means(series, 20).half_width / naive < 6.5


def test_batch_means_drop_the_uneven_beginning() -> None:
    """With seven values in three batches, the first value is left out."""
    assert batch_means([1000, 1, 1, 2, 2, 3, 3], 3).mean == pytest.approx(2)


@pytest.mark.parametrize("paired", [True, False])
def test_ratio_covers_at_its_level(paired: bool) -> None:
    """Fieller's interval covers 4 in 90 % of 2,000 cases, also with correlated pairs."""
    rng = _generator(3)
    covered = 0
    for _ in range(2000):
        common = rng.normal(0, 0.15, 8) if paired else 0.0
        bottom = 1 + common + rng.normal(0, 0.1, 8)
        top = 4 * (1 + common) + rng.normal(0, 0.4, 8)
        got = ratio_of_means(top, bottom, paired=paired)
        covered += got.low <= 4 <= got.high
    assert abs(covered - 1800) < 4 * math.sqrt(2000 * 0.9 * 0.1)


def test_ratio_of_proportional_pairs_is_exact() -> None:
    """Numerators exactly four times their denominators leave no uncertainty."""
    got = ratio_of_means([4, 8, 12], [1, 2, 3], level=0.5)
    assert (got.low, got.mean, got.high) == pytest.approx((4, 4, 4))


def test_ratio_refuses_a_denominator_near_zero() -> None:
    """A denominator that may be zero has no bounded interval."""
    with pytest.raises(InputError, match="does not differ from zero"):
        ratio_of_means([1, 2, 3], [-1, 0.1, 1])


def test_tost_by_hand() -> None:
    """The test of equivalence agrees with one worked by hand with the t table."""
    values = [0.95, 1.0, 1.05, 0.98, 1.02]
    got = tost(values, 0.9, 1.1)
    t = 0.1 / (np.std(values, ddof=1) / math.sqrt(5))
    assert t == pytest.approx(5.872, rel=1e-3)
    assert 0.001 < got.p_low < 0.0025  # t(4) has 0.0025 above 5.598 and 0.001 above 7.173
    assert got.equivalent
    assert not tost(values, 0.97, 1.03).equivalent


def test_tost_of_a_shifted_sample_is_not_equivalent() -> None:
    """Two samples whose means differ by more than the margin are not called equivalent."""
    rng = _generator(4)
    first, second = rng.normal(0, 1, 40), rng.normal(0, 1, 40)
    assert tost(first, -0.8, 0.8, against=second).equivalent
    assert not tost(first + 2, -0.8, 0.8, against=second).equivalent


@given(st.lists(st.floats(0.01, 1e6), min_size=1, max_size=30))
def test_jain_lies_between_its_bounds(values: list[float]) -> None:
    """1/n <= index <= 1 for any shares."""
    assert 1 / len(values) - 1e-9 <= jain(values) <= 1 + 1e-9


def test_jain_of_known_shares() -> None:
    """Equal shares give 1, a single share 1/n, and (1, 3) gives 16/20."""
    assert jain([2, 2, 2]) == pytest.approx(1)
    assert jain([5, 0, 0, 0]) == pytest.approx(0.25)
    assert jain([1, 3]) == pytest.approx(0.8)


def test_dispersion_tells_poisson_from_regular() -> None:
    """Poisson counts give 1 within 5 standard errors, a clock gives 0."""
    counts = _generator(5).poisson(20, 5000)
    assert abs(dispersion(counts) - 1) < 5 * math.sqrt(2 / 5000)
    assert dispersion([3, 3, 3]) == 0


@pytest.mark.parametrize(
    "call",
    [
        lambda: t_interval([1.0]),
        lambda: t_interval([1.0, math.nan]),
        lambda: t_interval([1.0, 2.0], level=1.0),
        lambda: batch_means([1.0, 2.0, 3.0], 2),
        lambda: ratio_of_means([1.0, 2.0], [1.0, 2.0, 3.0]),
        lambda: tost([1.0, 2.0], 1.0, 1.0),
        lambda: jain([0.0, 0.0]),
        lambda: jain([-1.0, 2.0]),
        lambda: dispersion([0.0, 0.0]),
    ],
)
def test_unusable_input_is_refused(call: object) -> None:
    """Input without an answer is refused with an InputError."""
    assert callable(call)
    with pytest.raises(InputError):
        call()


def test_bootstrap_of_means_covers_as_often_as_it_says() -> None:
    """Of 400 samples of 40 exponential values 90 % cover the mean, within three standard errors.

    The percentile interval of a skewed mean is too short by O(1/n), so 2 points are allowed.
    """
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(400):
        interval = bootstrap(lambda rows: rows[0].mean(axis=-1), [rng.exponential(size=40)])
        covered += interval.low <= 1 <= interval.high
    error = 3 * (0.9 * 0.1 / 400) ** 0.5
    assert 0.9 - 0.02 - error < covered / 400 < 0.9 + error


def test_bootstrap_draws_seeds_together() -> None:
    """An equal difference in every seed has no width, even if the seeds vary."""
    rng = np.random.default_rng(6)
    one = rng.normal(size=10)
    interval = bootstrap(lambda rows: (rows[1] - rows[0]).mean(axis=-1), [one, one + 2])
    assert interval.mean == pytest.approx(2)
    assert interval.half_width == pytest.approx(0, abs=1e-12)
    with pytest.raises(InputError, match="bootstrap"):
        bootstrap(lambda rows: rows[0].mean(axis=-1), [[1.0, float("nan")]])


def test_rank_correlation_of_noise_is_uncertain() -> None:
    """The correlation equals scipy's on the means; means within noise have a wide interval."""
    rng = np.random.default_rng(7)
    noise = {x: rng.normal(size=10) for x in range(6)}
    correlation = rank_correlation(noise)
    means = [sample.mean() for sample in noise.values()]
    assert correlation.mean == pytest.approx(spearmanr(list(noise), means).statistic)
    assert -1 <= correlation.low < correlation.high <= 1 and correlation.half_width > 0.3
