# SPDX-License-Identifier: Apache-2.0
"""The search of one parameter for one target, as a function of the existing runs.

All values are run with the same seeds (common random numbers). The first round brackets: values
over the whole range, both ends among them. Each further round runs the value at which the curve
through the means (roots.py) crosses the target, until that is as good as one that was run, or so
many are that no more may be. That one is the value found. It is checked with as many seeds that the
search has not seen, as it was chosen for being right with those that it has.

    found          the 99 % interval of the figure over the unseen seeds holds the target
    missed         it does not: the figure jumps over the target, or seeds differ too much
    not reachable  the figure is above the target, or below it, at either end of the range

Where values are multiples of a step, the best of them may be off by more than chance. It is found
too if the means at it and at the next one on the other side of the crossing enclose the target.

The interval of the value is a bootstrap's over seeds, 90 %: of the crossing of curves through means
of seeds drawn again. With a step it need not hold the multiple that is nearest to the crossing. An
interval that reaches an end of the range says nothing about values beyond.

The check is at 99 %, for the value found has an error of its own: of the difference of two means
over equally many seeds the interval of one alone at 99 % holds 93 %.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from ecnomy.analysis.calibrate.roots import crossing
from ecnomy.analysis.statistics.intervals import Interval, bootstrap, t_interval
from ecnomy.markets.sweep.calibration import Calibration

__all__ = ["FOUND", "MISSED", "NOT_REACHABLE", "Found", "Search", "searched"]

FOUND: Final = "found"
MISSED: Final = "missed"
NOT_REACHABLE: Final = "not reachable"
_CHECKED: Final = 0.99
_TOLD: Final = 0.90
Row = npt.NDArray[np.float64]
Seen = Callable[[float, bool], Row | None]  # value, unseen seeds -> figures, None: not all there


class Found(msgspec.Struct, frozen=True):
    """The result of a search.

    Attributes:
        params: the point of the sweep's blocks that it was for.
        target: of the figure.
        verdict: found, missed or not reachable.
        value: of the parameter; where not reachable, the end of the range that comes nearest.
        interval: 90 %, over seeds, with the bootstrap's draws; None if not reachable.
        figure: at `value`, over unseen seeds (99 %); where not reachable, over those of the search.
        tried: the values in order of their runs.
        means: of the figure over the search's seeds, for each value tried.
        why: in words, where it was not found, or the figure is beyond the target by the step.
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


class Search(msgspec.Struct, frozen=True):
    """The progress of a search.

    Attributes:
        values: to be run with the search's seeds, in order.
        checked: to be run with unseen seeds, None as long as none is.
        found: what came of it, None as long as runs are missing.
    """

    values: tuple[float, ...]
    checked: float | None = None
    found: Found | None = None


def searched(calibration: Calibration, params: dict[str, Any], target: float, seen: Seen) -> Search:
    """A search, replayed from its first round as far as runs exist."""
    values = calibration.first_values()
    while True:
        rows = [seen(value, False) for value in values]
        known = {v: row for v, row in zip(values, rows, strict=True) if row is not None}
        if len(known) < len(values):
            return Search(tuple(values))
        at = _estimate(calibration, known, target)
        nearest = min(values, key=lambda value: (abs(value - at), value))
        ended = _is_one(calibration, nearest, at, values) or len(values) >= calibration.most
        other = _across(calibration, nearest, at)
        if ended and (other in known or len(values) > calibration.most):
            return _checked(calibration, params, target, known, (nearest, other), seen)
        values.append(other if ended else calibration.rounded(at))


def _is_one(calibration: Calibration, nearest: float, at: float, values: list[float]) -> bool:
    """Whether a value that was run is as good as the estimate."""
    close = abs(nearest - at) <= calibration.within * max(abs(nearest), abs(at))
    return close or calibration.rounded(at) in values


def _across(calibration: Calibration, nearest: float, at: float) -> float:
    """Where values have a step, the next one on the other side of the estimate."""
    return calibration.rounded(nearest + (calibration.step if at >= nearest else -calibration.step))


def _ordered(calibration: Calibration, known: dict[float, Row]) -> list[float]:
    return sorted(known, reverse=not calibration.up)


def _estimate(calibration: Calibration, known: dict[float, Row], target: float) -> float:
    values = _ordered(calibration, known)
    means = np.array([known[value].mean() for value in values])
    return float(crossing(np.array(values), means, target, log=calibration.range.log))


def _interval(calibration: Calibration, known: dict[float, Row], target: float) -> Interval:
    values = _ordered(calibration, known)
    x = np.array(values)

    def at(rows: list[Row]) -> Row:
        means = np.stack([row.mean(axis=-1) for row in rows], axis=-1)
        return crossing(x, means, target, log=calibration.range.log)

    return bootstrap(at, [known[value] for value in values], _TOLD)


def _checked(
    calibration: Calibration,
    params: dict[str, Any],
    target: float,
    known: dict[float, Row],
    pair: tuple[float, float],
    seen: Seen,
) -> Search:
    """The verdict on the value nearest to the crossing, the first of the pair."""
    (value, other), values = pair, tuple(known)
    tried = {"tried": values, "means": tuple(float(row.mean()) for row in known.values())}
    side = _beyond(calibration, known, target)
    own = t_interval(known[value], _CHECKED)
    if side and not own.low <= target <= own.high:
        why = (
            f"{_told(calibration, own, value)}, {side} the target even at the nearest end of "
            "the range"
        )
        found = Found(params, target, NOT_REACHABLE, value, None, own, **tried, why=why)
        return Search(values, found=found)
    unseen = seen(value, True)
    if unseen is None:
        return Search(values, checked=value)
    figure, why = t_interval(unseen, _CHECKED), ""
    verdict = FOUND
    if not figure.low <= target <= figure.high:
        verdict = NOT_REACHABLE if side else MISSED
        why = f"{_told(calibration, figure, value)} with seeds not used in the search"
        if not side and _enclosed(target, known, pair):
            verdict, shown = FOUND, calibration.range.shown
            why = f"the target lies between {shown(value)} and {shown(other)}, a step apart"
    interval = None if verdict == NOT_REACHABLE else _interval(calibration, known, target)
    found = Found(params, target, verdict, value, interval, figure, **tried, why=why)
    return Search(values, checked=value, found=found)


def _enclosed(target: float, known: dict[float, Row], pair: tuple[float, float]) -> bool:
    """Whether the means at two values a step apart have the target between them."""
    if pair[0] == pair[1] or pair[1] not in known:
        return False
    low, high = sorted(float(known[value].mean()) for value in pair)
    return low <= target <= high


def _beyond(calibration: Calibration, known: dict[float, Row], target: float) -> str:
    """On which side of the target the whole curve is, "" if it crosses it."""
    values, at = _ordered(calibration, known), _estimate(calibration, known, target)
    if at == values[0] and known[at].mean() > target:
        return "above"
    return "below" if at == values[-1] and known[at].mean() < target else ""


def _told(calibration: Calibration, figure: Interval, value: float) -> str:
    at = calibration.range.shown(value)
    return (
        f"{calibration.figure} is {figure.mean:.3g} [{figure.low:.3g}, {figure.high:.3g}] at {at}"
    )
