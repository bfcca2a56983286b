# SPDX-License-Identifier: Apache-2.0
"""Links with weighted classes against theory: shares, class buffers and RED per class."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

import drive
import plans
from class_plans import by_class, classed, line, weights
from ecnomy.markets.plan import Law
from ecnomy.markets.plan.laws import law

RATE = 40e6
VOICE, WEB = 142, 1457  # bytes of a packet, andreassen2002 Table 1
QUANTA = {VOICE: 142, WEB: round(142 * 0.9 / 0.07)}
TABLE_1 = [{"share": 0.07, "buffer_bytes": 17_500}, {"share": 0.9, "buffer_bytes": 225_000}]
RED_DROP = law(
    "marking",
    "red",
    {
        "min_threshold": 77,
        "max_threshold": 154,
        "max_probability": 0.1,
        "weight": 2**-9,
        "above_max": "drop",
        "mark_p": 0.0,
    },
)


def poisson(rate_bps: float, size: int) -> Law:
    """Packets of a size at a mean rate."""
    return Law("poisson", {"mean_interval_s": size * 8 / rate_bps})


def rates(plan: plans.Plan, from_s: float, to_s: float) -> np.ndarray:
    """Bits per second that each class sent in an interval."""
    table = drive.run(plan).table("classes")
    kept = {k: v[table["t_ps"] < to_s * 1e12 - 1] for k, v in table.items()}
    return by_class(kept, from_s)["departed_bytes"] * 8 / (to_s - from_s)


def overloaded(voice_bps: float, web_bps: float, **kind: float) -> plans.Plan:
    """The two classes of Table 1, each at its own rate."""
    of = weights(TABLE_1, [None, RED_DROP], quantum_bytes=142)
    traffic = [
        (n, size, poisson(rate, size), 1)
        for n, (size, rate) in enumerate(((VOICE, voice_bps), (WEB, web_bps)))
        if rate > 0
    ]
    return line(of, traffic, duration_s=6.0, rate_bps=RATE, **kind)


def test_each_class_has_its_share_under_overload_of_both() -> None:
    """The link is shared 7 : 90, so the classes get at least 7 % and 90 % of it.

    If both always wait, the bytes sent in an interval differ from share x all bytes sent
    by at most a quantum and a packet of each class, at either end (Shreedhar and Varghese 1995).
    """
    sent = rates(overloaded(8e6, 60e6), 1.0, 6.0)
    slack = 2 * (sum(QUANTA.values()) + VOICE + WEB) * 8 / 5.0
    assert abs(sent.sum() - RATE) <= slack
    assert np.abs(sent - RATE * np.array([7, 90]) / 97).max() <= slack, sent
    assert sent[0] >= 0.07 * RATE and sent[1] >= 0.90 * RATE


@pytest.mark.parametrize(("voice", "web"), [(1.4e6, 60e6), (8e6, 18e6), (0.0, 60e6)])
def test_what_one_class_leaves_idle_the_other_borrows(voice: float, web: float) -> None:
    """A class within its share gets all its offered load. The other class may use the rest.

    The tolerance is five standard deviations of a Poisson count in five seconds.
    """
    sent = rates(overloaded(voice, web), 1.0, 6.0)
    if voice == 0:
        assert abs(sent[-1] - RATE) <= 2 * WEB * 8 / 5.0
        return
    own, size, within = (0, VOICE, voice) if voice < 0.07 * RATE else (1, WEB, web)
    slack = 5 * np.sqrt(within * 5.0 / (size * 8)) * size * 8 / 5.0
    assert abs(sent[own] - within) <= slack, sent
    other = min(RATE - within, (voice, web)[1 - own])
    assert abs(sent[1 - own] - other) <= 2 * slack, sent


def test_rooms_are_the_classes_own() -> None:
    """17,500 bytes hold 123 packets of voice; waiting packets leave at the rate of their class.

    An admitted packet waits for its class's packets before it: at most a full buffer at 7/97 of
    the link, and a turn of the other class. The buffer does fill, so the largest wait is that.
    """
    of = weights([TABLE_1[0], {"share": 0.9, "buffer_packets": 50}], quantum_bytes=142)
    traffic = [(0, VOICE, poisson(8e6, VOICE), 1), (1, WEB, poisson(80e6, WEB), 1)]
    sums = by_class(drive.run(line(of, traffic, duration_s=6.0, rate_bps=RATE)).table("classes"))
    turn_s = (sum(QUANTA.values()) + VOICE + 2 * WEB) * 8 / RATE
    for n, (room, share) in enumerate(((123 * VOICE, 7 / 97), (50 * WEB, 90 / 97))):
        wait_s = sums["delay_max_ps"][n] / 1e12
        assert abs(wait_s - room * 8 / (RATE * share)) <= turn_s, (n, wait_s)
    assert (sums["drops"] > 1000).all()


def test_the_links_own_buffer_bounds_all_classes() -> None:
    """The link holds forty packets and drops any arrival that does not fit, whatever its class."""
    of = weights([{"share": 0.5}, {"share": 0.5}])
    traffic = [(n, 1000, poisson(30e6, 1000), 1) for n in (0, 1)]
    last = drive.run(line(of, traffic, duration_s=2.0, rate_bps=RATE, buffer=40)).reports[-1].links
    assert last["queue_max"][2] == 40
    assert last["drops"][2] > 500 and last["law_drops"][2] == 0


def test_red_of_a_class_sees_that_class_alone() -> None:
    """RED in a single class with the whole link equals RED on the link, packet by packet.

    The class has the stream `<the link's>/1`, so the plain link gets that name.
    """
    red = law("marking", "red", {"min_threshold": 5, "max_threshold": 15, "max_probability": 0.2})
    traffic = [(0, 1000, poisson(9.9e6, 1000), 2)]
    single = line(weights([{"share": 1.0}], [red]), traffic, duration_s=8.0, rate_bps=2e7)
    name = single.links[2].stream + "/1"
    links = [*single.links]
    links[2] = msgspec.structs.replace(links[2], scheduler=None, marking=red, stream=name)
    sources = [msgspec.structs.replace(source, classes=[]) for source in single.sources]
    plain = msgspec.structs.replace(single, links=links, sources=sources).sealed()
    one, other = drive.run(single).reports[-1], drive.run(plain).reports[-1]
    for column in ("arrivals", "marks", "drops", "departures", "queue_max", "busy_ps"):
        assert one.links[column][2] == other.links[column][2], column
    assert one.links["marks"][2] > 100
    for column, values in one.flows.items():
        np.testing.assert_array_equal(values, other.flows[column], column)


@pytest.mark.parametrize(("ect", "drop"), [(True, False), (False, True)])
def test_red_marks_or_drops_as_its_packets_ask(ect: bool, drop: bool) -> None:
    """ECT packets are marked. Others are dropped, and count as drops by the law."""
    red = law("marking", "red", {"min_threshold": 3, "max_threshold": 9})
    of = weights([{"share": 0.3}, {"share": 0.6}], [None, red])
    traffic = [(0, 500, poisson(1e6, 500), 1), (1, 1000, poisson(9.6e6, 1000), 1)]
    last = drive.run(line(of, traffic, duration_s=4.0, ect=ect)).reports[-1].links
    assert (last["law_drops"][2] > 50) == drop and (last["marks"][2] > 50) != drop


def test_red_that_drops_does_so_to_ect_packets() -> None:
    """The tcp class of andreassen2002 Table 1: the law drops ECT packets and never marks."""
    last = drive.run(overloaded(1e6, 60e6)).reports[-1].links
    assert last["marks"][2] == 0 and last["law_drops"][2] > 500


def test_work_is_conserved() -> None:
    """The number of waiting packets does not depend on the order of service."""
    traffic = [(n, 1000, poisson(2.2e6, 1000), 2) for n in range(2)]
    plan = line(weights([{"share": 0.1}, {"share": 0.5}]), traffic, duration_s=8.0)
    bare = [msgspec.structs.replace(link, scheduler=None) for link in plan.links]
    sources = [msgspec.structs.replace(source, classes=[]) for source in plan.sources]
    single = msgspec.structs.replace(plan, links=bare, sources=sources).sealed()
    for one, other in zip(drive.run(plan).reports, drive.run(single).reports, strict=True):
        for name in ("arrivals", "departures", "busy_ps", "queue_packets", "queue_integral"):
            assert one.links[name][2] == other.links[name][2], name
    assert one.links["queue_max"][2] == other.links["queue_max"][2] > 5


def test_books_of_tcp_in_weighted_classes() -> None:
    """Rows of classes sum to the link's row; marks are delivered, dropped later or in flight."""
    red = law("marking", "red", {"min_threshold": 4, "max_threshold": 12})
    links = plans.duplex("in", 0, 1, 1e9, 0.001) + plans.duplex("out", 1, 2, 1e7, 0.01, buffer=60)
    of = weights([{"share": 0.3, "buffer_packets": 20}, {"share": 0.6}], [red, red])
    links[2] = classed(links[2], of)
    sources = [
        msgspec.structs.replace(
            plans.source(f"s{n}", [0, 2], [3, 1], plans.tcp(), count=3, stagger_s=0.01),
            classes=[-1, n],
        )
        for n in range(2)
    ]
    outcome = drive.run(plans.plan(links, sources, 10.0, classes_every_ps=25 * 10**10))
    last, sums = outcome.reports[-1], by_class(outcome.table("classes"))
    for name in ("arrivals", "arrived_bytes", "drops", "dropped_bytes", "marks", "departures"):
        assert sums[name].sum() == last.links[name][2], name
    assert (sums["marks"] > 20).all()
    at = last.pairs["link"] == 2
    for name in ("arrivals", "drops", "marks"):
        np.testing.assert_array_equal(last.pairs[name][at], sums[name], name)
    ce = last.pairs["marks"] - last.pairs["ce_dropped"] - last.pairs["ce_in_flight"]
    assert ce.sum() == last.flows["ce"].sum() + last.flows["control_ce"].sum()
