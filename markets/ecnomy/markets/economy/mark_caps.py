# SPDX-License-Identifier: Apache-2.0
"""Convert each flow's budget for marks into a cap on the number of its marks.

    mark cap = marks delivered + floor(money left [micro-units] / price [micro-units per mark])

The engine sends a packet only while the sum of marks delivered and packets in flight is below the
cap, so the number of marks cannot exceed the cap. The cap stays constant until the price or the
budget changes. Marks on packets that are in flight at a rise in price are charged at the new price,
so they may cost more than the money left. A cautious strategy therefore sets a budget below its
funds (`file-budget`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.seat import Truths
from ecnomy.markets.bridge.messages import Report
from ecnomy.markets.economy.readings import integers
from ecnomy.markets.plan import Source, Tcp

__all__ = ["Budgets"]

NONE: Final = -1  # unlimited, for mark caps and limits
MOST_MICRO: Final = 2.0**62


class Budgets:
    """The budget for the marks of each row, and the resulting mark cap.

    Attributes:
        mark_cap: number of marks, counted from the start of the run, at which each row stops, or
            NONE.
    """

    def __init__(self, rows: Sequence[Source]) -> None:
        fits = [isinstance(s.transport, Tcp) and s.row_flows == 1 for s in rows]
        self._fits = np.array(fits, dtype=np.bool_)
        self._limit_micro: Integers = np.full(len(rows), NONE, dtype=np.int64)  # limits of charges
        self.mark_cap: Integers = self._limit_micro.copy()
        self._marks: Integers = np.zeros(len(rows), dtype=np.int64)
        self._charge_micro: Integers = self._marks
        self._any = False

    def read(self, report: Report, charge_micro: Integers) -> None:
        """Read the marks in a report, and the mark charge of each row so far."""
        self._marks, self._charge_micro = integers(report.flows, "ce"), charge_micro

    def take(
        self,
        who: str,
        rows: Integers,
        own: Truths | np.bool_,
        wanted: Floats | None,
        by_delivery: bool,
    ) -> None:
        """Set the budgets that `who` has decided for these rows.

        Raises:
            StrategyError: a row has many flows or sends datagrams, or users do not pay for each
                mark delivered.
        """
        if wanted is None:
            return
        given = own & (wanted >= 0)
        if given.any():
            self._check(who, rows[given], by_delivery)
            self._any = True
        if not self._any:
            return
        left = np.minimum(wanted, MOST_MICRO).astype(np.int64)
        limit = np.where(given, self._charge_micro[rows] + left, NONE)
        self._limit_micro[rows] = np.where(own, limit, self._limit_micro[rows])

    def changed(self, price_micro: Integers | Floats) -> Truths | np.bool_:
        """Update all caps to these prices per mark, and return whether each row's cap changed."""
        if not self._any:
            return np.False_
        capped = (self._limit_micro >= 0) & (price_micro > 0)
        price = np.where(capped, price_micro, 1).astype(np.int64)
        left = np.maximum(self._limit_micro - self._charge_micro, 0)
        cap = np.where(capped, self._marks + left // price, NONE)
        moved: Truths = cap != self.mark_cap
        self.mark_cap = cap
        return moved

    def _check(self, who: str, rows: Integers, by_delivery: bool) -> None:
        if not by_delivery:
            raise StrategyError(
                f"{who} set a budget where users do not pay for each mark delivered, expected "
                "settlement: retail, cascade or peering"
            )
        unfit = rows[~self._fits[rows]]
        if len(unfit):
            raise StrategyError(
                f"{who} set a budget for flow {int(unfit[0])}, which shares its row (rows: "
                "together) or uses udp, expected a tcp flow without rows: together"
            )
