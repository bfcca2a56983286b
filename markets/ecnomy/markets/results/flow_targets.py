# SPDX-License-Identifier: Apache-2.0
"""The target marks per second that agents set for flows, by report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.results.window_reports import Looks

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["asked_rates"]

_RATE: Final = "mark_rate"


def asked_rates(run: RawRun, looks: Looks) -> Floats | None:
    """Return the target of a flow [marks/s] by [report - 1, row]; negative if not set.

    Return None if agents set no targets.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    if not run.file("agents").is_file():
        return None
    columns = ["t_ps", "flow", "value"]
    decided: pd.DataFrame = run.columns("agents", columns, ("name", _RATE)).to_pandas()
    return None if decided.empty else _in_force(decided, looks)


def _in_force(decided: pd.DataFrame, looks: Looks) -> Floats:
    """Return each row's decision in force at the previous report, from [t_ps, flow, value]."""
    asked = np.full((len(looks.t_ps) - 1, len(looks.rows)), -1.0)
    flows, t_ps, rates = (decided[name].to_numpy() for name in ("flow", "t_ps", "value"))
    order = np.argsort(flows, kind="stable")
    for own in np.split(order, np.flatnonzero(np.diff(flows[order])) + 1):
        last = np.searchsorted(t_ps[own], looks.t_ps[:-1], side="right") - 1
        asked[:, flows[own[0]]] = np.where(last >= 0, rates[own][last], -1.0)
    return asked
