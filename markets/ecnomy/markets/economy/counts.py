# SPDX-License-Identifier: Apache-2.0
"""Count the events between reports that contracts meter: admitted calls and completed transfers."""

from __future__ import annotations

import numpy as np

from ecnomy.agents.arrays import Integers
from ecnomy.markets.bridge.messages import Columns

__all__ = ["FlowCounts"]


class FlowCounts:
    """The number of events in each row of flows since the last report.

    Attributes:
        calls: number of admitted calls.
        transfers: number of completed transfers, counted when their records arrive.
    """

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self.clear()

    def clear(self) -> None:
        """Reset the counts for a new epoch."""
        self.calls: Integers = np.zeros(self._rows, dtype=np.int64)
        self.transfers: Integers = np.zeros(self._rows, dtype=np.int64)

    def call(self, flow: int) -> None:
        """Count an admitted call."""
        self.calls[flow] += 1

    def transferred(self, records: Columns) -> None:
        """Count the completed transfers in records of the table `transfers`."""
        done = records["complete"].astype(np.bool_)
        np.add.at(self.transfers, records["flow"][done].astype(np.int64), 1)
