# SPDX-License-Identifier: Apache-2.0
"""Users who anticipate prices: the Nash equilibrium of proportional allocation on one link.

User i bids w_i (money/s) for a link of capacity C and gets x_i = C w_i / sum w. The price of a unit
of rate is rho = sum w / C. Users who take rho as given reach the optimum. Users who anticipate the
effect of their bids on rho maximise U_i(x_i) - w_i at

    (1 - x_i / C) U_i'(x_i) = rho      if x_i > 0,      U_i'(0) <= rho  else               (1)

With increasing concave utilities, the equilibrium is unique. It maximises the sum of (1 - x/C) U(x)
+ (1/C) integral_0^x U subject to sum x = C. The derivatives of this sum are the left sides of (1).
If U(0) >= 0, the equilibrium has at least 3/4 of the optimum's utility. The share approaches 3/4
with one user of utility x and more and more users of utility x/2. Sources: Johari, Tsitsiklis 2004,
Theorems 2 and 3; Kelly 1997 (the mechanism).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.errors import InputError

__all__ = ["NASH_BOUND", "Concave", "LinearUtility", "NashEquilibrium", "nash_equilibrium"]

NASH_BOUND: Final = 0.75  # least share of the optimum's utility, if U(0) >= 0
_HALVINGS: Final = 64  # more halvings than a double has binary digits


class Concave(Protocol):
    """Concave utilities of users, with one column per user; `theory.FlowUtility` is an example."""

    def value(self, rates: Floats) -> Floats:
        """Return U(x), user by user."""

    def marginal(self, rates: Floats) -> Floats:
        """Return U'(x), which is positive and not increasing."""


class LinearUtility(msgspec.Struct, frozen=True):
    """The utility slope * x, as in the worst case of the bound."""

    slope: float | Floats

    def __post_init__(self) -> None:
        slopes = np.asarray(self.slope, dtype=np.float64)
        if not (np.isfinite(slopes) & (slopes > 0)).all():
            raise InputError(f"slope: found {self.slope}, expected finite numbers above 0")

    def value(self, rates: Floats) -> Floats:
        """See Concave."""
        return np.asarray(self.slope * rates, dtype=np.float64)

    def marginal(self, rates: Floats) -> Floats:
        """See Concave."""
        return np.asarray(self.slope * np.ones_like(rates), dtype=np.float64)


class NashEquilibrium(msgspec.Struct, frozen=True, eq=False):
    """The allocation among users who anticipate prices, and the optimum.

    Rates are in the unit of the capacity, bids in money/s, and prices in money/s per unit of rate.
    """

    rates: Floats  # (users,)
    bids: Floats  # (users,)
    price: float
    utility: float
    optimum_rates: Floats  # (users,); one of the optima if there are several
    optimum_price: float
    optimum: float  # utility of the optimum

    @property
    def ratio(self) -> float:
        """The utility divided by the optimum's utility; NaN if the latter is not above 0."""
        return self.utility / self.optimum if self.optimum > 0 else float("nan")


def nash_equilibrium(utility: Concave, users: int, capacity: float) -> NashEquilibrium:
    """Solve (1) with sum x = C for the equilibrium, and U_i'(x_i) = price for the optimum.

    Args:
        utility: the utility of all users; array parameters have shape (users,).
        users: the number of users, at least two because a single bidder has no best bid.
        capacity: C, in any unit of rate.

    Raises:
        InputError: an argument is out of range, or a utility does not keep increasing up to the
            equal share C/users.
    """
    if users < 2 or not (np.isfinite(capacity) and capacity > 0):
        found = f"{users} users and the capacity {capacity:g}"
        raise InputError(f"found {found}, expected two or more users and a capacity above 0")
    equal = np.full(users, capacity / users)
    if not (np.asarray(utility.marginal(equal)) > 0).all():
        raise InputError("a utility does not grow up to an equal share of the link")

    def anticipating(rates: Floats) -> Floats:
        return (1 - rates / capacity) * utility.marginal(rates)

    rates, price = _divided(anticipating, users, capacity)
    best, best_price = _divided(utility.marginal, users, capacity)
    return NashEquilibrium(
        rates=rates,
        bids=price * rates,
        price=price,
        utility=float(np.sum(utility.value(rates))),
        optimum_rates=best,
        optimum_price=best_price,
        optimum=float(np.sum(utility.value(best))),
    )


def _divided(
    slope: Callable[[Floats], Floats], users: int, capacity: float
) -> tuple[Floats, float]:
    """Return rates that sum to the capacity, and their common slope, the price.

    The slope of a user with rate 0 may be below the price. The smallest and largest slopes at equal
    rates bound the price. With constant slopes, rates jump at a price, and the users whose rates
    jump share the remaining capacity.
    """
    equal = slope(np.full(users, capacity / users))
    low, high = float(equal.min()), float(equal.max())
    for _ in range(_HALVINGS):
        price = (low + high) / 2
        if _demand(slope, price, users, capacity).sum() > capacity:
            low = price
        else:
            high = price
    least, most = (_demand(slope, price, users, capacity) for price in (high, low))
    jump = most - least
    left = capacity - least.sum()
    share = left / jump.sum() if jump.sum() > 0 else 0.0
    rates = least + share * jump
    return np.asarray(rates * (capacity / rates.sum()), dtype=np.float64), (low + high) / 2


def _demand(slope: Callable[[Floats], Floats], price: float, users: int, capacity: float) -> Floats:
    """Return each user's largest rate, up to the capacity, at which slope >= price."""
    low, high = np.zeros(users), np.full(users, float(capacity))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        enough = slope(middle) >= price
        low, high = np.where(enough, middle, low), np.where(enough, high, middle)
    return low
