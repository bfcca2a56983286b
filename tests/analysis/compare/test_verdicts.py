# SPDX-License-Identifier: Apache-2.0
"""The statistics of a comparison against independent computation, and their error rates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from ecnomy.agents.errors import InputError
from ecnomy.analysis.compare.figures import ALL_MONEY, Row
from ecnomy.analysis.compare.verdicts import (
    BOUNDS,
    DIFFERENT,
    EQUIVALENT,
    NOT_JUDGED,
    UNDECIDED,
    Bound,
    compared,
    judge,
)
from tiers import in_full, rare

FIVE = Bound(0.05)
QUEUE = BOUNDS["link", "mean_queue_packets"]
SHARE = Row("source", "gold", "goodput_share")


def by_interval(a: np.ndarray, b: np.ndarray, e: float) -> str:
    """The verdict by another method: the places of the 90 % intervals of b - (1 +- e) a."""
    ends = []
    for factor in (1 + e, 1 - e):
        d = b - factor * a
        half = stats.t.ppf(0.95, len(d) - 1) * stats.sem(d)
        ends.append((d.mean() - half, d.mean() + half))
    (above_low, above_high), (below_low, below_high) = ends
    if above_high < 0 and below_low > 0:
        return EQUIVALENT
    return DIFFERENT if above_low > 0 or below_high < 0 else UNDECIDED


def test_paired_verdicts_are_where_intervals_lie() -> None:
    """For 600 samples of all kinds the tests agree with the intervals of the differences."""
    rng = np.random.default_rng(5)
    seen = set()
    for i in range(600):
        a = rng.normal(10, 0.4, 10)
        b = (0.88 + 0.24 * (i % 7) / 6) * a + rng.normal(0, 0.3, 10)
        said = judge(a, b, FIVE, paired=True).verdict
        seen.add(said)
        assert said == by_interval(a, b, 0.05)
    assert seen == {EQUIVALENT, DIFFERENT, UNDECIDED}


def test_unpaired_p_values_are_welchs() -> None:
    """Without pairs the p-value is the larger of two Welch tests against the scaled reference."""
    rng = np.random.default_rng(6)
    a, b = rng.normal(10, 0.3, 7), rng.normal(10.1, 0.5, 12)
    upper = stats.ttest_ind(b, 1.05 * a, equal_var=False, alternative="less").pvalue
    lower = stats.ttest_ind(b, 0.95 * a, equal_var=False, alternative="greater").pvalue
    assert judge(a, b, FIVE, paired=False).p == pytest.approx(max(upper, lower), rel=1e-9)


@pytest.mark.parametrize(
    ("paired", "ratio"), [(True, 0.95), rare(True, 1.05), rare(False, 0.95), (False, 1.05)]
)
def test_on_the_bound_one_in_twenty_is_called_equivalent(ratio: float, paired: bool) -> None:
    """With the truth on a bound, at most 5 % of samples each are equivalent or different.

    The tolerance is four binomial standard deviations; with pairs the rate is exactly 5 %.
    """
    rng = np.random.default_rng(7)
    count = 4000 if in_full() else 1000
    spread = 4 * math.sqrt(0.05 * 0.95 / count)
    verdicts = []
    for _ in range(count):
        a = rng.normal(10, 0.1, 10)
        b = rng.normal(10 * ratio, 0.1, 10)
        verdicts.append(judge(a, b, FIVE, paired=paired).verdict)
    for verdict in (EQUIVALENT, DIFFERENT):
        share = verdicts.count(verdict) / count
        assert share <= 0.05 + spread
        assert share >= 0.05 - spread or not paired


def test_equal_means_are_found_equivalent() -> None:
    """With a spread of 1 % per value and ten seeds, the power at a 5 % bound is 1 - 1e-6.

    The bound lies 0.05 / (0.01 sqrt(1 + 1.05^2) / sqrt(10)) = 10.9 standard errors off; t with 9
    degrees of freedom and the critical value 1.83 put less than 1e-6 beyond.
    """
    off = 0.05 / (0.01 * math.sqrt((1 + 1.05**2) / 10))
    assert stats.nct.cdf(stats.t.ppf(0.95, 9), 9, off) < 1e-6
    rng = np.random.default_rng(8)
    for _ in range(500):
        a, b = rng.normal(10, 0.1, 10), rng.normal(10, 0.1, 10)
        assert judge(a, b, FIVE, paired=True).verdict == EQUIVALENT


def test_pairing_uses_what_seeds_have_in_common() -> None:
    """Loads that vary by 30 % between seeds, equally in both engines, do not matter in pairs."""
    a = np.random.default_rng(9).normal(10, 3, 10)
    b = 1.01 * a + np.random.default_rng(10).normal(0, 0.02, 10)
    assert judge(a, b, FIVE, paired=True).verdict == EQUIVALENT
    assert judge(a, b, FIVE, paired=False).verdict == UNDECIDED


def test_queues_have_the_wider_of_two_bounds() -> None:
    """The bound of queues is 1 packet at a mean of 2, and 15 % (3 packets) at a mean of 20."""
    noise = np.linspace(-0.01, 0.01, 10)
    for reference, apart, verdict in ((2, 0.9, EQUIVALENT), (2, 1.1, DIFFERENT)):
        a = reference + noise
        assert judge(a, a[::-1] + apart, QUEUE, paired=True).verdict == verdict
    for reference, apart, verdict in ((20, 2.9, EQUIVALENT), (20, 3.1, DIFFERENT)):
        a = reference + noise
        assert judge(a, a[::-1] + apart, QUEUE, paired=True).verdict == verdict


@pytest.mark.parametrize("paired", [True, False])
def test_samples_without_spread_are_compared_as_numbers(paired: bool) -> None:
    """Without spread, 0 equals 0 and not 1, a bound is inclusive, and 1.06 is beyond 5 %."""
    for a, b, verdict in (
        (0.0, 0.0, EQUIVALENT),
        (0.0, 1.0, DIFFERENT),
        (1.0, 0.0, DIFFERENT),
        (2.0, 2.0, EQUIVALENT),
        (1.0, 1.06, DIFFERENT),
    ):
        assert judge([a] * 3, [b] * 3, FIVE, paired=paired).verdict == verdict
    assert judge([4.0] * 3, [5.0] * 3, Bound(0.0, 1.0), paired=paired).verdict == EQUIVALENT


def test_what_cannot_be_judged_is_refused() -> None:
    """A single value, or pairs that do not match, are refused."""
    with pytest.raises(InputError):
        judge([1.0], [1.0], FIVE, paired=True)
    with pytest.raises(InputError, match="paired"):
        judge([1.0, 2.0], [1.0, 2.0, 3.0], FIVE, paired=True)


def test_rows_pair_seeds_and_leave_out_what_has_no_value() -> None:
    """Rows are paired by seed in any order; None is left out; other quantities are shown."""
    rng = np.random.default_rng(11)
    values = dict(enumerate(rng.normal(10, 3, 8)))
    share, delay = SHARE, Row("source", "gold", "mean_delay_s")
    first = {seed: {share.key: v, delay.key: None} for seed, v in values.items()}
    second = {seed: {share.key: v * 1.001, delay.key: 2.0} for seed, v in reversed(values.items())}
    one, other = compared([share, delay], first, second)
    assert one.verdict == EQUIVALENT
    assert one.ratio is not None and one.ratio.mean == pytest.approx(1.001)
    assert one.ratio.high - one.ratio.low < 1e-6
    assert other.verdict == NOT_JUDGED and other.seeds == (0, 8)
    assert other.means[0] is None and other.means[1] is not None and other.ratio is None


def test_money_is_compared_by_sort_of_postings() -> None:
    """All money is within 5 %, and each kind within 5 % or 1 % of all. Missing kinds are 0."""
    total, marks, fees = (
        ALL_MONEY,
        Row("money", "marks: gold to isp", "money_share"),
        Row("money", "fees: gold to shop", "money_share"),
    )
    first = {s: {total.key: 2.0 + s, marks.key: 1.0} for s in range(5)}
    near = {s: {total.key: 2.05 + s, marks.key: 0.995, fees.key: 0.005} for s in range(5)}
    far = {s: {total.key: 1.5 + s, marks.key: 0.9, fees.key: 0.1} for s in range(5)}
    for other, verdict in ((near, EQUIVALENT), (far, DIFFERENT)):
        found = {row.row: row.verdict for row in compared([], first, other)}
        assert next(iter(found)) == total
        assert [found[row] for row in (total, marks, fees)] == [verdict] * 3
        assert found[Row("money", fees.name, "money_per_s")] == NOT_JUDGED


def test_a_figure_that_only_one_engine_has_is_a_difference() -> None:
    """A source without deliveries in one engine is different; in both it is not judged."""
    some = {seed: {SHARE.key: 0.5} for seed in (1, 2, 3)}
    none = {seed: {SHARE.key: None} for seed in (1, 2, 3)}
    assert compared([SHARE], none, some)[0].verdict == DIFFERENT
    assert compared([SHARE], none, none)[0].verdict == NOT_JUDGED
