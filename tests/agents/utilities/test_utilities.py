# SPDX-License-Identifier: Apache-2.0
"""Utilities of rates: derivatives and inverses, their shape, and refused parameters."""

from __future__ import annotations

import numpy as np
import pytest

from ecnomy.agents.parameters import Refused
from ecnomy.agents.utilities import (
    UTILITIES,
    AlphaFair,
    AtRate,
    Log,
    Quadratic,
    RateUtility,
    Sigmoid,
    Sqrt,
    Step,
    Target,
    Utility,
    concave_utility_of,
    utility_of,
)
from ecnomy.agents.utilities.anticipating import Anticipating
from lab_utilities import Saturating

ELASTIC = [
    Log(a=2.0),
    Sqrt(a=3.0, x0=1e6),
    *(AlphaFair(a=1.5, alpha=alpha) for alpha in (0.5, 1.0, 2.0, 3.0, 10.0)),
]
SATED = [Quadratic(a=2.0), Target(a=0.7)]
SIGMOIDS = [Sigmoid(a=2.0, steepness=k) for k in (0.5, 4.0, 10.0, 60.0)]
ALL = [*ELASTIC, *SATED, *SIGMOIDS, Saturating(a=3.0, patience=0.4)]
R = np.geomspace(0.1, 10.0, 41)
STEP = 1e-5


def derivative(of, r: np.ndarray) -> np.ndarray:
    """Central difference."""
    return (of(r * (1 + STEP)) - of(r * (1 - STEP))) / (2 * r * STEP)


@pytest.mark.parametrize("utility", ALL, ids=repr)
def test_slope_is_the_derivative(utility: Utility) -> None:
    """dU/dr equals a central difference, and x U'(x) = r dU/dr, except at kinks."""
    r = R[np.abs(R - 1) > 2 * STEP]
    assert utility.slope(r) == pytest.approx(derivative(utility.value, r), rel=1e-6, abs=1e-9)
    assert utility.worth(R) == pytest.approx(R * utility.slope(R), rel=1e-12)


@pytest.mark.parametrize("utility", [*ELASTIC, *SATED, Saturating(a=3.0)], ids=repr)
def test_inverse_is_that_of_bisection(utility: Utility) -> None:
    """The inverse equals the base's bisection, and the slope at it is the price."""
    p = np.geomspace(1e-3, 30.0, 61)
    rates = utility.inverse(p)
    there = np.isfinite(rates) & (rates > 1e-8) & (rates < 1e8)
    assert there.sum() >= 15
    assert rates[there] == pytest.approx(RateUtility.inverse(utility, p)[there], rel=1e-9)
    assert utility.slope(rates[there]) == pytest.approx(p[there], rel=1e-9)


@pytest.mark.parametrize("utility", SIGMOIDS, ids=repr)
def test_inverse_of_a_sigmoid_is_beyond_its_turn(utility: Sigmoid) -> None:
    """Every slope up to the steepest one is found on the concave side; a steeper one nowhere."""
    steepest = float(utility.slope(np.array(1.0)))
    p = steepest * np.array([1.0, 0.9, 0.3, 1e-3, 1e-9])
    rates = utility.inverse(p)
    assert np.all(rates >= 1.0)
    assert utility.slope(rates) == pytest.approx(p, rel=1e-6)
    assert np.isnan(utility.inverse(np.array([1.001 * steepest]))).all()


def test_slopes_that_nothing_has_have_no_inverse() -> None:
    """Slopes steeper than any of a utility have no inverse, and a step has only one slope."""
    cases = [(Log(a=2.0), 2.1), (Quadratic(a=2.0), 4.1), (Target(a=2.0), 1.9), (Step(a=2.0), 1.0)]
    assert all(np.isnan(utility.inverse(np.array([p]))).all() for utility, p in cases)


@pytest.mark.parametrize("utility", ELASTIC, ids=repr)
def test_utilities_grow_and_are_concave(utility: Utility) -> None:
    """A larger rate is worth more, with falling slope."""
    assert np.all(utility.slope(R) > 0)
    assert np.all(np.diff(utility.slope(R)) < 0)


def test_which_are_concave() -> None:
    """Each utility's own answer is the one that the base class finds numerically."""
    concave = [utility for utility in [*ALL, Step(a=1.0)] if utility.concave]
    assert concave == [*ELASTIC, *SATED, Saturating(a=3.0, patience=0.4)]
    for utility in ALL:
        assert RateUtility.concave.fget(utility) == utility.concave  # type: ignore[attr-defined]


@pytest.mark.parametrize("utility", SATED, ids=repr)
def test_sated_utilities_want_x0_and_no_more(utility: Utility) -> None:
    """From r = 1 on, U stays at a, so a larger rate adds nothing and the curvature is infinite."""
    beyond = np.array([1.0, 1.5, 1e6])
    assert utility.value(beyond).tolist() == [utility.a] * 3  # type: ignore[attr-defined]
    assert utility.slope(beyond).tolist() == [0.0] * 3
    assert np.isinf(utility.curvature_at(beyond)).all() and np.isinf(utility.curvature)
    within = np.array([0.2, 0.5, 0.9])
    numeric = RateUtility.curvature_at(utility, within)  # type: ignore[arg-type]
    assert utility.curvature_at(within) == pytest.approx(numeric, rel=1e-6)


def test_curvature_of_a_user_who_anticipates_its_price() -> None:
    """Curvature of the slope U'(r) (1 - r / C), found numerically; infinite on a whole link."""
    user = Anticipating(AlphaFair(a=1.5, alpha=2.0), capacity=2.0)
    within = np.array([0.2, 0.5, 1.0, 1.9])
    numeric = RateUtility.curvature_at(user, within)
    assert user.curvature_at(within) == pytest.approx(numeric, rel=1e-5)
    assert np.isinf(user.curvature_at(np.array([2.0, 3.0]))).all()


def test_a_target_buys_what_constant_throughput_does() -> None:
    """x0 while it costs less than a per second, then as much as a buys (Antoniadis 2000, 2.2)."""
    wanted = AtRate(Target(a=2.0, x0=1e6))
    price = np.array([0.5e-6, 1.9e-6, 2e-6, 4e-6, 20e-6])  # money per bit
    rate = wanted.demand(price)
    assert rate == pytest.approx([1e6, 1e6, 1e6, 0.5e6, 0.1e6])
    assert price[3:] * rate[3:] == pytest.approx([2.0, 2.0])


def test_quadratic_is_athuraliyas() -> None:
    """U is -(M - x)^2 / (2 w) up to a constant, with slope (M - x) / w and demand M - w p."""
    ceiling, a = 8e6, 3.0
    w, at = ceiling**2 / (2 * a), AtRate(Quadratic(a=a, x0=ceiling))
    x = np.array([1e6, 4e6, 7e6])
    assert at.value(x) == pytest.approx(a - (ceiling - x) ** 2 / (2 * w))
    assert at.slope(x) == pytest.approx((ceiling - x) / w)
    assert at.demand(at.slope(x)) == pytest.approx(x)
    assert at.inverse(at.slope(x)) == pytest.approx(x)


def test_in_bits_per_second_with_another_reference() -> None:
    """x0 may be that of a flow; without an x0, rates have no meaning."""
    assert AtRate(Log(a=2.0), 5e5).value(np.array([5e5])) == pytest.approx(2 * np.log(2))
    assert AtRate(Log(a=2.0, x0=1e6), 5e5).x0_bps == 5e5
    with pytest.raises(Refused, match="x0"):
        AtRate(Log(a=2.0))


@pytest.mark.parametrize("utility", ELASTIC, ids=repr)
def test_curvature_is_the_largest_there_is(utility: Utility) -> None:
    """-x U''/U' never exceeds the curvature, and reaches it somewhere in nine decades of rates."""
    wide = np.geomspace(1e-3, 1e6, 91)
    curvature = -wide * derivative(utility.slope, wide) / utility.slope(wide)
    assert curvature.max() == pytest.approx(utility.curvature, rel=1e-4)


def test_alpha_zero_buys_all_or_nothing() -> None:
    """Each bit is worth a / x0, so users buy all bits below that price and no bits above."""
    linear = AlphaFair(a=2.0, alpha=0.0)
    assert linear.value(R) == pytest.approx(2.0 * R)
    assert linear.demand(np.array([0.5, 1.999, 2.0, 3.0])).tolist() == [np.inf, np.inf, 0.0, 0.0]
    assert linear.concave and linear.curvature == 0.0


def test_the_largest_alpha_stays_a_number() -> None:
    """Values are finite over all relevant rates, from x0/1000 to 1000 x0."""
    steep = AlphaFair(a=2.0, alpha=100.0)
    r = np.array([1e-3, 1.0, 1e3])
    assert np.isfinite(np.log(1e6 * steep.worth(r))).all() and np.isfinite(steep.value(r)).all()
    assert steep.demand(np.array([1.0, 2.0, 4.0])) == pytest.approx(
        2 ** (np.array([1, 0, -1]) / 100)
    )


def test_alpha_one_is_the_logarithm_between_its_neighbours() -> None:
    """a log r is the limit of alpha-fair utilities, up to a constant."""
    for alpha in (0.999999, 1.000001):
        near = AlphaFair(a=2.0, alpha=alpha)
        gained = near.value(R) - near.value(np.ones(1))
        assert gained == pytest.approx(AlphaFair(a=2.0, alpha=1.0).value(R), abs=1e-4)


def test_only_a_log_x_needs_no_rate_of_reference() -> None:
    """Only for a log x is x U'(x) the same at every rate."""
    constant = [utility for utility in ELASTIC if np.ptp(utility.worth(R)) == 0]
    assert [u for u in ALL if not u.needs_x0] == constant == [AlphaFair(a=1.5, alpha=1.0)]


def test_mapping_makes_each_kind() -> None:
    """The name is the one that users write."""
    made = [
        utility_of({"kind": "log", "a": 2.0, "x0": 1e6}),
        utility_of({"kind": "alpha-fair", "a": 2.0, "alpha": 3.0}),
        utility_of({"kind": "sqrt", "a": 2.0}),
        utility_of({"kind": "quadratic", "a": 2.0}),
        utility_of({"kind": "target", "a": 2.0}),
        utility_of({"kind": "sigmoid", "a": 2.0, "steepness": 5.0}),
        utility_of({"kind": "step", "a": 2.0}),
    ]
    first = [Log(a=2.0, x0=1e6), AlphaFair(a=2.0, alpha=3.0), Sqrt(a=2.0), Quadratic(a=2.0)]
    assert made == [*first, Target(a=2.0), Sigmoid(a=2.0, steepness=5.0), Step(a=2.0)]
    assert [type(utility) for utility in made] == list(UTILITIES.values())


@pytest.mark.parametrize(
    ("params", "key", "found"),
    [
        ({}, "kind", "None"),
        ({"kind": "cubic"}, "kind", "'cubic'"),
        ({"kind": "log"}, "kind", "'log' ("),
        ({"kind": "log", "a": 0.0}, "a", "0 money/s"),
        ({"kind": "log", "a": float("nan")}, "a", "nan money/s"),
        ({"kind": "log", "a": float("inf")}, "a", "inf money/s"),
        ({"kind": "log", "a": 1.0, "x0": -1.0}, "x0", "-1 bit/s"),
        ({"kind": "log", "a": 1.0, "alpha": 1.0}, "alpha", "log does not have"),
        ({"kind": "alpha-fair", "a": 1.0, "alpha": -0.1}, "alpha", "-0.1"),
        ({"kind": "alpha-fair", "a": 1.0, "alpha": 101.0}, "alpha", "101"),
        ({"kind": "sigmoid", "a": 1.0, "steepness": 0.0}, "steepness", "0"),
        ({"kind": "sigmoid", "a": 1.0, "steepness": 101.0}, "steepness", "101"),
        ({"kind": "step", "a": -1.0}, "a", "-1 money/s"),
        ({"kind": "lab_utilities:Nobody", "a": 1.0}, "kind", "'lab_utilities:Nobody'"),
        ({"kind": "lab_utilities:Flat", "a": 1.0}, "kind", "returns 1.0 for a column of 3 numbers"),
        ({"kind": "lab_utilities:Saturating", "a": 1.0, "patience": -1.0}, "patience", "-1"),
        ({"kind": "lab_utilities:Saturating", "a": 1.0, "k": 1.0}, "k", "does not have"),
        ({"kind": "lab_utilities:Decaying", "a": 1.0}, "kind", "'lab_utilities:Decaying'"),
    ],
)
def test_parameters_out_of_range_are_refused(
    params: dict[str, object], key: str, found: str
) -> None:
    """The error names the key and the value found."""
    with pytest.raises(Refused) as caught:
        utility_of(params)
    assert caught.value.key == key
    assert found in caught.value.found


@pytest.mark.parametrize("kind", ["sigmoid", "step", "lab_utilities:Logistic"])
def test_who_follows_the_slope_needs_concave_ones(kind: str) -> None:
    """Utilities that are not concave are refused, with the names of concave ones."""
    with pytest.raises(Refused, match=f"{kind}', not concave, expected one of log, alpha-fair"):
        concave_utility_of({"kind": kind, "a": 1.0})
    assert concave_utility_of({"kind": "lab_utilities:Saturating", "a": 1.0}).concave
