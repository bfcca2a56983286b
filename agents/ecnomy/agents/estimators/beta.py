# SPDX-License-Identifier: Apache-2.0
"""The Beta distribution of a marking rate M, as assumed in Andreassen 2002, 4.2.

    a = m (m (1 - m) / v - 1),  b = (1 - m) (m (1 - m) / v - 1)      from mean m and variance v
    beta = I^-1_{1-B}(a, b)                                   M exceeds beta with probability B
    E[M | M <= beta] = m I_beta(a + 1, b) / I_beta(a, b)

I is the regularised incomplete beta function. The paper refers to another source for its
estimators, so this module fits by moments. The functions do not check their arguments.
"""

from __future__ import annotations

__all__ = ["chance_above", "mean_below", "of_moments", "upper_quantile"]


def of_moments(mean: float, variance: float) -> tuple[float, float]:
    """Return a and b, for 0 < mean < 1 and 0 < variance < mean (1 - mean)."""
    size = mean * (1 - mean) / variance - 1
    return mean * size, (1 - mean) * size


def upper_quantile(a: float, b: float, blocked: float) -> float:
    """Return the value that M exceeds with the probability `blocked`, for 0 < blocked < 1."""
    from scipy import special

    return float(special.betainccinv(a, b, blocked))


def chance_above(a: float, b: float, limit: float) -> float:
    """Return the probability that M exceeds a limit in [0, 1]."""
    from scipy import special

    return float(special.betaincc(a, b, limit))


def mean_below(a: float, b: float, threshold: float) -> float:
    """Return E[M | M <= threshold], or min(threshold, mean) if P(M <= threshold) is 0."""
    from scipy import special

    mean = a / (a + b)
    share = float(special.betainc(a, b, threshold))
    if share <= 0:
        return min(threshold, mean)
    return mean * float(special.betainc(a + 1, b, threshold)) / share
