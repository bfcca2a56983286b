# SPDX-License-Identifier: Apache-2.0
"""The engine's links, step by step, against a FIFO computed in a simple way (fifo.py)."""

from __future__ import annotations

import numpy as np
import pytest

import plans
from class_plans import classed, in_classes, weights
from drive import run
from ecnomy.markets.bridge.messages import Decide, Report
from ecnomy.markets.plan import Law
from fifo import Fifo

SEND, ENQUEUE, MARK, DROP, DELIVER, ACK = range(6)
RATE_BPS = 1_999_941  # every packet takes a fraction of a picosecond that is rounded up
DELAY_PS = 5 * 10**9
LIMIT = 12


def threshold(packets: float, scope: int) -> Law:
    return Law("threshold", {"threshold_packets": packets, "scope": float(scope)})


def virtual_queue(theta: float, packets: float, variant: int, service: int = 0) -> Law:
    values = dict(theta=theta, buffer_packets=packets, mean_packet_bytes=500.0)
    return Law("virtual-queue", values | {"variant": float(variant), "service": float(service)})


def engine_run(marking: Law, seed: int = 5, buffer: int = LIMIT, **other: int):
    """Poisson datagrams of three sizes at 95 % load into one link, traced."""
    sizes = (200, 500, 1100)
    sources = [
        plans.source(f"s{size}", [0], [], plans.udp(size, ect=True),
                     Law("poisson", {"mean_interval_s": size * 8 * 3 / RATE_BPS / 0.95}))
        for size in sizes
    ]  # fmt: skip
    fields = dict(buffer=buffer, marking=marking, **other)
    links = [plans.link("l", 0, 1, RATE_BPS, DELAY_PS / 1e12, **fields)]
    return run(plans.plan(links, sources, 40, epoch_s=40, seed=seed, trace=True))


def replay(outcome, fifo: Fifo) -> dict[tuple[int, int], int]:
    """Feed the oracle the engine's sends; return its number for each (flow, seq)."""
    rows = outcome.table("trace")
    sent = rows["event"] == SEND
    numbers = {}
    columns = zip(*(rows[k][sent].tolist() for k in ("flow", "seq", "bytes", "t_ps")), strict=True)
    for number, (flow, seq, size, t_ps) in enumerate(columns):
        numbers[flow, seq] = number
        fifo.arrive(number, size, t_ps)
    fifo.run_to(40 * plans.PS)
    return numbers


def keys(outcome, event: int) -> list[tuple[int, int]]:
    rows = outcome.table("trace")
    here = rows["event"] == event
    return list(zip(rows["flow"][here].tolist(), rows["seq"][here].tolist(), strict=True))


def agree(outcome, fifo: Fifo) -> None:
    """Drops, marks, delivery times, queue integral and maximum are the same."""
    numbers = replay(outcome, fifo)
    assert {numbers[k] for k in keys(outcome, DROP)} == fifo.dropped
    assert len(fifo.dropped) > 20
    engine_marks = {numbers[k] for k in keys(outcome, MARK)}
    assert engine_marks == {n for n in fifo.marked if n not in fifo.dropped}
    rows = outcome.table("trace")
    delivered = rows["event"] == DELIVER
    for key, t_ps in zip(keys(outcome, DELIVER), rows["t_ps"][delivered].tolist(), strict=True):
        assert t_ps == fifo.done_at[numbers[key]] + DELAY_PS
    link = outcome.reports[-1].links
    assert link["queue_integral"][0] == pytest.approx(fifo.integral / 1e12, rel=1e-12)


def test_drop_tail() -> None:
    """A plain FIFO has the same departures to the picosecond, and drops at the limit."""
    agree(engine_run(plans.DROP_TAIL), Fifo(RATE_BPS, LIMIT))


def test_a_buffer_in_bytes_holds_framing() -> None:
    """At most 4,000 bytes wait, each packet with its 90 bytes of framing."""
    size = dict(framing=90, limit_bytes=4000)
    outcome = engine_run(plans.DROP_TAIL, buffer=-1, framing_bytes=90, buffer_bytes=4000)
    agree(outcome, Fifo(RATE_BPS, 10**9, **size))


@pytest.mark.parametrize("classes", [False, True])
def test_a_buffer_in_bytes_is_filled_to_the_last_byte(classes: bool) -> None:
    """Of a burst of 13 packets of 1500 bytes, one is sent, 10 fit in 15,000 bytes, 2 are lost."""
    once = Law("cbr", {"interval_s": 5.0, "random_phase": 0.0})
    burst = plans.source("burst", [0], [], plans.udp(1500), once, count=13)
    link = plans.link("l", 0, 1, 1e6, 0.001, buffer_bytes=15_000)
    if classes:
        link = classed(link, weights([{"share": 0.5}]))
        burst = in_classes(burst, [0])
    counts = run(plans.plan([link], [burst], 2)).reports[-1].links
    assert (counts["arrivals"][0], counts["drops"][0], counts["queue_max"][0]) == (13, 2, 10)


@pytest.mark.parametrize("classes", [False, True])
def test_bytes_of_a_report_are_those_of_ip_but_in_the_queue(classes: bool) -> None:
    """Reports count IP bytes, and the queue counts wire bytes: 5 packets left, and 8 wait."""
    once = Law("cbr", {"interval_s": 5.0, "random_phase": 0.0})
    burst = plans.source("burst", [0], [], plans.udp(1500), once, count=13)
    link = plans.link("l", 0, 1, 1e6, 0.001, framing_bytes=38)
    if classes:
        link = classed(link, weights([{"share": 0.5}]))
        burst = in_classes(burst, [0])
    columns = run(plans.plan([link], [burst], 1, epoch_s=0.05)).at(0.05).links
    counted = {name: int(column[0]) for name, column in columns.items()}
    assert (counted["arrived_bytes"], counted["departed_bytes"]) == (13 * 1500, 5 * 1500)
    assert (counted["queue_packets"], counted["queue_bytes"]) == (8, 8 * 1538)


def test_threshold_marks_arrivals() -> None:
    """An arrival that finds more than 4 waiting is marked."""
    law = lambda fifo, now, size: len(fifo.waiting) > 4  # noqa: E731
    agree(engine_run(threshold(4, 0)), Fifo(RATE_BPS, LIMIT, on_arrival=law))


def test_threshold_marks_the_whole_queue() -> None:
    """An arrival that finds more than 8 waiting marks itself and all of them."""

    def law(fifo: Fifo, now: int, size: int) -> bool:
        above = len(fifo.waiting) > 8
        if above:
            fifo.marked.update(fifo.waiting)
        return above

    agree(engine_run(threshold(8, 1)), Fifo(RATE_BPS, LIMIT, on_arrival=law))


def test_threshold_marks_departures() -> None:
    """A packet whose transmission begins is marked if it leaves more than 3 behind."""
    agree(
        engine_run(threshold(3, 2)),
        Fifo(RATE_BPS, LIMIT, on_start=lambda fifo, now: len(fifo.waiting) > 3),
    )


@pytest.mark.parametrize("variant", [0, 1])
def test_virtual_queue(variant: int) -> None:
    """The variants mark like a fluid buffer of 0.9 * 8 * 500 bytes, drained at 0.9 of the rate."""
    state = dict(level=0.0, at=0, marking=False)

    def law(fifo: Fifo, now: int, size: int) -> bool:
        state["level"] = max(0.0, state["level"] - 0.9 * RATE_BPS / 8 * (now - state["at"]) / 1e12)
        state["at"] = now
        if state["level"] == 0.0:
            state["marking"] = False
        lost = state["level"] + size > 0.9 * 8 * 500
        state["level"] += 0 if lost else size
        state["marking"] = state["marking"] or lost
        return state["marking"] if variant == 0 else lost

    agree(engine_run(virtual_queue(0.9, 8, variant)), Fifo(RATE_BPS, LIMIT, on_arrival=law))


@pytest.mark.parametrize("variant", [0, 1])
def test_virtual_queue_by_packet(variant: int) -> None:
    """A second FIFO at 0.9 of the rate, which loses packets beyond 0.9 * 8 * 500 waiting bytes."""
    virtual = Fifo(RATE_BPS * 9 // 10, limit=10**9)
    state = dict(marking=False, arrivals=0)

    def law(fifo: Fifo, now: int, size: int) -> bool:
        virtual.run_to(now)
        if virtual.serving_until is None:
            state["marking"] = False
        backlog = sum(virtual.sizes[number] for number in virtual.waiting)
        lost = virtual.serving_until is not None and backlog + size > 0.9 * 8 * 500
        if not lost:
            virtual.arrive(state["arrivals"], size, now)
        state["arrivals"] += 1
        state["marking"] = state["marking"] or lost
        return state["marking"] if variant == 0 else lost

    agree(engine_run(virtual_queue(0.9, 8, variant, 1)), Fifo(RATE_BPS, LIMIT, on_arrival=law))


def test_load_based_marks_by_the_last_window() -> None:
    """Each 0.5 s window's share of marked arrivals is the probability that the previous one set."""
    marking = Law("load-based", {"interval_s": 0.5, "threshold": 0.6, "slope": 0.71})
    outcome = engine_run(marking)
    rows = outcome.table("trace")
    sent, got = rows["event"] == SEND, rows["event"] == ENQUEUE
    window = rows["t_ps"] // (plans.PS // 2)
    load = np.bincount(window[sent], weights=rows["bytes"][sent] * 8.0) / (RATE_BPS * 0.5)
    probability = np.clip(0.71 * (load - 0.6), 0, 1)
    marked = np.bincount(window[got], weights=rows["ce"][got])[1:]
    admitted = np.bincount(window[got])[1:]
    p = probability[: len(admitted)]
    spread = np.sqrt(np.sum(admitted * p * (1 - p)))
    assert abs(marked.sum() - np.sum(admitted * p)) < 4 * spread
    assert np.corrcoef(marked / admitted, p)[0, 1] > 0.5


def test_a_new_parameter_leaves_earlier_changes_in_force() -> None:
    """A new threshold of 0.5 and, 2 s later, a slope of 0.4 mark 12 % at a load of 0.8."""
    changes = {1: (1, 0.5), 3: (2, 0.4)}  # second: parameter, value

    def decide(report: Report) -> Decide:
        if report.epoch not in changes:
            return Decide(report.epoch)
        param, value = changes[report.epoch]
        columns = {"link": [0], "param": [param], "value": [value]}
        return Decide(report.epoch, {}, {name: np.array(v) for name, v in columns.items()})

    marking = Law("load-based", {"interval_s": 0.5, "threshold": 0.6, "slope": 1.0})
    load = Law("cbr", {"interval_s": 0.01, "random_phase": 0.0})
    link = plans.link("l", 0, 1, 1e6, 0.001, marking=marking)
    source = plans.source("s", [0], [], plans.udp(1000, ect=True), load)
    outcome = run(plans.plan([link], [source], 6), decide)
    shares = [outcome.at(t_s).links["probability"][0] for t_s in (1, 3, 6)]
    assert shares == pytest.approx([0.2, 0.3, 0.12], abs=0.02)
