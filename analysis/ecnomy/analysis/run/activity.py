# SPDX-License-Identifier: Apache-2.0
"""Flows that agents switch on and off (`active` decisions), and the number of active flows.

A flow sends nothing while it is off, so its mean values cover only the time when it was on.
"""

from __future__ import annotations

import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.markets.economy.journal import ACTIVE
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.results.switches import Switches

__all__ = ["flows_on", "switches_of"]


def switches_of(run: RawRun) -> Switches:
    """Return the rows of flows that agents switched, and the times of the switches.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    table = run.agents
    own = table[table["name"].astype(str) == ACTIVE]
    return Switches(
        run.plan,
        own["t_ps"].to_numpy(dtype=np.int64),
        own["flow"].to_numpy(dtype=np.int64),
        own["value"].to_numpy(dtype=np.float64),
    )


def flows_on(run: RawRun, edges_ps: Integers) -> Floats:
    """Return the mean number of active flows in each row and interval, [interval, row].

    If agents never switch off the flows of a row, all of these flows count as active, even before
    they start.

    Args:
        run: the run.
        edges_ps: edges of the intervals, in ascending order [ps].

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    members = np.array([source.row_flows for source in run.plan.row_sources()], dtype=np.float64)
    on = np.tile(members, (max(len(edges_ps) - 1, 0), 1))
    switches = switches_of(run)
    on[:, switches.rows] = switches.on(edges_ps)
    return on
