# SPDX-License-Identifier: Apache-2.0
"""Computes the active time of flows that their agents switch off and on.

A decision (`active` in the table `agents`) holds until the next decision on the same flow. A flow
is off before its source starts and after its source stops.
"""

from __future__ import annotations

import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.markets.economy.contracts import Spans
from ecnomy.markets.plan import Plan

__all__ = ["Switches"]


class Switches:
    """The rows of flows that agents switched, and the times of the switches.

    Attributes:
        rows: row numbers of flows that were switched off at some time, in ascending order.
    """

    def __init__(
        self,
        plan: Plan,
        t_ps: Integers,
        flow: Integers,
        value: Floats,
    ) -> None:
        """Read the decisions `active` of the table `agents`, one array per column, in table order.

        Notes that agents record under this name have the flow -1 and are ignored.
        """
        self.rows: Integers = np.unique(flow[(value == 0) & (flow >= 0)])
        own = np.isin(flow, self.rows)
        t_ps, flow, value = t_ps[own], flow[own], value[own]
        order = np.lexsort((t_ps, flow))  # stable, so that the last decision at a time holds
        # Each row is on from its beginning to its first switch. Then each switch starts a span.
        row = np.concatenate((self.rows, flow[order]))
        begin = np.concatenate((np.zeros(len(self.rows), dtype=np.int64), t_ps[order]))
        on = np.concatenate((np.ones(len(self.rows)), value[order]))
        order = np.argsort(row, kind="stable")
        row, begin, on = row[order], begin[order], on[order]
        last = np.append(row[1:] != row[:-1], True)[: len(row)]
        end = np.where(last, plan.duration_ps, np.append(begin[1:], 0)[: len(row)])
        spans = Spans(plan)
        begin, end = np.maximum(begin, spans.start_ps[row]), np.minimum(end, spans.stop_ps[row])
        keep = (on > 0) & (end > begin)
        self._index = np.searchsorted(self.rows, row[keep])
        self._begin, self._end = begin[keep], end[keep]
        self._flows = spans.flows[self.rows].astype(np.float64)

    def on(self, edges_ps: Integers) -> Floats:
        """Return the mean number of active flows in each row of `rows`, over each interval.

        Args:
            edges_ps: edges of the intervals, in ascending order [ps].

        Returns:
            The means, as [interval, row of `rows`].
        """
        means = np.zeros((max(len(edges_ps) - 1, 0), len(self.rows)))
        for number, (low, high) in enumerate(zip(edges_ps[:-1], edges_ps[1:], strict=True)):
            inside = np.minimum(self._end, high) - np.maximum(self._begin, low)
            time_ps = np.maximum(inside, 0).astype(np.float64)
            whole = np.bincount(self._index, time_ps, minlength=len(self.rows))
            means[number] = whole / float(high - low) * self._flows
        return means
