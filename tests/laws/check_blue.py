# SPDX-License-Identifier: Apache-2.0
"""BLUE and self-configuring RED against their oracles, event by event."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from check_red import Step, red_arrivals
from law_api import MARK, NEVER, NO_FLOW, PASS, Laws, Queue
from oracle_aqm import (
    AqmVerdict,
    BlueOptions,
    BlueOracle,
    SelfConfiguringOptions,
    SelfConfiguringOracle,
    whole_ps,
)
from tiers import in_full

__all__ = [
    "BLUE_CHECKS",
    "BlueEvent",
    "agrees",
    "compare_blue",
    "compare_self_configuring_red",
    "reached",
]

RATE: Final = 10_000_000
MS: Final = 10**9
STEPS: Final = 4000 if in_full() else 1500  # events per setting


def agrees(got: tuple[int, int, int], expected: AqmVerdict, where: str) -> None:
    """The law agrees with the oracle in verdict and uniforms used, and marks no waiting packet."""
    assert got == (expected.action, NO_FLOW, expected.used), f"{where}: {got}, {expected}"


def reached(tally: Counter[str], branches: str) -> None:
    """Each branch in this comma-separated list was taken."""
    missed = set(branches.split(", ")) - tally.keys()
    assert not missed, f"never taken: {missed} of {tally}"


class BlueEvent(NamedTuple):
    """After `gap` ps, a packet finds `packets` waiting; the link was idle for `idle` if >= 0."""

    gap: int
    packets: int
    idle: int
    full: bool
    u: float


def compare_blue(
    laws: Laws, options: BlueOptions, events: Sequence[BlueEvent], later: BlueOptions | None = None
) -> Counter[str]:
    """BLUE against its oracle; `later` applies from halfway on.

    Returns:
        How often each branch was taken.
    """
    law, oracle = laws.marking("blue", options.values()), BlueOracle(options)
    assert law.first_timer() == NEVER and not law.watches_departures()
    tally: Counter[str] = Counter()
    now = 0
    for i, event in enumerate(events):
        if later is not None and i == len(events) // 2:
            law.configure(later.values())
            oracle.options = later
        now += event.gap
        where = f"{options}, event {i} at {now}: {event}"
        since = NEVER if event.idle < 0 else max(0, now - event.idle)
        queue: Queue = (event.packets, 1000 * event.packets, RATE, since)
        packet = (0, 1000, i % 4 != 0, i % 4 == 1)
        expected = oracle.enqueue(queue, now, event.u)
        got = law.on_arrival(queue, packet, now, [event.u])
        if not expected.doubtful:
            agrees(got, expected, where)
        tally.update(expected.branches)
        p = float(oracle.pm)
        assert math.isclose(law.probability(), p, rel_tol=1e-9, abs_tol=1e-12), where
        if event.full:
            tally["full " + oracle.loss(now)] += 1
            law.on_drop(packet, now)
            p = float(oracle.pm)
            assert math.isclose(law.probability(), p, rel_tol=1e-9, abs_tol=1e-12), where
    return tally


def blue_events(options: BlueOptions, count: int, seed: int) -> Iterator[BlueEvent]:
    """Losses, idle links and neither in turn, with gaps at and near the freeze time."""
    draw = random.Random(seed)
    freeze, limit = whole_ps(options.freeze_s), int(options.limit_packets)
    lossy = idle = 0.0
    for _ in range(count):
        if draw.random() < 0.02:
            lossy, idle = draw.choice([(0.0, 0.9), (0.0, 0.9), (0.3, 0.3), (0.9, 0.0), (0.1, 0.1)])
        gap = draw.choice([1, freeze // 2, freeze, freeze + 1, draw.randrange(2 * freeze + 1)])
        idle_for = draw.choice([0, gap, draw.randrange(gap + 1)]) if draw.random() < idle else -1
        packets = 0
        if idle_for < 0 or draw.random() < 0.1:
            packets = max(0, limit + draw.choice([-2, 0, 1] if draw.random() < lossy else [-2, 0]))
        yield BlueEvent(gap, packets, idle_for, draw.random() < lossy, draw.random())


def check_blue(laws: Laws) -> None:
    """BLUE reaches both clamps and all frozen events, with and without a limit."""
    tally: Counter[str] = Counter()
    for seed, (steps, freeze, limit, change) in enumerate(
        itertools.product(
            [(0.02, 0.002), (0.25, 0.0625), (0.0025, 0.01)], [0.1, 0.01, 0.0], [-1, 0, 7], [0, 1]
        )
    ):
        options = BlueOptions(*steps, freeze, limit)
        later = BlueOptions(steps[1], steps[0], freeze / 2, limit + 2) if change else None
        tally += compare_blue(laws, options, list(blue_events(options, STEPS // 5, seed)), later)
    reached(tally, "idle, idle-frozen, idle-to-0, marked, spared, undrawn")
    reached(tally, "full loss, full loss-frozen, full loss-to-1")
    reached(tally, "beyond loss, beyond loss-frozen, beyond loss-to-1")
    assert min(tally["marked"], tally["spared"], tally["undrawn"]) > STEPS / 10, tally


def check_blue_freezes(laws: Laws) -> None:
    """Losses and idle links share one freeze time, which includes its end."""
    law, packet = laws.marking("blue", [0.25, 0.0625, 0.1, 5]), (0, 1000, True, False)

    def idle(at: int) -> float:
        law.on_arrival((0, 0, RATE, at * MS), (0, 1000), (at + 500) * MS, [0.99])
        return law.probability()

    def loss(at: int) -> float:
        law.on_drop(packet, at * MS)
        return law.probability()

    def long(at: int, packets: int) -> float:
        law.on_arrival((packets, 0, RATE, NEVER), (0, 1000), at * MS, [0.99])
        return law.probability()

    assert [loss(0), loss(50), loss(100), loss(101), idle(201), idle(202)] == [
        0.25, 0.25, 0.25, 0.5, 0.5, 0.4375,
    ]  # fmt: skip
    # The link became idle at 202 ms; the packet's arrival time does not matter.
    assert [loss(302), loss(303), long(404, 5), long(404, 6)] == [0.4375, 0.6875, 0.6875, 0.9375]
    assert [loss(505), loss(606), idle(707)] == [1.0, 1.0, 0.9375]


def check_blue_marks_below_its_probability(laws: Laws) -> None:
    """A packet is marked if u < p, without a draw at p = 0. A loss raises p for that packet."""
    law = laws.marking("blue", [0.25, 0.25, 0.1, 5])
    assert law.on_arrival((5, 0, RATE, NEVER), (0, 1000), 0, [0.0]) == (PASS, NO_FLOW, 0)
    assert law.on_arrival((6, 0, RATE, NEVER), (0, 1000), 1, [0.2]) == (MARK, NO_FLOW, 1)
    assert law.on_arrival((5, 0, RATE, NEVER), (0, 1000), 2, [0.25]) == (PASS, NO_FLOW, 1)
    idle = (0, 0, RATE, 200 * MS)
    assert law.on_arrival(idle, (0, 1000), 201 * MS, [0.0]) == (PASS, NO_FLOW, 0)


def compare_self_configuring_red(
    laws: Laws,
    options: SelfConfiguringOptions,
    steps: Sequence[Step],
    later: SelfConfiguringOptions | None = None,
) -> Counter[str]:
    """Compare law and oracle until rounding would decide; `later` applies from halfway on.

    Returns:
        The count of each branch and each change of status.
    """
    law = laws.marking("self-configuring-red", options.values())
    oracle = SelfConfiguringOracle(options)
    assert law.first_timer() == NEVER and not law.watches_departures()
    tally: Counter[str] = Counter()
    for i, step in enumerate(steps):
        if later is not None and i == len(steps) // 2:
            law.configure(later.values())
            oracle.configure(later)
            tally["configured"] += 1
        expected = oracle.arrive(*step)
        if expected.doubtful:
            break
        action, queued, used = law.on_arrival(step.queue, step.packet, step.now, [step.u])
        max_p = oracle.options.max_p
        where = f"{options}, arrival {i}: {step}, oracle {expected}, max_p {max_p}"
        assert math.isclose(law.measure(), max_p, rel_tol=1e-9), f"{where}: {law.measure()}"
        p = law.probability()
        assert math.isclose(p, expected.p_b, rel_tol=1e-7, abs_tol=1e-13), f"{where}: {p}"
        assert (action, queued) == (expected.action, NO_FLOW), f"{where}, law says {action}"
        assert used == 1 if expected.branch == "early" else used <= 1, where
        assert used == 0 or expected.branch in {"early", "kept"}, where
        tally.update([expected.branch, oracle.changes[-1], f"max_p {max_p}"])
    return tally


def check_self_configuring_red(laws: Laws) -> None:
    """The law follows all changes of status, max_p at 1, RED's branches, units, new parameters."""
    tally: Counter[str] = Counter()
    for seed, (weight, in_bytes, max_p, change) in enumerate(
        itertools.product([1.0, 0.5, 0.1, 0.02], [False, True], [0.1, 0.7], [0, 1, 2])
    ):
        unit = 1000.0 if in_bytes else 1.0
        options = SelfConfiguringOptions(in_bytes, 3 * unit, 9 * unit, max_p, weight)
        options = options._replace(decrease=1.5 if seed % 5 else 3.0, mean_bytes=300.0)
        later = options._replace(min_th=2 * unit, weight=0.3, decrease=1.25, increase=4.0)
        later = later._replace(max_p=0.35 if change == 2 else max_p)
        steps = list(red_arrivals(options.red(max_p), STEPS // 3, seed))
        tally += compare_self_configuring_red(laws, options, steps, later if change else None)
    reached(tally, "below, empty, first, early, kept, above, configured, max_p 1.0")
    reached(tally, "below to between, between to below, between to above")
    reached(tally, "above to between")  # check_..._paper tests jumps across both
    assert tally["early"] > STEPS / 2 and tally["max_p 1.0"] > STEPS / 10, tally


def check_self_configuring_red_paper(laws: Laws) -> None:
    """max_p is divided by 3 below the range, doubled above it, and unchanged at its ends."""
    law = laws.marking("self-configuring-red", [0, 4, 8, 0.5, 1, 3, 2, 1000])
    below, between, above, at_min, at_max = 0, 6, 10, 4, 8
    expected = 0.5
    for packets, factor in (
        (between, 1), (at_min, 1), (at_max, 1), (above, 2), (above, 1), (at_max, 1), (above, 1),
        (between, 1), (below, 1 / 3), (below, 1), (at_min, 1), (below, 1), (between, 1),
        (below, 1 / 3), (above, 2), (below, 1 / 3), (between, 1), (above, 2), (between, 1),
        (above, 2), (between, 1), (above, 2), (between, 1), (above, 2), (between, 1), (above, 2),
        (between, 1), (below, 1 / 3),
    ):  # fmt: skip
        expected = min(1.0, expected * factor)
        law.on_arrival((packets, 0, RATE, NEVER), (0, 1000), 0, [0.9])
        assert math.isclose(law.measure(), expected, rel_tol=1e-12), (packets, law.measure())
    law.configure([0, 4, 8, 0.5, 1, 5, 2, 1000])
    assert math.isclose(law.measure(), 1 / 3, rel_tol=1e-12), "max_p is kept"
    law.configure([0, 4, 8, 0.25, 1, 5, 2, 1000])
    assert law.measure() == 0.25, "a new max_probability is taken"
    law.on_arrival((0, 0, RATE, NEVER), (0, 1000), 0, [0.9])
    assert law.measure() == 0.25, "it is below already"
    for packets in (above, between, above):
        law.on_arrival((packets, 0, RATE, NEVER), (0, 1000), 0, [0.9])
    law.configure([0, 4, 8, 0.25, 1, 7, 2, 1000])
    assert law.measure() == 1.0, "max_p is kept after a second change too"
    law.configure([0, 4, 8, 0.5, 1, 7, 2, 1000])
    assert law.measure() == 0.5, "and the first max_probability is taken again"


def check_self_configuring_red_starts_between(laws: Laws) -> None:
    """The average of an empty link is low at the first packet, so max_p falls only once."""
    law = laws.marking("self-configuring-red", [0, 5, 15, 0.1, 0.002, 3, 2, 1000])
    assert law.measure() == 0.1 and law.probability() == 0
    for _ in range(3):
        law.on_arrival((0, 0, RATE, 0), (0, 1000), 1, [])
        assert math.isclose(law.measure(), 0.1 / 3, rel_tol=1e-12), law.measure()


BLUE_CHECKS = {
    "blue": [check_blue, check_blue_freezes, check_blue_marks_below_its_probability],
    "self-configuring-red": [
        check_self_configuring_red,
        check_self_configuring_red_paper,
        check_self_configuring_red_starts_between,
    ],
}
