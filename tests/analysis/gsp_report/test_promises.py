# SPDX-License-Identifier: Apache-2.0
"""Intervals of shares of calls, and the verdict on a promised share, on a provider's page."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ecnomy.analysis.gsp_report.promises import _row, share_interval


@pytest.mark.parametrize(("parts", "wholes"), [([2, 2, 2], [10, 10, 10]), ([3], [40])])
def test_equal_shares_have_the_interval_of_the_sum(parts: list[int], wholes: list[int]) -> None:
    """If runs agree, there is no spread, so the interval is Clopper and Pearson's."""
    exact = stats.binomtest(sum(parts), sum(wholes)).proportion_ci(0.95, "exact")
    assert share_interval(parts, wholes) == pytest.approx((exact.low, exact.high))


def test_an_interval_of_nothing_seen_is_not_empty() -> None:
    """With none of 100 calls broken, up to 3.6 % are possible. Without calls, no interval."""
    assert share_interval([0, 0], [50, 50]) == pytest.approx((0.0, 1 - 0.025 ** (1 / 100)))
    assert np.isnan(share_interval([0], [0])).all()


def test_runs_that_differ_have_students_interval() -> None:
    """Runs without calls do not count; the ends stay within 0 and 1."""
    shares = [0.2, 0.4, 0.3]
    exact = stats.t.interval(0.95, 2, np.mean(shares), stats.sem(shares))
    assert share_interval([2, 4, 3, 0], [10, 10, 10, 0]) == pytest.approx(exact)
    assert share_interval([0, 4], [10, 10])[0] == 0.0


@pytest.mark.parametrize(
    ("parts", "wholes", "verdict"),
    [
        ([1], [200], "kept"),
        ([60], [200], "broken"),
        ([2], [12], "not decided"),  # 16.7 %, but the interval begins at 2 %
        ([1], [12], "not decided"),
    ],
)
def test_a_promise_is_judged_by_the_interval(
    parts: list[int], wholes: list[int], verdict: str
) -> None:
    """At most 10 % of callers: kept or broken if the whole interval is on one side of it."""
    cells = _row("turned away", parts, wholes, "asked", 0.1, "-")
    assert cells[-1].text == verdict
