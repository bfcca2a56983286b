# SPDX-License-Identifier: Apache-2.0
"""The target mark rates that agents set for flows, by interval between reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.results.window_reports import WindowReports

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["target_rates"]

_RATE: Final = "mark_rate"


def target_rates(run: RawRun, reports: WindowReports) -> Floats | None:
    """Return the target of each flow [marks/s] as [interval, row], or None if agents set none.

    A negative value means that no target was in force at the start of the interval.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    if not run.file("agents").is_file():
        return None
    columns = ["t_ps", "flow", "value"]
    decided: pd.DataFrame = run.columns("agents", columns, ("name", _RATE)).to_pandas()
    return None if decided.empty else _in_force(decided, reports)


def _in_force(decided: pd.DataFrame, reports: WindowReports) -> Floats:
    """Return the targets in force at the start of each interval, -1 before the first decision."""
    targets = np.full((len(reports.t_ps) - 1, len(reports.rows)), -1.0)
    flows, t_ps, rates = (decided[name].to_numpy() for name in ("flow", "t_ps", "value"))
    order = np.argsort(flows, kind="stable")
    for own in np.split(order, np.flatnonzero(np.diff(flows[order])) + 1):
        last = np.searchsorted(t_ps[own], reports.t_ps[:-1], side="right") - 1
        targets[:, flows[own[0]]] = np.where(last >= 0, rates[own][last], -1.0)
    return targets
