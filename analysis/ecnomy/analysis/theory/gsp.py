# SPDX-License-Identifier: Apache-2.0
"""The charge of a guaranteed stream provider (GSP), and its blocking threshold.

    P = V (1 - p) - R p - mu,  so that  V = (P + R p + mu) / (1 - p)

V is the charge of a connection, P the mean profit and R the reimbursement. For accepted
connections, p is the probability of a broken guarantee and mu the mean cost of marks. Marking rates
M have a Beta distribution. The provider blocks requests while M exceeds the (1 - B) quantile of M,
and so blocks a share B of the requests. Source: Andreassen 2002, section 4.2. The moment estimators
are our choice, because the paper refers to another source for its estimators. Providers in runs use
the same formulas (ecnomy.agents.estimators), to which this module adds checks of arguments.
"""

from __future__ import annotations

import msgspec

from ecnomy.agents.errors import InputError
from ecnomy.agents.estimators import beta, price

__all__ = ["BetaMarking", "guaranteed_charge"]


def guaranteed_charge(profit: float, reimbursement: float, broken: float, cost: float) -> float:
    """Return V = (P + R p + mu) / (1 - p); all amounts are money per connection.

    Args:
        profit: P, the target mean profit.
        reimbursement: R, paid for a broken guarantee, in addition to the loss of V.
        broken: p, in [0, 1).
        cost: mu, the mean cost of the marks of an accepted connection.

    Raises:
        InputError: p is outside [0, 1).
    """
    if not 0 <= broken < 1:
        raise InputError(f"the chance of a broken guarantee must lie in [0, 1), got {broken}")
    return price(profit, reimbursement, broken, cost, forgone=True)


class BetaMarking(msgspec.Struct, frozen=True):
    """The distribution Beta(a, b) of the marking rates M of test streams."""

    a: float
    b: float

    def __post_init__(self) -> None:
        if not (self.a > 0 and self.b > 0):
            raise InputError(
                f"both parameters of a beta distribution must be positive, got {self.a} and "
                f"{self.b}"
            )

    @classmethod
    def of_moments(cls, mean: float, variance: float) -> BetaMarking:
        """Return Beta(a, b): a = m (m (1 - m) / v - 1), b = (1 - m) (m (1 - m) / v - 1).

        Raises:
            InputError: no Beta has this mean and variance.
        """
        if not (0 < mean < 1 and 0 < variance < mean * (1 - mean)):
            raise InputError(
                f"no beta distribution has the mean {mean} and the variance {variance}"
            )
        return cls(*beta.of_moments(mean, variance))

    def blocking_threshold(self, blocked: float) -> float:
        """Return the threshold beta, which M exceeds with the probability B = `blocked` in (0, 1).

        Raises:
            InputError: B is outside (0, 1).
        """
        if not 0 < blocked < 1:
            raise InputError(f"the blocked share must lie in (0, 1), got {blocked}")
        return beta.upper_quantile(self.a, self.b, blocked)

    def accepted_mean(self, threshold: float) -> float:
        """Return E[M | M <= threshold] = m I_t(a + 1, b) / I_t(a, b).

        Raises:
            InputError: the threshold is outside (0, 1].
        """
        if not 0 < threshold <= 1:
            raise InputError(f"the threshold must lie in (0, 1], got {threshold}")
        return beta.mean_below(self.a, self.b, threshold)
