# SPDX-License-Identifier: Apache-2.0
"""Forecasts of the test streams' next sample from the correlation of consecutive samples.

The expected rate of the next sample is the mean m of all samples plus a share c of the current
deviation:

    E[r_next | r_now] = m + c (r_now - m)

c is the correlation of consecutive samples, at least 0. It is computed from raw samples, including
their noise. So c is small if a sample predicts the next sample poorly. A shift of the level makes c
large, and the forecast follows the shift. Before the first shift, c reflects only noise. So the
part of a rate beyond all previous samples counts in full: r_now is limited to their range, and the
excess is added. A broken promise depends on the tail of the distribution, not on its mean. So the
probability of a broken promise is a weighted mean over the samples so far. For each of these, the
*following* sample gives the probability for a connection (beta-binomial, estimators/rates.py).
Samples similar to the current sample weigh more:

    w_i = exp(-(log r_now - log r_i)^2 / 2 h^2),    h^2 = (1 / c^2 - 1) variance of log r

If a sample does not predict the next (c = 0), all samples have equal weight. With better
prediction, the weights become narrower. If the current sample is above all others, it alone
determines the probability. Rates vary by factors, so w_i, and c in h, use logarithms, with r = (k +
1/2) / (n + 1). A Beta distribution around the mean forecast failed: after one rush, its variance
stayed large in all quiet times, and a provider that had rightly stopped selling did not return.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.estimators import BetaBinomial, BetaRate, Samples

__all__ = ["Forecast", "forecast", "lag_one"]

_LEAST_PAIRS: Final = 3
_NONE: Final = Samples.of([], [])


class Forecast(msgspec.Struct, frozen=True, eq=False):
    """A forecast of the next sample.

    Attributes:
        mean: mean m of all samples.
        follows: correlation c of successive rates, from 0 to 1.
        least: the smallest forecast of the mean rate.
        low: the smallest rate of a sample.
        high: the largest rate of a sample.
        law: the distribution of the rate over samples, regardless of the previous sample.
        before: log r of each sample with a successor, or of all samples if fewer than three have
            one.
        next: the successors of these samples, or all samples if fewer than three have a successor.
        width: width h of the weights; infinite for equal weights.
    """

    mean: float = 0.0
    follows: float = 1.0
    least: float = 0.0
    low: float = 0.0
    high: float = 1.0
    law: BetaRate = BetaRate(0.0, math.inf)
    before: Floats = _NONE.hits
    next: Samples = _NONE
    width: float = math.inf

    def at(self, hits: float, packets: float) -> float:
        """Return the expected rate of the next sample, given the counts of the current sample."""
        if not packets:
            return self.mean
        now = min(hits / packets, 1.0)
        usual = min(max(now, self.low), self.high)
        return max(self.mean + self.follows * (usual - self.mean) + now - usual, self.least)

    def breaks(self, chances: Floats, limit: float, of: int, hits: float, packets: float) -> float:
        """Return the probability of a broken promise for a connection after the current sample.

        Args:
            chances: the result of `chances` for this limit and connection.
            limit: allowed share of bad packets, L^G.
            of: number of packets of the connection.
            hits: number of hits in the current sample.
            packets: number of packets in the current sample.
        """
        if packets and hits > self.high * packets:
            return self.law.exceeds_with(min(hits, packets), packets, limit, of)
        return float(self.weights(hits, packets) @ chances)

    def chances(self, limit: float, packets: int) -> Floats:
        """Return P(bad share > limit) of a connection at the rate of each sample in `next`."""
        pairs = zip(self.next.hits.tolist(), self.next.packets.tolist(), strict=True)
        chances = [self.law.exceeds_with(k, n, limit, packets) for k, n in pairs]
        return np.array(chances, dtype=np.float64)

    def weights(self, hits: float, packets: float) -> Floats:
        """Return w_i, normalised to the sum 1, given the counts of the current sample."""
        if not packets or math.isinf(self.width):
            return np.full(len(self.before), 1 / max(len(self.before), 1))
        off = (math.log((min(hits, packets) + 0.5) / (packets + 1)) - self.before) / self.width
        near = np.exp(-0.5 * (off**2 - (off**2).min()))
        shares: Floats = near / near.sum()
        return shares


def forecast(numbers: Sequence[int], samples: Samples) -> Forecast:
    """Return the forecast from samples with these numbers, which show which are consecutive."""
    if not len(samples):
        return Forecast()
    k, n = samples.hits, samples.packets
    least = 0.5 / (float(n.sum()) + 1)
    low, high = float(samples.rates.min()), float(samples.rates.max())
    mean = (float(k.sum()) + 0.5) / (float(n.sum()) + 1)
    law = BetaRate(mean, BetaBinomial.of(samples).rate.size)
    first = np.flatnonzero(np.diff(np.asarray(numbers)) == 1)
    logs = np.log((k + 0.5) / (n + 1))
    if len(first) < _LEAST_PAIRS:
        return Forecast(mean, 0.0, least, low, high, law, logs, samples)
    after = samples.where(first + 1)
    follows = lag_one(samples.rates[first], after.rates)
    alike = lag_one(logs[first], logs[first + 1])
    width = math.sqrt((1 / alike**2 - 1) * float(logs.var(ddof=1))) if alike > 0 else math.inf
    width = max(width, 1e-6)
    return Forecast(mean, follows, least, low, high, law, logs[first], after, width)


def lag_one(before: Floats, after: Floats) -> float:
    """Return the correlation of pairs, from 0 to 1, or 0 if one side is constant."""
    x, y = before - before.mean(), after - after.mean()
    scale = math.sqrt(float(x @ x) * float(y @ y))
    return min(max(float(x @ y) / scale, 0.0), 1.0) if scale > 0 else 0.0
