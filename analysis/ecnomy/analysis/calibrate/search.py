# SPDX-License-Identifier: Apache-2.0
"""Searches for the parameter value that meets one target, as a function of completed runs.

All values are simulated with the same seeds (common random numbers). The first round covers the
whole range, including both ends. Each later round simulates the value at which the curve through
the means (roots.py) crosses the target. The search ends when an earlier value is close enough to
the crossing, or when it reaches the largest number of values. The value nearest to the crossing is
then checked with as many new seeds, because the seeds of the search determined its choice.

    found          the 99 % interval of the outcome over the new seeds contains the target
    missed         it does not, as the outcome jumps over the target or differs much between seeds
    not reachable  the outcome is above the target at both ends of the range, or below it at both

If values are multiples of a step, even the best value may miss the target by more than chance. The
verdict is also "found" if the target lies between the mean at the best value and the mean at the
next value beyond the crossing.

The 90 % interval of the value is a bootstrap interval. It contains 90 % of the crossings of curves
through the means of resampled seeds. With a step, both ends of the interval move outwards to the
next multiple. An end of the interval that coincides with an end of the range is not a bound.

The check uses 99 % because the value found has an error too. For the difference of two means over
equally many seeds, the 99 % interval of one mean covers only 93 %.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.calibrate.roots import crossing
from ecnomy.analysis.statistics.intervals import Interval, bootstrap, t_interval
from ecnomy.markets.sweep.calibration import Calibration

__all__ = ["FOUND", "MISSED", "NOT_REACHABLE", "SearchProgress", "SearchResult", "searched"]

FOUND: Final = "found"
MISSED: Final = "missed"
NOT_REACHABLE: Final = "not reachable"
_CHECKED: Final = 0.99
_REPORTED: Final = 0.90
# (value, whether seeds are unseen) -> outcomes or None
OutcomesOf = Callable[[float, bool], Floats | None]


class SearchResult(msgspec.Struct, frozen=True):
    """The result of a search.

    Attributes:
        params: the point of the sweep's blocks.
        target: the value that the outcome should have.
        verdict: found, missed or not reachable.
        value: the value of the parameter; if not reachable, the nearest end of the range.
        interval: 90 % bootstrap interval of the value over seeds; None if not reachable.
        figure: 99 % interval of the outcome at `value`, over the new seeds, or over the seeds of
            the search if these already show that the target is not reachable.
        tried: the values, in the order in which they were simulated.
        means: mean outcome at each of these values, over the seeds of the search.
        why: the reason if the verdict is not found, or is found because the target lies between two
            steps; otherwise "".
    """

    params: dict[str, Any]
    target: float
    verdict: str
    value: float
    interval: Interval | None
    figure: Interval
    tried: tuple[float, ...]
    means: tuple[float, ...]
    why: str = ""


class SearchProgress(msgspec.Struct, frozen=True):
    """The progress of a search.

    Attributes:
        values: the values to simulate with the seeds of the search, in order.
        checked: the value to check with new seeds; None before the check.
        result: the result; None while runs are missing.
    """

    values: tuple[float, ...]
    checked: float | None = None
    result: SearchResult | None = None


def searched(
    calibration: Calibration, params: dict[str, Any], target: float, outcomes_of: OutcomesOf
) -> SearchProgress:
    """Return the state of a search by replaying it from its first round over the completed runs."""
    values = calibration.first_values()
    while True:
        rows = [outcomes_of(value, False) for value in values]
        known = {v: row for v, row in zip(values, rows, strict=True) if row is not None}
        if len(known) < len(values):
            return SearchProgress(tuple(values))
        at = _estimate(calibration, known, target)
        nearest = min(values, key=lambda value: (abs(value - at), value))
        ended = _is_one(calibration, nearest, at, values) or len(values) >= calibration.most
        other = _across(calibration, nearest, at)
        if ended and (other in known or len(values) > calibration.most):
            return _checked(calibration, params, target, known, (nearest, other), outcomes_of)
        values.append(other if ended else calibration.rounded(at))


def _is_one(calibration: Calibration, nearest: float, at: float, values: list[float]) -> bool:
    """Return whether an earlier value is close enough to the estimate, or equal when rounded."""
    close = abs(nearest - at) <= calibration.within * max(abs(nearest), abs(at))
    return close or calibration.rounded(at) in values


def _across(calibration: Calibration, nearest: float, at: float) -> float:
    """Return the next step across the estimate; without a step, the nearest value itself."""
    return calibration.rounded(nearest + (calibration.step if at >= nearest else -calibration.step))


def _ordered(calibration: Calibration, known: dict[float, Floats]) -> list[float]:
    return sorted(known, reverse=not calibration.up)


def _estimate(calibration: Calibration, known: dict[float, Floats], target: float) -> float:
    values = _ordered(calibration, known)
    means = np.array([known[value].mean() for value in values])
    return float(crossing(np.array(values), means, target, log=calibration.range.log))


def _interval(calibration: Calibration, known: dict[float, Floats], target: float) -> Interval:
    values = _ordered(calibration, known)
    x = np.array(values)

    def at(rows: list[Floats]) -> Floats:
        means = np.stack([row.mean(axis=-1) for row in rows], axis=-1)
        return crossing(x, means, target, log=calibration.range.log)

    drawn = bootstrap(at, [known[value] for value in values], _REPORTED)
    low, high = calibration.around(drawn.low, drawn.high)
    return msgspec.structs.replace(drawn, low=low, high=high)


def _checked(
    calibration: Calibration,
    params: dict[str, Any],
    target: float,
    known: dict[float, Floats],
    pair: tuple[float, float],
    outcomes_of: OutcomesOf,
) -> SearchProgress:
    (value, other), values = pair, tuple(known)
    tried = {"tried": values, "means": tuple(float(row.mean()) for row in known.values())}
    side = _beyond(calibration, known, target)
    own = t_interval(known[value], _CHECKED)
    if side and not own.low <= target <= own.high:
        why = (
            f"{_figure_text(calibration, own, value)}, {side} the target even at the nearest end "
            "of the range"
        )
        search_result = SearchResult(
            params, target, NOT_REACHABLE, value, None, own, **tried, why=why
        )
        return SearchProgress(values, result=search_result)
    unseen = outcomes_of(value, True)
    if unseen is None:
        return SearchProgress(values, checked=value)
    figure, why = t_interval(unseen, _CHECKED), ""
    verdict = FOUND
    if not figure.low <= target <= figure.high:
        verdict = NOT_REACHABLE if side else MISSED
        why = f"{_figure_text(calibration, figure, value)} with seeds not used in the search"
        if not side and _enclosed(target, known, pair):
            verdict, shown = FOUND, calibration.range.shown
            why = (
                f"the target lies between the figures at {shown(value)} and {shown(other)}, "
                "which are one step apart"
            )
    interval = None if verdict == NOT_REACHABLE else _interval(calibration, known, target)
    search_result = SearchResult(params, target, verdict, value, interval, figure, **tried, why=why)
    return SearchProgress(values, checked=value, result=search_result)


def _enclosed(target: float, known: dict[float, Floats], pair: tuple[float, float]) -> bool:
    if pair[0] == pair[1] or pair[1] not in known:
        return False
    low, high = sorted(float(known[value].mean()) for value in pair)
    return low <= target <= high


def _beyond(calibration: Calibration, known: dict[float, Floats], target: float) -> str:
    """Return "above" or "below" if the whole curve lies on that side of the target, else ""."""
    values, at = _ordered(calibration, known), _estimate(calibration, known, target)
    if at == values[0] and known[at].mean() > target:
        return "above"
    return "below" if at == values[-1] and known[at].mean() < target else ""


def _figure_text(calibration: Calibration, figure: Interval, value: float) -> str:
    at = calibration.range.shown(value)
    return (
        f"{calibration.figure} is {figure.mean:.3g} [{figure.low:.3g}, {figure.high:.3g}] at {at}"
    )
