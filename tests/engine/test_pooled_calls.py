# SPDX-License-Identifier: Apache-2.0
"""Calls from an unlimited population: one Poisson process over the lines of a source.

The lines of calls are replayed from the table of calls alone. The lost calls are compared with
Erlang's B formula, and arrivals to a Poisson process.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import plans
from drive import run
from ecnomy.markets.bridge.messages import Decide, flow_orders
from ecnomy.markets.plan import Calls
from tiers import rare

PS = plans.PS
Table = dict[str, np.ndarray]


def calls(
    lines: int, *, ask: bool = False, duration_s: float = 300, admit=None, decide=None, **other
) -> Table:
    """The table of calls: 2 per second, of 3 s on average, so 6 erlang."""
    law = plans.voip(call_mean_s=3.0, interval_s=1.0, interarrival_mean_s=0.5)
    links = plans.duplex("a", 0, 1, 1e7, 0.002, buffer=100)
    source = plans.source(
        "callers",
        [0],
        [],
        plans.udp(100, ect=True),
        law,
        count=lines,
        calls=Calls(ask=ask, max_delay_ps=-1),
        **other,
    )
    said = {"admit": admit} if admit else {}
    return run(plans.plan(links, [source], duration_s, calls=True), decide, **said).table("calls")


def arrivals(table: Table) -> list[int]:
    return sorted(table["start_ps"].tolist())


@pytest.mark.parametrize(("lines", "stop_s"), [(1, None), (4, None), (9, None), (4, 150.5)])
def test_a_free_line_takes_each_call_and_none_is_lost_while_one_is_free(
    lines: int, stop_s: float | None
) -> None:
    """A replay has the same busy lines and the same lost calls. All calls end at `stop`."""
    table = calls(lines, stop_s=stop_s)
    if stop_s is not None:
        assert table["end_ps"].max() == round(stop_s * PS) > table["start_ps"].max()
    free_at = [0] * lines
    order = np.argsort(table["start_ps"], kind="stable")
    names = ("start_ps", "end_ps", "user", "accepted")
    for start, end, user, accepted in np.stack([table[n][order] for n in names]).T.tolist():
        free = [line for line in range(lines) if free_at[line] <= start]
        assert (user in free) if free else user == -1, start
        assert accepted == (user >= 0)
        if free:
            free_at[user] = end
    lost = int((table["user"] == -1).sum())
    assert lost > 0 and len(order) - lost > 50


def test_calls_come_when_they_come() -> None:
    """Arrivals do not depend on the number of lines or on refusals."""
    expected = arrivals(calls(40))
    assert len(set(expected)) == len(expected)
    for lines in (1, 5):
        assert arrivals(calls(lines)) == expected
    refused = calls(7, ask=True, admit=lambda request, sock: request.id % 3 == 0)
    assert arrivals(refused) == expected
    assert ((refused["accepted"] == 0) & (refused["user"] >= 0)).sum() > 100


def test_arrivals_are_poisson() -> None:
    """The number of arrivals and the variation of their gaps are within 3.3 standard errors."""
    times = np.array(arrivals(calls(40, duration_s=3000)))
    gaps = np.diff(times) / PS
    assert len(times) == pytest.approx(6000, abs=3.3 * math.sqrt(6000))
    variation = gaps.var() / gaps.mean() ** 2
    assert variation == pytest.approx(1, abs=3.3 * math.sqrt(8 / len(gaps)))


@pytest.mark.parametrize("lines", [rare(2), 6, rare(10)])
def test_the_share_of_lost_calls_is_erlangs(lines: int) -> None:
    """At 6 erlang, the share of lost calls is Erlang B's within four errors of batch means."""
    table = calls(lines, duration_s=6000)
    lost, batch = table["user"] == -1, table["start_ps"] // (100 * PS)
    means = np.array([lost[batch == b].mean() for b in np.unique(batch)])
    terms = [6.0**k / math.factorial(k) for k in range(lines + 1)]
    error = means.std() / math.sqrt(len(means))
    print(lost.mean(), terms[-1] / sum(terms), error)
    assert lost.mean() == pytest.approx(terms[-1] / sum(terms), abs=4 * error)
    assert error < 0.012


def test_a_profile_and_a_stop_shape_arrivals() -> None:
    """Arrivals double at a factor of 2; there are none at a factor of 0, or after the stop."""
    profile = plans.profile(100, {0: 2, 40: 0, 60: 1})
    times = np.array(arrivals(calls(3, duration_s=1000, profile=profile, stop_s=950))) / PS
    within = times % 100
    busy, none, usual = ((within >= a) & (within < b) for a, b in ((0, 40), (40, 60), (60, 100)))
    assert none.sum() == 0 and times.max() < 950
    expected = 10 * 40 * 2 * 2
    assert busy.sum() == pytest.approx(expected, abs=3.3 * math.sqrt(expected))
    assert usual.sum() == pytest.approx(9.75 * 40 * 2, abs=3.3 * math.sqrt(9.75 * 80))


def test_a_line_that_is_off_takes_no_call() -> None:
    """While all lines are off there are no calls. Afterwards calls arrive at their times."""

    def decide(report) -> Decide:
        if report.epoch not in (30, 60):
            return Decide(report.epoch)
        return Decide(report.epoch, flow_orders(np.arange(4), active=int(report.epoch == 60)))

    table = calls(4, decide=decide)
    times = table["start_ps"][table["accepted"] == 1] / PS
    assert not np.any((times > 30) & (times < 60)) and np.any(times < 30) and np.any(times > 60)
    assert set(arrivals(table)) <= set(arrivals(calls(4)))


def test_a_lost_call_is_of_the_first_line_of_its_source() -> None:
    """The calls missed by a source of one line, after a source of three flows, are of flow 3."""
    link = plans.duplex("a", 0, 1, 1e7, 0.002, buffer=100)
    other = plans.voip(idle_mean_s=1e3, call_mean_s=1.0, interval_s=1.0)
    law = plans.voip(call_mean_s=3.0, interval_s=1.0, interarrival_mean_s=0.5)
    kind = Calls(ask=False, max_delay_ps=-1)
    sources = [
        plans.source(name, [0], [], plans.udp(100), traffic, count=count, calls=kind)
        for name, traffic, count in (("others", other, 3), ("callers", law, 1))
    ]
    table = run(plans.plan(link, sources, 60, calls=True)).table("calls")
    lost = table["user"] == -1
    assert lost.sum() > 50 and set(table["flow"][lost].tolist()) == {3}
