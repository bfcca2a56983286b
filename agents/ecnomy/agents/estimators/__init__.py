# SPDX-License-Identifier: Apache-2.0
"""Estimators: from samples of test streams to a blocking threshold, a cost and a price of a call.

    samples.py        Samples: k_i packets of n_i were marked (or bad), one entry a sample
    beta.py           a Beta distribution: from its moments, its upper quantile, its mean below one
    rates.py          BetaRate: a rate with that distribution, its limits, and counts drawn with it
    kinds.py          the estimators: `beta-binomial`, `beta`, `empirical`
    pricing.py        what a connection is expected to cost, and the price V that earns a margin

They know numbers only, no markets and no strategies. scipy is loaded when it is first needed.
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
