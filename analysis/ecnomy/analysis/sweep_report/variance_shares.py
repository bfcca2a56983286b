# SPDX-License-Identifier: Apache-2.0
"""Computes the share of each parameter in an outcome's variance.

For a complete grid, shares are sums of squares of the means minus the part due to chance. `alone`
is the share of a parameter alone (first order). `total` is the share that vanishes if the parameter
is fixed, which includes all its interactions. `chance` is the share of differences between
replicates. For samples, or if points are missing, a share is the explained variance that a rank
regression loses without the parameter, and `rest` covers both chance and interactions. Negative
shares are due to chance and are shown as 0.

Intervals are Student's t intervals with the jackknife's standard error over replicates (over twenty
groups of points for samples), because bootstrap percentiles of few replicates are too narrow.

Source: Sobol' 2001 (shares); Montgomery, Design and Analysis of Experiments, ch. 13 (mean squares);
Saltelli et al. 2008, 1.2.5 (regression on ranks); Efron, Stein 1981 (jackknife).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.statistics.intervals import Interval, t_quantile
from ecnomy.analysis.sweep_report.points import Swept, Varied

__all__ = ["Matters", "matters_of"]

_GROUPS: Final = 20
_LEVELS: Final = 12  # up to this number of levels, each level counts separately


class Matters(msgspec.Struct, frozen=True):
    """The shares of an outcome's variance.

    Attributes:
        alone, total: shares of each factor, in the sweep's order; `total` is empty without a grid.
        rest: share of interactions; without a grid, it includes chance.
        chance: share of differences between replicates; NaN with one replicate or without a grid.
        grid: whether the shares are sums of squares over a complete grid.
    """

    outcome: str
    alone: tuple[Interval, ...]
    total: tuple[Interval, ...]
    rest: float
    chance: float
    grid: bool

    def order(self) -> list[int]:
        """Return the indices of the factors, the largest share first."""
        shares = self.total or self.alone
        return sorted(range(len(shares)), key=lambda i: -shares[i].mean)


def matters_of(swept: Swept, outcome: str) -> Matters | None:
    """Return the shares of an outcome's variance, or None.

    The result is None if no factor varies, fewer than three runs have the outcome, or all their
    values are equal.
    """
    values = swept.of(outcome)
    known = np.isfinite(values)
    if not swept.varied or known.sum() < 3 or np.ptp(values[known]) == 0:
        return None
    rows = _rows(swept, values)
    if rows is not None:
        return _of_grid(swept, outcome, *rows)
    return _of_samples(swept, outcome, values, known)


def _rows(swept: Swept, values: Floats) -> tuple[Floats, list[Any]] | None:
    """Return values (points, replicates) and levels of points; None for an incomplete grid."""
    if any(one.factor.sampled for one in swept.varied):
        return None
    replicates = int(np.bincount(swept.point, minlength=swept.points).min())
    own = swept.replicate < replicates
    if int(own.sum()) != replicates * swept.points or not np.isfinite(values[own]).all():
        return None
    order = np.lexsort((swept.replicate[own], swept.point[own]))
    first = order[::replicates]
    codes = [one.codes[own][first] for one in swept.varied]
    cells = math.prod(len(np.unique(code)) for code in codes)
    if cells != swept.points:
        return None
    return values[own][order].reshape(swept.points, replicates), codes


def _of_grid(swept: Swept, outcome: str, rows: Floats, codes: list[Any]) -> Matters:
    replicates = rows.shape[1]
    rest = _cells_without(codes)

    def shares(some: Floats) -> Floats:
        return _shares(some, codes, rest, swept.paired)

    estimate = shares(rows)
    left_out = _groups(replicates, min(replicates, _GROUPS))
    several = replicates > 2
    draws = [shares(np.delete(rows, group, axis=1)) for group in left_out] if several else []
    intervals = _jackknifed(estimate, draws, swept.level)
    count = len(codes)
    return Matters(
        outcome=outcome,
        alone=tuple(intervals[:count]),
        total=tuple(intervals[count : 2 * count]),
        rest=float(estimate[-2]),
        chance=float(estimate[-1]) if replicates > 1 else math.nan,
        grid=True,
    )


def _cells_without(codes: list[Any]) -> list[Any]:
    """Return the cell of each point in the grid of the other factors, for each factor."""
    cells = []
    for number in range(len(codes)):
        others = [code for i, code in enumerate(codes) if i != number]
        if others:
            table = np.column_stack(others)
            cells.append(np.unique(table, axis=0, return_inverse=True)[1].ravel())
        else:
            cells.append(np.zeros(len(codes[0]), dtype=np.int64))
    return cells


def _shares(rows: Floats, codes: list[Any], rest: list[Any], paired: bool) -> Floats:
    """Return the shares of factors alone and in total, of all interactions, and of chance."""
    cells, replicates = rows.shape
    means = rows.mean(axis=1)
    middle = means.mean()
    within = noise = 0.0
    if replicates > 1:
        off = rows - means[:, np.newaxis]
        within = float((off**2).sum()) / (cells * (replicates - 1))
        noise = within
        if paired and cells > 1:
            off = off - off.mean(axis=0)
            noise = float((off**2).sum()) / ((cells - 1) * (replicates - 1))

    def spread(group: Any) -> float:
        n = np.bincount(group)
        centres = np.bincount(group, means) / n
        bias = (len(n) - 1) * noise / (cells * replicates)
        variance: float = float((n * (centres - middle) ** 2).sum()) / cells - bias
        return variance

    between = spread(np.arange(cells))
    alone = np.array([spread(code) for code in codes])
    total = between - np.array([spread(cell) for cell in rest])
    whole = between + within
    parts = np.concatenate([alone, total, [between - alone.sum(), within]])
    return parts / whole if whole > 0 else np.zeros_like(parts)


def _of_samples(swept: Swept, outcome: str, values: Floats, known: Any) -> Matters:
    """Return shares by regression on ranks; the jackknife keeps the runs of a point together."""
    y, points = values[known], swept.point[known]
    blocks = [_columns(one, known) for one in swept.varied]
    design = np.column_stack([np.ones(len(y)), *blocks])
    widths = np.cumsum([1, *(block.shape[1] for block in blocks)])
    places = [range(a, b) for a, b in zip(widths[:-1], widths[1:], strict=True)]
    whole = np.column_stack([design, y - y.mean()])
    several = len(np.unique(points)) >= 3
    groups = points % min(_GROUPS, int(points.max()) + 1)
    parts = [whole[groups == g].T @ whole[groups == g] for g in np.unique(groups)]
    total = np.sum(parts, axis=0)

    def shares(gram: Floats) -> Floats:
        return _lost(gram, places)

    estimate = shares(total)
    draws = [shares(total - part) for part in parts] if several else []
    intervals = _jackknifed(estimate, draws, swept.level)
    return Matters(outcome, tuple(intervals[:-1]), (), float(estimate[-1]), math.nan, False)


def _columns(varied: Varied, known: Any) -> Floats:
    """Return a factor's regression columns: levels except the first, or ranks and their squares."""
    codes = varied.codes[known]
    levels = np.unique(codes)
    if not varied.factor.sampled and (len(levels) <= _LEVELS or not varied.is_number):
        columns: Floats = (codes[:, np.newaxis] == levels[1:]).astype(np.float64)
        return columns
    from scipy.stats import rankdata

    rank = rankdata(varied.x[known])
    rank = (rank - rank.mean()) / max(float(rank.std()), 1e-300)
    return np.column_stack([rank, rank**2])


def _lost(gram: Floats, places: Sequence[range]) -> Floats:
    """Return the shares of variance lost without each factor, and the residual share."""
    n, last = gram[0, 0], len(gram) - 1
    squares = gram[last, last] - gram[0, last] ** 2 / n

    def left(columns: list[int]) -> float:
        xx, xy = gram[np.ix_(columns, columns)], gram[columns, last]
        return float(gram[last, last] - float(xy @ np.linalg.lstsq(xx, xy, rcond=None)[0]))

    every = list(range(last))
    over = max(left(every), 0.0)
    error = over / max(n - len(every), 1)
    lost = [
        left([c for c in every if c not in place]) - over - len(place) * error for place in places
    ]
    return np.array([*lost, over]) / squares if squares > 0 else np.zeros(len(places) + 1)


def _groups(count: int, groups: int) -> list[Any]:
    return [np.arange(count)[start::groups] for start in range(groups)]


def _jackknifed(estimate: Floats, draws: Sequence[Floats], level: float) -> list[Interval]:
    """Return each estimate with its interval, whose ends are NaN for fewer than three draws."""
    n = len(draws)
    if n < 3:
        return [Interval(float(v), math.nan, math.nan, level, n) for v in estimate]
    table = np.stack(draws)
    error = np.sqrt((n - 1) / n * ((table - table.mean(axis=0)) ** 2).sum(axis=0))
    half = t_quantile(level, n - 1) * error
    return [
        Interval(float(v), max(float(v - h), 0.0), min(float(v + h), 1.0), level, n)
        for v, h in zip(estimate, half, strict=True)
    ]
