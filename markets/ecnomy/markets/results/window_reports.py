# SPDX-License-Identifier: Apache-2.0
"""The values of flows in the reports of the measured window."""

from __future__ import annotations

from typing import Self

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.plan import Source
from ecnomy.markets.results.epochs import Epochs
from ecnomy.markets.results.rawrun import RawRun

__all__ = ["WindowReports"]


class WindowReports(msgspec.Struct, frozen=True):
    """Columns of flow_epochs at the reports of the measured window.

    Attributes:
        t_ps: times of the reports [report].
        columns: values of each column [report, row], by name.
        rows: the source of each row.
    """

    t_ps: Integers
    columns: dict[str, Floats]
    rows: list[Source]

    @classmethod
    def of(cls, run: RawRun, *names: str) -> Self | None:
        """Return columns of a run, or None if the measured window has fewer than two reports.

        Raises:
            ResultsError: a table is missing or unreadable.
        """
        table = run.table("flow_epochs", ("t_ps", "flow", *names))
        epochs = Epochs(table, "flow", run.plan.row_count)
        window = epochs.window(run.measured.from_ps, run.measured.to_ps)
        if window is None:
            return None
        inside = (epochs.t_ps >= window.from_ps) & (epochs.t_ps <= window.to_ps)
        columns = {name: epochs.column(name)[inside] for name in names}
        return cls(epochs.t_ps[inside], columns, list(run.plan.row_sources()))

    @property
    def dt_s(self) -> Floats:
        """Return the seconds from each report to the next one, as a column [report - 1, 1]."""
        return np.asarray(np.diff(self.t_ps)[:, None] / PS_PER_S, dtype=np.float64)

    def own(self, source: Source) -> list[int]:
        """Return the row numbers of a source."""
        return [i for i, one in enumerate(self.rows) if one is source]
