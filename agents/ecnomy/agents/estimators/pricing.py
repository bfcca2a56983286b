# SPDX-License-Identifier: Apache-2.0
"""The expected cost of a guaranteed connection, and the price V that earns a margin.

Andreassen 2002, 4.2: P = V (1 - p) - R p - mu, with R paid beside giving up V. Where R_e is what
is paid back in all, R_e = R + V and

    P = V - R_e p - mu - h          V = P + R_e p + mu + h
    P = V (1 - p) - R p - mu - h    V = (P + R p + mu + h) / (1 - p)     V is given up (`forgone`)

P mean profit of a connection, p the chance that its promise breaks, mu the mean cost of its marks,
h what test streams cost for each connection sold. A tariff that reimburses the price has R_e = V,
which is the second line with R = 0.
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
    """V, in the unit of the amounts given.

    Args:
        margin: P, the mean profit of a connection that is asked for.
        reimbursement: R_e, what is paid back in all; with `forgone` R, what is paid beside V.
        broken: p, the chance of that, from 0 to 1.
        cost: mu, of the marks of a connection.
        probing: h, of test streams, for each connection sold.
        forgone: the customer gets V back too; a tariff that reimburses the price has R = 0.

    Returns:
        The price; infinite with `forgone` and p = 1, where no price earns anything.
    """
    wanted = margin + reimbursement * broken + cost + probing
    if not forgone:
        return wanted
    return wanted / (1 - broken) if broken < 1 else math.inf


class Estimate(msgspec.Struct, frozen=True):
    """Expectations for the admitted connections.

    Attributes:
        threshold: beta, the marking rate of the test streams above which connections are blocked.
        marking_rate: of a connection that is let in.
        marks: of one, mu in marks.
        broken: p, the chance that its promise breaks.
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
    """Threshold, cost and chance of a reimbursement, from samples of M and of L.

    p is that of the samples whose M is at most the threshold; of all where there is none.

    Args:
        kind: `beta-binomial`, `beta` or `empirical`.
        marked: samples of M.
        bad: of L, each of the same time as that of M (or of the time after it).
        blocked: B^G, the share of connections that may be blocked.
        limit: L^G, the share of bad packets that a connection may have.
        packets: of a connection, on average.

    Raises:
        KeyError: no such estimator.
        ValueError: not as many samples of L as of M.
    """
    if len(marked) != len(bad):
        raise ValueError(f"found {len(bad)} samples of L, expected {len(marked)} as of M")
    fit = estimator_named(kind, marked)
    threshold = fit.threshold(blocked)
    rate = fit.mean_below(threshold)
    accepted = marked.rates <= threshold
    kept = bad.where(accepted) if np.any(accepted) else bad
    broken = estimator_named(kind, kept).broken(limit, round(packets))
    return Estimate(threshold, rate, rate * packets, broken)
