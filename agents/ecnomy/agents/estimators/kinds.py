# SPDX-License-Identifier: Apache-2.0
"""Three estimators of the marking rate M and the delay rate L, from samples of test streams.

    beta-binomial   the rate of a sample is Beta distributed, and of its n_i packets k_i are hit
                    with that rate: the chance in k_i is not taken for variation of the rate
    beta            Andreassen 2002, 4.2: k_i / n_i itself is Beta distributed, fitted by moments
    empirical       the samples are the distribution

The Beta of beta-binomial is fitted by analysis of variance (a moment estimator of the correlation
rho of two packets of one sample; Ridout, Demetrio, Firth 1999, Biometrics 55):

    B = sum n_i (r_i - m)^2 / (N - 1),   W = sum n_i r_i (1 - r_i) / (sum n_i - N)
    rho = (B - W) / (B + (n0 - 1) W),    n0 = (sum n_i - sum n_i^2 / sum n_i) / (N - 1)

m = sum k_i / sum n_i, r_i = k_i / n_i. Chosen over maximum likelihood: it is a formula, has an
answer where samples vary less than binomials do (rho = 0, where likelihood has no maximum inside),
and for N = 10 to 100 samples of 1,800 packets its thresholds are as close to the true ones
(tests/agents/test_estimators.py measures both).

Degenerate samples, for all three:

    none                      nothing is known: threshold 1, mean 0, no promise breaks
    one, or all alike         the rate does not vary; counts of beta-binomial still do
    all zero (all hit)        the rate is 0 (1), and so is the threshold
    fewer than (1 - B) / B    too few for a threshold of empirical: it is 1, and blocks nobody
    more variation than a     the rate is 0 or 1
    Beta can have
"""

from __future__ import annotations

import math
from typing import Final, Protocol, Self

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.estimators.rates import BetaRate
from ecnomy.agents.estimators.samples import Samples

__all__ = [
    "DEFAULT_ESTIMATOR",
    "ESTIMATORS",
    "Beta",
    "BetaBinomial",
    "Empirical",
    "Estimator",
    "estimator_named",
]

DEFAULT_ESTIMATOR: Final = "beta-binomial"


class Estimator(Protocol):
    """Knowledge of a rate after samples of it."""

    @classmethod
    def of(cls, samples: Samples) -> Self:
        """From samples, any number of them."""

    def threshold(self, blocked: float) -> float:
        """What the rate of a sample is above with a chance of at most `blocked` (B^G), [0, 1]."""

    def mean_below(self, threshold: float) -> float:
        """The mean rate of connections where the sample's is at most `threshold`."""

    def broken(self, limit: float, packets: int) -> float:
        """The chance that of a connection's packets more than a share `limit` (L^G) are hit."""


class Empirical(msgspec.Struct, frozen=True, eq=False):
    """The samples themselves.

    Attributes:
        rates: in ascending order.
        hits, packets: of the samples.
    """

    rates: Floats
    samples: Samples

    @classmethod
    def of(cls, samples: Samples) -> Self:
        """See Estimator."""
        return cls(np.sort(samples.rates), samples)

    def threshold(self, blocked: float) -> float:
        """The k-th smallest of N samples, k = ceil((1 - B) (N + 1)); 1 where k > N.

        The next sample falls into each of the N + 1 gaps of the others alike, so it is above the
        k-th with a chance of 1 - k / (N + 1) <= B. The plain quantile, k = ceil((1 - B) N), is
        exceeded more often: of 10 samples in 2 of 11 cases at B = 0.1. Source: Wilks 1941.
        """
        place = max(math.ceil((1 - blocked) * (len(self.rates) + 1) - 1e-9), 1)
        return float(self.rates[place - 1]) if place <= len(self.rates) else 1.0

    def mean_below(self, threshold: float) -> float:
        """Of the samples up to there; of all where there is none."""
        if not len(self.rates):
            return 0.0
        below = self.rates[self.rates <= threshold]
        return float((below if len(below) else self.rates).mean())

    def broken(self, limit: float, packets: int) -> float:
        """The share of samples that would break it; how long connections are does not matter."""
        if not len(self.rates):
            return 0.0
        return float((self.samples.hits > limit * self.samples.packets).mean())


class Beta(msgspec.Struct, frozen=True, eq=False):
    """The paper's: moments of the samples' rates, whatever their length.

    Attributes:
        rate: the distribution of k_i / n_i.
        empirical: for promises; the paper gives no distribution of L.
    """

    rate: BetaRate
    empirical: Empirical

    @classmethod
    def of(cls, samples: Samples) -> Self:
        """See Estimator."""
        rates = samples.rates
        mean = min(float(rates.mean()), 1.0) if len(rates) else 0.0
        variance = float(rates.var(ddof=1)) if len(rates) > 1 else 0.0
        return cls(BetaRate.of_moments(mean, variance), Empirical.of(samples))

    def threshold(self, blocked: float) -> float:
        """The upper quantile of the Beta."""
        return self.rate.upper_quantile(blocked) if len(self.empirical.rates) else 1.0

    def mean_below(self, threshold: float) -> float:
        """As in beta.py."""
        return self.rate.mean_below(threshold)

    def broken(self, limit: float, packets: int) -> float:
        """See Empirical."""
        return self.empirical.broken(limit, packets)


class BetaBinomial(msgspec.Struct, frozen=True, eq=False):
    """Counts of packets, hit at a rate that varies from sample to sample.

    Attributes:
        rate: the distribution of the rate behind the counts.
        samples: what it was fitted to.
        packets: the mean length of a sample, which thresholds are for.
    """

    rate: BetaRate
    samples: Samples
    packets: int

    @classmethod
    def of(cls, samples: Samples) -> Self:
        """See Estimator; by analysis of variance."""
        if not len(samples):
            return cls(BetaRate(0.0, math.inf), samples, 0)
        n = samples.packets
        mean = min(float(samples.hits.sum() / n.sum()), 1.0)
        rate = BetaRate.of_correlation(mean, _correlation(samples, mean))
        return cls(rate, samples, max(round(float(n.mean())), 1))

    def threshold(self, blocked: float) -> float:
        """Of what is observed in a sample of mean length, half a packet above a count."""
        return self.rate.observed_threshold(blocked, self.packets) if len(self.samples) else 1.0

    def mean_below(self, threshold: float) -> float:
        """Of the rate behind a sample that was observed at or below the threshold."""
        return self.rate.mean_where_observed(threshold, self.packets)

    def broken(self, limit: float, packets: int) -> float:
        """The mean over samples of what each says of a connection at its rate.

        A sample as long as a connection or longer is thinned out, which asks for no distribution
        of rates; one that is shorter is filled up with packets at Beta(a + k_i, b + n_i - k_i). So
        an L that follows from M, cut off at the threshold and no Beta any more, does little harm.
        """
        k, n = self.samples.hits, self.samples.packets
        pairs, counts = np.unique(np.stack([k, n]), axis=1, return_counts=True)
        if not len(k) or packets <= 0:
            return 0.0
        found = [self.rate.exceeds_with(k, n, limit, packets) for k, n in pairs.T.tolist()]
        return float(np.array(found) @ counts / counts.sum())


def _correlation(samples: Samples, mean: float) -> float:
    """rho; 0 where it cannot be told."""
    n, r = samples.packets, samples.rates
    count, total = len(n), float(n.sum())
    if count < 2 or total <= count:
        return 0.0
    between = float((n * (r - mean) ** 2).sum()) / (count - 1)
    within = float((n * r * (1 - r)).sum()) / (total - count)
    length = (total - float((n**2).sum()) / total) / (count - 1)
    scale = between + (length - 1) * within
    return (between - within) / scale if scale > 0 else 0.0


ESTIMATORS: Final[dict[str, type[Empirical] | type[Beta] | type[BetaBinomial]]] = {
    "beta-binomial": BetaBinomial,
    "beta": Beta,
    "empirical": Empirical,
}


def estimator_named(kind: str, samples: Samples) -> Estimator:
    """An estimator of this kind, after these samples.

    Raises:
        KeyError: there is no such name.
    """
    return ESTIMATORS[kind].of(samples)
