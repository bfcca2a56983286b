# SPDX-License-Identifier: Apache-2.0
"""What test streams will see next: adjoining samples, and how much one tells of the next.

The mean rate of the next sample is the mean m of all, and of the present deviation from it as much
as there is in the next sample on average:

    E[r_next | r_now] = m + c (r_now - m)

c is the correlation of adjoining samples, never below 0. It is measured on the samples as they are,
chance included: the less a sample tells of the next one, the smaller it is. A level that shifts
makes it large, and the forecast follows. Before a network ever shifted c is that of its chance, so
what is beyond all samples so far is followed in full: r_now is taken at the nearest of them, and
what is left is added.

That a promise breaks is a matter of the tail, which no mean tells. Its chance is the mean over the
samples so far of what the *following* sample says of a connection (beta-binomial,
estimators/rates.py), those that were like the present one counting more:

    w_i = exp(-(log r_now - log r_i)^2 / 2 h^2),    h^2 = (1 / c^2 - 1) variance of log r

Where samples tell nothing of the next one (c = 0) all count alike; the more they tell, the closer
they have to be. Where the present one is above them all, it speaks for itself. Rates vary by
factors, hence logarithms; r is (k + 1/2) / (n + 1). Why not a Beta about the mean forecast: after
one rush its variance held for all quiet times that came after, and a provider that had been right
to stop did not come back.
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
    """The next sample.

    Attributes:
        mean: m, of all samples.
        follows: c of the rates, from 0 to 1.
        least: no mean rate is forecast below this.
        low: the least rate of a sample.
        high: the largest.
        law: how the rate varies from sample to sample, whatever the one before.
        before: log r of the samples that another one follows.
        next: those that follow.
        width: h; infinite where all count alike.
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
        """The mean rate of the next sample, where the present one has these counts."""
        if not packets:
            return self.mean
        now = min(hits / packets, 1.0)
        usual = min(max(now, self.low), self.high)
        return max(self.mean + self.follows * (usual - self.mean) + now - usual, self.least)

    def breaks(self, chances: Floats, limit: float, of: int, hits: float, packets: float) -> float:
        """The chance that a connection of so many packets breaks a promise, after this sample.

        Args:
            chances: of the samples so far, for this limit and connection.
            limit: L^G.
            of: packets of the connection.
            hits: of the present sample.
            packets: of the present sample.
        """
        if packets and hits > self.high * packets:
            return self.law.exceeds_with(min(hits, packets), packets, limit, of)
        return float(self.weights(hits, packets) @ chances)

    def chances(self, limit: float, packets: int) -> Floats:
        """Of each sample in `next`: that a connection at its rate has more than a share bad."""
        pairs = zip(self.next.hits.tolist(), self.next.packets.tolist(), strict=True)
        found = [self.law.exceeds_with(k, n, limit, packets) for k, n in pairs]
        return np.array(found, dtype=np.float64)

    def weights(self, hits: float, packets: float) -> Floats:
        """w_i, where the present sample has these counts; their sum is 1."""
        if not packets or math.isinf(self.width):
            return np.full(len(self.before), 1 / max(len(self.before), 1))
        off = (math.log((min(hits, packets) + 0.5) / (packets + 1)) - self.before) / self.width
        near = np.exp(-0.5 * (off**2 - (off**2).min()))
        shares: Floats = near / near.sum()
        return shares


def forecast(numbers: Sequence[int], samples: Samples) -> Forecast:
    """From samples and their numbers; those that adjoin have numbers that do."""
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
    """The correlation of pairs, from 0 to 1; 0 where one of them does not vary."""
    x, y = before - before.mean(), after - after.mean()
    scale = math.sqrt(float(x @ x) * float(y @ y))
    return min(max(float(x @ y) / scale, 0.0), 1.0) if scale > 0 else 0.0
