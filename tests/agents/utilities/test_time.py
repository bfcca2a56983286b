# SPDX-License-Identifier: Apache-2.0
"""Utilities of time: files with a deadline and pages, and the rates their users want."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecnomy.agents.parameters import Refused
from ecnomy.agents.utilities import (
    TIME_UTILITIES,
    FileDeadline,
    PageWait,
    TimeUtility,
    TransferUtility,
    time_utility_of,
)
from lab_utilities import Decaying
from tiers import examples

HARD = FileDeadline(a=5.0, deadline=60.0)
SOFT = FileDeadline(a=5.0, deadline=60.0, grace=30.0)
PAGE = PageWait(a=0.2, worst=15.0)
ALL = [HARD, SOFT, PAGE, PageWait(a=0.2, worst=6.0, best=1.0), Decaying(a=2.0, half_life=10.0)]
STEP = 1e-6

seconds = st.floats(0.2, 500.0)
made = st.one_of(
    st.builds(FileDeadline, a=seconds, deadline=seconds, grace=st.floats(0.0, 100.0)),
    st.builds(PageWait, a=seconds, worst=seconds),
    st.builds(Decaying, a=seconds, half_life=seconds),
)


@pytest.mark.parametrize("utility", ALL, ids=repr)
def test_slope_is_the_derivative(utility: TimeUtility) -> None:
    """V' equals a central difference, away from kinks, and V never grows with time."""
    t = np.geomspace(0.05, 300.0, 97)
    numeric = (utility.value(t * (1 + STEP)) - utility.value(t * (1 - STEP))) / (2 * t * STEP)
    assert utility.slope(t) == pytest.approx(numeric, rel=1e-5, abs=1e-7)
    assert np.all(np.diff(utility.value(t)) <= 0)


@pytest.mark.parametrize("utility", ALL, ids=repr)
def test_latest_time_is_that_of_bisection(utility: TransferUtility) -> None:
    """The inverse of V for values that V reaches; NaN for values above its maximum."""
    money = utility.a * np.array([0.05, 0.3, 0.9, 1.0])
    latest = utility.latest_s(money)
    assert latest == pytest.approx(TransferUtility.latest_s(utility, money), rel=1e-9)
    assert np.isnan(utility.latest_s(np.array([1.01 * utility.a]))).all()


def test_a_file_by_hand() -> None:
    """A file has full value until the deadline, half after half the grace period, and then none."""
    assert HARD.value(np.array([0.0, 60.0, 60.001])).tolist() == [5.0, 5.0, 0.0]
    assert SOFT.value(np.array([60.0, 75.0, 90.0, 99.0])) == pytest.approx([5.0, 2.5, 0.0, 0.0])
    assert SOFT.latest_s(np.array([2.5])) == pytest.approx([75.0])
    assert np.isposinf(SOFT.latest_s(np.zeros(1))).all()


def test_a_page_is_rated_as_g1030_does() -> None:
    """The MOS is 5 at 0.12 s + 0.003 x worst, 1 at the worst, and 3 at their geometric mean."""
    for worst, best in ((6.0, 0.138), (15.0, 0.165), (60.0, 0.3)):
        page = PageWait(a=1.0, worst=worst)
        assert page.best_s == pytest.approx(best)
        waits = np.array([best / 2, best, math.sqrt(best * worst), worst, 2 * worst])
        assert page.mos(waits) == pytest.approx([5.0, 5.0, 3.0, 1.0, 1.0])
    factor = math.log(0.165) - math.log(15.0)  # 4 / ln(Min/Max) (ln T - ln Min) + 5, as printed
    assert PAGE.mos(np.array([4.0])) == pytest.approx(
        4 / factor * (math.log(4.0) - math.log(0.165)) + 5
    )


def test_each_doubling_of_a_wait_costs_the_same() -> None:
    """Weber and Fechner: V falls with the logarithm of the wait."""
    waits = 0.5 * 2.0 ** np.arange(5)
    losses = -np.diff(PAGE.value(waits))
    assert losses == pytest.approx([losses[0]] * 4)
    slope = np.array([-0.01, -0.03])
    assert PAGE.slope(PAGE.inverse(slope)) == pytest.approx(slope)
    assert np.isnan(PAGE.inverse(np.array([-10.0, -1e-9]))).all()


def test_pace_of_a_file_is_what_is_left_over_the_time_left() -> None:
    """6 MB in one minute need 0.8 Mbit/s; half of them after half of the minute need the same."""
    assert HARD.pace_bps(6e6, 0.0) == pytest.approx(0.8e6)
    assert HARD.pace_bps(3e6, 30.0) == pytest.approx(0.8e6)
    assert HARD.pace_bps(3e6, 45.0) == pytest.approx(1.6e6)
    assert HARD.pace_bps(0.0, 45.0) == 0.0
    assert math.isinf(HARD.pace_bps(1.0, 60.0))


def test_a_file_is_given_up_where_it_costs_more_than_it_is_worth() -> None:
    """48 Mbit worth 5 money justify up to 104 billionths per bit. Late files justify nothing."""
    assert HARD.demand_bps(6e6, 0.0, 1.04e-7) == pytest.approx(0.8e6)
    assert HARD.demand_bps(6e6, 0.0, 1.05e-7) == 0.0
    assert HARD.demand_bps(3e6, 30.0, 1.05e-7) == pytest.approx(0.8e6)  # half is paid already
    assert HARD.demand_bps(6e6, 30.0, 0.0, most_bps=1.5e6) == 0.0  # 32 s at best
    assert SOFT.demand_bps(6e6, 30.0, 0.0, most_bps=1.5e6) == 1.5e6
    assert math.isinf(SOFT.demand_bps(6e6, 65.0, 0.0))


@settings(max_examples=examples(400), derandomize=True)
@given(
    made,
    st.floats(1.0, 8.0).map(lambda decades: 10.0**decades),
    st.floats(0.0, 200.0),
    st.floats(0.0, 2.0),
    st.floats(2.0, 9.0).map(lambda decades: 10.0**decades),
)
def test_no_rate_of_a_grid_leaves_more(
    utility: TransferUtility, left_bytes: float, elapsed_s: float, share: float, most_bps: float
) -> None:
    """V on arrival less the cost of the bits, 0 if given up: brute force finds nothing better."""
    cost = share * utility.a
    price = cost / (8 * left_bytes)
    rates = np.append(np.geomspace(most_bps / 1e6, most_bps, 3000), most_bps)
    most = max(float(utility.value(elapsed_s + 8 * left_bytes / rates).max()) - cost, 0.0)
    x = utility.demand_bps(left_bytes, elapsed_s, price, most_bps)
    assert 0 <= x <= most_bps
    there = elapsed_s + 8 * left_bytes / x * (1 - 1e-12) if x else math.inf
    left = float(utility.value(np.array([there]))[0]) - cost if x else 0.0
    assert left >= most - 1e-6 * utility.a


def test_mapping_makes_each_kind() -> None:
    """Mappings make each kind by name, and custom classes."""
    assert time_utility_of({"kind": "file-deadline", "a": 5.0, "deadline": 60.0}) == HARD
    assert time_utility_of({"kind": "page", "a": 0.2, "worst": 15.0}) == PAGE
    assert (
        time_utility_of({"kind": "lab_utilities:Decaying", "a": 2.0, "half_life": 10.0}) == ALL[4]
    )
    assert list(TIME_UTILITIES.values()) == [FileDeadline, PageWait]


@pytest.mark.parametrize(
    ("params", "key", "found"),
    [
        ({"kind": "file"}, "kind", "'file'"),
        ({"kind": "log", "a": 1.0}, "kind", "'log'"),
        ({"kind": "file-deadline", "a": 1.0}, "kind", "'file-deadline' ("),
        ({"kind": "file-deadline", "a": 0.0, "deadline": 1.0}, "a", "0 money"),
        ({"kind": "file-deadline", "a": 1.0, "deadline": 0.0}, "deadline", "0 s"),
        ({"kind": "file-deadline", "a": 1.0, "deadline": 1.0, "grace": -1.0}, "grace", "-1 s"),
        ({"kind": "page", "a": 1.0, "worst": 0.1}, "worst", "0.1 s"),
        ({"kind": "page", "a": 1.0, "worst": 5.0, "best": 5.0}, "best", "5 s"),
        ({"kind": "page", "a": 1.0, "worst": 5.0, "deadline": 5.0}, "deadline", "does not have"),
    ],
)
def test_parameters_out_of_range_are_refused(
    params: dict[str, object], key: str, found: str
) -> None:
    """The error names the key and the value found."""
    with pytest.raises(Refused) as caught:
        time_utility_of(params)
    assert caught.value.key == key and found in caught.value.found
