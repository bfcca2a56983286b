# SPDX-License-Identifier: Apache-2.0
"""Search for a value with a target figure: monotone curves, crossings, whole searches."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecnomy.analysis.calibrate.roots import crossing, monotone
from ecnomy.analysis.calibrate.search import FOUND, MISSED, NOT_REACHABLE, SearchProgress, searched
from ecnomy.markets.sweep.calibration import Calibration
from ecnomy.markets.sweep.space import Range

SEEDS = 6
values = st.lists(st.floats(-5, 5, allow_nan=False), min_size=1, max_size=9)


def pooled(y: list[float]) -> list[float]:
    """Adjacent violators pooled one by one, as in textbooks."""
    blocks: list[list[float]] = []
    for value in y:
        blocks.append([value])
        while len(blocks) > 1 and np.mean(blocks[-2]) > np.mean(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    return [float(np.mean(block)) for block in blocks for _ in block]


@given(values)
def test_monotone_is_what_pooling_gives(y: list[float]) -> None:
    """The min-max formula equals the pooling of adjacent violators."""
    fitted = monotone(np.array(y))
    assert fitted.tolist() == pytest.approx(pooled(y), abs=1e-9)
    assert (np.diff(fitted) >= -1e-12).all()


def test_crossings_by_hand() -> None:
    """Logarithms of positive rates, plain rates from 0, ends beyond the range; row by row."""
    x = np.array([1.0, 10.0, 100.0])
    y = np.array([[1e-4, 1e-2, 1.0], [0.0, 0.5, 1.0], [2.0, 3.0, 4.0], [0.0, 0.0, 0.0]])
    at = crossing(x, y, 1e-3)
    assert at.tolist() == pytest.approx([5.5, 1 + 9 * 1e-3 / 0.5, 1, 100])
    logs = crossing(x, y, 1e-3, log=True)
    assert logs[0] == pytest.approx(math.sqrt(10))
    assert logs[1] == pytest.approx(10 ** (1e-3 / 0.5))


def test_a_target_that_was_met_is_met() -> None:
    """If a value's rate is exactly the target, the crossing is such a value."""
    x = np.array([1.0, 2.0, 3.0])
    assert crossing(x, np.array([0.1, 0.2, 0.3]), 0.2) == pytest.approx(2)
    assert crossing(x, np.array([0.1, 0.2, 0.2]), 0.2) == pytest.approx(3)


def calibration(**changes: object) -> Calibration:
    """A calibration from 10 to 1000 on a logarithmic scale."""
    given = {"figure": "late", "targets": (0.01,), "path": "t", "within": 0.01, **changes}
    return Calibration(range=Range(10.0, 1000.0, "packets", True), **given)  # type: ignore[arg-type]


class Runs:
    """Artificial runs: a curve, with noise that depends on the seed (common random numbers)."""

    def __init__(self, curve: Callable[[float], float], noise: float = 0.1, key: int = 1) -> None:
        self._curve, self._noise, self._key = curve, noise, key
        self.made: dict[tuple[float, bool], np.ndarray] = {}

    def outcomes(self, value: float, unseen: bool) -> np.ndarray | None:
        """The runs made."""
        return self.made.get((value, unseen))

    def make(self, value: float, unseen: bool) -> None:
        """Make runs; each seed has a common factor, and one more for each value."""
        both = [np.random.default_rng([self._key, unseen, int(own)]) for own in (0, value * 1e3)]
        factors = [np.exp(self._noise * rng.standard_normal(SEEDS)) for rng in both]
        self.made[value, unseen] = self._curve(value) * factors[0] * factors[1] ** 0.3


def go(runs: Runs, own: Calibration) -> SearchProgress:
    """A search to its end, round by round."""
    for _ in range(100):
        search = searched(own, {}, own.targets[0], runs.outcomes)
        if search.result:
            return search
        for value in search.values:
            if (value, False) not in runs.made:
                runs.make(value, False)
        if search.checked is not None:
            runs.make(search.checked, True)
    raise AssertionError("it does not end")


def power(value: float) -> float:
    """A rate that is 0.01 at 158.49."""
    return 1e-8 * value**2.729


def test_a_curve_is_searched() -> None:
    """A few values suffice; the interval holds the crossing of the curve without noise."""
    root = (0.01 / 1e-8) ** (1 / 2.729)
    runs = Runs(power)
    search = go(runs, calibration())
    result = search.result
    assert result is not None and result.verdict == FOUND and not result.why
    assert result.value == pytest.approx(root, rel=0.1)
    assert result.interval is not None and result.interval.low < root < result.interval.high
    assert result.figure.low <= 0.01 <= result.figure.high and result.figure.level == 0.99
    assert result.tried[:5] == (10.0, 31.62, 100.0, 316.2, 1000.0) and len(result.tried) < 9
    assert result.means == pytest.approx([runs.made[v, False].mean() for v in result.tried])


def test_a_falling_figure_is_searched() -> None:
    """With `down`, the search finds the crossing of a falling curve."""
    result = go(
        Runs(lambda value: 1 / power(value)), calibration(targets=(100.0,), up=False)
    ).result
    assert result is not None and result.verdict == FOUND
    assert result.value == pytest.approx((0.01 / 1e-8) ** (1 / 2.729), rel=0.1)


@pytest.mark.parametrize(("target", "end", "side"), [(1e-9, 10.0, "above"), (9.0, 1000.0, "below")])
def test_beyond_the_range_is_not_reachable(target: float, end: float, side: str) -> None:
    """The result names the end and the side of the target; no check is run."""
    runs = Runs(power)
    result = go(runs, calibration(targets=(target,))).result
    assert result is not None and result.verdict == NOT_REACHABLE
    assert result.value == end and result.interval is None
    assert side in result.why and f"{end} packets" in result.why
    assert not any(unseen for _, unseen in runs.made)


def test_nothing_but_zeros_is_below() -> None:
    """An event that never happens has no threshold."""
    result = go(Runs(lambda value: 0.0), calibration()).result
    assert result is not None and result.verdict == NOT_REACHABLE and "below" in result.why


def test_a_jump_over_the_target_is_missed() -> None:
    """If no value meets the target, the search ends at its maximum of values and says so."""
    own = calibration(most=9)
    runs = Runs(lambda value: 1e-4 if value < 200 else 1.0, noise=0.01)
    result = go(runs, own).result
    assert result is not None and result.verdict == MISSED and len(result.tried) <= 10
    assert result.value == pytest.approx(200, rel=0.6) and "not used in the search" in result.why


def test_the_best_step_is_found() -> None:
    """If values have a step, the two values around the target are run and reported."""
    own = calibration(step=50.0)
    result = go(Runs(power, noise=0.001), own).result
    assert result is not None and result.verdict == FOUND
    assert {150.0, 200.0} <= set(result.tried) and result.value == 150.0
    assert "150.0 packets and 200.0 packets" in result.why
    assert result.interval is not None
    assert (result.interval.low, result.interval.high) == (150.0, 200.0)


def test_a_search_is_replayed() -> None:
    """If all runs exist already, among others, it requests the same values."""
    runs = Runs(power)
    first = go(runs, calibration())
    runs.make(77.0, False)
    assert searched(calibration(), {}, 0.01, runs.outcomes) == first


def test_the_check_refuses_few_right_ones() -> None:
    """The check refuses at most 10 % of right searches on noisy curves (7 % by its docstring)."""
    verdicts = [go(Runs(power, 0.3, key), calibration()).result for key in range(60)]
    missed = sum(found is not None and found.verdict != FOUND for found in verdicts)
    assert missed <= 10
    held = [
        found.interval.low <= (0.01 / 1e-8) ** (1 / 2.729) <= found.interval.high
        for found in verdicts
        if found is not None and found.interval is not None
    ]
    assert np.mean(held) > 0.7  # a bootstrap over six seeds is somewhat short of its 90 %
