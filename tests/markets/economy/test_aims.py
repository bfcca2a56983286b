# SPDX-License-Identifier: Apache-2.0
"""Orders to engines about flows, against a model with a separate state for each row."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import msgspec
import numpy as np
import pytest
from hypothesis import given, settings

import market_world as world
from ecnomy.agents.decision import Decision
from ecnomy.agents.errors import StrategyError
from ecnomy.markets.economy.journal import Journal
from ecnomy.markets.economy.willingness import Aims
from ecnomy.markets.plan import Law, Plan
from tiers import examples

LEAVE = -1.0
MULTCP = Law("multcp", {"flows": 2.0, "decrease": 0.5, "min_ssthresh": 2.0, "beta_ecn": 0.0})
FLOWS = (1, 3, 1, 1)  # of each row: two WTP, MulTCP, Reno
PAID = st.sampled_from([LEAVE, 0.0, 600.0, 900.0])
CAP = st.sampled_from([LEAVE, 5e5, 7e5])
WEIGHT = st.sampled_from([LEAVE, 0.25, 1.5, 4.0])
STEP = st.fixed_dictionaries(
    {},
    optional={
        "own": st.lists(st.booleans(), min_size=3, max_size=3),
        "pay": st.lists(PAID, min_size=3, max_size=3),
        "cap": st.lists(CAP, min_size=3, max_size=3),
        "weight": st.lists(WEIGHT, min_size=3, max_size=3),
        "on": st.lists(st.booleans(), min_size=3, max_size=3),
        "may": st.lists(st.booleans(), min_size=3, max_size=3),
        "price": st.sampled_from([0, 30, 40]),
    },
)


def plan() -> Plan:
    """A source for each of FLOWS; the second is a row of many."""
    laws = (world.WTP, world.WTP, MULTCP, world.RENO)
    sources = [
        world.source(f"s{i}", count=n, transport=world.tcp(law))
        for i, (n, law) in enumerate(zip(FLOWS, laws, strict=True))
    ]
    sources[1] = msgspec.structs.replace(sources[1], rows="together")
    return world.plan(sources)


class Row:
    """The state of one row, and the values last sent to the engine."""

    def __init__(self, flows: int, weight: float, least: float, steered: bool) -> None:
        self.flows, self.weight, self.least, self.steered = flows, weight, least, steered
        self.pay = self.rate = self.cap = self.sent_cap = LEAVE
        self.chosen = self.fresh = False
        self.on = self.may = self.sent_on = True

    def decide(self, pay: float | None, cap: float | None, weight: float | None) -> None:
        """Take decisions of the row's agent; None leaves a value unchanged."""
        heavy = weight is not None and weight >= 0
        if heavy:
            value = max(float(weight), self.least)  # type: ignore[arg-type]
            if not self.chosen or value != self.weight:
                self.weight, self.chosen, self.fresh, self.rate = value, True, True, LEAVE
        if pay is not None:
            if pay >= 0 and not heavy:
                self.chosen = False
            self.pay = pay
        self.cap = self.cap if cap is None else cap

    def order(self, price: int) -> dict[str, float] | None:
        """Return the order at this price of a mark, None if nothing is new."""
        by_pay = self.steered and not self.chosen and self.pay >= 0 and price > 0
        wanted = self.pay / price if by_pay else LEAVE
        new = wanted >= 0 and wanted != self.rate
        on = self.on and self.may
        if not (new or self.fresh or self.cap != self.sent_cap or on != self.sent_on):
            return None
        weight = self.weight if self.fresh else LEAVE
        self.fresh, self.sent_cap, self.sent_on = False, self.cap, on
        if new:
            self.rate, self.weight = wanted, 0.0
        each = {"mark_rate": wanted, "rate_cap_bps": self.cap, "weight": weight}
        return {k: v * self.flows if v >= 0 else v for k, v in each.items()} | {"active": float(on)}


@settings(max_examples=examples(100))
@given(st.lists(STEP, min_size=1, max_size=12))
def test_orders_are_those_of_a_model_of_each_row(steps: list[dict[str, Any]]) -> None:
    """The sequence of payments, caps, weights, switches, holds and prices is arbitrary.

    An agent decides for three rows in a different order, and only for its own rows.
    """
    aims, at = Aims(plan(), Journal()), np.array([2, 0, 1])
    rows = [Row(1, 1.0, 1e-9, True), Row(3, 1.0, 1e-9, True), Row(1, 2.0, 1.0, False)]
    price = 30
    for t, step in enumerate(steps):
        own = np.array(step.get("own", [True] * 3))
        columns = {k: np.array(step[k]) if k in step else None for k in ("pay", "cap", "weight")}
        of = Decision(columns["pay"], rate_cap_bps=columns["cap"], weight=columns["weight"])
        aims.take(t, "ann", at, own, of)
        for place, row in enumerate(at):
            if own[place]:
                rows[row].decide(*(step[k][place] if k in step else None for k in columns))
        if "on" in step:
            aims.switch(t, "ann", at, Decision(active=np.array(step["on"])))
        if "may" in step:
            aims.admit(t, at, np.array(step["may"]))
        for place, row in enumerate(at):
            rows[row].on = step.get("on", {place: rows[row].on})[place]
            rows[row].may = step.get("may", {place: rows[row].may})[place]
        price = step.get("price", price)
        orders = aims.changed(t, np.full(len(FLOWS), price))
        wanted = {row: order for row in range(3) if (order := rows[row].order(price)) is not None}
        assert orders.get("flow", np.zeros(0)).tolist() == list(wanted)
        for name in ("mark_rate", "rate_cap_bps", "active", "weight"):
            if name != "weight" or any(order["weight"] >= 0 for order in wanted.values()):
                column = orders[name].tolist() if wanted else []
                assert column == pytest.approx([order[name] for order in wanted.values()])
        assert aims.weight.tolist()[:3] == [row.weight for row in rows]
        assert aims.active.tolist()[:3] == [row.on and row.may for row in rows]


def test_the_journal_has_each_change_once() -> None:
    """Name, row and value of an agent's changes, and of their effects on the market."""
    journal = Journal()
    aims, at = Aims(plan(), journal), np.arange(2)

    def noted() -> list[tuple[str, str, list[int], list[float]]]:
        taken = journal.take()
        return [(one.agent, one.name, one.flow.tolist(), one.value.tolist()) for one in taken]

    pay = Decision(np.array([60.0, 90.0]))
    aims.take(0, "ann", at, np.True_, pay)
    aims.changed(0, np.full(4, 30))
    assert noted() == [
        ("ann", "willingness_micro_per_s", [0, 1], [60.0, 90.0]),
        ("", "mark_rate", [0, 1], [2.0, 3.0]),
    ]
    aims.take(1, "ann", at, np.True_, pay)
    aims.changed(1, np.full(4, 30))
    assert noted() == []
    aims.take(2, "ann", at, np.array([False, True]), Decision(weight=np.array([5.0, 7.0])))
    aims.switch(2, "ann", at, Decision(active=np.array([False, True])))
    aims.admit(2, at, np.array([False, True]))
    aims.changed(2, np.full(4, 45))
    assert noted() == [
        ("ann", "weight", [1], [7.0]),
        ("ann", "active", [0], [0.0]),
        ("", "mark_rate", [0], [pytest.approx(60 / 45)]),
    ]
    aims.switch(3, "ann", at, Decision(active=np.array([True, True])))
    assert noted() == [] and not aims.active[0]  # a user still holds it back
    aims.admit(3, at, np.array([True, True]))
    assert noted() == [("", "active", [0], [1.0])]


def test_a_flow_returns_from_a_weight_to_its_old_mark_rate() -> None:
    """A mark rate is sent again after a weight, even if it equals the last one sent."""
    aims, at = Aims(plan(), Journal()), np.arange(2)
    pay, weight = Decision(np.array([60.0, 90.0])), Decision(weight=np.array([LEAVE, 5.0]))
    price = np.full(4, 30)
    aims.take(0, "ann", at, np.True_, pay)
    assert aims.changed(0, price)["mark_rate"].tolist() == [2.0, 9.0]
    assert aims.weight.tolist() == [0.0, 0.0, 2.0, 0.0]
    aims.take(1, "ann", at, np.True_, weight)
    orders = aims.changed(1, price)
    assert (orders["flow"].tolist(), orders["weight"].tolist()) == ([1], [15.0])
    assert orders["mark_rate"].tolist() == [LEAVE] and not aims.changed(2, price)
    aims.take(3, "ann", at, np.True_, pay)
    orders = aims.changed(3, price)
    assert (orders["flow"].tolist(), orders["mark_rate"].tolist()) == ([1], [9.0])
    assert "weight" not in orders and aims.weight.tolist() == [0.0, 0.0, 2.0, 0.0]


def test_a_law_without_a_weight_has_none_to_choose() -> None:
    """The error names the flow; other flows of the same decision do not change."""
    aims = Aims(plan(), Journal())
    with pytest.raises(StrategyError, match="ann chose a weight for flow 3"):
        aims.take(0, "ann", np.arange(4), np.True_, Decision(weight=np.full(4, 2.0)))
    assert not aims.changed(0, np.full(4, 30))
    left = np.array([2.0, LEAVE])
    aims.take(0, "ann", np.array([0, 3]), np.True_, Decision(weight=left))
    assert aims.changed(0, np.full(4, 30))["flow"].tolist() == [0]
