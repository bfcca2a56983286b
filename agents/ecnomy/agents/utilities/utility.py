# SPDX-License-Identifier: Apache-2.0
"""The utility of a rate, and the base class of custom utilities. find.py lists built-in kinds.

Utilities are functions of r = x / x0, with x the goodput of a flow and x0 a reference rate (both
bit/s of IP packets), because x0 may differ between flows. Prices p are money/s per x0: p = lambda
x0, where lambda is the price per bit [money]. `AtRate` uses bit/s and money/bit.

    value(r)    U           money/s
    slope(r)    dU/dr       money/s; U'(x) is this divided by x0, money/bit
    worth(r)    r dU/dr     money/s; it is x U'(x), the payment of a user whose best rate is r
    inverse(p)  r with dU/dr = p, on the concave part; NaN if it does not exist
    demand(p)   the best r at the price p: argmax U(r) - p r; the smallest of several

If U is concave, demand equals inverse, and is 0 if the first bit is not worth its price. Otherwise
demand jumps to 0 at some price (see inelastic.py). At p = 0, demand is the smallest rate at which U
saturates, or infinite if U never saturates.

A `delay_cost` k reduces the value of each bit by k times its round-trip time d, so the user gets
U(x) - k d x. For a user who takes d as given, the best rate has U'(x) = lambda + k d, the full
price per bit (Acemoglu, Ozdaglar 2007). The formulas above are for U alone.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Annotated, Final, Protocol

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.parameters import Refused, Unit, positive

__all__ = ["STEEPEST", "AtRate", "RateUtility", "Utility", "delay_cost_of"]

STEEPEST: Final = 20.0
_GRID: Final = np.geomspace(1e-3, 1e3, 1201)
_NEAR: Final = 1e-4  # relative step of r for differences
_LEAST: Final = 1e-9  # smallest r for slopes


class Utility(Protocol):
    """A utility of r = x / x0, with methods that map columns to columns."""

    @property
    def x0(self) -> float | None:
        """The reference rate [bit/s]; None for the largest rate of the flow's traffic."""

    @property
    def concave(self) -> bool:
        """Whether each additional bit is worth at most as much as the previous one."""

    @property
    def curvature(self) -> float:
        """The largest relative curvature -x U''/U' at any rate, possibly infinite."""

    @property
    def needs_x0(self) -> bool:
        """Whether x U'(x) depends on x0."""

    def value(self, r: Floats) -> Floats:
        """Return U(r) [money/s]."""

    def slope(self, r: Floats) -> Floats:
        """Return dU/dr [money/s]. U'(x) is this slope divided by x0."""

    def worth(self, r: Floats) -> Floats:
        """Return x U'(x) = r dU/dr, the charge at which x is the best rate [money/s]."""

    def curvature_at(self, r: Floats) -> Floats:
        """Return -r U''/U' at r, infinite if U' is 0."""

    def inverse(self, p: Floats) -> Floats:
        """Return the r with dU/dr = p [money/s] on the concave part, or NaN without such an r."""

    def demand(self, p: Floats) -> Floats:
        """Return the r >= 0 that maximises U(r) - p r, with p in money/s per x0."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class RateUtility:
    """Holds the amount `a` and x0, and computes results numerically from `value` and `slope`.

    A custom utility is a frozen, kw_only dataclass that extends this class and defines `value` and
    `slope`. It may override other methods with closed forms. The numerical search scans r from 1e-3
    to 1e3 in steps of 1 % and refines the best value, so it may miss a narrower peak.

    Attributes:
        a: the scale of the utility [money/s]; twice the scale makes each rate worth twice as much.
        x0: the reference rate [bit/s], the unit of rates in the formula; by default the traffic's
            largest rate.
        delay_cost: the user's cost of a second of round-trip time, per MB of IP packets.
    """

    a: Annotated[float, Unit("money/s")]
    x0: Annotated[float | None, Unit("bit/s")] = None
    delay_cost: Annotated[float, Unit("money/MB")] = 0.0

    def __post_init__(self) -> None:
        positive("a", self.a, "money/s")
        if self.x0 is not None:
            positive("x0", self.x0, "bit/s")
        if not 0 <= self.delay_cost < math.inf:
            raise Refused(
                "delay_cost", f"{self.delay_cost:g} money/MB", "a finite cost of 0 or more"
            )

    @property
    def needs_x0(self) -> bool:
        """See Utility."""
        return True

    @property
    def concave(self) -> bool:
        """See Utility."""
        slopes = self.slope(_GRID)
        return bool(np.all(np.diff(slopes) <= 1e-9 * np.abs(slopes[:-1])))

    @property
    def curvature(self) -> float:
        """See Utility. Beyond STEEPEST, the curvature counts as infinite."""
        largest = float(np.max(self.curvature_at(_GRID)))
        return largest if largest <= STEEPEST else np.inf

    def value(self, r: Floats) -> Floats:
        """See Utility."""
        raise NotImplementedError(f"{type(self).__name__} does not define 'value'")

    def slope(self, r: Floats) -> Floats:
        """See Utility."""
        raise NotImplementedError(f"{type(self).__name__} does not define 'slope'")

    def worth(self, r: Floats) -> Floats:
        """See Utility."""
        return r * self.slope(r)

    def curvature_at(self, r: Floats) -> Floats:
        """See Utility."""
        slope = np.asarray(self.slope(r), dtype=np.float64)
        change = self.slope(r * (1 + _NEAR)) - self.slope(r * (1 - _NEAR))
        sated = np.full_like(slope, np.inf)
        return np.divide(-change / (2 * _NEAR), slope, out=sated, where=slope > 0)

    def inverse(self, p: Floats) -> Floats:
        """See Utility. Bisection finds the inverse, which is NaN if the utility is not concave."""
        p = np.asarray(p, dtype=np.float64)
        if not self.concave:
            return np.full_like(p, np.nan)
        low, high = np.full_like(p, np.log(_LEAST)), np.full_like(p, -np.log(_LEAST))
        there = (self.slope(np.exp(low)) >= p) & (self.slope(np.exp(high)) <= p)
        for _ in range(70):
            middle = (low + high) / 2
            steep = self.slope(np.exp(middle)) > p
            low, high = np.where(steep, middle, low), np.where(steep, high, middle)
        return np.where(there, np.exp(high), np.nan)

    def demand(self, p: Floats) -> Floats:
        """See Utility. A numerical search finds the demand, up to r = 1000."""
        p = np.asarray(p, dtype=np.float64)
        gains = self.value(_GRID) - np.multiply.outer(p, _GRID)
        at = np.argmax(gains, axis=-1)
        low, high = _GRID[np.maximum(at - 1, 0)], _GRID[np.minimum(at + 1, len(_GRID) - 1)]
        for _ in range(80):
            left, right = low + (high - low) / 3, high - (high - low) / 3
            rising = self.value(left) - p * left < self.value(right) - p * right
            low, high = np.where(rising, left, low), np.where(rising, high, right)
        best = (low + high) / 2
        with np.errstate(divide="ignore"):
            nothing = self.value(np.zeros_like(p))
        return np.where(self.value(best) - p * best > nothing, best, 0.0)


def delay_cost_of(utility: Utility) -> float:
    """Return the cost [money] of a second of round-trip time per MB of IP packets, 0 by default."""
    return float(getattr(utility, "delay_cost", 0.0))


class AtRate:
    """A utility as a function of the rate in bit/s, for one x0.

    Args:
        utility: a utility of r.
        x0_bps: the reference rate; by default the utility's x0.

    Raises:
        Refused: x0 is missing, or not above 0.
    """

    def __init__(self, utility: Utility, x0_bps: float | None = None) -> None:
        given = utility.x0 if x0_bps is None else x0_bps
        if given is None:
            raise Refused("x0", "no 'x0'", "a rate such as 1 Mbps")
        positive("x0", given, "bit/s")
        self.utility, self.x0_bps = utility, given

    def value(self, rate_bps: Floats) -> Floats:
        """Return U(x) [money/s]."""
        return self.utility.value(np.asarray(rate_bps) / self.x0_bps)

    def slope(self, rate_bps: Floats) -> Floats:
        """Return U'(x) [money/bit]."""
        return self.utility.slope(np.asarray(rate_bps) / self.x0_bps) / self.x0_bps

    def inverse(self, money_per_bit: Floats) -> Floats:
        """Return the rate [bit/s] with this U', or NaN if it does not exist."""
        return self.utility.inverse(np.asarray(money_per_bit) * self.x0_bps) * self.x0_bps

    def demand(self, money_per_bit: Floats) -> Floats:
        """Return the best rate [bit/s] at a price: argmax U(x) - price x."""
        return self.utility.demand(np.asarray(money_per_bit) * self.x0_bps) * self.x0_bps
