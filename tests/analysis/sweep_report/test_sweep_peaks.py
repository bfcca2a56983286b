# SPDX-License-Identifier: Apache-2.0
"""The peak of a noisy curve: coverage of the interval at optima in closed form."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest

from ecnomy.analysis.sweep_report.curves import Best, best_of
from ecnomy.analysis.sweep_report.findings import findings_of
from ecnomy.analysis.sweep_report.peaks import NOISE, SKEW, SPACING
from ecnomy.analysis.sweep_report.points import Swept, Varied
from ecnomy.analysis.sweeps.labels import Factor
from tiers import full, in_full

PRICES = (0.012, 0.015, 0.018, 0.021, 0.026, 0.036)
COST = 0.01895 / 2
Revenue = Callable[[np.ndarray], np.ndarray]
# Demand of constant elasticity e and cost c: (p - c) p^-e is most at c e / (e - 1). Demand
# log(m / p): p log(m / p) is most at m / e. Demand exp(-p): p exp(-p) is most at 1.
CURVES: dict[str, tuple[Revenue, float, tuple[float, ...]]] = {
    "elasticity 2": (lambda p: (p - COST) / p**2, 0.01895, PRICES),
    "elasticity 1.7": (
        lambda p: (p - 0.4) / p**1.7, 0.4 * 1.7 / 0.7, (0.5, 0.65, 0.8, 1, 1.2, 1.5, 1.9, 2.5)
    ),
    "logarithm": (lambda p: p * np.log(3 / p), 3 / math.e, (0.3, 0.6, 0.9, 1.2, 1.5, 1.8)),
    "exponential": (lambda p: p * np.exp(-p), 1.0, (0.25, 0.5, 1, 2, 4)),
    "symmetric": (lambda p: -((p - 0.42) ** 2), 0.42, (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)),
}  # fmt: skip

# The fast tier has each noise, and the curves that a parabola fits worst and best.
FAST = {(0.003, "elasticity 1.7"), (0.01, "logarithm"), (0.01, "symmetric"), (0.03, "exponential")}


def swept_of(x: tuple[float, ...], rows: np.ndarray, paired: bool = False) -> Swept:
    """A sweep over the values x, [value, replicate]."""
    factor = Factor("p", ("p",), "", tuple(map(str, x)), x, (x,), False)
    codes = np.repeat(np.arange(len(x)), rows.shape[1])
    varied = Varied(factor, codes, np.array(x)[codes])
    replicate = np.tile(np.arange(rows.shape[1]), len(x))
    return Swept(Path("x"), "", (varied,), ("profit.a",), rows.reshape(-1, 1), codes, replicate,
                 tuple(map(str, x)), paired)  # fmt: skip


def peak(x: tuple[float, ...], rows: np.ndarray, paired: bool = False) -> Best:
    one = swept_of(x, rows, paired)
    best = best_of(one, one.varied[0], "profit.a")
    assert best is not None
    return best


def test_a_value_given_twice_is_no_fault() -> None:
    """The curve passes through the first of both, without a warning."""
    x = (0.01, 0.02, 0.02, 0.03)
    rows = np.array([[1.0, 1.1], [3.0, 3.1], [3.05, 2.9], [2.0, 2.1]])
    best = peak(x, rows)
    assert best == msgspec.structs.replace(peak(x[:2] + x[3:], rows[[0, 1, 3]]), level=1)


@pytest.mark.parametrize(
    ("noise", "name"),
    [
        pytest.param(noise, name, marks=[] if (noise, name) in FAST else full)
        for noise in (0.003, 0.01, 0.03)
        for name in CURVES
    ],
)
def test_the_interval_holds_the_optimum(name: str, noise: float) -> None:
    """The interval contains the optimum in at least 90 % of cases, with seeds paired or not.

    Five values a factor of two apart do not determine the skew: of 1,000 cases, the interval
    contained the optimum in 87 % at a noise of 1 %, and in 74 % at 3 %. Noise is a share of the
    curve's range; a shift that paired seeds share moves a replicate's whole curve.
    """
    revenue, optimum, x = CURVES[name]
    curve = revenue(np.array(x))
    scale = noise * np.ptp(curve)
    rng = np.random.default_rng(17)
    count, held = 200 if in_full() else 60, 0
    for number in range(count):
        paired = number % 2 == 0
        rows = curve[:, np.newaxis] + scale * rng.standard_normal((len(x), 8))
        rows += paired * 3 * scale * rng.standard_normal(8)
        best = peak(x, rows, paired)
        held += best.low <= optimum <= best.high
    sparse = {0.01: 0.83, 0.03: 0.68} if name == "exponential" else {}
    assert held >= sparse.get(noise, 0.9) * count


def test_what_limits_the_interval_is_named() -> None:
    """Noise, skew between values far apart, and only three values each have a sentence."""
    rng = np.random.default_rng(3)

    def limit(name: str, noise: float, x: tuple[float, ...]) -> tuple[str, str]:
        curve = CURVES[name][0](np.array(x))
        rows = curve[:, np.newaxis] + noise * np.ptp(curve) * rng.standard_normal((len(x), 8))
        detail = findings_of(swept_of(x, rows)).detail
        return peak(x, rows).limit, detail

    few, detail = limit("elasticity 2", 0.01, (0.012, 0.019, 0.036))
    assert few == SPACING and "spacing of the values limits" in detail
    skewed, detail = limit("exponential", 0.003, CURVES["exponential"][2])
    assert skewed == SKEW and "skew limits" in detail
    noisy, detail = limit("logarithm", 0.03, CURVES["logarithm"][2])
    assert noisy == NOISE and "Noise between seeds limits" in detail


@full
def test_more_replicates_narrow_what_noise_limits() -> None:
    """Sixteen times the replicates at least halve the mean interval of twenty sweeps."""
    x = CURVES["symmetric"][2]
    curve = CURVES["symmetric"][0](np.array(x))[:, np.newaxis]
    rng = np.random.default_rng(4)
    widths = []
    for count in (6, 96):
        made = [curve + 0.03 * np.ptp(curve) * rng.standard_normal((7, count)) for _ in range(20)]
        widths.append(np.mean([one.high - one.low for one in (peak(x, rows) for rows in made)]))
    assert widths[1] < widths[0] / 2


def test_one_replicate_has_the_vertex_of_its_parabola() -> None:
    """Three values with unequal spacing around the top give the exact optimum, but no interval."""
    x = np.array([0.1, 0.2, 0.35, 0.6, 0.7])
    best = peak(tuple(x), -((x[:, np.newaxis] - 0.42) ** 2))
    assert best.at == pytest.approx(0.42, abs=1e-12)
    assert math.isnan(best.low) and math.isnan(best.high)
