# SPDX-License-Identifier: Apache-2.0
"""Changes of flows' counters per time step, and statistics of these changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.times import PS_PER_S

if TYPE_CHECKING:
    from ecnomy.markets.results.rawrun import RawRun

__all__ = ["grown", "held_mean", "variation"]


def grown(run: RawRun, column: str, step_s: float) -> dict[str, Floats]:
    """Return each source's changes of a cumulative column per step, [flow, step].

    Args:
        run: a run with reports at every multiple of the step.
        column: a column of the table flow_epochs.
        step_s: length of a step, seconds. Reports between steps are ignored.
    """
    epochs: Any = run.table("flow_epochs")
    whole = epochs[epochs["t_ps"] % round(step_s * PS_PER_S) == 0]
    wide = whole.pivot(index="flow", columns="t_ps", values=column)
    steps = np.diff(wide.to_numpy(dtype=np.float64), axis=1)
    sources = run.table("flows").set_index("flow")["source"].loc[wide.index].to_numpy()
    return {source: steps[sources == source] for source in dict.fromkeys(sources)}


def variation(steps: Floats, together: int = 1) -> float:
    """Return the coefficient of variation over windows of several steps, averaged over flows.

    Args:
        steps: values of shape [flow, step]. Steps after the last complete window are ignored.
        together: number of steps per window.
    """
    count = steps.shape[1] // together
    windows = steps[:, : count * together].reshape(len(steps), count, together).sum(axis=2)
    return float((windows.std(axis=1, ddof=1) / windows.mean(axis=1)).mean())


def held_mean(times: Floats, values: Floats, begin: float, end: float) -> float:
    """Return the time average over [begin, end] of values that each hold until the next one."""
    edges = np.clip(np.append(times, np.inf), begin, end)
    weights = np.diff(edges)
    return float((values * weights).sum() / weights.sum())
