# SPDX-License-Identifier: Apache-2.0
"""What test streams will see next, from what they see now: adjoining samples, shrunk to their mean.

    E[r_next | r_now] = m + c (r_now - m)

m is the mean rate of all samples (half a hit added, so that what was never seen is not impossible;
without samples the next one is what is seen now), c the correlation of adjoining samples, never
below 0. That c is measured on the samples as they are, chance included: the less a sample tells of
the next one, the smaller it is. A level that shifts makes it large, and the forecast follows.

The next rate varies about its forecast as a Beta does, with the correlation rho of two packets that
is left: the variance of the rate behind the samples (analysis of variance, estimators/kinds.py)
less what the forecast explains, c^2 times the variance of the samples.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from ecnomy.agents.estimators import BetaBinomial, BetaRate, Samples

__all__ = ["Forecast", "forecast", "lag_one"]


class Forecast(msgspec.Struct, frozen=True):
    """The rate of the next sample.

    Attributes:
        mean: m, of all samples.
        follows: c, how much of a deviation is there in the next sample, from 0 to 1.
        rho: correlation of two packets of the next sample, given the present one.
        least: no forecast is below this.
    """

    mean: float
    follows: float
    rho: float
    least: float

    def at(self, now: float) -> float:
        """The mean rate of the next sample where the present one is `now`."""
        said = self.mean + self.follows * (min(now, 1.0) - self.mean)
        return max(said, self.least)

    def rate(self, now: float) -> BetaRate:
        """The distribution of the next rate."""
        return BetaRate.of_correlation(self.at(now), self.rho)


def forecast(numbers: Sequence[int], samples: Samples) -> Forecast:
    """From samples and their numbers; those that adjoin have numbers that do."""
    if not len(samples):
        return Forecast(0.0, 1.0, 0.0, 0.0)
    total = float(samples.packets.sum())
    least = 0.5 / (total + 1)
    mean = (float(samples.hits.sum()) + 0.5) / (total + 1)
    rates = samples.rates
    follows = min(max(lag_one(numbers, rates.tolist()), 0.0), 1.0)
    behind = BetaBinomial.of(samples).rate
    explained = follows**2 * float(rates.var(ddof=1)) if len(samples) > 1 else 0.0
    left = max(behind.variance - explained, 0.0)
    room = mean * (1 - mean)
    return Forecast(mean, follows, min(left / room, 1.0) if room > 0 else 0.0, least)


def lag_one(numbers: Sequence[int], rates: Sequence[float]) -> float:
    """The correlation of adjoining samples; 0 for fewer than three pairs or where none vary."""
    rows = list(zip(numbers, rates, strict=True))
    pairs = [
        (before[1], after[1])
        for before, after in zip(rows, rows[1:], strict=False)
        if after[0] == before[0] + 1
    ]
    if len(pairs) < 3:
        return 0.0
    before, after = np.array(pairs).T
    x, y = before - before.mean(), after - after.mean()
    scale = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / scale if scale > 0 else 0.0
