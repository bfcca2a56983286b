# SPDX-License-Identifier: Apache-2.0
"""Beta, beta-binomial and empirical estimators against scipy.stats, sums done by hand and draws."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import integrate, optimize, special, stats

from ecnomy.agents.estimators import (
    ESTIMATORS,
    Beta,
    BetaBinomial,
    BetaRate,
    Empirical,
    Samples,
    estimate,
    estimator_named,
)
from processes import LIMIT_S
from tiers import examples

CASES = [(4.0, 3329.0), (0.5, 400.0), (2.0, 5.0), (30.0, 70.0)]  # a, b


def rate(a: float, b: float) -> BetaRate:
    """Beta(a, b)."""
    return BetaRate(a / (a + b), a + b)


@pytest.mark.parametrize(("a", "b"), CASES)
@pytest.mark.parametrize("packets", [1, 7, 600, 5400])
def test_counts_are_those_of_scipys_beta_binomial(a: float, b: float, packets: int) -> None:
    """Chances and quantiles are scipy's, and binomial for a fixed rate."""
    law, own = stats.betabinom(packets, a, b), rate(a, b)
    k = np.arange(packets + 1)
    assert own.chances(packets) == pytest.approx(law.pmf(k), rel=1e-7, abs=1e-14)
    assert own.most_hits(0.1, packets) == law.ppf(0.9)
    assert own.exceeds(0.01, packets) == pytest.approx(law.sf(math.floor(0.01 * packets)), abs=1e-9)
    fixed = BetaRate(a / (a + b), math.inf)
    plain = stats.binom(packets, a / (a + b)).pmf(k)
    assert fixed.chances(packets) == pytest.approx(plain, rel=1e-7, abs=1e-14)


@pytest.mark.parametrize(("a", "b"), CASES)
def test_the_beta_is_that_of_integrated_densities(a: float, b: float) -> None:
    """Quantile, chance above it and mean below it, by quadrature of the density."""
    own, law = rate(a, b), stats.beta(a, b)
    beta = own.upper_quantile(0.1)
    assert law.sf(beta) == pytest.approx(0.1, rel=1e-9)
    top = integrate.quad(lambda x: x * law.pdf(x), 0, beta, limit=500, points=[beta / 100])[0]
    assert own.mean_below(beta) == pytest.approx(top / 0.9, rel=1e-6)
    assert own.variance == pytest.approx(law.var())
    again = BetaRate.of_moments(float(law.mean()), float(law.var()))
    assert (again.mean, again.size) == pytest.approx((own.mean, own.size))


@pytest.mark.parametrize(("a", "b"), CASES)
def test_beyond_a_million_packets_counts_are_rates(a: float, b: float) -> None:
    """Counts of a million packets agree with the rate itself, so the answers do not jump there."""
    own = rate(a, b)
    near, beyond = 10**6, 10**6 + 1
    beta = own.upper_quantile(0.1)
    noise = 3 / math.sqrt(beta * near)
    assert own.observed_threshold(0.1, near) == pytest.approx(beta, rel=noise)
    assert own.observed_threshold(0.1, beyond) == beta
    expected = own.mean_where_observed(beta, near)
    assert own.mean_where_observed(beta, beyond) == pytest.approx(expected, rel=noise)
    assert own.exceeds(beta, beyond) == pytest.approx(0.1)
    assert own.exceeds(beta, near) == pytest.approx(0.1, rel=0.05)


def test_the_mean_rate_behind_a_count_against_draws() -> None:
    """E[rate | K <= k] agrees with 10^6 draws within four errors, and K / n is far below it."""
    own, packets, most = rate(2.0, 198.0), 100, 1
    rng = np.random.Generator(np.random.Philox(key=[1, 1]))
    rates = rng.beta(2.0, 198.0, 10**6)
    counts = rng.binomial(packets, rates)
    kept = rates[counts <= most]
    expected = own.mean_where_observed((most + 0.5) / packets, packets)
    assert abs(kept.mean() - expected) < 4 * kept.std() / math.sqrt(len(kept))
    assert counts[counts <= most].mean() / packets < 0.8 * expected


def test_moments_with_unequal_lengths_find_the_distribution() -> None:
    """From 2,000 samples of 100 to 3,000 packets, m is within 5 % and a + b within 15 %."""
    rng = np.random.Generator(np.random.Philox(key=[2, 1]))
    packets = rng.integers(100, 3001, 2000)
    hits = rng.binomial(packets, rng.beta(3.0, 297.0, 2000))
    fit = BetaBinomial.of(Samples.of(hits, packets)).rate
    assert fit.mean == pytest.approx(0.01, rel=0.05)
    assert fit.size == pytest.approx(300, rel=0.15)
    steady = BetaBinomial.of(Samples.of(rng.binomial(packets, 0.01), packets)).rate
    assert steady.size > 10_000  # the variation is chance
    plain = Beta.of(Samples.of(rng.binomial(packets, 0.01), packets)).rate
    assert plain.size < 1000  # the paper's takes it for variation of M


def test_an_analysis_of_variance_by_hand() -> None:
    """The moments of three samples (rates 0, 0.1, 0.5 of 10, 20, 10 packets) are as by hand."""
    fit = BetaBinomial.of(Samples.of([0, 2, 5], [10, 20, 10]))
    mean = 7 / 40
    between = (10 * mean**2 + 20 * (0.1 - mean) ** 2 + 10 * (0.5 - mean) ** 2) / 2
    within = (20 * 0.1 * 0.9 + 10 * 0.5 * 0.5) / 37
    length = (40 - 600 / 40) / 2
    rho = (between - within) / (between + (length - 1) * within)
    assert fit.rate.mean == pytest.approx(mean) and fit.packets == 13
    assert fit.rate.size == pytest.approx(1 / rho - 1)


def likeliest(hits: np.ndarray, packets: np.ndarray) -> BetaRate:
    """The beta-binomial of maximum likelihood, by simplex search from three sizes."""

    def unlikely(point: np.ndarray) -> float:
        mean, size = special.expit(point[0]), math.exp(min(point[1], 30))
        a, b = mean * size, (1 - mean) * size
        like = special.betaln(a + hits, b + packets - hits) - special.betaln(a, b)
        return -float(like.sum())

    start = special.logit(max(hits.sum() / packets.sum(), 1e-6))
    found = [
        optimize.minimize(unlikely, [start, size], method="Nelder-Mead")
        for size in (3.0, 7.0, 11.0)
    ]
    best = min(found, key=lambda one: one.fun).x
    return BetaRate(float(special.expit(best[0])), math.exp(min(best[1], 30)))


@pytest.mark.parametrize(("a", "mean"), [(4.0, 0.02), (0.5, 0.0012)])
def test_moments_find_thresholds_as_well_as_likelihood_does(a: float, mean: float) -> None:
    """The moments' RMS error of the threshold is at most a fifth larger than likelihood's."""
    rng = np.random.Generator(np.random.Philox(key=[3, round(a * 10)]))
    size, packets = a / mean, np.full(30, 1800.0)
    true = BetaRate(mean, size).observed_threshold(0.1, 1800)
    off: dict[str, list[float]] = {"moments": [], "likelihood": []}
    for _ in range(40):
        hits = rng.binomial(1800, rng.beta(a, size - a, 30)).astype(np.float64)
        moments = BetaBinomial.of(Samples.of(hits, packets)).rate
        for name, fit in (("moments", moments), ("likelihood", likeliest(hits, packets))):
            off[name].append(fit.observed_threshold(0.1, 1800) / true - 1)
    moments_off, likelihood_off = (math.sqrt(np.square(row).mean()) for row in off.values())
    assert moments_off < 1.2 * likelihood_off


def test_empirical_leaves_the_next_sample_above_it_with_the_chance_promised() -> None:
    """The smallest sample that leaves at most B (N + 1) gaps above; means and shares of a list."""
    rng = np.random.Generator(np.random.Philox(key=[4, 1]))
    hits, packets = rng.integers(0, 30, 37), rng.integers(50, 100, 37)
    rates = [k / n for k, n in zip(hits.tolist(), packets.tolist(), strict=True)]
    fit = Empirical.of(Samples.of(hits, packets))
    assert fit.threshold(0.0) == 1.0  # any next sample may be larger
    for blocked in (0.05, 0.1, 0.25, 0.5, 0.99):
        gaps = {s: 38 - sum(o <= s for o in rates) for s in rates}  # of 38, above a sample
        least = min(s for s in rates if gaps[s] <= blocked * 38 + 1e-9)
        assert fit.threshold(blocked) == least
        below = [s for s in rates if s <= least]
        assert fit.mean_below(least) == pytest.approx(sum(below) / len(below))
    assert fit.broken(0.2, 5) == sum(s > 0.2 for s in rates) / 37


def test_a_sample_at_the_threshold_is_admitted() -> None:
    """One gap of five may lie above the threshold, which is the largest M. Its promise breaks."""
    marked = Samples.of([1, 2, 3, 4], [10] * 4)
    terms = estimate(
        "empirical", marked, Samples.of([0, 0, 0, 5], [10] * 4), blocked=0.2, limit=0.3, packets=10
    )
    assert terms.threshold == 0.4 and terms.broken == 1 / 4
    assert terms.marking_rate == pytest.approx(0.25) and terms.marks == pytest.approx(2.5)


@pytest.mark.parametrize(("count", "most"), [(5, 0.0), (8, 0.0), (9, 0.1), (10, 1 / 11), (20, 0.1)])
def test_a_blocking_rate_is_kept_after_few_samples_too(count: int, most: float) -> None:
    """For independent rates of any distribution, the blocking rate is kept (99.9 %)."""
    rng, draws = np.random.Generator(np.random.Philox(key=[4, 2])), 5000
    above = 0
    for rates in rng.beta(2, 30, (draws, count + 1)):
        hits, packets = rates[:-1] * 1e6, np.full(count, 1e6)
        above += rates[-1] > Empirical.of(Samples.of(hits, packets)).threshold(0.1)
    exact = math.floor(0.1 * (count + 1) + 1e-9) / (count + 1)
    assert exact <= most
    assert abs(above / draws - exact) <= 3.3 * math.sqrt(exact * (1 - exact) / draws)


def test_what_is_said_of_no_sample_one_and_the_like() -> None:
    """For degenerate samples, the answers are as kinds.py states."""
    few = {"beta-binomial": 0.055, "beta": 0.03, "empirical": 1.0}  # of one sample
    for kind in ESTIMATORS:
        nothing = estimator_named(kind, Samples.of([], []))
        assert (nothing.threshold(0.1), nothing.mean_below(1.0)) == (1.0, 0.0)
        assert nothing.broken(0.01, 100) == 0.0
        zero = estimator_named(kind, Samples.of([0] * 9, [100, 50, 10] * 3))
        assert zero.threshold(0.1) < 0.02 and zero.mean_below(0.5) == 0.0
        assert zero.broken(0.0, 100) == 0.0
        whole = estimator_named(kind, Samples.of([9, 9], [9, 9]))
        assert whole.threshold(0.1) >= 1.0 and whole.mean_below(1.0) == 1.0
        assert whole.broken(0.5, 100) == 1.0
        one = estimator_named(kind, Samples.of([3], [100]))
        assert one.mean_below(1.0) == pytest.approx(0.03)
        assert one.threshold(0.1) == pytest.approx(few[kind])
        silent = estimator_named(kind, Samples.of([5, 3], [0, 100]))
        assert silent.mean_below(1.0) == pytest.approx(0.03)
    wild = Beta.of(Samples.of([0, 100], [100, 100]))
    assert wild.rate.size == 0 and wild.threshold(0.1) == 1.0 and wild.threshold(0.6) == 0.0
    assert wild.mean_below(0.5) == 0.0 and wild.mean_below(1.0) == 0.5
    with pytest.raises(ValueError, match="of equal length"):
        Samples.of([1, 2], [3])
    with pytest.raises(ValueError, match="samples of L"):
        estimate(
            "beta", Samples.of([1], [3]), Samples.of([], []), blocked=0.1, limit=0.1, packets=1
        )
    with pytest.raises(KeyError):
        estimator_named("guess", Samples.of([], []))


COUNTS = st.lists(
    st.tuples(st.one_of(st.integers(0, 30), st.integers(0, 2**40)), st.integers(0, 2**40)),
    max_size=6,
)


@settings(max_examples=examples(150), deadline=None)
@given(COUNTS, st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.integers(0, 3000))
def test_every_answer_is_a_share(
    counts: list[tuple[int, int]], blocked: float, limit: float, packets: int
) -> None:
    """For any counts there is no NaN, no exception, and no value outside [0, 1]."""
    hits, lengths = [k for k, _ in counts], [n % 5000 if k < 31 else n for k, n in counts]
    samples = Samples.of(hits, lengths)
    for kind in ESTIMATORS:
        terms = estimate(kind, samples, samples, blocked=blocked, limit=limit, packets=packets)
        assert 0 <= terms.threshold <= 1.5 and 0 <= terms.marking_rate <= 1 + 1e-12
        assert 0 <= terms.broken <= 1 + 1e-12
        assert terms.marks == terms.marking_rate * packets


@pytest.mark.parametrize(("a", "b"), CASES)
def test_quantiles_at_the_ends_are_the_ends_of_the_range(a: float, b: float) -> None:
    """No rate exceeds 1, and every rate exceeds 0."""
    own = rate(a, b)
    ends = [own.upper_quantile(blocked) for blocked in (-0.5, 0.0, 1.0, 1.5)]
    assert ends == [1.0, 1.0, 0.0, 0.0]


@settings(max_examples=examples(200), deadline=None)
@example(5e-324, 0.5, 0.0, 1)
@example(0.9999999999999999, 1.0, 0.0, 1)
@example(0.75, 323.0, -0.0625, 3875)
@given(
    st.floats(0.0, 1.0),
    st.one_of(st.floats(0.0, 1e15), st.just(math.inf)),
    st.floats(-0.1, 1.1),
    st.integers(0, 4000),
)
def test_a_rate_answers_at_its_limits(mean: float, size: float, at: float, packets: int) -> None:
    """Any mean and size works, even infinite or tiny; thresholds out of range do not crash it."""
    own = BetaRate(mean, size)
    answers = (
        own.upper_quantile(at),
        own.mean_below(at),
        own.exceeds(at, packets),
        own.mean_where_observed(at, packets),
        own.after(packets // 2, packets).mean,
    )
    assert all(-1e-12 <= answer <= 1 + 1e-9 for answer in answers), answers
    assert own.chances(packets).sum() == pytest.approx(1)


def test_scipy_is_loaded_when_it_is_needed() -> None:
    """Importing the estimators, or the strategies that hold them, loads no scipy."""
    code = (
        "import sys, ecnomy.agents.estimators\n"
        "from ecnomy.agents.estimators import BetaBinomial, Samples, price\n"
        "BetaBinomial.of(Samples.of([1, 2], [50, 60])).threshold(0.1)\n"
        "assert not [m for m in sys.modules if m.startswith('scipy')]\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=LIMIT_S
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("hits", "packets"), [(0, 200), (3, 200), (200, 200), (40, 200)])
@pytest.mark.parametrize("of", [20, 200, 700])
def test_a_connection_and_a_sample_at_one_rate(hits: int, packets: int, of: int) -> None:
    """A smaller sample at one rate is hypergeometric, and a larger one beta-binomial."""
    limit = 0.05
    if of <= packets:
        expected = stats.hypergeom(packets, hits, of).sf(math.floor(limit * of))
    else:
        after = stats.betabinom(of - packets, 2 + hits, 38 + packets - hits)
        expected = after.sf(math.floor(limit * of) - hits)
    found = rate(2.0, 38.0).exceeds_with(hits, packets, limit, of)
    assert found == pytest.approx(expected, abs=1e-9)


def test_promises_are_judged_without_a_distribution_where_samples_are_long() -> None:
    """No Beta fits rates of 0.2 % and 2 %: samples of three calls show how many promises break."""
    rng = np.random.Generator(np.random.Philox(key=[5, 1]))
    rates = rng.choice([0.002, 0.02], 20_000)
    fit = BetaBinomial.of(Samples.of(rng.binomial(1500, rates), np.full(20_000, 1500)))
    true = np.mean([stats.binom(500, p).sf(5) for p in (0.002, 0.02)])
    assert fit.broken(0.01, 500) == pytest.approx(true, abs=4 * 0.5 / math.sqrt(20_000))
