# SPDX-License-Identifier: Apache-2.0
"""Finds the top of a curve through noisy means, with an interval that allows for bias.

Polynomials of degree 2 to 4 are fitted by least squares to the levels around the best one. Their
axis is the logarithm of the values if the logarithms are spaced more evenly. A low degree over many
levels has little noise but much bias, because the skew of a curve pulls the top of a parabola to
its flat side. A high degree over few levels has much noise but little bias. The chosen model is the
least noisy one whose top agrees with the top of each noisier model, within the noise of their
difference. Its interval is Student's t interval from a bootstrap over replicates, widened at both
ends by the bias of the model. The bias is the largest distance to the tops of three kinds of
models: noisier models of sufficient precision, the next lower degree, and the same model on the
other axis. In simulations with skewed curves, 95 % intervals contain the optimum in at least 90 %
of the cases. Five values a factor of two apart are too few to show the skew. The share is then only
87 % if the noise is 1 % of the curve's range, and 74 % if it is 3 %.

Source: Box, Wilson 1951 and Box, Draper 1987 (local polynomials, bias and variance); Lepskii 1991
(choice between models by their differences); Efron 1979 (bootstrap).
"""

from __future__ import annotations

import itertools
import math
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.statistics.intervals import t_quantile

__all__ = ["NOISE", "SKEW", "SPACING", "Peak", "peak_of"]

NOISE: Final = "noise"
SKEW: Final = "skew"
SPACING: Final = "spacing"

_DEGREES: Final = (2, 3, 4)
_WIDEST: Final = 9  # most levels to which a model is fitted
_GRID: Final = 101
_AGREE: Final = 1.0  # standard errors of a difference between two models
_TELLS: Final = 3.0  # times the model's error; a noisier difference does not measure the bias
_WORSE: Final = 16.0  # above this many squared standard errors, the other axis does not fit
_RARE: Final = 0.025  # the top is not searched at levels that are best in a smaller share of draws


class Peak(msgspec.Struct, frozen=True):
    """The top of a curve, with its interval.

    Attributes:
        at: position of the top, in the unit of the values.
        low, high: interval of the position; NaN with one replicate.
        limit: main cause of the interval's width: NOISE, SKEW (models handle the curve's skew
            differently) or SPACING (too few levels to detect skew); "" with one replicate.
    """

    at: float
    low: float
    high: float
    limit: str


class _Model(msgspec.Struct, frozen=True):
    """The top according to one model, for the means and for each draw, with its standard error.

    `levels` are the first and the last level fitted. `grid` is the range in which the top is
    searched.
    """

    top: float
    draws: Floats
    error: float
    degree: int
    levels: tuple[int, int]
    grid: Floats


def peak_of(x: Floats, means: Floats, drawn: Floats, count: int, level: float) -> Peak:
    """Return the top of the curve through mean outcomes.

    Args:
        x: at least three levels, ascending.
        means: mean outcome at each level, where larger is better.
        drawn: means of resampled replicates, of shape (levels, draws).
        count: number of replicates.
        level: confidence level of the interval.
    """
    logs = _is_spread_in_logs(x)
    z = np.log(x) if logs else x
    scale = z[-1] - z[0]
    z = (z - z[0]) / scale
    models = _models(z, means, drawn, count)
    chosen, gaps = _choice(models, count)
    gaps.append(_other_axis(x, logs, z, means, drawn, chosen) - chosen.top)
    bias = max(abs(gap) for gap in gaps)
    if count < 2:
        low = high = math.nan
        limit = ""
    else:
        half = t_quantile(level, count - 1) * chosen.error
        low = max(chosen.top - half - bias, 0.0)
        high = min(chosen.top + half + bias, 1.0)
        limit = SPACING if len(x) == 3 else NOISE if half >= bias else SKEW

    def back(share: float) -> float:
        at = share * scale + (math.log(x[0]) if logs else x[0])
        return float(np.clip(math.exp(at) if logs else at, x[0], x[-1]))

    if math.isnan(low):
        return Peak(back(chosen.top), low, high, limit)
    return Peak(back(chosen.top), back(low), back(high), limit)


def _is_spread_in_logs(x: Floats) -> bool:
    if x[0] <= 0:
        return False
    plain, logs = np.diff(x), np.diff(np.log(x))
    return bool(plain.max() / plain.min() > logs.max() / logs.min())


def _models(z: Floats, means: Floats, drawn: Floats, count: int) -> list[_Model]:
    """Return the models that can be fitted to the levels, the least noisy one first."""
    top = int(means.argmax())
    shares = np.bincount(drawn.argmax(axis=0), minlength=len(z)) / drawn.shape[1]
    likely = np.append(np.flatnonzero(shares >= _RARE), top)
    low, high = max(int(likely.min()) - 1, 0), min(int(likely.max()) + 1, len(z) - 1)
    widest = max(min(_WIDEST, len(z)), high - low + 1)
    models = []
    for degree, width in itertools.product(_DEGREES, range(3, widest + 1)):
        first, last = _window(z, top, width)
        fits = width > degree and first <= low and last >= high
        if fits:
            grid = np.linspace(z[low], z[high], _GRID)
            both = np.column_stack([means, drawn])[first : last + 1]
            tops = _tops(z[first : last + 1], both, degree, grid)
            error = float(tops[1:].std()) * math.sqrt(count / max(count - 1, 1))
            models.append(_Model(float(tops[0]), tops[1:], error, degree, (first, last), grid))
    return sorted(models, key=lambda m: (round(m.error, 9), m.degree, m.levels[0] - m.levels[1]))


def _other_axis(
    x: Floats, logs: bool, z: Floats, means: Floats, drawn: Floats, model: _Model
) -> float:
    """Return the top of the same model on the other axis (values or logarithms).

    The top is converted to the first axis. Its distance from the model's top measures the effect of
    the model's form. If the model fits worse on the other axis than noise explains, the result is
    the given model's top.
    """
    if x[0] <= 0:
        return model.top
    ratio = float(x[-1] / x[0])
    share = (x - x[0]) / (x[-1] - x[0]) if logs else np.log(x / x[0]) / math.log(ratio)
    own = slice(model.levels[0], model.levels[1] + 1)
    errors = (drawn - drawn.mean(axis=0)).std(axis=1)
    misfit, there = (_misfit(axis, means, errors, model.degree) for axis in (z, share))
    if there > misfit + _WORSE:
        return model.top
    fine = np.linspace(0, 1, 2001)
    turned = (
        (ratio**fine - 1) / (ratio - 1) if logs else np.log1p(fine * (ratio - 1)) / math.log(ratio)
    )
    ends = np.interp(model.grid[[0, -1]], fine, turned)
    grid = np.linspace(ends[0], ends[1], _GRID)
    top = _tops(share[own], means[own, np.newaxis], model.degree, grid)
    return float(np.interp(top[0], turned, fine))


def _misfit(z: Floats, means: Floats, errors: Floats, degree: int) -> float:
    """Return the sum of squared residuals of a fit, each in standard errors of its mean."""
    table = np.vander((z - z.mean()) / np.ptp(z), degree + 1)
    left = means - table @ (np.linalg.pinv(table) @ means)
    return float(((left / np.maximum(errors, 1e-9 * np.ptp(means) + 1e-300)) ** 2).sum())


def _window(z: Floats, top: int, width: int) -> tuple[int, int]:
    """Return the first and the last of the `width` levels nearest to the top."""
    first = last = top
    while last - first + 1 < width:
        below = z[top] - z[first - 1] if first > 0 else math.inf
        above = z[last + 1] - z[top] if last + 1 < len(z) else math.inf
        first, last = (first - 1, last) if below < above else (first, last + 1)
    return first, last


def _tops(z: Floats, means: Floats, degree: int, grid: Floats) -> Floats:
    """Return where on a grid the polynomial fitted to each column of means is highest."""
    middle, reach = (z[0] + z[-1]) / 2, (z[-1] - z[0]) / 2
    fit = np.linalg.pinv(np.vander((z - middle) / reach, degree + 1))
    heights = np.vander((grid - middle) / reach, degree + 1) @ (fit @ means)
    best = heights.argmax(axis=0)
    inner = np.clip(best, 1, len(grid) - 2)
    columns = np.arange(means.shape[1])
    a, b, c = (heights[inner + step, columns] for step in (-1, 0, 1))
    bend = a - 2 * b + c
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = np.where((bend < 0) & (best == inner), (a - c) / (2 * bend), 0.0)
    tops: Floats = grid[best] + np.clip(shift, -1, 1) * (grid[1] - grid[0])
    return tops


def _choice(models: list[_Model], count: int) -> tuple[_Model, list[float]]:
    """Return the chosen model, and the distances to the models that measure its bias.

    The bias is measured by noisier models of sufficient precision, and by the next lower degree. If
    the series of degrees converges, the change by the last degree bounds the changes by further
    degrees.
    """
    for number, model in enumerate(models):
        gaps = []
        for other in models[number + 1 :]:
            spread = float((other.draws - model.draws).std())
            spread *= math.sqrt(count / max(count - 1, 1))
            gaps.append((other.top - model.top, spread))
        if all(abs(gap) <= _AGREE * spread + 1e-6 for gap, spread in gaps):
            break
    near = [gap for gap, spread in gaps if spread <= _TELLS * model.error + 1e-6]
    below = [other for other in models if other.degree == model.degree - 1]
    if below:
        near.append(min((other.top - model.top for other in below), key=abs))
    return model, near
