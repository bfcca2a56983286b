# SPDX-License-Identifier: Apache-2.0
"""Compares the values of a factor in pairs: difference, interval, and multiple testing.

To compare two values, each replicate gives its mean over all points with one value and its mean
over all points with the other. If seeds are paired, both means have the same seeds. In a sweep with
samples, each sample gives a pair instead. A replicate that lacks a point with a value gives no mean
for this value, and no pair.

The q-values cover all comparisons of a page (statistics/comparisons.py). If replicates were added
until an interval was narrow, each p-value is multiplied by the number of looks.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.statistics.comparisons import MeanComparison, compared, q_values
from ecnomy.analysis.sweep_report.points import Swept, Varied

__all__ = ["Contrast", "contrasts_of", "level_rows", "units_of"]

_ALL_PAIRS: Final = 12  # all pairs are compared up to this number of levels


class Contrast(msgspec.Struct, frozen=True):
    """The comparison of two values of a factor in one outcome.

    Attributes:
        varied: index of the factor among the sweep's factors.
        first, second: indices of the two values.
        outcome: column of the outcome.
        compared: the comparison; its difference is the second value's mean minus the first value's.
        q: the q-value (statistics/comparisons.py); NaN if p is unknown.
        ratio: standard error of the difference divided by its value for independent seeds; NaN if
            seeds are not paired or the outcome does not vary.
    """

    varied: int
    first: int
    second: int
    outcome: str
    compared: MeanComparison
    q: float = math.nan
    ratio: float = math.nan


def contrasts_of(swept: Swept) -> tuple[Contrast, ...]:
    """Return the comparisons of a sweep for all outcomes and all factors that are not sampled.

    Categorical values are compared in all pairs (many values only with the first), and numeric
    values with their neighbours.
    """
    contrasts = []
    for number, varied in enumerate(swept.varied):
        if varied.factor.sampled:
            continue
        units, paired = units_of(swept, varied)
        for outcome in swept.outcomes:
            rows = level_rows(varied, swept.of(outcome), units)
            for a, b in _pairs(varied):
                contrast = _contrast(rows[a], rows[b], paired, swept.level)
                if contrast is not None:
                    contrasts.append(
                        Contrast(number, a, b, outcome, contrast[0], ratio=contrast[1])
                    )
    ps = [min(1.0, swept.looks * one.compared.p) for one in contrasts]
    return tuple(
        msgspec.structs.replace(one, q=q) for one, q in zip(contrasts, q_values(ps), strict=True)
    )


def units_of(swept: Swept, varied: Varied) -> tuple[Any, bool]:
    """Return the statistical unit of each run, and whether units form pairs across levels.

    Returns:
        The replicate of each run (its sample in a sweep with samples), and whether units are
        paired.
    """
    others = [one for one in swept.varied if one is not varied]
    if any(one.factor.sampled for one in others):
        table = np.column_stack([one.codes for one in others])
        return np.unique(table, axis=0, return_inverse=True)[1].ravel(), True
    return swept.replicate, swept.paired


def level_rows(varied: Varied, values: Floats, units: Any, own: Any = None) -> Floats:
    """Return an outcome's mean over all other factors, by level and unit.

    Args:
        varied: the factor with the levels.
        values: the outcome of each run.
        units: the unit of each run, from units_of.
        own: whether each run counts; None to count all runs.

    Returns:
        Means of shape (levels, units); NaN if a run is missing.
    """
    levels, count = len(varied.factor.labels), int(units.max()) + 1
    known = np.isfinite(values) if own is None else np.isfinite(values) & own
    key = varied.codes[known] * count + units[known]
    n = np.bincount(key, minlength=levels * count)
    sums = np.bincount(key, values[known], levels * count)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where((n == n.max(initial=0)) & (n > 0), sums / n, np.nan)
    rows: Floats = means.reshape(levels, count)
    return rows


def _pairs(varied: Varied) -> list[tuple[int, int]]:
    levels = len(varied.factor.labels)
    if varied.is_number:
        order = [int(level) for level in np.argsort(varied.factor.values, kind="stable")]
        return list(itertools.pairwise(order))
    if levels > _ALL_PAIRS:
        return [(0, level) for level in range(1, levels)]
    return list(itertools.combinations(range(levels), 2))


def _contrast(
    a: Floats, b: Floats, paired: bool, level: float
) -> tuple[MeanComparison, float] | None:
    """Return the comparison and its ratio of standard errors; None for fewer than two units."""
    if paired:
        both = np.isfinite(a) & np.isfinite(b)
        a, b = a[both], b[both]
    else:
        a, b = a[np.isfinite(a)], b[np.isfinite(b)]
    if min(a.size, b.size) < 2:
        return None
    ratio = math.nan
    if paired:
        apart = float(a.var(ddof=1) + b.var(ddof=1))
        ratio = math.sqrt(float((b - a).var(ddof=1)) / apart) if apart > 0 else math.nan
    return compared(a, b, paired=paired, level=level), ratio
