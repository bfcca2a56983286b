# SPDX-License-Identifier: Apache-2.0
"""Changes between reports: increments of cumulative counters, and money per flow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.money import MICRO
from ecnomy.markets.results.epochs import Epochs, Window
from ecnomy.markets.terms.ledger_kinds import MARKS, NO_FEES

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Epochs", "Window", "fees_by_flow", "marks_by_flow"]


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
