# SPDX-License-Identifier: Apache-2.0
"""Estimators that derive a blocking threshold, a call's cost and its price from test streams.

    samples.py        Samples: k_i of n_i packets were marked (or bad), with one entry per sample
    beta.py           the Beta distribution: fit by moments, upper quantile, mean below a threshold
    rates.py          BetaRate: a rate with that distribution, and counts of packets hit at the rate
    kinds.py          the estimators: `beta-binomial`, `beta`, `empirical`
    pricing.py        the expected cost of a connection, and the price V that earns a margin

Estimators use only numbers, not markets or strategies. scipy is loaded on first use.
"""

from __future__ import annotations

from ecnomy.agents.estimators.kinds import (
    DEFAULT_ESTIMATOR,
    ESTIMATORS,
    Beta,
    BetaBinomial,
    Empirical,
    Estimator,
    estimator_named,
)
from ecnomy.agents.estimators.pricing import Estimate, estimate, price
from ecnomy.agents.estimators.rates import BetaRate
from ecnomy.agents.estimators.samples import Samples

__all__ = [
    "DEFAULT_ESTIMATOR",
    "ESTIMATORS",
    "Beta",
    "BetaBinomial",
    "BetaRate",
    "Empirical",
    "Estimate",
    "Estimator",
    "Samples",
    "estimate",
    "estimator_named",
    "price",
]
