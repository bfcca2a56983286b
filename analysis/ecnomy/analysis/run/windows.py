# SPDX-License-Identifier: Apache-2.0
"""Changes between reports: intervals of time, increments of counters, and money per flow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.money import MICRO
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.results.epochs import Epochs, Window
from ecnomy.markets.terms.ledger_kinds import MARKS, NO_FEES

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Epochs", "Intervals", "Window", "fees_by_flow", "marks_by_flow"]


class Intervals(msgspec.Struct, frozen=True, eq=False):
    """Consecutive intervals, given by their edges in ascending order [ps]."""

    edges_ps: Integers

    @property
    def seconds(self) -> Floats:
        """The length of each interval in seconds."""
        return np.asarray(np.diff(self.edges_ps) / PS_PER_S, dtype=np.float64)

    @property
    def middle_s(self) -> Floats:
        """The middle of each interval in seconds."""
        edges = self.edges_ps / PS_PER_S
        return np.asarray((edges[1:] + edges[:-1]) / 2, dtype=np.float64)


def marks_by_flow(ledger: pd.DataFrame, flows: int, edges_ps: Integers) -> Floats:
    """Return the money that each flow paid for marks in each interval, [interval, flow].

    An interval is (edges[i], edges[i + 1]], because a posting has the time of the report that
    closed its epoch.
    """
    return _by_flow(ledger, ledger["kind"].astype(str) == MARKS, flows, edges_ps)


def fees_by_flow(ledger: pd.DataFrame, flows: int, edges_ps: Integers) -> Floats:
    """Return the class fees and contract charges of each flow, shaped like marks_by_flow."""
    return _by_flow(ledger, ~ledger["kind"].astype(str).isin(NO_FEES), flows, edges_ps)


def _by_flow(
    ledger: pd.DataFrame, wanted: pd.Series[bool], flows: int, edges_ps: Integers
) -> Floats:
    result = np.zeros((max(len(edges_ps) - 1, 0), flows))
    rows = ledger[wanted & (ledger["flow"] >= 0)]
    if rows.empty or not result.size:
        return result
    t_ps = rows["t_ps"].to_numpy(dtype=np.int64)
    where = np.searchsorted(edges_ps, t_ps, side="left") - 1
    inside = (where >= 0) & (where < len(edges_ps) - 1)
    flow = rows["flow"].to_numpy(dtype=np.int64)[inside]
    amount = rows["amount_micro"].to_numpy(dtype=np.int64)[inside]
    np.add.at(result, (where[inside], flow), amount / MICRO)
    return result
