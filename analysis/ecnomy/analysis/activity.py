# SPDX-License-Identifier: Apache-2.0
"""Flows that their agents switch off and on (`active` decisions): which, and how many were on.

Such a flow sends nothing while it is off. A mean over it is over the time in which it was on. The
column `active` of a report holds for the epoch before it: decisions act after the report.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ecnomy.analysis.results import Run
from ecnomy.analysis.windows import Epochs
from ecnomy.markets.results.journal import ACTIVE

__all__ = ["flows_on", "switched_rows"]

Floats = npt.NDArray[np.float64]


def switched_rows(run: Run) -> npt.NDArray[np.bool_]:
    """Which rows of flows an agent switched off at some time, truth values, [row].

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    found = np.zeros(run.plan.row_count, dtype=np.bool_)
    table = run.agents
    if "active" not in run.flow_epochs.columns or table.empty:
        return found
    off = table[(table["name"].astype(str) == ACTIVE) & (table["value"] == 0)]
    off = off[off["flow"] >= 0]  # what an agent notes under that name is of no flow
    if not off.empty:
        found[off["flow"].to_numpy(dtype=np.int64)] = True
    return found


def flows_on(run: Run, flows: Epochs, edges_ps: npt.NDArray[np.int64]) -> Floats:
    """How many flows of each row were on, on average over each interval, [interval, row].

    Rows that no agent switches count with all their flows, whether these have started or not.

    Args:
        run: whose flows.
        flows: its flow_epochs.
        edges_ps: report times.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    members = np.array([source.row_flows for source in run.plan.row_sources()], dtype=np.float64)
    on = np.tile(members, (max(len(edges_ps) - 1, 0), 1))
    switched = switched_rows(run)
    if not on.size or not switched.any():
        return on
    apart_ps = np.diff(flows.t_ps, prepend=flows.t_ps[:1]).astype(np.float64)
    passed = np.cumsum(flows.column("active")[:, switched] * apart_ps[:, None], axis=0)
    ends = passed[np.searchsorted(flows.t_ps, edges_ps)]
    on[:, switched] = np.diff(ends, axis=0) / np.diff(edges_ps)[:, None]
    return on
