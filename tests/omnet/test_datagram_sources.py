# SPDX-License-Identifier: Apache-2.0
"""Datagrams and telephone calls on OMNeT++: the built-in engine's draws, times and records."""

from __future__ import annotations

import numpy as np
import pytest

import drive
import drive_omnet
import plans
from ecnomy.markets.bridge.messages import Decide, Report, Request, flow_orders
from ecnomy.markets.plan import Calls, Law, Plan, Source

pytestmark = pytest.mark.skipif(bool(drive_omnet.missing()), reason=drive_omnet.missing())

PS = plans.PS
LIMIT = 30 * PS // 1000
TRACE = ("t_ps", "event", "link", "flow", "seq", "bytes", "ce")


def voip(idle_s: float, call_s: float, *, tick: bool = False) -> Law:
    params = dict(idle_mean_s=idle_s, call_mean_s=call_s, interval_s=0.02)
    return plans.voip(**params, random_phase=float(not tick))


def sends(name: str, law: Law, packet_bytes: int, *, ect: bool = True, **other) -> Source:
    return plans.source(name, [0], [], plans.udp(packet_bytes, ect=ect), law, **other)


def run_both(plan: Plan, decide=None, admit=lambda request, sock: False) -> drive.EngineOutput:
    """Run both engines, whose results must agree. Return those of the built-in engine."""
    ours, theirs = drive.run(plan, decide, admit), drive_omnet.run(plan, decide, admit)
    for one, other in zip(ours.reports, theirs.reports, strict=True):
        for part in ("flows", "links", "pairs"):
            for name, column in getattr(one, part).items():
                np.testing.assert_array_equal(column, getattr(other, part)[name], f"{part}.{name}")
    np.testing.assert_array_equal(*(rows(o.table("trace"), TRACE) for o in (ours, theirs)))
    names = tuple(ours.table("calls"))
    np.testing.assert_array_equal(*(rows(o.table("calls"), names) for o in (ours, theirs)))
    assert ours.requests == theirs.requests
    return ours


def rows(table: dict[str, np.ndarray], names: tuple[str, ...]) -> np.ndarray:
    """The table's rows, in an order that does not depend on the order of simultaneous events."""
    columns = np.stack([table[name] for name in names]) if names else np.empty((1, 0))
    return columns[:, np.lexsort(columns[::-1])].T


def on_and_off(report: Report) -> Decide:
    """Switch every third flow off at 3 s, and on again at 6 s."""
    if report.epoch not in (3, 6):
        return Decide(report.epoch)
    count = len(report.flows["sent"])
    on = np.where(np.arange(count) % 3 == 0, int(report.epoch == 6), 1)
    return Decide(report.epoch, flow_orders(np.arange(count), active=on))


def test_datagrams_leave_and_arrive_at_the_same_picoseconds() -> None:
    """Times agree with phases, starts, stops, profiles, overheads and orders, in all rows."""
    sources = [
        sends("steady", Law("cbr", {"interval_s": 0.01, "random_phase": 1.0}), 1000, count=3,
              overhead_s=0.001, start_s=0.3, spread_s=0.5, stagger_s=0.1),
        sends("tick", Law("cbr", {"interval_s": 0.0123, "random_phase": 0.0}), 333, count=2,
              stop_s=7.0, ect=False),
        sends("rain", Law("poisson", {"mean_interval_s": 0.004}), 29, count=4, rows="together",
              overhead_s=0.0005, profile=plans.profile(6, {0: 1, 2: 0, 3: 2.5})),
    ]  # fmt: skip
    links = plans.duplex("a", 0, 1, 3e6, 0.005, buffer=30, marking=plans.red(2, 9, 0.3))
    outcome = run_both(plans.plan(links, sources, 9, trace=True, warmup_s=2.5), on_and_off)
    last = outcome.reports[-1]
    assert last.flows["sent"].sum() > 5_000 and last.links["marks"][0] > 100
    assert last.flows["lost"].sum() > 100


@pytest.mark.parametrize("idle_s", [1.0, 0.002, 0.0002])
def test_calls_have_the_same_records(idle_s: float) -> None:
    """Records agree for separate, overlapping, adjacent and refused calls."""
    law = voip(idle_s, 0.3)
    ask = Calls(ask=True, max_delay_ps=LIMIT)
    sources = [
        sends("phones", law, 200, count=5, calls=ask, overhead_s=0.004),
        sends("free", voip(0.5, 0.3, tick=True), 128, count=20, rows="together",
              calls=Calls(ask=False, max_delay_ps=LIMIT), stop_s=9.0,
              profile=plans.profile(4, {0: 0.5, 1: 3})),
        sends("anyone", plans.voip(interarrival_mean_s=0.05, call_mean_s=0.3, interval_s=0.02),
              128, count=4, calls=ask, profile=plans.profile(4, {0: 1, 3: 0.5}), stagger_s=0.1),
        sends("crowd", Law("poisson", {"mean_interval_s": 0.02}), 1000),
    ]  # fmt: skip
    marking = plans.red(2, 6, 0.5)
    links = plans.duplex("a", 0, 1, 1e6, 0.020, buffer=10, marking=marking, not_ect="pass")
    plan = plans.plan(
        links, sources, 10, trace=True, calls=True, delay_thresholds_ps=[LIMIT], seed=5
    )

    def admit(request: Request, sock) -> bool:
        return request.id % 3 != 0

    outcome = run_both(plan, on_and_off, admit)
    calls = outcome.table("calls")
    for name in ("late", "ce", "lost", "accepted", "complete"):
        assert calls[name].sum() > 5, name
    assert (calls["accepted"] == 0).sum() > 5 and (calls["complete"] == 0).any()
