# SPDX-License-Identifier: Apache-2.0
"""A guaranteed stream provider's charge and Beta fit against drawn connections and integration."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate

from ecnomy.agents.errors import InputError
from ecnomy.analysis import theory


def test_the_charge_earns_the_profit() -> None:
    """A million connections drawn at V earn P on average, within four standard errors."""
    profit, back, broken, cost = 0.2, 1.5, 0.07, 0.3
    charge = theory.guaranteed_charge(profit, back, broken, cost)
    rng = np.random.Generator(np.random.PCG64(5))
    marks = rng.exponential(cost, 1_000_000)
    earned = np.where(rng.random(marks.size) < broken, -back, charge) - marks
    error = earned.std() / math.sqrt(earned.size)
    assert abs(earned.mean() - profit) < 4 * error
    assert theory.guaranteed_charge(profit, charge, 0.0, cost) == profit + cost


@pytest.mark.parametrize(("mean", "variance"), [(0.05, 0.0004), (0.3, 0.02), (0.6, 0.1)])
def test_beta_fits_its_moments(mean: float, variance: float) -> None:
    """The integrated density has the moments, the quantile and the mean below it."""
    fit = theory.BetaMarking.of_moments(mean, variance)
    scale = math.gamma(fit.a + fit.b) / (math.gamma(fit.a) * math.gamma(fit.b))

    def below(power: int, top: float) -> float:
        return float(
            integrate.quad(
                lambda m: scale * m ** (fit.a - 1 + power) * (1 - m) ** (fit.b - 1),
                0,
                top,
                epsabs=1e-12,
                limit=200,
            )[0]
        )

    assert [below(0, 1), below(1, 1)] == pytest.approx([1, mean])
    assert below(2, 1) - mean**2 == pytest.approx(variance, rel=1e-6)
    threshold = fit.blocking_threshold(0.1)
    assert below(0, threshold) == pytest.approx(0.9)
    assert fit.accepted_mean(threshold) == pytest.approx(below(1, threshold) / 0.9)
    assert fit.accepted_mean(1.0) == pytest.approx(mean)


def test_what_it_refuses() -> None:
    """Errors name probabilities, moments and thresholds out of range."""
    fit = theory.BetaMarking(2.0, 5.0)
    for make, message in (
        (lambda: theory.guaranteed_charge(0.1, 1.0, 1.0, 0.1), "broken guarantee"),
        (lambda: theory.BetaMarking.of_moments(0.5, 0.25), "no beta"),
        (lambda: theory.BetaMarking(0.0, 1.0), "parameters of a beta"),
        (lambda: fit.blocking_threshold(1.0), "blocked share"),
        (lambda: fit.accepted_mean(0.0), "threshold"),
    ):
        with pytest.raises(InputError, match=message):
            make()
