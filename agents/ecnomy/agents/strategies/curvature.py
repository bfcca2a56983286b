# SPDX-License-Identifier: Apache-2.0
"""Estimates how fast the slope of a profit falls with the log price, by least squares.

At log price x, a round measures the slope s = c (best - x) + noise. With sums and means over all
rounds,

    c  =  (sum (x - mean x) (mean s - s) + w) / (sum (x - mean x)^2 + w)         w = v / 3^2

v is the variance of the noise: the mean of the rounds' estimates, or the residual variance of the
regression if it is smaller (from the third round). Lai and Robbins 1979 (Adaptive design and
stochastic approximation, Annals of Statistics 7) choose their steps by this regression and bound c,
as this module does with 0.2 and 20. The term w represents a prior, c = 1 with a standard deviation
of 3 (ridge regression). It keeps noise from dominating c while prices have hardly moved.
"""

from __future__ import annotations

from typing import Final

__all__ = ["LEAST", "Curvature"]

LEAST: Final = 0.2
MOST: Final = 20.0
GUESS: Final = 1.0
SPREAD: Final = 3.0  # standard deviation of the prior


class Curvature:
    """A recursive estimate of c.

    Attributes:
        value: estimate of c; 1 until two rounds are known.
        noise: v, the estimated variance of the noise in a slope.
    """

    def __init__(self) -> None:
        self.value, self.noise = GUESS, 0.0
        self._rounds, self._guessed = 0, 0.0
        self._x = self._s = self._xx = self._xs = self._ss = 0.0  # means and central sums

    def learn(self, log_price: float, slope: float, noise: float) -> None:
        """Add one round; `noise` is the variance of its slope, estimated from the trials."""
        self._rounds += 1
        off, off_s = log_price - self._x, slope - self._s
        self._x += off / self._rounds
        self._s += off_s / self._rounds
        self._xx += off * (log_price - self._x)
        self._xs += off * (slope - self._s)
        self._ss += off_s * (slope - self._s)
        self._guessed += (noise - self._guessed) / self._rounds
        self.noise = self._guessed
        if self._rounds > 2 and self._xx > 0:
            left = max(self._ss - self._xs**2 / self._xx, 0.0)
            self.noise = min(left / (self._rounds - 2), self._guessed)
        weight = self.noise / SPREAD**2
        if self._xx + weight > 0 and self._rounds > 1:
            estimate = (weight * GUESS - self._xs) / (self._xx + weight)
            self.value = min(max(estimate, LEAST), MOST)
