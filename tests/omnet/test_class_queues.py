# SPDX-License-Identifier: Apache-2.0
"""Links with a class scheduler on OMNeT++: the built-in engine's packets, rows and marks."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

import drive
import drive_omnet
import plans
from class_plans import TABLE_1, classed, line, scheduler, weights
from ecnomy.markets.plan import Law, Plan, Scheduler
from test_marking_queues import sorted_trace

pytestmark = [
    pytest.mark.skipif(bool(drive_omnet.missing()), reason=drive_omnet.missing()),
    pytest.mark.xdist_group("omnet-queues"),
]

CROWD = [
    (service, size, Law("poisson", {"mean_interval_s": 0.012}), 3)
    for service in range(4)
    for size in (1000, 400)
]


def same(plan: Plan) -> tuple[drive.EngineOutput, dict[str, np.ndarray]]:
    """Run both engines. Reports, rows of classes and the trace must agree in every column."""
    one, other = drive.run(plan), drive_omnet.run(plan)
    for ours, theirs in zip(one.reports, other.reports, strict=True):
        for part in ("flows", "links", "pairs"):
            for name, column in getattr(ours, part).items():
                np.testing.assert_array_equal(column, getattr(theirs, part)[name], f"{part} {name}")
    rows = one.table("classes")
    for name, column in other.table("classes").items():
        np.testing.assert_array_equal(rows[name], column, name)
    np.testing.assert_array_equal(sorted_trace(one), sorted_trace(other))
    return one, rows


def test_classes_under_open_loop_traffic_are_the_same_packet_by_packet() -> None:
    """Four classes under overload have the same turns, losses and waits."""
    of = scheduler([TABLE_1[0] | {"delay_s": 0.0015}, *TABLE_1[1:]])
    plan = line(of, CROWD, duration_s=3.0, buffer=60, trace=True)
    _, rows = same(plan)
    assert rows["drops"].sum() > 100 and rows["late"].sum() > 0
    assert (np.bincount(rows["class"], rows["departures"]) > 100).all()


def test_regulation_marks_the_same_packets() -> None:
    """Marks agree with regulation, some not-ECT packets, framing and a limit in bytes."""
    of = scheduler(TABLE_1, regulation="ecn", buffer_packets=20.0, least_bytes=2000.0)
    plan = line(of, CROWD, duration_s=3.0, buffer_bytes=40_000, framing_bytes=13, trace=True)
    first = msgspec.structs.replace(plan.sources[0], transport=plans.udp(1000))
    plan = msgspec.structs.replace(plan, sources=[first, *plan.sources[1:]]).sealed()
    one, rows = same(plan)
    assert rows["marks"].sum() == one.reports[-1].links["marks"][2] > 100
    assert not one.reports[-1].pairs["marks"][:4].any()  # of the source that is not ECT


def same_for_tcp(of: Scheduler) -> None:
    """NewReno flows in four classes of `of`, their ACKs in classes as well, on both engines."""
    links = plans.duplex("in", 0, 1, 1e9, 0.001) + plans.duplex("out", 1, 2, 1e7, 0.01, buffer=60)
    links[2], links[3] = classed(links[2], of), classed(links[3], of)
    law = Law("newreno", {"decrease": 0.5, "min_ssthresh": 2.0, "beta_ecn": 0.0})
    sources = [
        msgspec.structs.replace(
            plans.source(f"s{n}", [0, 2], [3, 1], plans.tcp(law), count=3, stagger_s=0.01),
            classes=[-1, n],
            ack_classes=[n, -1],
        )
        for n in range(4)
    ]
    plan = plans.plan(links, sources, 4.0, classes_every_ps=10**11)
    one, other = drive.run(plan), drive_omnet.run(plan)
    for name, column in one.reports[-1].flows.items():
        np.testing.assert_array_equal(column, other.reports[-1].flows[name], name)
    rows, others = one.table("classes"), other.table("classes")
    for name, column in rows.items():
        np.testing.assert_array_equal(column, others[name], name)
    assert rows["marks"].sum() > 10 and set(rows["link"]) == {2, 3}


def test_tcp_in_classes_is_the_same_packet_by_packet() -> None:
    """TCP flows in classes with guarantees and regulation send the same packets."""
    same_for_tcp(scheduler(TABLE_1, regulation="ecn", buffer_packets=60.0))


def in_shares() -> Scheduler:
    """Four classes with limits in packets and in bytes, and RED that marks, drops, or no RED."""
    rooms = [
        {"share": 0.2, "buffer_packets": 9.0},
        {"share": 0.2, "buffer_bytes": 12_000.0},
        {"share": 0.1},
        {"share": 0.35, "buffer_packets": 25.0},
    ]
    drops = plans.red(1, 3, above_max=1, mark_p=0.0)
    return weights(rooms, [None, plans.red(1, 4), drops, plans.fixed(0.05)], quantum_bytes=700)


def test_weighted_classes_are_the_same_packet_by_packet() -> None:
    """Turns, limits, marks and drops by the classes' laws agree, with some not-ECT packets."""
    plan = line(in_shares(), CROWD, duration_s=3.0, buffer=60, framing_bytes=13, trace=True)
    first = msgspec.structs.replace(plan.sources[2], transport=plans.udp(1000))
    sources = [*plan.sources[:2], first, *plan.sources[3:]]
    one, rows = same(msgspec.structs.replace(plan, sources=sources).sealed())
    link = {name: column[2] for name, column in one.reports[-1].links.items()}
    assert link["law_drops"] > 50 and link["drops"] - link["law_drops"] > 50
    marks = np.bincount(rows["class"], rows["marks"])
    assert (marks[[1, 3]] > 20).all() and not marks[[0, 2]].any()


def test_tcp_in_weighted_classes_is_the_same_packet_by_packet() -> None:
    """TCP flows in weighted classes send the same packets."""
    same_for_tcp(in_shares())
