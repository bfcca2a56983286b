# SPDX-License-Identifier: Apache-2.0
"""The indices of the outcomes of a sweep over a sampling plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.analysis.sensitivity.indices import Indices, ParameterIndices, SamplingPlan, indices
from ecnomy.analysis.sweeps.open_sweep import open_sweep
from ecnomy.markets.sweep.head import head_of
from ecnomy.markets.sweep.plans import PLANS

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SampledSweep", "indices_of", "sampled", "sensitivity_of", "varying"]

_OURS: Final = (  # columns that are not outcomes
    *("run", "number", "point", "replicate", "engine", "seed", "status", "reason"),
    *("engine_cpu_s", "wall_s", "data_packets", "worker"),
)


class SampledSweep(msgspec.Struct, frozen=True):
    """A sweep over a sampling plan.

    Attributes:
        folder: the folder of the sweep.
        title: title of the sweep; "" if it has no title.
        plan: the sampling plan of its points.
        runs: one row per run of the plan, in plan order; rows of missing or failed runs are empty.
        missing: number of missing or failed runs.
        outcomes: names of the numeric columns of `runs` that are outcomes.
    """

    folder: Path
    title: str
    plan: SamplingPlan
    replicates: int
    runs: pd.DataFrame
    missing: int
    outcomes: tuple[str, ...]


def sampled(folder: str | Path) -> SampledSweep:
    """Open a sweep over a sampling plan.

    Raises:
        ResultsError: the sweep does not exist, has no finished run or has no sampling plan.
    """
    folder = Path(folder)
    head = head_of(folder)
    if not head.get("plan"):
        expected = f"{' or '.join(PLANS)} under `parameters` in its file"
        raise ResultsError(f"{folder}: found a sweep without a sampling plan, expected {expected}")
    plan = msgspec.convert(head["plan"], SamplingPlan)
    frame = open_sweep(folder, partial=True)
    done = frame[frame["status"] == "done"].set_index("number")
    runs = done.reindex(range(len(head["points"])))
    apart = {*_OURS, *plan.paths}
    numbers = done.select_dtypes("number").columns
    outcomes = tuple(str(name) for name in numbers if name not in apart)
    missing = len(runs) - len(done)
    return SampledSweep(folder, head["title"], plan, head["replicates"], runs, missing, outcomes)


def indices_of(sweep: SampledSweep, outcome: str) -> Indices:
    """Return the indices of an outcome.

    Raises:
        InputError: the outcome does not exist, or SALib is not installed.
        ResultsError: too few points have the outcome, or it is the same at all points.
    """
    if outcome not in sweep.outcomes:
        expected = "an outcome of the sweep (`ecnomy query` lists the columns)"
        raise InputError(f"{sweep.folder}: found no {outcome!r}, expected {expected}")
    y = sweep.runs[outcome].to_numpy(dtype=np.float64).reshape(-1, sweep.replicates)
    each = sweep.runs[list(sweep.plan.paths)].to_numpy(dtype=np.float64)
    x = each.reshape(len(y), sweep.replicates, -1)
    known = np.isfinite(x[..., 0]).argmax(axis=1)  # the first replicate with a value
    return indices(sweep.plan, outcome, x[np.arange(len(x)), known], y)


def varying(sweep: SampledSweep) -> list[Indices]:
    """Return the indices of all outcomes for which they exist, in the order of columns.

    Raises:
        InputError: SALib is not installed.
    """
    outcome_indices = []
    for outcome in sweep.outcomes:
        try:
            outcome_indices.append(indices_of(sweep, outcome))
        except ResultsError:  # equal in all runs, or missing in too many
            continue
    return outcome_indices


def sensitivity_of(folder: str | Path, outcome: str) -> pd.DataFrame:
    """Return the importance of each parameter for an outcome, in a sweep over a sampling plan.

    Args:
        folder: the folder of a sweep with `sobol` or `morris` parameters.
        outcome: name of a column of the sweep's runs.

    Returns:
        A row for each parameter, the most important one first. The columns for sobol are
        `parameter`, `total`, `total_low`, `total_high`, `first_order`, `first_order_low`,
        `first_order_high` and `matters`. The columns for morris are `parameter`, `mu_star`,
        `mu_star_low`, `mu_star_high`, `mu`, `sigma` and `matters`. Intervals are at 95 %. `attrs`
        has `noise`, `floor`, `mean`, `deviation`, `replicates`, `points` and `left_out`
        (indices.py).

    Raises:
        ResultsError: the sweep does not exist, has no finished run or has no sampling plan; too few
            points have the outcome, or it is the same at all points.
        InputError: the outcome does not exist, or SALib or DuckDB is not installed.
    """
    import pandas as pd

    outcome_indices = indices_of(sampled(folder), outcome)
    frame = pd.DataFrame([_row(one, outcome_indices.kind) for one in outcome_indices.each])
    names = ("noise", "floor", "mean", "deviation", "replicates", "points", "left_out")
    frame.attrs = {name: getattr(outcome_indices, name) for name in names}
    return frame


def _row(one: ParameterIndices, kind: str) -> dict[str, object]:
    name = "total" if kind == "sobol" else "mu_star"
    row: dict[str, object] = {
        "parameter": one.parameter,
        name: one.main,
        f"{name}_low": one.main - one.main_half,
        f"{name}_high": one.main + one.main_half,
    }
    if kind == "sobol":
        row["first_order"] = one.other
        row["first_order_low"] = one.other - one.other_half
        row["first_order_high"] = one.other + one.other_half
    else:
        row |= {"mu": one.mu, "sigma": one.other}
    return row | {"matters": one.matters}
