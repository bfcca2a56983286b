# SPDX-License-Identifier: Apache-2.0
"""The answer of a tuning: the best values, their outcome, and values that are equally good.

The best of many noisy means is partly due to luck. The outcome at the best values is therefore
measured again with new seeds, and `outcome` covers only these seeds.

    found          The best values keep all constraints. With a target, the interval over the
                   new seeds overlaps the accepted range.
    missed         The best values fail one of these conditions with the new seeds.
    not reachable  All values tried violate the constraints, or all outcomes are on one side
                   of the accepted range, and the new seeds miss it too.

Values that keep the constraints are as good as the best values if the 95 % interval of the paired
difference over the search's seeds contains 0. Values whose outcome is within a hundredth of the
best are reported separately, because a choice among them costs almost nothing.
"""

from __future__ import annotations

import math
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.statistics.comparisons import compared
from ecnomy.analysis.statistics.intervals import LEVEL, Interval, t_interval
from ecnomy.analysis.tune.search import Values
from ecnomy.markets.sweep.tuning import TARGET, OutcomeBounds, Tuning

__all__ = [
    "FOUND",
    "MISSED",
    "NEAR",
    "NOT_REACHABLE",
    "Tried",
    "TuningAnswer",
    "answered",
    "best_of",
]

FOUND: Final = "found"
MISSED: Final = "missed"
NOT_REACHABLE: Final = "not reachable"
NEAR: Final = 0.01
_CHECKED: Final = 0.99  # level for a target, raised because the chosen value also has an error
_EDGE: Final = 0.01  # the share of a range that counts as its end
Rows = dict[str, Floats]  # outcome -> one value per seed


class Tried(msgspec.Struct, frozen=True):
    """The outcome of values that the search tried.

    Attributes:
        values: the value of each parameter.
        mean: mean outcome over the search's seeds; NaN if a run lacks the outcome.
        low, high: ends of the 95 % interval of the mean.
        kept: whether the means of all constrained outcomes are within the constraints.
        same: whether the values keep the constraints and do not differ significantly from the best.
        near: whether the values keep the constraints, and the outcome is within a hundredth of the
            best.
    """

    values: Values
    mean: float
    low: float
    high: float
    kept: bool
    same: bool = False
    near: bool = False


class TuningAnswer(msgspec.Struct, frozen=True):
    """The answer of a tuning.

    Attributes:
        verdict: found, missed or not reachable.
        values: the best values; if no values keep the constraints, those that violate them least.
        outcome: interval of the outcome at these values, over new seeds.
        bounds: interval of each constrained outcome at these values, over the same seeds.
        same: range of the tried values that are as good as the best, for each parameter.
        near: range of the tried values within a hundredth of the best outcome, for each parameter.
        tried: all values tried, each once, in the order of the search.
        why: reason for the verdict, or a warning; "" without either.
    """

    verdict: str
    values: Values
    outcome: Interval
    bounds: tuple[Interval, ...]
    same: tuple[tuple[float, float], ...]
    near: tuple[tuple[float, float], ...]
    tried: tuple[Tried, ...]
    why: str = ""

    @property
    def place(self) -> int:
        """The index of the best values in `tried`."""
        return next(i for i, each in enumerate(self.tried) if each.values == self.values)


def best_of(tuning: Tuning, tried: dict[Values, Rows]) -> Values:
    """Return the values that violate constraints least and, among these, have the best mean.

    Args:
        tuning: the aim and the constraints of the search.
        tried: outcomes of the values tried, in the order of the search; among equally good
            values, the first are chosen.
    """

    def rank(values: Values) -> tuple[float, float]:
        outside = sum(max(0.0, _excess(bound, tried[values])) for bound in tuning.bounds)
        return outside, _known(tuning.loss(float(tried[values][tuning.outcome].mean())))

    return min(tried, key=rank)


def _known(value: float) -> float:
    return value if math.isfinite(value) else math.inf


def _excess(bound: OutcomeBounds, rows: Rows) -> float:
    return bound.excess(float(rows[bound.outcome].mean()))


def answered(tuning: Tuning, tried: dict[Values, Rows], unseen: Rows) -> TuningAnswer:
    """Return the answer, from runs of the best values with new seeds.

    Args:
        tuning: the aim and the constraints of the search.
        tried: outcomes of the values tried, in the order of the search.
        unseen: outcomes of the best values with new seeds.
    """
    best = best_of(tuning, tried)
    level = _CHECKED if tuning.aim == TARGET else LEVEL
    outcome = t_interval(unseen[tuning.outcome], level)
    bounds = tuple(t_interval(unseen[bound.outcome], LEVEL) for bound in tuning.bounds)
    each = tuple(_tried(tuning, values, rows, tried[best]) for values, rows in tried.items())
    verdict, why = _verdict(tuning, tried, best, outcome, bounds)
    same = [one.values for one in each if one.same]
    near = [one.values for one in each if one.near]
    if verdict != NOT_REACHABLE and (ends := _ends(tuning, best, outcome)):
        why = f"{why}; {ends}" if why else ends
    spans = (_spans(best, same), _spans(best, near))
    return TuningAnswer(verdict, best, outcome, bounds, *spans, each, why)


def _tried(tuning: Tuning, values: Values, rows: Rows, best: Rows) -> Tried:
    own, other = rows[tuning.outcome], best[tuning.outcome]
    mean, low, high = float(own.mean()), math.nan, math.nan
    kept = all(_excess(bound, rows) <= 0 for bound in tuning.bounds)
    if not np.isfinite(own).all() or not np.isfinite(other).all():
        return Tried(values, mean, low, high, kept)
    interval = t_interval(own, LEVEL)
    wanted = float(other.mean())
    near = kept and abs(mean - wanted) <= NEAR * abs(wanted)
    same = kept and compared(own, other, paired=True).sign == 0
    return Tried(values, mean, interval.low, interval.high, kept, same, near)


def _spans(best: Values, values: list[Values]) -> tuple[tuple[float, float], ...]:
    rows = [best, *values]
    return tuple((min(column), max(column)) for column in zip(*rows, strict=True))


def _verdict(
    tuning: Tuning, tried: dict[Values, Rows], best: Values, outcome: Interval,
    bounds: tuple[Interval, ...],
) -> tuple[str, str]:  # fmt: skip
    for bound in tuning.bounds:
        if _excess(bound, tried[best]) > 0:
            mean = float(tried[best][bound.outcome].mean())
            return (
                NOT_REACHABLE,
                f"{bound.outcome} is {mean:.4g} at the nearest values, but {_wanted(bound)}",
            )
    for bound, there in zip(tuning.bounds, bounds, strict=True):
        if bound.excess(there.mean) > 0:
            why = f"{bound.outcome} is {_of(there)} with seeds not used in the search"
            return MISSED, f"{why}, but {_wanted(bound)}"
    low, high = tuning.target - tuning.within, tuning.target + tuning.within
    if tuning.aim != TARGET or (outcome.low <= high and low <= outcome.high):
        return FOUND, ""
    means = [float(rows[tuning.outcome].mean()) for rows in tried.values()]
    known = [mean for mean in means if math.isfinite(mean)]
    if min(known) > high or max(known) < low:
        side = "above" if min(known) > high else "below"
        why = f"{tuning.outcome} is {side} {tuning.target:.4g} at all values tried"
        return NOT_REACHABLE, f"{why}; at the nearest value it is {_of(outcome)}"
    return MISSED, f"{tuning.outcome} is {_of(outcome)} with seeds not used in the search"


def _wanted(bound: OutcomeBounds) -> str:
    ends = (("at least", bound.least), ("at most", bound.most))
    return "it must be " + " and ".join(f"{word} {x:.4g}" for word, x in ends if math.isfinite(x))


def _of(interval: Interval) -> str:
    return f"{interval.mean:.4g} [{interval.low:.4g}, {interval.high:.4g}]"


def _ends(tuning: Tuning, best: Values, outcome: Interval) -> str:
    """Return a warning about parameters whose best value is at an end of the range, or ""."""
    if tuning.aim == TARGET:
        return ""
    warnings = []
    for path, value, r in zip(tuning.paths, best, tuning.ranges, strict=True):
        low, high, at = (math.log(x) if r.log else x for x in (r.low, r.high, value))
        share = (at - low) / (high - low)
        if share <= _EDGE or share >= 1 - _EDGE:
            end = "low" if share < 0.5 else "high"
            warnings.append(f"{path} is best at the {end} end of its range")
    return ", ".join(warnings) + (": a wider range may contain better values" if warnings else "")
