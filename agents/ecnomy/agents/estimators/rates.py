# SPDX-License-Identifier: Apache-2.0
"""A rate with a Beta distribution, and counts of packets that are hit at this rate.

A rate with mean m and size s = a + b has the variance m (1 - m) / (s + 1). The size may be infinite
or 0, so that every estimate has a result:

    s = infinite     the rate is always m
    s = 0            the rate is 1 with probability m, else 0

K of n packets are hit. K is beta-binomial, or binomial for infinite s. Its distribution follows
from

    P(k + 1) / P(k) = (n - k) / (k + 1) (a + k) / (b + n - k - 1)

whose logarithms are summed from k = 0, because gamma functions would lose digits. For more than a
million packets, K / n is treated as the rate itself.
"""

from __future__ import annotations

import math
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.estimators import beta

__all__ = ["BetaRate"]

_COUNTED: Final = 1_000_000  # counts are enumerated up to this number of packets
_ALWAYS: Final = 1e12  # from this size on, the rate does not vary
_NEVER: Final = 1e-9  # up to this size, the rate is 0 or 1
_SLACK: Final = 1e-12  # tolerance for sums of probabilities


class BetaRate(msgspec.Struct, frozen=True):
    """A random rate between 0 and 1.

    Attributes:
        mean: mean m, from 0 to 1.
        size: s = a + b, from 0 to infinity; a larger size means less variation.
    """

    mean: float
    size: float

    @classmethod
    def of_moments(cls, mean: float, variance: float) -> BetaRate:
        """Return the rate with these moments, or the nearest limit if a Beta cannot have them."""
        room = mean * (1 - mean)
        if variance <= 0 or room <= 0:
            return cls(mean, math.inf)
        return cls(mean, max(room / variance - 1, 0.0))

    @classmethod
    def of_correlation(cls, mean: float, rho: float) -> BetaRate:
        """Return the rate for which hits of two packets of a sample have the correlation rho."""
        return cls(mean, math.inf if rho <= 0 else max(1 / rho - 1, 0.0))

    @property
    def variance(self) -> float:
        """The variance m (1 - m) / (s + 1)."""
        return self.mean * (1 - self.mean) / (self.size + 1)

    def upper_quantile(self, blocked: float) -> float:
        """Return the value in [0, 1] that the rate exceeds with probability at most `blocked`."""
        if self._fixed:
            return self.mean
        if self._extreme:
            return 1.0 if self.mean > blocked else 0.0
        if not 0 < blocked < 1:
            return 1.0 if blocked <= 0 else 0.0
        quantile = beta.upper_quantile(*self._ab, blocked)
        return quantile if math.isfinite(quantile) else self.mean

    def mean_below(self, threshold: float) -> float:
        """Return the mean of rates up to `threshold`, or the overall mean if that is undefined."""
        if self._fixed or threshold >= 1:
            return self.mean
        if self._extreme or threshold <= 0:
            return 0.0
        mean = beta.mean_below(*self._ab, threshold)
        return min(mean, threshold, self.mean) if math.isfinite(mean) else self.mean

    def chances(self, packets: int) -> Floats:
        """Return P(K = k) for k from 0 to `packets`, which is at most a million."""
        if self.mean <= 0 or self.mean >= 1 or self._extreme:
            chances = np.zeros(packets + 1)
            chances[0], chances[-1] = 1 - self.mean, self.mean
            return chances if packets else np.ones(1)
        k = np.arange(packets, dtype=np.float64)
        steps = np.log((packets - k) / (k + 1))
        if self._fixed:
            steps += math.log(self.mean) - math.log1p(-self.mean)
        else:
            a, b = self._ab
            left = b + packets - k - 1  # the sum would lose a tiny b when one packet is left
            steps += np.log(a + k) - np.log(np.where(left > 0, left, b))
        logs = np.concatenate(([0.0], np.cumsum(steps)))
        chances = np.exp(logs - logs.max())
        shares: Floats = chances / chances.sum()
        return shares

    def most_hits(self, blocked: float, packets: int) -> int:
        """Return the smallest k that K exceeds with probability at most `blocked`."""
        below = np.cumsum(self.chances(packets))
        return min(int(np.searchsorted(below, 1 - blocked - _SLACK)), packets)

    def observed_threshold(self, blocked: float, packets: int) -> float:
        """Return the value that K / n exceeds with probability at most `blocked`.

        It lies half a packet above a whole count, so that samples slightly longer or shorter than
        `packets` compare like counts.
        """
        if not 0 < packets <= _COUNTED:
            return self.upper_quantile(blocked)
        return (self.most_hits(blocked, packets) + 0.5) / packets

    def mean_where_observed(self, threshold: float, packets: int) -> float:
        """Return the mean rate, given K / n of at most `threshold` in `packets` packets.

        The rate is known only from K, and E[rate | K] = (a + K) / (s + n). A small K is partly due
        to chance, so the rate is less extreme than K / n. Without packets, return the overall mean.
        """
        if self._fixed or packets <= 0:
            return self.mean
        if packets > _COUNTED:
            return self.mean_below(threshold)
        most = min(math.floor(max(threshold, 0.0) * packets), packets)
        chances = self.chances(packets)[: most + 1]
        total = float(chances.sum())
        if total <= 0:
            return min(max(threshold, 0.0), self.mean)
        rates = (self.mean * self.size + np.arange(most + 1)) / (self.size + packets)
        return float(chances @ rates) / total

    def exceeds(self, limit: float, packets: int) -> float:
        """Return P(K > limit n), the probability of a broken promise; 0 if there are no packets."""
        if packets <= 0:
            return 0.0
        if packets <= _COUNTED:
            first = math.floor(limit * packets) + 1
            return min(float(self.chances(packets)[max(first, 0) :].sum()), 1.0)
        if self._fixed:
            return float(self.mean > limit)
        if self._extreme or not 0 <= limit < 1:
            return 1.0 if limit < 0 else self.mean if limit < 1 else 0.0
        return beta.chance_above(*self._ab, limit)

    def exceeds_with(self, hits: float, packets: float, limit: float, of: int) -> float:
        """Return P(K > limit n) for a connection of n = `of` packets at the rate of a sample.

        For a sample of at least n packets, n of its packets, drawn without replacement, represent
        the connection (hypergeometric). A shorter sample is extended to n packets, with hits at a
        rate from Beta(a + k, b + n_i - k).
        """
        more = of - round(packets)
        if max(of, packets) > _COUNTED:
            return self.after(hits, packets).exceeds(limit, of)
        first = math.floor(limit * of) + 1
        if more <= 0:
            return _hypergeometric(round(hits), round(packets), of, first)
        first -= round(hits)
        if first <= 0:
            return 1.0
        return min(float(self.after(hits, packets).chances(more)[first:].sum()), 1.0)

    def after(self, hits: float, packets: float) -> BetaRate:
        """Return the posterior of a rate after a sample with k hits: Beta(a + k, b + n - k)."""
        if math.isinf(self.size):
            return self
        size = self.size + packets
        return BetaRate((self.mean * self.size + hits) / size, size) if size > 0 else self

    @property
    def _ab(self) -> tuple[float, float]:
        return self.mean * self.size, (1 - self.mean) * self.size

    @property
    def _fixed(self) -> bool:
        vanishes = self.size > _NEVER and not all(self._ab)  # a or b rounds to 0
        return self.size >= _ALWAYS or not 0 < self.mean < 1 or vanishes

    @property
    def _extreme(self) -> bool:
        return self.size <= _NEVER


def _hypergeometric(hits: int, packets: int, drawn: int, first: int) -> float:
    """Return P(J >= first) for J hits among `drawn` of `packets` packets."""
    least, most = max(0, drawn - (packets - hits)), min(hits, drawn)
    if first <= least:
        return 1.0
    j = np.arange(least, most, dtype=np.float64)
    steps = np.log((hits - j) * (drawn - j)) - np.log((j + 1) * (packets - hits - drawn + j + 1))
    logs = np.concatenate(([0.0], np.cumsum(steps)))
    chances = np.exp(logs - logs.max())
    return float(chances[first - least :].sum() / chances.sum())
