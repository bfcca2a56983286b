# SPDX-License-Identifier: Apache-2.0
"""Computes curves of an outcome along a parameter, with bands, and the optimum.

The band is Student's t interval of the mean over replicates or, for a sampled parameter, over the
samples in a bin. peaks.py finds the optimum and its interval. If seeds are paired, the bootstrap
draws the replicates of all values together. With two values, or if an end of the values is
best in all draws, the optimum is the best value simulated. With one replicate, it is the top of the
parabola through this value and its neighbours, without an interval. The best of several noisy means
looks better than it is, so its interval is slightly optimistic.
"""

from __future__ import annotations

import math
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.sweep_report.contrasts import level_rows, units_of
from ecnomy.analysis.sweep_report.peaks import peak_of
from ecnomy.analysis.sweep_report.points import Swept, Varied, half_widths, moments
from ecnomy.markets.sweep.main_outcomes import better

__all__ = ["Best", "OutcomeCurve", "best_of", "curves_of"]

_BINS: Final = 8
_SERIES: Final = 4  # largest number of curves in a picture
_DRAWS: Final = 2000
_FEW: Final = 500  # bootstrap draws for a standard error alone
_KEY: Final = 1979


class OutcomeCurve(msgspec.Struct, frozen=True):
    """An outcome along a parameter.

    Attributes:
        name: name of the curve in a plot of several curves; "" for a single curve.
        x: values of the parameter, ascending.
        mean, half: mean of the outcome, and half-width of its interval (NaN if unknown).
        n: number of values behind each mean.
    """

    name: str
    x: tuple[float, ...]
    mean: tuple[float, ...]
    half: tuple[float, ...]
    n: tuple[int, ...]


class Best(msgspec.Struct, frozen=True):
    """The optimum of an outcome along a parameter, with its interval.

    Attributes:
        level: index of the best value simulated.
        x: the best value simulated.
        mean, half: mean of the outcome at `x`, and half-width of its interval.
        at, low, high: position of the curve's optimum, and its interval.
        limit: main cause of the interval's width; "" if peaks.py did not compute the interval.
        inner: whether the interval excludes the smallest and the largest value simulated.
        share: share of bootstrap draws in which `x` was best.
    """

    level: int
    x: float
    mean: float
    half: float
    at: float
    low: float
    high: float
    inner: bool
    share: float
    limit: str = ""


def curves_of(swept: Swept, varied: Varied, outcome: str) -> tuple[OutcomeCurve, ...]:
    """Return curves along a factor, one per value of the first categorical factor.

    Without such a factor, or if it has more than four values, a single curve covers all runs.

    Args:
        swept: the runs of the sweep.
        varied: a numeric factor.
        outcome: an outcome of the sweep.
    """
    kinds = [one for one in swept.varied if not one.is_number and one is not varied]
    values = swept.of(outcome)
    if not kinds or len(kinds[0].factor.labels) > _SERIES:
        return (_curve(swept, varied, values, "", np.ones(swept.runs, dtype=bool)),)
    return tuple(
        _curve(swept, varied, values, name, kinds[0].codes == level)
        for level, name in enumerate(kinds[0].factor.labels)
    )


def _curve(swept: Swept, varied: Varied, values: Floats, name: str, own: Floats) -> OutcomeCurve:
    if varied.factor.sampled:
        return _binned(varied.x[own], values[own], name, swept.level)
    rows = level_rows(varied, values, units_of(swept, varied)[0], own)
    levels = np.repeat(np.arange(len(rows)), rows.shape[1])
    mean, spread, n = moments(rows.ravel(), levels, len(rows))
    half = half_widths(spread, n, swept.level)
    order = [i for i in np.argsort(varied.factor.values, kind="stable") if n[i]]
    return OutcomeCurve(
        name,
        tuple(float(varied.factor.values[i]) for i in order),
        tuple(float(mean[i]) for i in order),
        tuple(float(half[i]) for i in order),
        tuple(int(n[i]) for i in order),
    )


def _binned(x: Floats, y: Floats, name: str, level: float) -> OutcomeCurve:
    """Return a curve through the means of equally filled bins, or of few distinct values."""
    known = np.isfinite(y)
    x, y = x[known], y[known]
    count = max(1, min(_BINS, len(x) // 5))
    distinct = np.unique(x)
    if len(distinct) <= count:  # levels of Morris's method
        count, bins = len(distinct), np.searchsorted(distinct, x)
    else:
        edges = np.quantile(x, np.linspace(0, 1, count + 1))
        bins = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, count - 1)
    mean, spread, n = moments(y, bins, count)
    middle = moments(x, bins, count)[0]
    half, some = half_widths(spread, n, level), np.flatnonzero(n)
    return OutcomeCurve(
        name,
        tuple(float(middle[i]) for i in some),
        tuple(float(mean[i]) for i in some),
        tuple(float(half[i]) for i in some),
        tuple(int(n[i]) for i in some),
    )


def best_of(swept: Swept, varied: Varied, outcome: str) -> Best | None:
    """Return the optimum along a factor, or None.

    The result is None if the factor is sampled or categorical, if neither direction of the outcome
    is better, or if there are fewer than two values or no complete replicate.
    """
    sign = better(outcome)
    if varied.factor.sampled or not varied.is_number or sign == 0:
        return None
    units, paired = units_of(swept, varied)
    rows = level_rows(varied, swept.of(outcome), units)
    x, order = np.unique(np.array(varied.factor.values), return_index=True)
    rows = rows[order]  # the first of equal values
    whole = np.isfinite(rows).all(axis=0)
    rows = sign * rows[:, whole]
    if len(x) < 2 or rows.shape[1] < 1:
        return None
    means = rows.mean(axis=1)
    top = int(means.argmax())
    drawn = _drawn(rows, paired)
    at, low, high, limit = _peak(x, means, drawn, rows.shape[1], swept.level)
    n = np.array([rows.shape[1]])
    spread = np.array([rows[top].std(ddof=1) if rows.shape[1] > 1 else math.nan])
    return Best(
        level=int(order[top]),
        x=float(x[top]),
        mean=sign * float(means[top]),
        half=float(half_widths(spread, n, swept.level)[0]),
        at=at,
        low=low,
        high=high,
        inner=bool(low > x[0] and high < x[-1]),
        share=float((drawn.argmax(axis=0) == top).mean()),
        limit=limit,
    )


def _peak(
    x: Floats, means: Floats, drawn: Floats, count: int, level: float
) -> tuple[float, float, float, str]:
    """Return the position of the optimum, its interval, and the main cause of the width."""
    if count < 2:
        return float(_tops(x, means[:, np.newaxis])[0]), math.nan, math.nan, ""
    ends = (0, len(x) - 1)
    if len(x) < 3 or np.isin(drawn.argmax(axis=0), ends).all():  # at an end of the values
        low, high = (float(v) for v in np.quantile(x[drawn.argmax(axis=0)],
                                                   [(1 - level) / 2, (1 + level) / 2]))  # fmt: skip
        return float(x[means.argmax()]), low, high, ""
    peak = peak_of(x, means, drawn[:, :_FEW], count, level)
    return peak.at, peak.low, peak.high, peak.limit


def _drawn(rows: Floats, paired: bool) -> Floats:
    """Return the means of resampled replicates, of shape (levels, draws)."""
    rng = np.random.Generator(np.random.Philox(key=_KEY))
    count = rows.shape[1]
    even = np.full(count, 1 / count)
    if paired:
        weights = rng.multinomial(count, even, _DRAWS) / count
        means: Floats = rows @ weights.T
        return means
    return np.stack([rng.multinomial(count, even, _DRAWS) @ row / count for row in rows])


def _tops(x: Floats, means: Floats) -> Floats:
    """Return where the parabola through the largest mean and its neighbours peaks, per draw."""
    top = means.argmax(axis=0)
    positions: Floats = x[top].astype(np.float64)
    if len(x) < 3:
        return positions
    at = np.clip(top, 1, len(x) - 2)
    a, b, c = (x[at + step] for step in (-1, 0, 1))
    draws = np.arange(means.shape[1])
    y_a, y_b, y_c = (means[at + step, draws] for step in (-1, 0, 1))
    left, right = (y_b - y_a) / (b - a), (y_c - y_b) / (c - b)
    bend = (right - left) / (c - a)
    with np.errstate(divide="ignore", invalid="ignore"):
        vertex = (a + b) / 2 - left / (2 * bend)
    return np.where((bend < 0) & (top == at), np.clip(vertex, a, c), positions)
