# SPDX-License-Identifier: Apache-2.0
"""Computes the convergence and periodicity of windows over time."""

from __future__ import annotations

import numpy as np

from ecnomy.agents.arrays import Floats

__all__ = ["autocorrelation_peak", "moving_mean", "settled_after_s"]


def moving_mean(values: Floats, width: int) -> Floats:
    """Return the means of `width` consecutive values, from the first complete window on."""
    sums = np.cumsum(np.concatenate([[0.0], values]))
    return np.asarray((sums[width:] - sums[:-width]) / width, dtype=np.float64)


def settled_after_s(values: Floats, step_s: float, *, within: float, over_s: float = 5.0) -> float:
    """Return the time from which the moving mean stays close to its final value.

    Args:
        values: values of the curve at step_s, 2 step_s, ...
        step_s: time between two values, seconds.
        within: the largest relative distance from the final value, e.g. 0.1 for 10 %.
        over_s: length of the moving mean, seconds. The final value is the mean of the second half.

    Returns:
        Seconds from 0, or one step more than the duration if the mean does not stay within that
        distance.
    """
    width = round(over_s / step_s)
    means = moving_mean(values, width)
    final = float(values[len(values) // 2 :].mean())
    outside = np.flatnonzero(np.abs(means - final) > within * abs(final))
    first = 0 if outside.size == 0 else int(outside[-1]) + 1
    return (first + width) * step_s


def autocorrelation_peak(values: Floats, step_s: float, *, from_s: float, to_s: float) -> float:
    """Return the autocorrelation's highest local maximum between two lags, or 0 without one."""
    centred = values - values.mean()
    power = float(centred @ centred)
    if power <= 0:
        return 0.0
    first, last = int(np.floor(from_s / step_s)), min(round(to_s / step_s), len(values) - 2)
    lags = range(first, last + 2)
    correlations = (
        np.array([float(centred[lag:] @ centred[: len(centred) - lag]) for lag in lags]) / power
    )
    inner = correlations[1:-1]
    peaks = inner[(inner > correlations[:-2]) & (inner >= correlations[2:])]
    return float(peaks.max()) if peaks.size else 0.0
