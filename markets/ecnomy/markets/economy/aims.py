# SPDX-License-Identifier: Apache-2.0
"""What flows are told to aim at, from what their agents decided.

    marks per second = willingness to pay [micro-units/s] / price per mark [micro-units/mark]

Agents see and decide for one flow. Where all flows of a source are one row, the row gets so much
for each of them. Only flows whose window law has a weight are given a mark rate; others keep what
they have. At a price of 0 marks cost nothing and no rate follows from it: none is given. Rate caps
bind whatever the window law.
"""

from __future__ import annotations

import numpy as np

from ecnomy.agents.decision import LEAVE, NO_CAP, Decision
from ecnomy.agents.observation import Floats, Integers
from ecnomy.agents.seat import Truths
from ecnomy.markets.bridge.messages import Columns
from ecnomy.markets.plan import Plan
from ecnomy.markets.results.journal import Journal

__all__ = ["Aims"]


class Aims:
    """What is paid for each flow, its cap, and what its engine was told of them.

    Attributes:
        active: whether each flow may send, as its agent decided; replaced, never written to.
    """

    def __init__(self, plan: Plan, journal: Journal) -> None:
        rows = plan.row_sources()
        self._journal = journal
        self._steered = np.array([s.weighted for s in rows], dtype=np.bool_)
        self._flows = np.array([s.row_flows for s in rows], dtype=np.float64)
        self._pay: Floats = np.full(len(rows), LEAVE)
        self._mark_rate: Floats = np.full(len(rows), LEAVE)
        self._cap_bps: Floats = np.full(len(rows), NO_CAP)
        self._sent_cap_bps: Floats = self._cap_bps.copy()
        self.active: Truths = np.ones(len(rows), dtype=np.bool_)
        self._sent_active: Truths = self.active

    def take(
        self, t_ps: int, who: str, rows: Integers, own: Truths | np.bool_, of: Decision
    ) -> None:
        """What `who` pays for the flows that are its `own` to pay for, and their rate caps."""
        given = (
            ("willingness_micro_per_s", of.willingness_micro_per_s, self._pay),
            ("rate_cap_bps", of.rate_cap_bps, self._cap_bps),
        )
        for name, wanted, column in given:
            if wanted is not None:
                new = own & (wanted != column[rows])
                count = np.count_nonzero(new)
                if count == 0:
                    continue
                moved, value = (rows, wanted) if count == len(rows) else (rows[new], wanted[new])
                column[moved] = value
                self._journal.many(t_ps, who, moved, name, value)

    def switch(self, t_ps: int, who: str, rows: Integers, of: Decision) -> None:
        """Which of these flows may send."""
        if of.active is None:
            return
        new = of.active != self.active[rows]
        if np.count_nonzero(new):
            self.active = self.active.copy()
            self.active[rows[new]] = of.active[new]
            self._journal.many(t_ps, who, rows[new], "active", of.active[new].astype(np.float64))

    def changed(self, t_ps: int, price_micro: Integers | Floats) -> Columns:
        """What engines are to be told of the flows for which something changed.

        Args:
            t_ps: when, for the journal.
            price_micro: of a mark, for each flow.
        """
        wanted = np.full(len(self._pay), LEAVE)
        asked = self._steered & (self._pay >= 0) & (price_micro > 0)
        wanted[asked] = self._pay[asked] / price_micro[asked]
        new = (wanted >= 0) & (wanted != self._mark_rate)
        told = new | (self._cap_bps != self._sent_cap_bps)
        if self._sent_active is not self.active:
            told |= self._sent_active != self.active
            self._sent_active = self.active
        rows = np.flatnonzero(told).astype(np.int64)
        if len(rows) == 0:
            return {}
        self._mark_rate[new], self._sent_cap_bps[rows] = wanted[new], self._cap_bps[rows]
        self._journal.many(t_ps, "", np.flatnonzero(new).astype(np.int64), "mark_rate", wanted[new])
        flows = self._flows[rows]
        return {
            "flow": rows,
            "mark_rate": _of_row(wanted[rows], flows),
            "rate_cap_bps": _of_row(self._cap_bps[rows], flows),
            "mark_cap": np.full(len(rows), -1, dtype=np.int64),
            "active": self.active[rows].astype(np.int64),
        }


def _of_row(each: Floats, flows: Floats) -> Floats:
    """What a row of flows gets where each of them is to get `each`; -1 says nothing of any."""
    return np.where(each >= 0, each * flows, each)
