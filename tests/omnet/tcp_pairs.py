# SPDX-License-Identifier: Apache-2.0
"""TCP plans on both engines: comparisons of their results, and dumbbells for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Unpack

import numpy as np

import drive
import drive_omnet
import plans
from ecnomy.markets.bridge.messages import Decide, Report
from ecnomy.markets.plan import Law, Plan, Tcp

__all__ = ["dumbbell", "last_of", "newreno", "same"]

# In a trace the built-in engine numbers a flow's segments, OMNeT++ has TCP's sequence numbers.
_COLUMNS = ("t_ps", "event", "link", "flow", "bytes", "ce")
_ACK = 5


def dumbbell(
    sources: Mapping[str, tuple[Tcp, Mapping[str, Any]]],
    duration_s: float,
    *,
    rate_bps: float = 1e7,
    delay_s: float = 0.02,
    buffer: int = -1,
    marking: Law = plans.DROP_TAIL,
    epoch_s: float = 1.0,
    **other: Unpack[plans.RecordOptions],
) -> Plan:
    """Sources, by name, over a fast access link (0, 1) and a bottleneck (2, 3).

    Args:
        sources: name -> transport, and further arguments of plans.source.
        duration_s: duration of the run.
        rate_bps: rate of the bottleneck.
        delay_s: propagation delay of the bottleneck.
        buffer: buffer of the bottleneck in packets.
        marking: marking law of the bottleneck.
        epoch_s: time between reports.
        other: tables recorded besides the trace and late packets.
    """
    links = plans.duplex("access", 0, 1, 1e8, 0.001)
    links += plans.duplex("neck", 1, 2, rate_bps, delay_s, buffer=buffer, marking=marking)
    flows = []
    for name, (transport, more) in sources.items():
        fields = {"spread_s": 1.0, "overhead_s": 0.0008, **more}
        paths = ([3, 1], [0, 2]) if fields.pop("back", False) else ([0, 2], [3, 1])
        flows.append(plans.source(name, *paths, transport, **fields))
    record: plans.RecordOptions = {"trace": True, "delay_thresholds_ps": [plans.PS // 40]}
    record.update(other)
    return plans.plan(links, flows, duration_s, epoch_s=epoch_s, **record)


def same(
    plan: Plan,
    decide: Callable[[Report], Decide] | None = None,
    *,
    parts: tuple[str, ...] = ("flows", "links", "pairs"),
    strays: bool = True,
) -> drive.EngineOutput:
    """Run both engines. Every column of every report, transfers and traces must agree.

    Args:
        plan: the plan to run.
        decide: answers each report.
        parts: the compared parts of the reports.
        strays: False if a receiver may answer data that its sender has given up. Then ACKs in
            traces and links in `parts` are not compared.
    """
    built_in, omnet = drive.run(plan, decide), drive_omnet.run(plan, decide)
    for one, other in zip(built_in.reports, omnet.reports, strict=True):
        assert one.t_ps == other.t_ps
        for part in parts:
            theirs = getattr(other, part)
            for name, column in getattr(one, part).items():
                unlike = np.flatnonzero(column != theirs[name])
                assert not len(unlike), (one.t_ps, part, name, unlike[:5], column[unlike[:5]])
    ours, theirs = built_in.table("transfers"), omnet.table("transfers")
    assert list(ours) == list(theirs)
    for name, column in ours.items():
        np.testing.assert_array_equal(column, theirs[name])
    rows = [_trace(outcome, strays) for outcome in (built_in, omnet)]
    assert len(rows[0]) > 1000
    np.testing.assert_array_equal(rows[0], rows[1])
    return omnet


def _trace(outcome: drive.EngineOutput, acks: bool) -> np.ndarray:
    """The trace's rows in an order that does not depend on the order of simultaneous events."""
    table = outcome.table("trace")
    rows = np.stack([table[name] for name in _COLUMNS])
    if not acks:
        data = np.isin(table["event"], (0, 4))  # sent and delivered
        rows = rows[:, data]
    elif outcome.table("transfers"):
        rows = rows[:, table["event"] != _ACK]  # of a finished file one engine notes late ACKs
    return rows[:, np.lexsort(rows[::-1])].T


def last_of(outcome: drive.EngineOutput, name: str, source: int) -> np.ndarray:
    """A column of the last report, for the flows of one source."""
    first = sum(s.count for s in outcome.plan.sources[:source])
    column = outcome.reports[-1].flows[name]
    return column[first : first + outcome.plan.sources[source].count]


def newreno() -> Law:
    """NewReno at its defaults."""
    return Law("newreno", plans.RENO.params)
