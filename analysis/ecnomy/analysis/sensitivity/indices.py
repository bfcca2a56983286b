# SPDX-License-Identifier: Apache-2.0
"""Indices of the effects that the parameters of a sampling plan have on an outcome.

Sobol's indices are shares of the outcome's variance over the ranges of all parameters:

    first order   the effect of the parameter alone: Var(E[y | x_i]) / Var(y)
    total         its effect alone and with others: E[Var(y | all but x_i)] / Var(y)

Morris's indices describe the effects of steps of one parameter, scaled to its whole range, in the
unit of the outcome. mu* is the mean size of the effects, mu their mean and sigma their standard
deviation. The value of sigma is large if the effect depends on the value of the parameter or of
other parameters. Morris's indices rank parameters with far fewer runs than Sobol's.

Indices are computed from means over the replicates of a point. Differences between replicates come
from the seed, and `noise` is the share of the variance of individual runs that they cause. Noise
raises the total index or mu* of each parameter by about `floor`. A parameter matters if the whole
interval of its total index or mu* is above the floor. With paired seeds, the mean effect of each
seed cancels, so the floor covers only the remaining noise.

Source: Saltelli et al. 2010 (sobol); Morris 1991, Campolongo et al. 2007 (morris); SALib. The 95 %
intervals come from SALib's bootstrap over base samples or trajectories.
"""

from __future__ import annotations

import math
from typing import Any, Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.errors import ResultsError
from ecnomy.analysis.statistics.intervals import LEVEL
from ecnomy.markets.sweep.plans import plan_length, salib

__all__ = ["Indices", "Pair", "ParameterIndices", "SamplingPlan", "indices"]

_DRAWS: Final = 500
_SEED: Final = 1979
_LEAST: Final = 2  # least number of base samples or trajectories


class SamplingPlan(msgspec.Struct, frozen=True):
    """The sampling plan of a sweep, from its head; see ecnomy.markets.sweep.plans.

    Attributes:
        paired: whether replicate r has the same seed at all points.
    """

    kind: str
    paths: tuple[str, ...]
    samples: int
    levels: int = 0
    second_order: bool = False
    paired: bool = True

    @property
    def group(self) -> int:
        """The number of points of a base sample or of a trajectory."""
        return plan_length(self.kind, 1, len(self.paths), self.second_order)


class ParameterIndices(msgspec.Struct, frozen=True):
    """The indices of one parameter, with the half-widths of their intervals.

    Attributes:
        main: the index that ranks parameters: total (sobol) or mu* (morris).
        other: first order (sobol), or sigma, whose half-width is NaN (morris).
        mu: mu (morris); NaN for sobol.
        matters: whether the whole interval of `main` is above the floor (above 0 if the floor is
            NaN).
    """

    parameter: str
    main: float
    main_half: float
    other: float
    other_half: float
    mu: float
    matters: bool


class Pair(msgspec.Struct, frozen=True):
    """The effect of two parameters beyond their single effects: Sobol's second-order index."""

    first: str
    second: str
    index: float
    half: float


class Indices(msgspec.Struct, frozen=True):
    """The indices of an outcome.

    Attributes:
        outcome: a column of the runs.
        kind: sobol or morris.
        each: the indices of each parameter, the most important one first.
        pairs: the indices of pairs, ranked; empty without second-order samples.
        mean: mean outcome over the points of the plan.
        deviation: standard deviation of the outcome over the points.
        noise: share of the variance of individual runs that is due to differences between
            replicates; NaN with one replicate.
        floor: main index that noise alone gives a parameter; NaN with one replicate.
        replicates: number of replicates of a point.
        points: number of points from which the indices were computed.
        left_out: number of base samples or trajectories with missing outcomes.
    """

    outcome: str
    kind: str
    each: tuple[ParameterIndices, ...]
    pairs: tuple[Pair, ...]
    mean: float
    deviation: float
    noise: float
    floor: float
    replicates: int
    points: int
    left_out: int

    @property
    def that_matter(self) -> tuple[str, ...]:
        """The parameters that matter, the most important one first."""
        return tuple(one.parameter for one in self.each if one.matters)


def indices(plan: SamplingPlan, outcome: str, x: Floats, y: Floats) -> Indices:
    """Return the indices of an outcome.

    Args:
        plan: the sampling plan of the points.
        outcome: name of the outcome.
        x: parameter values of shape [point, parameter], on any increasing scale.
        y: outcomes of shape [point, replicate]; NaN if missing.

    Raises:
        ResultsError: too few points have the outcome, or it is the same at all points.
        InputError: SALib is not installed.
    """
    whole = np.asarray(np.isfinite(y).any(axis=1).reshape(-1, plan.group).all(axis=1))
    if whole.sum() < _LEAST:
        what = "base samples" if plan.kind == "sobol" else "trajectories"
        fault = f"only {whole.sum()} of {len(whole)} {what} have this outcome at all points"
        raise ResultsError(f"{outcome}: {fault}, expected at least {_LEAST}")
    kept = np.repeat(whole, plan.group)
    x, y = x[kept], y[kept]
    means = np.nanmean(y, axis=1)
    if np.ptp(means) <= 1e-12 * np.abs(means).max():
        raise ResultsError(
            f"{outcome}: found {means[0]:g} in all runs, expected an outcome that varies"
        )
    noise, left = _noise(y, plan.paired)
    own = _sobol if plan.kind == "sobol" else _morris
    each, pairs, floor = own(plan, x, means, left)
    ranked = tuple(sorted(each, key=lambda one: -one.main))
    return Indices(
        outcome, plan.kind, ranked, pairs, float(means.mean()), float(means.std()), noise, floor,
        y.shape[1], len(means), int((~whole).sum()),
    )  # fmt: skip


def _noise(y: Floats, paired: bool) -> tuple[float, float]:
    """Return noise as a share of the variance of runs, and its variance in the mean of a point."""
    counts = np.isfinite(y).sum(axis=1)
    freedom = counts.sum() - len(y)
    if freedom <= 0:
        return math.nan, math.nan
    off = y - np.nanmean(y, axis=1, keepdims=True)
    within = float(np.nansum(off**2) / freedom)
    between = max(0.0, float(np.nanmean(y, axis=1).var()) - within * float(np.mean(1 / counts)))
    if paired:
        off = off - np.nanmean(off, axis=0, keepdims=True)
        freedom -= y.shape[1] - 1
    rest = float(np.nansum(off**2) / max(freedom, 1))
    total = within + between
    return (within / total if total > 0 else 0.0), rest * float(np.mean(1 / counts))


def _sobol(
    plan: SamplingPlan, x: Floats, means: Floats, left: float
) -> tuple[list[ParameterIndices], tuple[Pair, ...], float]:
    with np.errstate(all="ignore"):
        estimates = salib("analyze.sobol").analyze(
            _problem(plan), means, calc_second_order=plan.second_order, num_resamples=_DRAWS,
            conf_level=LEVEL, seed=_SEED,
        )  # fmt: skip
    floor = left / float(means.var())
    columns = zip(
        plan.paths, *(estimates[k] for k in ("ST", "ST_conf", "S1", "S1_conf")), strict=True
    )
    each = [
        _index(path, float(total), float(half), float(first), float(other), math.nan, floor)
        for path, total, half, first, other in columns
    ]
    return each, _pairs(plan, estimates) if plan.second_order else (), floor


def _pairs(plan: SamplingPlan, estimates: Any) -> tuple[Pair, ...]:
    count = len(plan.paths)
    pairs = [
        Pair(
            plan.paths[i],
            plan.paths[j],
            float(estimates["S2"][i, j]),
            float(estimates["S2_conf"][i, j]),
        )
        for i in range(count)
        for j in range(i + 1, count)
    ]
    return tuple(sorted(pairs, key=lambda pair: -pair.index))


def _morris(
    plan: SamplingPlan, x: Floats, means: Floats, left: float
) -> tuple[list[ParameterIndices], tuple[Pair, ...], float]:
    estimates = salib("analyze.morris").analyze(
        _problem(plan), x, means, num_resamples=_DRAWS, conf_level=LEVEL,
        num_levels=plan.levels, seed=_SEED,
    )  # fmt: skip
    # mean size of a normal difference with variance 2 `left`, over a step of levels/2(levels-1)
    step = plan.levels / (2 * (plan.levels - 1))
    floor = 2 * math.sqrt(left / math.pi) / step
    names = ("mu_star", "mu_star_conf", "sigma", "mu")
    columns = zip(plan.paths, *(estimates[name] for name in names), strict=True)
    each = [
        _index(path, float(star), float(half), float(sigma), math.nan, float(mu), floor)
        for path, star, half, sigma, mu in columns
    ]
    return each, (), floor


def _index(
    path: str, main: float, half: float, other: float, other_half: float, mu: float, floor: float
) -> ParameterIndices:
    least = 0.0 if math.isnan(floor) else floor
    return ParameterIndices(path, main, half, other, other_half, mu, main - half > least)


def _problem(plan: SamplingPlan) -> dict[str, Any]:
    count = len(plan.paths)
    return {"num_vars": count, "names": list(plan.paths), "bounds": [[0.0, 1.0]] * count}
