# SPDX-License-Identifier: Apache-2.0
"""The counters of selected flows at each report, without reading the rest of flow_epochs.

The complete table, with a row per report and flow, takes half a gigabyte for a 40-minute run.
"""

from __future__ import annotations

import msgspec
import numpy as np
import numpy.typing as npt

from ecnomy.agents.errors import ResultsError
from ecnomy.analysis.pages.queries import columns_of, literal
from ecnomy.analysis.report.database import Database
from ecnomy.markets.results.rawrun import RawRun

__all__ = ["FlowReports", "flow_reports"]


class FlowReports(msgspec.Struct, frozen=True):
    """Cumulative counters of selected flows.

    Attributes:
        t_ps: time of each report, ascending.
        counters: by name, a matrix [report, flow]; flows are in ascending order.
    """

    t_ps: npt.NDArray[np.int64]
    counters: dict[str, npt.NDArray[np.float64]]

    def differences(self, name: str, times_ps: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the growth of a counter between given report times, [interval, flow]."""
        return np.diff(self.counters[name][np.searchsorted(self.t_ps, times_ps)], axis=0)


def flow_reports(
    db: Database, run: RawRun, flows: npt.NDArray[np.int64], names: tuple[str, ...]
) -> FlowReports:
    """Return the counters of the given flows at every complete report of a run.

    Raises:
        ResultsError: the table is missing or unreadable, or has no such counter.
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
