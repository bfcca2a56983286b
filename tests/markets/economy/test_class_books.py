# SPDX-License-Identifier: Apache-2.0
"""A provider's data on its classes: time, marks, cost and refusals, computed by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest

import market_world as world
from ecnomy.agents.classes import ClassObservation
from ecnomy.agents.spec import AgentSpec, ClassSpec
from ecnomy.markets.economy.class_books import LATELY_S, ClassBooks
from ecnomy.markets.economy.class_desk import ClassDesk
from ecnomy.markets.economy.journal import REFUSED, Journal
from ecnomy.markets.economy.ledger import Ledger
from ecnomy.markets.economy.parties import Parties
from ecnomy.markets.economy.readings import Epoch
from ecnomy.markets.plan import Plan
from market_world import PS

GOLD, IRON, OTHER, NOWHERE = 0, 1, 2, -1
ON = np.ones(4, dtype=np.bool_)


def plan() -> Plan:
    """Rows of one, three and two flows, the last to 4 s, then one more of one flow."""
    sources = [world.source(name, count=n) for name, n in (("a", 1), ("b", 3), ("c", 2), ("d", 1))]
    sources[1] = msgspec.structs.replace(sources[1], rows="together")
    sources[2] = msgspec.structs.replace(sources[2], rows="together", stop_ps=4 * PS)
    return world.plan(sources)


def epoch(
    from_s: int, to_s: int, marks: list[int], cost: list[int], offer: list[int], on: Any = ON
) -> Epoch:
    """An epoch with these marks and this cost of each row."""
    of = plan()
    before = world.report(of, from_s * PS, 0)
    after = world.report(of, to_s * PS, 1, ce=marks)
    made = Epoch(before, after, np.array(offer), np.array([1]), on, np.ones(4))
    made.charge_micro = np.array(cost)
    return made


def test_counts_and_recent_cost_over_uneven_epochs() -> None:
    """Flows count in their class of the epoch. Flows that are off or without a class do not."""
    books = ClassBooks(plan(), 2)
    books.enter(GOLD, 4)
    books.enter(IRON, 2)
    first = books.counts
    books.close(epoch(0, 2, [5, 7, 1, 9], [50, 70, 10, 90], [GOLD, GOLD, IRON, NOWHERE]))
    late, fades = np.array([120 / 2, 10 / 2]), math.exp(-2 / LATELY_S)
    assert books.cost_micro_per_s == pytest.approx((1 - fades) * late)
    assert books.hidden == pytest.approx([4 * fades, 2 * fades])
    assert books.counts.flow_s.tolist() == [2 + 6, 4] and books.counts.marks.tolist() == [12, 1]
    assert not first.flow_s.any() and not first.marks.any()
    books.enter(IRON, 1)
    off = np.array([True, False, True, True])
    books.close(epoch(2, 7, [1, 0, 4, 2], [10, 0, 40, 20], [IRON, GOLD, IRON, GOLD], off))
    fade, known = math.exp(-5 / LATELY_S), (1 - fades) * late
    now = np.array([20 / 5, 50 / 5])
    assert books.cost_micro_per_s == pytest.approx(known * fade + (1 - fade) * now)
    assert books.hidden == pytest.approx([4 * fades * fade, (2 * fades + 1) * fade])
    assert books.counts.flow_s.tolist() == [8 + 5, 4 + 5 + 2 * 2]  # the last two stop at 4 s
    assert books.counts.marks.tolist() == [14, 6]
    assert books.counts.charge_micro.tolist() == [140, 60]
    books.close(epoch(7, 7, [0] * 4, [0] * 4, [GOLD] * 4))
    assert books.cost_micro_per_s == pytest.approx(known * fade + (1 - fade) * now)


def test_refusals_count_flows_of_each_class() -> None:
    """Earlier counts are not modified."""
    books = ClassBooks(plan(), 3)
    books.refuse(IRON, 3)
    then = books.counts
    books.refuse(IRON, 2)
    books.refuse(OTHER, 1)
    assert then.refused.tolist() == [0, 3, 0]
    assert books.counts.refused.tolist() == [0, 5, 1]


class Shops:
    """`east` sells gold, for four flows at most, and iron; `west` sells the third class."""

    def __init__(self) -> None:
        self.plan, self.journal = plan(), Journal()
        agents = [AgentSpec(name, "application-provider") for name in ("east", "west")]
        parties = Parties(self.plan, agents, Ledger())
        self.desk = ClassDesk(self.plan, parties, self.journal)
        watching: Any = SimpleNamespace(decides_requests=False, watches_classes=True)
        for who, sold in (
            ("east", ClassSpec("gold", 30, (), 7, members=4)),
            ("east", ClassSpec("iron", 20, (), 5)),
            ("west", ClassSpec("gold", 10, (), 3)),
        ):
            parties.sell(who, sold)
            self.desk.open(sold, watching)
        parties.settle()
        self.desk.settle()
        self.offer = np.array([IRON, IRON, OTHER, NOWHERE])

    def see(self, who: str, t_s: int, on: Any = ON) -> ClassObservation:
        """Return what a provider observes."""
        agent: Any = None
        return self.desk.observation(who, t_s * PS, self.offer, on, agent)


def test_a_provider_sees_what_grew_in_its_own_classes() -> None:
    """Counts are since the provider's own last observation. Members are current."""
    shops = Shops()
    first = shops.see("east", 0)
    assert (first.dt_ps, first.names) == (0, ("gold", "iron"))
    shops.see("west", 0)
    shops.desk.close(epoch(0, 2, [1, 2, 4, 8], [10, 20, 40, 80], shops.offer.tolist()))
    assert shops.desk.admit(2 * PS, np.array([1, 3]), shops.offer, np.array([GOLD, GOLD])).all()
    west = shops.see("west", 2)
    assert west.names == ("gold",) and west.classes.marks.tolist() == [4]
    assert not shops.desk.admit(2 * PS, np.array([2]), shops.offer, np.array([GOLD])).any()
    assert shops.offer.tolist() == [IRON, GOLD, OTHER, GOLD]
    shops.desk.close(epoch(2, 3, [3, 1, 1, 1], [30, 10, 10, 10], shops.offer.tolist()))
    east = shops.see("east", 3, np.array([True, False, True, True]))
    assert (east.t_ps, east.dt_ps) == (3 * PS, 3 * PS)
    classes = east.classes
    assert (classes.fee_micro_per_s.tolist(), classes.charge_micro_per_s.tolist()) == (
        [30, 20],
        [7, 5],
    )
    assert (classes.members.tolist(), classes.active.tolist()) == ([4, 1], [1, 1])
    assert (classes.most.tolist(), classes.refused.tolist()) == ([4, -1], [2, 0])
    assert (classes.marks.tolist(), classes.charge_micro.tolist()) == ([2, 6], [20, 60])
    assert classes.flow_s.tolist() == [4.0, 2.0 + 6.0 + 1.0]
    west = shops.see("west", 5)
    assert (west.dt_ps, west.classes.marks.tolist()) == (3 * PS, [1])
    assert (west.classes.members.tolist(), west.classes.active.tolist()) == ([0], [0])  # stopped
    [noted] = shops.journal.take()
    journalled = noted.t_ps, noted.agent, noted.name, noted.flow.tolist(), noted.value.tolist()
    assert journalled == (2 * PS, "east", REFUSED, [2], [float(GOLD)])


def test_totals_and_columns_of_an_epoch_are_read_only() -> None:
    """A custom contract cannot move flows to another class by writing to what it reads."""
    offer = np.array([GOLD, IRON, NOWHERE, OTHER])
    closed = Epoch(None, world.report(plan(), PS, 0), offer, np.array([1]), ON, np.ones(4))
    books = ClassBooks(plan(), 3)
    books.close(epoch(0, 1, [1, 2, 3, 4], [1, 2, 3, 4], [GOLD, IRON, NOWHERE, OTHER]))
    books.refuse(GOLD, 2)
    counts = books.counts
    columns = [closed.offer, closed.price_micro, closed.active, closed.weight]
    columns += [counts.flow_s, counts.marks, counts.charge_micro, counts.refused]
    for column in columns:
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0
    offer[0] = OTHER  # the market goes on with its own array
