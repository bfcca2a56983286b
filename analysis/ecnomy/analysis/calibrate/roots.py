# SPDX-License-Identifier: Apache-2.0
"""Finds where a monotone curve, measured with noise at a few values, crosses a target.

Pooling adjacent violators makes the curve monotone (Barlow et al. 1972). The closed form of the
result is the min-max formula

    m_i = max over j <= i of min over k >= i of mean(y_j .. y_k)

Between two values, the logarithm of the curve is linear in x (in log x on a logarithmic scale),
because rates of rare events are exponential in thresholds. If the curve is not positive at the
first of the two values, or the target is not positive, the curve itself is linear there.
"""

from __future__ import annotations

import numpy as np

from ecnomy.agents.arrays import Floats

__all__ = ["between", "crossing", "monotone"]


def monotone(y: Floats) -> Floats:
    """Return the least-squares fit to y that is nondecreasing along the last axis."""
    count = y.shape[-1]
    sums = np.concatenate([np.zeros((*y.shape[:-1], 1)), np.cumsum(y, axis=-1)], axis=-1)
    fit = np.empty_like(y, dtype=np.float64)
    for i in range(count):
        best = np.full(y.shape[:-1], -np.inf)
        for j in range(i + 1):
            means = [(sums[..., k + 1] - sums[..., j]) / (k + 1 - j) for k in range(i, count)]
            best = np.maximum(best, np.min(means, axis=0))
        fit[..., i] = best
    return fit


def between(x: tuple[Floats, Floats], y: tuple[Floats, Floats], target: float) -> Floats:
    """Return the x at which the curve from (x0, y0) to (x1, y1) meets a target in [y0, y1)."""
    (x0, x1), (y0, y1) = x, y
    logs = (y0 > 0) & (target > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        by_log = np.log(target / y0) / np.log(y1 / y0)
        part = np.where(logs, by_log, (target - y0) / (y1 - y0))
    return np.asarray(x0 + part * (x1 - x0))


def crossing(x: Floats, y: Floats, target: float, *, log: bool = False) -> Floats:
    """Return the x at which rising curves cross the target, or an end of x without a crossing.

    Args:
        x: values of shape [k], in the order in which the curves rise.
        y: noisy curves of shape [..., k].
        target: the value to cross, in the unit of y.
        log: whether to interpolate in log x.

    Returns:
        One value for each curve.
    """
    scale = np.log(x) if log else np.asarray(x, dtype=np.float64)
    curve = monotone(y)
    below = (curve <= target).sum(axis=-1)
    at = np.clip(below, 1, len(x) - 1)
    pairs = [np.take_along_axis(curve, (at - d)[..., None], -1)[..., 0] for d in (1, 0)]
    inside = between((scale[at - 1], scale[at]), (pairs[0], pairs[1]), target)
    crossings = np.exp(inside) if log else inside
    return np.asarray(np.where(below == 0, x[0], np.where(below == len(x), x[-1], crossings)))
