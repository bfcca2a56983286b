# SPDX-License-Identifier: Apache-2.0
"""Observations from cumulative counters, by hand: rows of one flow and of many, two observers."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

import market_world as world
from ecnomy.agents.decision import Decision
from ecnomy.agents.observation import FlowColumns, Observation
from ecnomy.markets.bridge.messages import Report
from ecnomy.markets.economy.journal import Journal
from ecnomy.markets.economy.observations import Sight
from ecnomy.markets.economy.willingness import Aims
from ecnomy.markets.plan import Plan
from market_world import PS

HEADER_BITS = 8 * 40  # of world.tcp
ROWS = np.array([0, 1, 2])
# A report's counters of the rows `one.0`, `one.1`, and `many` of three flows.
THEN: dict[str, list[Any]] = {
    "delivered": [10, 20, 90],
    "ce": [1, 2, 9],
    "acked": [8, 18, 60],
    "acked_bytes": [8_000, 18_000, 60_000],
    "delivered_bytes": [10_000, 20_000, 90_000],
    "srtt_s": [0.1, 0.2, 0.3],
    "active": [1, 1, 3],
    "files": [1, 0, 4],
    "file_bytes": [500, 0, 900],
    "file_left": [50, 0, 90],
}
NOW: dict[str, list[Any]] = {
    "delivered": [14, 29, 150],
    "ce": [3, 5, 16],
    "acked": [13, 24, 105],
    "acked_bytes": [13_000, 24_000, 105_000],
    "delivered_bytes": [14_000, 29_000, 150_000],
    "srtt_s": [0.4, 0.5, 0.6],
    "active": [0, 1, 2],
    "files": [2, 0, 7],
    "file_bytes": [600, 0, 1_800],
    "file_left": [60, 0, 180],
}
MONEY_THEN = ([5, 6, 7], [50, 60, 70], [25, 26, 27], [1, 2, 3])
MONEY_NOW = ([16, 18, 20], [71, 82, 93], [36, 38, 40], [8, 10, 12])
GROWN: dict[str, list[Any]] = {
    "delivered": [4, 9, 60],
    "marks": [2, 3, 7],
    "charge_micro": [11, 12, 13],
    "bill_micro": [21, 22, 23],
    "standing_micro": [11, 12, 13],
    "weight_micro": [7, 8, 9],
    "delivered_bytes": [4_000, 9_000, 60_000],
    "goodput_bps": [8 * 5_000 / 2, 8 * 6_000 / 2, 8 * 45_000 / 2 / 3],
    "payload_bps": [
        (8 * 5_000 - 5 * HEADER_BITS) / 2,
        (8 * 6_000 - 6 * HEADER_BITS) / 2,
        (8 * 45_000 - 45 * HEADER_BITS) / 2 / 3,
    ],
    "active": [0, 1, 2],
    "files": [2, 0, 7],
    "file_bytes": [600, 0, 1_800],
    "file_left": [60, 0, 180],
    "srtt_s": [0.4, 0.5, 0.6],
    "source": [0, 0, 1],
    "member": [0, 1, 0],
    "offer": [4, -1, 6],
    "price_micro": [30.0, 40.0, 50.0],
    "rate_cap_bps": [-1.0, 8e5, -1.0],
    "weight": [1.0, 1.0, 2.5],
    "switched_on": [True, True, False],
    "gain": [0.5, 0.5, 0.5],
    "limit_bps": [np.inf] * 3,
    "posted_standing_micro": [0.0, 7.5, 2.0],
}


def plan() -> Plan:
    """A source of two rows and one of three flows in a row."""
    sources = [world.source("one", count=2), world.source("many", count=3)]
    sources[1] = msgspec.structs.replace(sources[1], rows="together")
    return world.plan(sources)


class Watched:
    """A Sight and the aims of a plan."""

    def __init__(self) -> None:
        self.plan = plan()
        self.sight, self.aims = Sight(self.plan), Aims(self.plan, Journal())
        cap, weight = np.array([-1.0, 8e5, -1.0]), np.array([-1.0, -1.0, 2.5])
        self.aims.take(0, "ann", ROWS, np.True_, Decision(rate_cap_bps=cap, weight=weight))
        self.aims.switch(0, "ann", ROWS, Decision(active=np.array([True, True, False])))

    def read(self, t_s: int, counters: dict[str, list[Any]], money: tuple[list[int], ...]) -> None:
        """Read a report at `t_s`."""
        made: Report = world.report(self.plan, t_s * PS, t_s, **counters)
        charge, bill, standing, weight = (np.array(column) for column in money)
        posted = np.array([0.0, 7.5, 2.0])
        self.sight.read(made, (charge, bill, standing, weight), posted)

    def look(self, who: str, rows: np.ndarray = ROWS) -> Observation:
        """Let `who` observe these rows."""
        price, offer = np.array([30, 40, 50]), np.array([4, -1, 6])
        return self.sight.flows(who, rows, price, (), offer, self.aims)


def columns(observation: Observation) -> dict[str, list[Any]]:
    """Return the columns of an observation in GROWN, as lists."""
    return {name: getattr(observation.flows, name).tolist() for name in GROWN}


def test_every_column_of_an_observation_is_what_grew_since_the_last_one() -> None:
    """A row of many flows has the rates of one flow, and the counts of all flows."""
    watched = Watched()
    watched.read(1, THEN, MONEY_THEN)
    first = watched.look("ann")
    assert (first.t_ps, first.dt_ps) == (PS, 0)
    assert not first.flows.goodput_bps.any() and not first.flows.payload_bps.any()
    watched.read(3, NOW, MONEY_NOW)
    view = watched.look("ann")
    assert (view.t_ps, view.dt_ps, view.price_micro) == (3 * PS, 2 * PS, 40)
    assert set(GROWN) | {"flow", "choice"} == set(FlowColumns.__struct_fields__)
    assert view.flows.flow.tolist() == [0, 1, 2]
    for name, column in columns(view).items():
        assert column == pytest.approx(GROWN[name]), name
    watched.read(3, NOW, MONEY_NOW)
    again = watched.look("ann")
    assert again.dt_ps == 0 and not any(again.flows.marks) and not any(again.flows.bill_micro)


def test_observers_look_each_at_its_own_times_and_rows() -> None:
    """Each observer sees the growth since its own last time, in its own order of rows."""
    watched, rows = Watched(), np.array([2, 1])
    watched.read(1, THEN, MONEY_THEN)
    watched.look("ann", rows)
    watched.look("bob")
    watched.read(3, NOW, MONEY_NOW)
    watched.look("bob")
    later = {
        name: [2 * new - old for old, new in zip(THEN[name], NOW[name], strict=True)]
        for name in ("delivered", "ce", "acked", "acked_bytes", "delivered_bytes")
    }
    watched.read(5, NOW | later, MONEY_NOW)
    ann, bob = watched.look("ann", rows), watched.look("bob")
    assert (ann.dt_ps, bob.dt_ps) == (4 * PS, 2 * PS)
    assert ann.price_micro == 45 and ann.flows.flow.tolist() == [2, 1]
    for name in ("marks", "delivered", "delivered_bytes"):
        assert getattr(ann.flows, name).tolist() == [2 * GROWN[name][2], 2 * GROWN[name][1]], name
        assert getattr(bob.flows, name).tolist() == GROWN[name], name
    for name in ("goodput_bps", "payload_bps"):
        assert getattr(ann.flows, name).tolist() == pytest.approx([GROWN[name][2], GROWN[name][1]])
    assert ann.flows.charge_micro.tolist() == [13, 12] and not any(bob.flows.charge_micro)


def test_one_price_for_many_flows() -> None:
    """The price is the rounded mean of the flows' prices, or without flows the first price."""
    watched = Watched()
    watched.read(1, THEN, MONEY_THEN)
    assert watched.look("ann", np.array([1])).price_micro == 40
    assert watched.look("bob", np.array([1, 2])).price_micro == 45
    assert watched.look("eve", np.array([], dtype=np.int64)).price_micro == 30
