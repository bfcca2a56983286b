# SPDX-License-Identifier: Apache-2.0
"""The tables of cumulative counters (flow_epochs, link_epochs) as matrices [report, row]."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.errors import ResultsError
from ecnomy.agents.times import PS_PER_S

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Epochs", "Window"]


class Window(msgspec.Struct, frozen=True):
    """An interval between two report times, in picoseconds."""

    from_ps: int
    to_ps: int

    @property
    def seconds(self) -> float:
        """Return the length of the interval in seconds."""
        return (self.to_ps - self.from_ps) / PS_PER_S


class Epochs:
    """A table of cumulative counters, with each column as a matrix [report, row].

    Args:
        table: flow_epochs or link_epochs.
        key: name of the column of row numbers, "flow" or "link".
        rows: number of rows per report.
    """

    def __init__(self, table: pd.DataFrame, key: str, rows: int) -> None:
        ordered = table.sort_values(["t_ps", key], kind="stable")
        times = ordered["t_ps"].to_numpy(dtype=np.int64)
        # a run that was killed while writing may end in the middle of a report
        whole = len(times) - len(times) % rows if rows else 0
        self._table = ordered.iloc[:whole]
        self._rows, self._name = rows, f"{key}_epochs.parquet"
        self.t_ps: Integers = times[:whole:rows] if rows else times[:0]

    def column(self, name: str) -> Floats:
        """Return one column as a matrix [report, row].

        Raises:
            ResultsError: the table has no such column.
        """
        if name not in self._table:
            raise ResultsError(f"{self._name}: found no column {name!r}; run the scenario again")
        values = self._table[name].to_numpy(dtype=np.float64)
        return np.asarray(values.reshape(-1, self._rows), dtype=np.float64)

    def window(self, from_ps: int, to_ps: int) -> Window | None:
        """Return the span of reports in [from_ps, to_ps], or None if there are fewer than two."""
        inside = self.t_ps[(self.t_ps >= from_ps) & (self.t_ps <= to_ps)]
        if len(inside) < 2:
            return None
        return Window(int(inside[0]), int(inside[-1]))

    def grid(self, apart_ps: int) -> Integers:
        """Return report times at least `apart_ps` apart, beginning with the first report."""
        kept: list[int] = []
        for t in self.t_ps.tolist():
            if not kept or t - kept[-1] >= apart_ps:
                kept.append(t)
        return np.array(kept, dtype=np.int64)

    def at(self, name: str, times_ps: Integers) -> Floats:
        """Return a column at the given report times, [time, row]."""
        return self.column(name)[np.searchsorted(self.t_ps, times_ps)]

    def difference(self, name: str, window: Window) -> Floats:
        """Return the increase of a cumulative column over a window, [row]."""
        ends = self.at(name, np.array([window.from_ps, window.to_ps], dtype=np.int64))
        return np.asarray(ends[1] - ends[0], dtype=np.float64)

    def mean_while(self, name: str, counter: str, window: Window) -> Floats:
        """Return the mean of the positive values of a column over a window, [row].

        Reports at which `counter` has not grown are left out, because an idle flow keeps its last
        round-trip time. The mean is NaN if no reports remain.
        """
        inside = (self.t_ps > window.from_ps) & (self.t_ps <= window.to_ps)
        grew = np.diff(self.column(counter), axis=0, prepend=0)[inside] > 0
        values = np.where(grew, self.column(name)[inside], 0.0)
        known = (values > 0).sum(axis=0)
        return np.where(known > 0, values.sum(axis=0) / np.maximum(known, 1), np.nan)
