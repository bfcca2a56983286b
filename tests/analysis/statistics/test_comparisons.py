# SPDX-License-Identifier: Apache-2.0
"""Comparisons of two groups against scipy's tests, and their coverage against draws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from ecnomy.agents.errors import InputError
from ecnomy.analysis.statistics.comparisons import compared, q_values
from tiers import in_full


def _groups(seed: int, first: int, second: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(3, 2, first), rng.normal(3.5, 0.7, second)


@pytest.mark.parametrize("seed", range(5))
def test_a_paired_comparison_is_scipys(seed: int) -> None:
    """Interval and p of pairs agree with scipy's paired t test."""
    a, b = _groups(seed, 12, 12)
    ours, theirs = compared(a, b, paired=True, level=0.9), stats.ttest_rel(b, a)
    low, high = theirs.confidence_interval(0.9)
    assert ours.p == pytest.approx(theirs.pvalue)
    assert (ours.difference.low, ours.difference.high) == pytest.approx((low, high))


@pytest.mark.parametrize("seed", range(5))
def test_an_independent_comparison_is_scipys(seed: int) -> None:
    """Interval and p of two groups agree with scipy's Welch test."""
    a, b = _groups(seed, 9, 14)
    ours, theirs = compared(a, b, paired=False), stats.ttest_ind(b, a, equal_var=False)
    low, high = theirs.confidence_interval(0.95)
    assert ours.p == pytest.approx(theirs.pvalue)
    assert (ours.difference.low, ours.difference.high) == pytest.approx((low, high))
    assert (ours.first, ours.second) == (a.mean(), b.mean())


def test_the_effect_size_has_no_bias_in_small_groups() -> None:
    """Hedges' g is unbiased for groups of five runs."""
    rng = np.random.default_rng(7)
    effects = [
        compared(rng.normal(0, 1, 5), rng.normal(0.8, 1, 5), paired=False).effect
        for _ in range(20_000 if in_full() else 1000)
    ]
    error = np.std(effects) / math.sqrt(len(effects))
    assert abs(np.mean(effects) - 0.8) < 4 * error + 0.008  # the approximation's own error


def test_groups_without_spread() -> None:
    """Groups without spread have no difference, or a difference that is certain."""
    same = compared([2.0, 2.0], [2.0, 2.0], paired=True)
    assert (same.p, same.effect, same.sign) == (1.0, 0.0, 0)
    more = compared([2.0, 2.0], [3.0, 3.0], paired=True)
    assert (more.p, more.effect, more.sign) == (0.0, math.inf, 1)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e9])
def test_rounding_is_no_effect_and_no_spread(scale: float) -> None:
    """Rounding errors count as neither an effect nor a spread."""
    tenth, nearly = scale * 0.3, scale * (0.1 + 0.2)
    assert compared([tenth, nearly], [nearly, nearly], paired=False).effect == 0.0
    contrast = compared([tenth, nearly], [2 * tenth, 2 * nearly], paired=False)
    assert contrast.effect == math.inf
    assert compared([tenth, 1.1 * tenth], [2 * tenth, 2 * nearly], paired=False).effect < 100


def test_groups_that_cannot_be_compared_are_refused() -> None:
    """The error names pairs that do not match, and groups of one run."""
    with pytest.raises(InputError, match="same size, got 2 and 3 values"):
        compared([1, 2], [1, 2, 3], paired=True)
    with pytest.raises(InputError, match="at least 2 values"):
        compared([1], [1, 2], paired=False)


def test_q_values_are_those_of_benjamini_and_hochberg() -> None:
    """The q-values follow the explicit step-up rule; NaN stays NaN."""
    ps = [0.01, 0.04, math.nan, 0.03, 0.5]
    ranked = sorted(p for p in ps if p == p)
    by_hand = {
        p: min(q * len(ranked) / (ranked.index(q) + 1) for q in ranked if q >= p) for p in ranked
    }
    adjusted = q_values(ps)
    assert math.isnan(adjusted[2])
    assert [q for q in adjusted if q == q] == pytest.approx([by_hand[p] for p in ps if p == p])
    assert q_values([]) == []
