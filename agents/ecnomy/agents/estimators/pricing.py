# SPDX-License-Identifier: Apache-2.0
"""The expected cost of a guaranteed connection, and the price V that earns a margin.

Andreassen 2002, 4.2: P = V (1 - p) - R p - mu, where the provider pays R in addition to returning
V. The total refund is R_e = R + V, and

    P = V - R_e p - mu - h          V = P + R_e p + mu + h
    P = V (1 - p) - R p - mu - h    V = (P + R p + mu + h) / (1 - p)     V is returned (`forgone`)

P is the mean profit of a connection, p the probability that its promise is broken, mu the mean cost
of its marks, and h the cost of test streams per connection sold. A tariff that refunds the price
has R_e = V, which gives the second line with R = 0.
"""

from __future__ import annotations

import math

import msgspec
import numpy as np

from ecnomy.agents.estimators.kinds import estimator_named
from ecnomy.agents.estimators.samples import Samples

__all__ = ["Estimate", "estimate", "price"]


def price(
    margin: float,
    reimbursement: float,
    broken: float,
    cost: float,
    probing: float = 0.0,
    *,
    forgone: bool = False,
) -> float:
    """Return the price V that earns a margin, in the unit of the amounts.

    Args:
        margin: P, the target mean profit of a connection.
        reimbursement: R_e, the total refund; with `forgone`, R, the refund in addition to V.
        broken: p, the probability of a refund, from 0 to 1.
        cost: mu, the cost of a connection's marks.
        probing: h, the cost of test streams per connection sold.
        forgone: whether the customer also gets V back; a tariff that refunds the price has R = 0.

    Returns:
        The price. With `forgone` and p = 1, it is infinite, because every customer gets the full
        price back.
    """
    wanted = margin + reimbursement * broken + cost + probing
    if not forgone:
        return wanted
    return wanted / (1 - broken) if broken < 1 else math.inf


class Estimate(msgspec.Struct, frozen=True):
    """The blocking threshold, and expected values for admitted connections.

    Attributes:
        threshold: beta, the marking rate of the test streams above which connections are blocked.
        marking_rate: marking rate of an admitted connection.
        marks: mean number of marks of an admitted connection, mu.
        broken: probability of a broken promise, p.
    """

    threshold: float
    marking_rate: float
    marks: float
    broken: float


def estimate(
    kind: str,
    marked: Samples,
    bad: Samples,
    *,
    blocked: float,
    limit: float,
    packets: float,
) -> Estimate:
    """Estimate the threshold, the cost and the probability of a refund from samples of M and L.

    p is estimated from the samples whose M is at most the threshold, or from all samples if every M
    is larger.

    Args:
        kind: `beta-binomial`, `beta` or `empirical`.
        marked: samples of M.
        bad: samples of L, each over the same period as the sample of M (or the period after it).
        blocked: B^G, the allowed share of blocked connections.
        limit: L^G, the allowed share of bad packets in a connection.
        packets: mean number of packets of a connection.

    Raises:
        KeyError: the estimator does not exist.
        ValueError: the numbers of samples of L and M differ.
    """
    if len(marked) != len(bad):
        raise ValueError(
            f"found {len(bad)} samples of L and {len(marked)} of M, expected equal numbers"
        )
    fit = estimator_named(kind, marked)
    threshold = fit.threshold(blocked)
    rate = fit.mean_below(threshold)
    accepted = marked.rates <= threshold
    kept = bad.where(accepted) if np.any(accepted) else bad
    broken = estimator_named(kind, kept).broken(limit, round(packets))
    return Estimate(threshold, rate, rate * packets, broken)
