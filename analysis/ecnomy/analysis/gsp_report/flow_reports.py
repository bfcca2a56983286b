# SPDX-License-Identifier: Apache-2.0
"""Reads the counters of some flows at each report, without the rest of flow_epochs.

The complete table has a row per report and flow. For a run of 40 minutes, it can take half a
gigabyte.
"""

from __future__ import annotations

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.errors import ResultsError
from ecnomy.analysis.gsp_report.database import Database
from ecnomy.analysis.pages.queries import columns_of, literal
from ecnomy.markets.results.rawrun import RawRun

__all__ = ["FlowReports", "flow_reports"]


class FlowReports(msgspec.Struct, frozen=True):
    """Cumulative counters of some flows.

    Attributes:
        t_ps: time of each report [ps], ascending.
        counters: name -> values of shape (reports, flows), with flows in ascending order.
    """

    t_ps: Integers
    counters: dict[str, Floats]

    def differences(self, name: str, times_ps: Integers) -> Floats:
        """Return the growth of a counter between report times, of shape (intervals, flows)."""
        return np.diff(self.counters[name][np.searchsorted(self.t_ps, times_ps)], axis=0)


def flow_reports(db: Database, run: RawRun, flows: Integers, names: tuple[str, ...]) -> FlowReports:
    """Return the counters of some flows at each complete report of a run.

    Raises:
        ResultsError: the table is missing or unreadable, or lacks a counter.
    """
    file = str(run.file("flow_epochs"))
    table = f"read_parquet({literal(file)})"
    if missing := sorted(set(names) - set(columns_of(file))):
        remedy = "another version wrote these tables; run the scenario again"
        raise ResultsError(f"{file}: missing column {missing[0]!r}: {remedy}")
    listed = ", ".join(map(str, flows.tolist())) or "null"
    rows = db.arrays(
        f"select t_ps, {', '.join(names)} from {table} where flow in ({listed}) order by t_ps, flow"
    )
    count = int(db.arrays(f"select count(*) as rows from {table}")["rows"][0])
    t_ps = rows["t_ps"].astype(np.int64)
    whole = len(t_ps)
    if count % run.plan.row_count:  # a run killed while writing may end in the middle of a report
        whole = int(np.searchsorted(t_ps, t_ps[-1:].max(initial=0)))
    counters = {n: rows[n][:whole].astype(np.float64).reshape(-1, len(flows)) for n in names}
    return FlowReports(t_ps[: whole : len(flows)], counters)
