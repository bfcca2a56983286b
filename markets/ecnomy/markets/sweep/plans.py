# SPDX-License-Identifier: Apache-2.0
"""Sampling plans for sensitivity analysis, drawn by SALib.

    sobol   n base samples, n (D + 2) points of D parameters; n (2 D + 2) with second-order indices
    morris  r trajectories over a grid of levels, r (D + 1) points; each step changes one parameter

Sources: Saltelli et al. 2010 (sobol); Morris 1991 (morris). ecnomy.analysis.sensitivity computes
the indices, and relies on the order of the points.
"""

from __future__ import annotations

import importlib
from typing import Any, Final

import numpy as np

from ecnomy.agents.errors import InputError
from ecnomy.markets.inputs.missing_packages import extras

__all__ = ["PLANS", "plan_length", "plan_shares", "salib"]

PLANS: Final = ("sobol", "morris")


def salib(name: str) -> Any:
    """Return the module SALib.<name>.

    Raises:
        InputError: SALib is not installed.
    """
    try:
        return importlib.import_module(f"SALib.{name}")
    except ImportError:
        raise InputError(f"sobol and morris need SALib; to install, run: {extras()}") from None


def plan_length(kind: str, samples: int, dimensions: int, second_order: bool) -> int:
    """Return the number of points of a plan."""
    if kind == "morris":
        return samples * (dimensions + 1)
    return samples * ((2 * dimensions if second_order else dimensions) + 2)


def plan_shares(
    kind: str, samples: int, dimensions: int, more: int | bool, generator: np.random.Generator
) -> np.ndarray:
    """Return the points of a plan in the unit cube, [point, parameter].

    Args:
        kind: one of PLANS.
        samples: base samples, or trajectories.
        dimensions: number of parameters.
        more: for sobol, whether second-order indices are wanted; for morris, the number of levels.
        generator: source of all draws.

    Raises:
        InputError: SALib is not installed.
    """
    names = [f"x{number}" for number in range(dimensions)]
    problem = {"num_vars": dimensions, "names": names, "bounds": [[0.0, 1.0]] * dimensions}
    sample = salib(f"sample.{kind}").sample
    if kind == "morris":
        return np.asarray(sample(problem, samples, num_levels=more, seed=generator))
    return np.asarray(sample(problem, samples, calc_second_order=bool(more), seed=generator))
