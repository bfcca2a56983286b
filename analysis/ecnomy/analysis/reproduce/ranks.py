# SPDX-License-Identifier: Apache-2.0
"""Whether one thing rises with another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ecnomy.analysis.optional import scipy_part

__all__ = ["rank_correlation"]


def rank_correlation(points: Mapping[Any, Any]) -> float:
    """Spearman's, of x with the mean of its sample; nan where all means are equal.

    Without the last digits, so that a perfect order gives 1 exactly.

    Args:
        points: x -> values, one per seed or batch.
    """
    means = [float(np.mean(sample)) for sample in points.values()]
    if len(set(means)) == 1:
        return float("nan")
    found = scipy_part("stats").spearmanr(list(points), means).statistic
    return round(float(found), 12)
