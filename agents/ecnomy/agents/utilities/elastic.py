# SPDX-License-Identifier: Apache-2.0
"""Elastic utilities, which are concave: no bit is worth more than the previous one.

With r = x / x0 (see utility.py):

    kind        U [money/s]                        x U'(x)             R = -x U'' / U'
    log         a log(1 + r)                       a r / (1 + r)       r / (1 + r), below 1
    alpha-fair  a r^(1 - alpha) / (1 - alpha)      a r^(1 - alpha)     alpha
                a log(r) for alpha = 1
    sqrt        a sqrt(r)                          a sqrt(r) / 2       1/2
    quadratic   a (1 - (1 - r)^2), a from r = 1    2 a r (1 - r)       r / (1 - r), without limit
    target      a (1 + log r),     a from r = 1    a; 0 from r = 1     1; infinite from r = 1

`a` is in money per second. For a user who pays lambda per unit of rate, the best rate has U'(x) =
lambda. At this rate, the payment lambda x equals x U'(x). Sources: Antoniadis et al. 2000, 2.2;
Siris 2002, 2; Kelly, Maulloo, Tan 1998; Mo and Walrand 2000 for alpha-fair utilities; Athuraliya
and Low 2000, I-B for the quadratic utility.
"""

from __future__ import annotations

import dataclasses
from typing import Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.observation import column
from ecnomy.agents.parameters import Refused
from ecnomy.agents.utilities.utility import RateUtility

__all__ = ["AlphaFair", "Log", "Quadratic", "Sqrt", "Target"]

_ONE: Final = column(1.0)
_LARGEST_ALPHA: Final = 100.0  # keeps r^(1 - alpha) finite for r in [1e-3, 1e3]


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Concave(RateUtility):
    """Elastic utilities, whose demand is the inverse of dU/dr."""

    @property
    def concave(self) -> bool:
        """Always True."""
        return True

    def demand(self, p: Floats) -> Floats:
        """See Utility."""
        return self.inverse(p)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Log(_Concave):
    """U = a log(1 + x/x0): elastic, with zero demand at high prices.

    Demand is 0 if a bit costs more than a / x0. Source: a log x of Kelly, Maulloo, Tan 1998 (Siris
    2002, 2), shifted so that U(0) is 0 and not minus infinity.
    """

    @property
    def curvature(self) -> float:
        """1, the limit of the curvature at high rates."""
        return 1.0

    def value(self, r: Floats) -> Floats:
        """See Utility."""
        return self.a * np.log1p(r)

    def slope(self, r: Floats) -> Floats:
        """See Utility."""
        return self.a / (1.0 + r)

    def worth(self, r: Floats) -> Floats:
        """See Utility."""
        return self.a * r / (_ONE + r)

    def inverse(self, p: Floats) -> Floats:
        """Return r = a / p - 1, for p up to a."""
        with np.errstate(divide="ignore"):
            r = np.divide(self.a, p) - 1.0
        return np.where(r >= 0, r, np.nan)

    def demand(self, p: Floats) -> Floats:
        """Return a / p - 1, and 0 beyond p = a."""
        with np.errstate(divide="ignore"):
            return np.maximum(np.divide(self.a, p) - 1.0, 0.0)


@dataclasses.dataclass(frozen=True, kw_only=True)
class AlphaFair(_Concave):
    """U = a r^(1-alpha) / (1-alpha), or a log(r) for alpha 1; alpha 2 is similar to TCP.

    With alpha 0, each bit is worth the same, a / x0: demand is unlimited below this price, and 0
    from this price on. Max-min fairness is the limit of large alpha. At alpha 100, rates at prices
    of 1 : 2 differ by a factor of 2^(1/alpha), or 0.7 %. A price taker never reaches max-min
    fairness itself: with an infinite alpha, it would buy x0 at any price. Source: Mo, Walrand 2000.

    Attributes:
        alpha: the relative curvature [from 0 to 100].
    """

    alpha: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.alpha <= _LARGEST_ALPHA:
            raise Refused("alpha", f"{self.alpha:g}", f"from 0 to {_LARGEST_ALPHA:g}")

    @property
    def curvature(self) -> float:
        """Alpha at any rate."""
        return self.alpha

    @property
    def needs_x0(self) -> bool:
        """Whether x0 is needed: always, except with alpha 1.

        With alpha 1, a log(x) gives a constant charge of a, in any unit of rate.
        """
        return self.alpha != 1.0

    def value(self, r: Floats) -> Floats:
        """See Utility."""
        if self.alpha == 1.0:
            return self.a * np.log(r)
        return self.a * np.power(r, 1.0 - self.alpha) / (1.0 - self.alpha)

    def slope(self, r: Floats) -> Floats:
        """See Utility."""
        return self.a * np.power(r, -self.alpha)

    def worth(self, r: Floats) -> Floats:
        """See Utility."""
        return self.a * np.power(r, 1.0 - self.alpha)

    def curvature_at(self, r: Floats) -> Floats:
        """Return alpha."""
        return np.full_like(np.asarray(r, dtype=np.float64), self.alpha)

    def inverse(self, p: Floats) -> Floats:
        """Return r = (a / p)^(1/alpha); NaN with alpha 0."""
        if self.alpha == 0.0:
            return np.full_like(np.asarray(p, dtype=np.float64), np.nan)
        with np.errstate(divide="ignore"):
            return np.power(np.divide(self.a, p), 1.0 / self.alpha)

    def demand(self, p: Floats) -> Floats:
        """Return the inverse; with alpha 0, infinity below p = a, and 0 from p = a on."""
        if self.alpha == 0.0:
            return np.where(np.asarray(p) < self.a, np.inf, 0.0)
        return self.inverse(p)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Sqrt(_Concave):
    """U = a sqrt(x/x0): the charge falls as the price of a rate rises.

    This is half the alpha-fair utility with alpha 1/2 and the same a. Source: Mo, Walrand 2000.
    """

    @property
    def curvature(self) -> float:
        """One half at any rate."""
        return 0.5

    def value(self, r: Floats) -> Floats:
        """See Utility."""
        return self.a * np.sqrt(r)

    def slope(self, r: Floats) -> Floats:
        """See Utility."""
        return 0.5 * self.a / np.sqrt(r)

    def worth(self, r: Floats) -> Floats:
        """See Utility."""
        return 0.5 * self.a * np.sqrt(r)

    def inverse(self, p: Floats) -> Floats:
        """Return r = (a / 2 p)^2."""
        with np.errstate(divide="ignore"):
            return np.square(np.divide(0.5 * self.a, p))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Quadratic(_Concave):
    """U = a (1 - (1 - r)^2) up to x0, where it saturates; demand is linear in the price.

    Apart from the constant a, U is -(M - x)^2 / (2 w) of Athuraliya, Low 2000, section I-B, with
    the ceiling M = x0 and w = x0^2 / (2 a).
    """

    @property
    def curvature(self) -> float:
        """Infinite, because the curvature grows without limit towards x0."""
        return np.inf

    def value(self, r: Floats) -> Floats:
        """See Utility."""
        return self.a * (1.0 - np.square(np.maximum(1.0 - r, 0.0)))

    def slope(self, r: Floats) -> Floats:
        """See Utility."""
        return 2.0 * self.a * np.maximum(1.0 - r, 0.0)

    def curvature_at(self, r: Floats) -> Floats:
        """Return r / (1 - r), infinite from r = 1."""
        with np.errstate(divide="ignore"):
            return np.where(r < 1.0, np.divide(r, np.maximum(1.0 - r, 0.0)), np.inf)

    def inverse(self, p: Floats) -> Floats:
        """Return r = 1 - p / (2 a), for p up to 2 a."""
        r = 1.0 - np.divide(p, 2.0 * self.a)
        return np.where(r >= 0, r, np.nan)

    def demand(self, p: Floats) -> Floats:
        """Return 1 - p / 2 a, and 0 beyond p = 2 a."""
        return np.maximum(1.0 - np.divide(p, 2.0 * self.a), 0.0)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Target(_Concave):
    """Buys the rate x0 while it costs less than `a`, otherwise the rate that costs exactly `a`.

    Antoniadis et al. 2000, 2.2, give a strategy with constant throughput while the charge is below
    a threshold, and a lower rate at the threshold. This strategy is the best reply for the utility
    U = a (1 + log r) up to x0 and a beyond, with the demand min(x0, a / price). U(0) is minus
    infinity, so this user never gives up. For a user who gives up, see `step`.
    """

    @property
    def curvature(self) -> float:
        """Infinite, because the utility has a kink at x0."""
        return np.inf

    def value(self, r: Floats) -> Floats:
        """See Utility."""
        return self.a * (1.0 + np.log(np.minimum(r, 1.0)))

    def slope(self, r: Floats) -> Floats:
        """See Utility. The slope is 0 from x0 on."""
        return np.where(r < 1.0, np.divide(self.a, r), 0.0)

    def curvature_at(self, r: Floats) -> Floats:
        """Return 1 below x0, and infinity from x0 on."""
        return np.where(r < 1.0, 1.0, np.inf)

    def inverse(self, p: Floats) -> Floats:
        """Return r = a / p, for p above a."""
        with np.errstate(divide="ignore"):
            r = np.divide(self.a, p)
        return np.where(r < 1.0, r, np.nan)

    def demand(self, p: Floats) -> Floats:
        """Return a / p, at most 1."""
        with np.errstate(divide="ignore"):
            return np.minimum(np.divide(self.a, p), 1.0)
