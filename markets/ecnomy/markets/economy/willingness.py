# SPDX-License-Identifier: Apache-2.0
"""Compute the targets of flows from the decisions of their agents.

    marks per second = willingness to pay [micro-units/s] / price per mark [micro-units/mark]

Agents decide for a single flow. If all flows of a source share a row, the engine receives the total
over the row. Only flows whose window law has a weight get a mark rate. If an agent chooses the
weight of a flow, the flow keeps this weight, without a mark rate, until the agent sets a payment
for marks without a weight. At a price of 0, a payment does not determine a rate, so flows do not
get a new mark rate. Rate caps apply under any window law. Budgets become mark caps (mark_caps.py).
"""

from __future__ import annotations

import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.decision import LEAVE, NO_CAP, Decision
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.seat import Truths
from ecnomy.markets.bridge.messages import Columns, Report, flow_orders
from ecnomy.markets.economy.journal import ACTIVE, Journal
from ecnomy.markets.economy.mark_caps import Budgets
from ecnomy.markets.economy.shared_columns import held
from ecnomy.markets.plan import Plan
from ecnomy.markets.plan.law_table import weights

__all__ = ["Aims"]


class Aims:
    """Holds the payment, weight and cap of each flow, and returns their changes as orders.

    Attributes:
        switched_on: whether the agent of each flow lets it send; replaced, never modified in place.
        active: whether each flow may send. Its agent must let it send, and the user must not hold
            it back (`admit`). Replaced, never modified in place.
        weight: weight of each flow's window law, chosen by its agent or set in its transport; 0 if
            the law has no weight or a mark rate controls the flow; replaced, never modified in
            place.
        cap_bps: largest rate of each flow [bit/s]; NO_CAP without a limit.
        by_delivery: see Settlement.
    """

    by_delivery: bool = True

    def __init__(self, plan: Plan, journal: Journal) -> None:
        rows = plan.row_sources()
        self._journal = journal
        self._steered = np.array([s.weighted for s in rows], dtype=np.bool_)
        self._flows = np.array([s.row_flows for s in rows], dtype=np.float64)
        self._pay: Floats = np.full(len(rows), LEAVE)
        self._mark_rate: Floats = np.full(len(rows), LEAVE)
        self.cap_bps: Floats = np.full(len(rows), NO_CAP)
        self._sent_cap_bps: Floats = self.cap_bps.copy()
        self._least_weight = np.array([s.least_weight for s in rows], dtype=np.float64)
        self.weight: Floats = held(np.array([s.own_weight for s in rows], dtype=np.float64))
        self._chosen = np.zeros(len(rows), dtype=np.bool_)  # whether the agent chose the weight
        self._weighed = np.zeros(len(rows), dtype=np.bool_)  # weights not yet sent to engines
        self.switched_on: Truths = held(np.ones(len(rows), dtype=np.bool_))
        self._admitted: Truths = self.switched_on
        self.active: Truths = self.switched_on
        self._sent_active: Truths = self.active
        self._budgets = Budgets(rows)

    def read(self, report: Report, charge_micro: Integers) -> None:
        """Read the marks in a report, and the mark charge of each flow so far."""
        self._budgets.read(report, charge_micro)

    @property
    def pay_micro_per_s(self) -> Floats:
        """Return the payment for the marks of each flow [micro-units/s], or LEAVE if not set."""
        return self._pay

    def take(
        self, t_ps: int, who: str, rows: Integers, own: Truths | np.bool_, of: Decision
    ) -> None:
        """Set the payments, weights, caps and budgets that `who` has decided for its flows.

        Raises:
            StrategyError: a flow's law has no weight, or a flow cannot have a budget.
        """
        self._budgets.take(who, rows, own, of.budget_micro, self.by_delivery)
        weighed = self._weigh(t_ps, who, rows, own, of.weight)
        if of.willingness_micro_per_s is not None and self._chosen.any():
            self._steer_by_marks(rows[own & (of.willingness_micro_per_s >= 0) & ~weighed])
        given = (
            ("willingness_micro_per_s", of.willingness_micro_per_s, self._pay),
            ("rate_cap_bps", of.rate_cap_bps, self.cap_bps),
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

    def _weigh(
        self, t_ps: int, who: str, rows: Integers, own: Truths | np.bool_, wanted: Floats | None
    ) -> Truths:
        """Set the chosen weights, raised to the law's minimum, and return which flows got one.

        Raises:
            StrategyError: a flow's law has no weight.
        """
        if wanted is None:
            return np.zeros(len(rows), dtype=np.bool_)
        least, given = self._least_weight[rows], own & (wanted >= 0)
        if np.any(given & np.isinf(least)):
            flow = int(rows[given & np.isinf(least)][0])
            laws = ", ".join(weights())
            raise StrategyError(
                f"{who} chose a weight for flow {flow}, expected a flow whose law is one of {laws}"
            )
        value = np.maximum(wanted, least)
        new = given & (~self._chosen[rows] | (value != self.weight[rows]))
        if np.count_nonzero(new):
            moved = rows[new]
            weight = self.weight.copy()
            weight[moved] = value[new]
            self.weight = held(weight)
            self._chosen[moved] = self._weighed[moved] = True
            self._mark_rate[moved] = LEAVE
            self._journal.many(t_ps, who, moved, "weight", value[new])
        return given

    def _steer_by_marks(self, rows: Integers) -> None:
        """Let payments for marks, instead of weights, determine the targets of these flows."""
        self._chosen[rows] = False

    def switch(self, t_ps: int, who: str, rows: Integers, of: Decision) -> None:
        """Switch flows on or off, as their agent has decided."""
        if of.active is None:
            return
        new = of.active != self.switched_on[rows]
        if np.count_nonzero(new):
            switched = self.switched_on.copy()
            switched[rows[new]] = of.active[new]
            self.switched_on = held(switched)
            self._activate(t_ps, who)

    def admit(self, t_ps: int, rows: Integers, may: Truths) -> None:
        """Hold back or release flows, whatever their agents have decided."""
        if np.any(may != self._admitted[rows]):
            admitted = self._admitted.copy()
            admitted[rows] = may
            self._admitted = held(admitted)
            self._activate(t_ps, "")

    def _activate(self, t_ps: int, who: str) -> None:
        active = self.switched_on & self._admitted
        new = np.flatnonzero(active != self.active).astype(np.int64)
        if len(new):
            self.active = held(active)
            self._journal.many(t_ps, who, new, ACTIVE, active[new].astype(np.float64))

    def changed(self, t_ps: int, price_micro: Integers | Floats) -> Columns:
        """Return the orders to the engine for flows whose targets have changed.

        Args:
            t_ps: time of the orders for the journal [ps].
            price_micro: price of a mark for each flow [micro-units].
        """
        wanted = np.full(len(self._pay), LEAVE)
        paying = self._steered & ~self._chosen & (self._pay >= 0) & (price_micro > 0)
        wanted[paying] = self._pay[paying] / price_micro[paying]
        new = (wanted >= 0) & (wanted != self._mark_rate)
        changed_rows = new | (self.cap_bps != self._sent_cap_bps)
        if self._sent_active is not self.active:
            changed_rows |= self._sent_active != self.active
            self._sent_active = self.active
        changed_rows |= self._weighed | self._budgets.changed(price_micro)
        weight = np.where(self._weighed, self.weight, LEAVE)
        self._weighed[:] = False
        rows = np.flatnonzero(changed_rows).astype(np.int64)
        if len(rows) == 0:
            return {}
        self._mark_rate[new], self._sent_cap_bps[rows] = wanted[new], self.cap_bps[rows]
        if (self.weight[new] > 0).any():
            self.weight = held(np.where(new, 0.0, self.weight))
        self._journal.many(t_ps, "", np.flatnonzero(new).astype(np.int64), "mark_rate", wanted[new])
        flows = self._flows[rows]
        weights = {"weight": _of_row(weight[rows], flows)} if (weight >= 0).any() else {}
        return flow_orders(
            rows,
            mark_rate=_of_row(wanted[rows], flows),
            rate_cap_bps=_of_row(self.cap_bps[rows], flows),
            mark_cap=self._budgets.mark_cap[rows],
            active=self.active[rows],
            **weights,
        )


def _of_row(each: Floats, flows: Floats) -> Floats:
    """Return the total of each row if each of its flows gets `each`. Negative values are kept."""
    return np.where(each >= 0, each * flows, each)
