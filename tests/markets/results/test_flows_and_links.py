# SPDX-License-Identifier: Apache-2.0
"""Rates and means of the tables `flows` and `links` from counters at both ends of a window."""

from __future__ import annotations

import numpy as np
import pytest

import market_world as world
from ecnomy.agents.observation import NO_OFFER, Offer
from ecnomy.markets.plan import Plan
from ecnomy.markets.results.flows_and_links import Mark, flow_rows, link_rows, nothing_yet

PS = 10**12
STATES = {"in_flight", "active", "file_left", "cwnd", "srtt_s", "weight"}
LINK_STATES = {"queue_packets", "queue_bytes", "queue_max", "probability"}
OFFERS = (Offer("shop", "gold", 5), Offer("rival", "tin", 3))
FROM_S, TO_S = 3, 10


def plan() -> Plan:
    """Rows of flows 0 and 1 of `one`, 2 of `two`; a link of 10 Mbps with framing of 10 bytes."""
    return world.plan([world.source("one", count=2), world.source("two")])


def marks() -> tuple[Mark, Mark]:
    """Counters that grow at random, but not those of the last row."""
    rng, ends = np.random.Generator(np.random.Philox(2)), []
    bare = nothing_yet(plan())
    grown: dict[str, np.ndarray] = {}
    for t_s in (FROM_S, TO_S):
        tables = []
        for table, scale in ((bare.flows, [1, 1, 0]), (bare.links, [1])):
            columns = {}
            for name, column in table.items():
                before = grown.get(name, np.zeros(len(column)))
                grown[name] = before + rng.integers(1, 10**6, len(column)) * np.array(scale)
                columns[name] = grown[name].astype(column.dtype)
            tables.append(columns)
        money = [rng.integers(0, 10**6, 3) + t_s * 10**6 for _ in range(2)]
        ends.append(Mark(t_s * PS, *tables, *money))
    return ends[0], ends[1]


def test_flows_over_the_measured_window() -> None:
    """Rates are growth over time or packets. States and names are those at the end."""
    start, end = marks()
    columns = flow_rows(plan(), start, end, OFFERS, np.array([1, NO_OFFER, 0]))
    assert columns["class"] == ["tin", "", "gold"]
    assert columns["provider"] == ["rival", "", "shop"]
    assert columns["source"] == ["one", "one", "two"]
    assert columns["name"] == ["one.0", "one.1", "two.0"]
    assert columns["flow"].tolist() == [0, 1, 2]
    for row in range(3):
        grown = {
            name: (end.flows[name][row] - (0 if name in STATES else start.flows[name][row])).item()
            for name in end.flows
        }
        assert {name: columns[name][row] for name in end.flows} == grown
        seconds, got = TO_S - FROM_S, grown["delivered"]
        expected = {
            "goodput_bps": 8 * grown["acked_bytes"] / seconds,
            "marks_per_s": grown["ce"] / seconds,
            "marking_rate": grown["ce"] / got if got else 0.0,
            "mean_delay_s": grown["delay_sum_ps"] / PS / got if got else np.nan,
            "mean_cwnd": grown["cwnd_integral"] / seconds,
            "fee_micro": end.fee_micro[row] - start.fee_micro[row],
            "mark_charge_micro": end.charge_micro[row] - start.charge_micro[row],
        }
        for name, value in expected.items():
            assert columns[name][row] == pytest.approx(value, rel=1e-12, nan_ok=True), name


def test_links_over_the_measured_window() -> None:
    """Utilisation counts the framing; the wait is that of packets that left."""
    start, end = marks()
    columns = link_rows(plan(), start, end)
    grown = {
        name: (end.links[name][0] - (0 if name in LINK_STATES else start.links[name][0])).item()
        for name in end.links
    }
    assert {name: columns[name][0] for name in end.links} == grown
    seconds = TO_S - FROM_S
    bits = 8 * (grown["departed_bytes"] + 10 * grown["departures"])
    expected = {
        "utilization": bits / (10_000_000 * seconds),
        "mean_queue_packets": grown["queue_integral"] / seconds,
        "mean_wait_s": grown["queue_integral"] / grown["departures"],
        "marking_probability": grown["marks"] / grown["arrivals"],
    }
    for name, value in expected.items():
        assert columns[name][0] == pytest.approx(value, rel=1e-12), name


def test_a_run_without_a_report_has_no_rates() -> None:
    """Without a report, means are NaN and rates are 0."""
    none = nothing_yet(plan())
    flows = flow_rows(plan(), none, none, (), np.full(3, NO_OFFER))
    links = link_rows(plan(), none, none)
    assert flows["goodput_bps"].tolist() == flows["marking_rate"].tolist() == [0.0] * 3
    assert np.isnan([*flows["mean_delay_s"], *links["mean_wait_s"]]).all()
    assert links["utilization"].tolist() == links["marking_probability"].tolist() == [0.0]
