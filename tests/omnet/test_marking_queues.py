# SPDX-License-Identifier: Apache-2.0
"""Marking queues, framing and nodes on OMNeT++: the built-in engine's packets, bit for bit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import drive
import drive_omnet
import plans
from ecnomy.markets.bridge.messages import Decide, Report
from ecnomy.markets.plan import Law, Plan
from parity_plans import MARKING

pytestmark = [
    pytest.mark.skipif(bool(drive_omnet.missing()), reason=drive_omnet.missing()),
    pytest.mark.xdist_group("omnet-queues"),
]

CROWD = [(1000, 0.011, True, 10), (200, 0.004, True, 6), (700, 0.03, False, 4)]
POISSON = [(size, Law("poisson", {"mean_interval_s": s}), ect, n) for size, s, ect, n in CROWD]


def side_by_side(links: dict[str, dict], traffic, *, duration_s: float = 5.0, **other) -> Plan:
    """A line of three nodes for each of the second links, each with the same traffic.

    Args:
        links: name -> arguments of plans.link for a line's second link, without its nodes.
        traffic: packet bytes, traffic law, whether ECN-capable, and number of flows of each source.
    """
    all_links, sources = [], []
    for line, (name, kind) in enumerate(links.items()):
        a, at = 3 * line, len(all_links)
        given = dict(rate_bps=1e7, delay_s=0.005) | kind
        framing = given.get("framing_bytes", 0)
        all_links += plans.duplex(f"{name}.in", a, a + 1, 1e9, 0.001, framing_bytes=framing)
        all_links += plans.duplex(name, a + 1, a + 2, **given)
        for size, law, ect, count in traffic:
            transport = plans.udp(size, ect=ect)
            title = f"{name}.{size}"
            paths = [at, at + 2], [at + 3, at + 1]
            sources.append(plans.source(title, *paths, transport, law, count=count, spread_s=0.1))
    return plans.plan(all_links, sources, duration_s, epoch_s=0.7, trace=True, **other)


def same(plan: Plan, decide: Callable[[Report], Decide] | None = None) -> drive.EngineOutput:
    """Run both engines. All columns of all reports and all events of the trace must agree."""
    built_in, omnet = drive.run(plan, decide), drive_omnet.run(plan, decide)
    for one, other in zip(built_in.reports, omnet.reports, strict=True):
        assert one.t_ps == other.t_ps
        for part in ("flows", "links", "pairs"):
            theirs = getattr(other, part)
            for name, column in getattr(one, part).items():
                unlike = np.flatnonzero(column != theirs[name])
                assert not len(unlike), (one.t_ps, part, name, unlike[:5], column[unlike[:5]])
    events, others = sorted_trace(built_in), sorted_trace(omnet)
    assert len(events) > 1000
    np.testing.assert_array_equal(events, others)
    return built_in


def sorted_trace(outcome: drive.EngineOutput) -> np.ndarray:
    """All columns of the trace, in an order independent of the order of simultaneous events."""
    table = outcome.table("trace")
    rows = np.stack([table[k] for k in ("t_ps", "event", "link", "flow", "seq", "bytes", "ce")])
    return rows[:, np.lexsort(rows[::-1])].T


def test_every_law_marks_and_drops_the_same_packets() -> None:
    """With all laws, marks, drops, times and queues agree, also for not-ECT packets."""
    links = {name: dict(marking=law, buffer=60) for name, law in MARKING.items()}
    last = same(side_by_side(links, POISSON, duration_s=3.0)).reports[-1].links
    second = np.arange(2, 4 * len(links), 4)
    assert (last["drops"][second] > 0).all()
    assert (last["marks"][second] > 0).sum() == len(links) - 1  # all but drop-tail
    assert last["law_drops"].sum() > 0


def test_framing_buffers_and_rates_of_all_kinds() -> None:
    """Packets agree with framing, a prime bit rate, a limit in bytes and `not_ect: pass`."""
    links = {
        "odd": dict(marking=plans.red(5, 15), rate_bps=9_999_991, framing_bytes=13),
        "framed": dict(marking=plans.red(5, 15), framing_bytes=26, not_ect="pass", buffer=40),
        "bytes": dict(marking=MARKING["red-bytes"], buffer_bytes=20_000),
    }
    last = same(side_by_side(links, POISSON)).reports[-1].links
    assert last["drops"][6] - last["law_drops"][6] > 0
    assert last["law_drops"][10] > 0


def test_arrivals_at_the_end_of_a_transmission_find_it_ended() -> None:
    """Packets that arrive exactly when a transmission ends find the transmitter free."""
    step = [
        (1000, Law("cbr", {"interval_s": 0.004, "random_phase": 0.0}), True, 5),
        (250, Law("cbr", {"interval_s": 0.01, "random_phase": 1.0}), True, 1),
    ]
    laws = ("threshold", "threshold-queue", "threshold-departing", "red", "load-based")
    links = {name: dict(marking=MARKING[name], buffer=8) for name in laws}
    plan = side_by_side(links, step)
    assert same(plan).reports[-1].links["drops"].sum() > 0


def test_decisions_reach_the_laws() -> None:
    """A law's parameters change at every report, at the same time in both engines."""
    plan = side_by_side({"link": dict(marking=plans.red(5, 15), rate_bps=1.15e7)}, POISSON)

    def decide(report: Report) -> Decide:
        turn = report.epoch % 4
        values = np.array([2.0 + turn, 6.0 + turn])
        links = {"link": np.array([2, 2]), "param": np.array([1, 2]), "value": values}
        return Decide(report.epoch, links=links)

    changed = same(plan, decide)
    marks = [o.reports[-1].links["marks"][2] for o in (changed, drive.run(plan))]
    assert marks[0] != marks[1]


def test_a_hub_of_thirty_links_and_150_routes() -> None:
    """Every pair of neighbours on a star has its own source, addresses and routes; all arrive."""
    spokes = 30
    links = [
        link
        for i in range(spokes)
        for link in plans.duplex(
            f"spoke{i}", 1 + i, 0, 2e6, 0.001 * (1 + i), marking=plans.fixed(0.1)
        )
    ]
    sources = [
        plans.source(
            *(f"s{i}.{step}", [2 * i, 2 * ((i + step) % spokes) + 1]),
            *([2 * ((i + step) % spokes), 2 * i + 1], plans.udp(500, ect=True)),
            Law("poisson", {"mean_interval_s": 0.02}),
        )
        for i in range(spokes)
        for step in ((1, 2, 3) if i % 2 else (1, 2))
    ]
    assert len(sources) == 75
    plan = plans.plan(links, sources, 2.0, trace=True, transfers=False)
    assert (same(plan).reports[-1].flows["delivered"] > 50).all()
