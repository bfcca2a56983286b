# SPDX-License-Identifier: Apache-2.0
"""Rank correlation: whether one quantity rises with another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.statistics.intervals import Interval, bootstrap
from ecnomy.analysis.support.first_use import scipy_part

__all__ = ["rank_correlation"]

_DIGITS = 12


def rank_correlation(points: Mapping[Any, Any]) -> Interval:
    """Return Spearman's correlation of x and the samples' means, with a bootstrap interval.

    The result is NaN if all means are equal or a value is not finite. It is rounded, so that a
    perfect order gives exactly 1.

    Args:
        points: x -> values at x, one per seed or batch.
    """
    rankdata = scipy_part("stats").rankdata
    order = _centred(rankdata(list(points)))

    def spearman(rows: list[Floats]) -> Floats:
        means = np.stack([row.mean(axis=-1) for row in rows], axis=-1)
        ranks = _centred(rankdata(means, axis=-1))
        both = np.sqrt((order**2).sum() * (ranks**2).sum(axis=-1))
        return np.asarray(np.round((ranks * order).sum(axis=-1) / both, _DIGITS))

    samples = [np.atleast_1d(np.asarray(sample, dtype=np.float64)) for sample in points.values()]
    if not all(np.isfinite(sample).all() for sample in samples):
        return Interval(np.nan, np.nan, np.nan, 0.9, 0)
    return bootstrap(spearman, samples)


def _centred(ranks: Floats) -> Floats:
    return np.asarray(ranks - ranks.mean(axis=-1, keepdims=True))
