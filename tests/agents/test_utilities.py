# SPDX-License-Identifier: Apache-2.0
"""Utilities: their derivatives against numbers, their shape, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

from ecnomy.agents.parameters import Refused
from ecnomy.agents.utilities import UTILITIES, AlphaFair, Log, Sqrt, Utility, utility_of

ALL = [
    Log(a=2.0),
    Sqrt(a=3.0, x0=1e6),
    *(AlphaFair(a=1.5, alpha=alpha) for alpha in (0.5, 1.0, 2.0, 3.0, 10.0)),
]
R = np.geomspace(0.1, 10.0, 41)
STEP = 1e-5


def derivative(of, r: np.ndarray) -> np.ndarray:
    """Central difference."""
    return (of(r * (1 + STEP)) - of(r * (1 - STEP))) / (2 * r * STEP)


@pytest.mark.parametrize("utility", ALL, ids=repr)
def test_slope_is_the_derivative(utility: Utility) -> None:
    """dU/dr against a central difference, and x U'(x) = r dU/dr."""
    assert utility.slope(R) == pytest.approx(derivative(utility.value, R), rel=1e-7)
    assert utility.worth(R) == pytest.approx(R * utility.slope(R), rel=1e-12)


@pytest.mark.parametrize("utility", ALL, ids=repr)
def test_utilities_grow_and_are_concave(utility: Utility) -> None:
    """More is better, ever less so."""
    assert np.all(utility.slope(R) > 0)
    assert np.all(np.diff(utility.slope(R)) < 0)


@pytest.mark.parametrize("utility", ALL, ids=repr)
def test_curvature_is_the_largest_there_is(utility: Utility) -> None:
    """-x U''/U' nowhere exceeds it, and comes near it over nine decades."""
    wide = np.geomspace(1e-3, 1e6, 91)
    curvature = -wide * derivative(utility.slope, wide) / utility.slope(wide)
    assert curvature.max() == pytest.approx(utility.curvature, rel=1e-4)


def test_alpha_one_is_the_logarithm_between_its_neighbours() -> None:
    """a log r is the limit of alpha-fair utilities, up to a constant."""
    for alpha in (0.999999, 1.000001):
        near = AlphaFair(a=2.0, alpha=alpha)
        gained = near.value(R) - near.value(np.ones(1))
        assert gained == pytest.approx(AlphaFair(a=2.0, alpha=1.0).value(R), abs=1e-4)


def test_only_a_log_x_needs_no_rate_of_reference() -> None:
    """Its x U'(x) is a at any rate, and it is the only one of which that is true."""
    constant = [utility for utility in ALL if np.ptp(utility.worth(R)) == 0]
    assert [u for u in ALL if not u.needs_x0] == constant == [AlphaFair(a=1.5, alpha=1.0)]


def test_mapping_makes_each_kind() -> None:
    """By the name that users write."""
    made = [
        utility_of({"kind": "log", "a": 2.0, "x0": 1e6}),
        utility_of({"kind": "alpha-fair", "a": 2.0, "alpha": 3.0}),
        utility_of({"kind": "sqrt", "a": 2.0}),
    ]
    assert made == [Log(a=2.0, x0=1e6), AlphaFair(a=2.0, alpha=3.0), Sqrt(a=2.0)]
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
        ({"kind": "alpha-fair", "a": 1.0, "alpha": 0.0}, "alpha", "0"),
        ({"kind": "alpha-fair", "a": 1.0, "alpha": 21.0}, "alpha", "21"),
    ],
)
def test_parameters_out_of_range_are_refused(
    params: dict[str, object], key: str, found: str
) -> None:
    """By key, with what was found."""
    with pytest.raises(Refused) as caught:
        utility_of(params)
    assert caught.value.key == key
    assert found in caught.value.found
