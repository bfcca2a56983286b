# SPDX-License-Identifier: Apache-2.0
"""CoDel and PIE against their oracles, event by event; with check_blue.py, AQM_CHECKS."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from check_blue import BLUE_CHECKS, agrees, reached
from check_choke import CHOKE_CHECKS
from check_sfb import SFB_CHECKS
from check_sred import SRED_CHECKS
from law_api import DROP, MARK, NEVER, NO_FLOW, PASS, Laws, Marking, Queue
from oracle_aqm import (
    CodelOptions,
    CodelOracle,
    PieOptions,
    PieOracle,
    whole_ps,
)
from tiers import in_full

__all__ = [
    "AQM_CHECKS",
    "CodelEvent",
    "PieEvent",
    "compare_codel",
    "compare_pie",
]

RATE: Final = 12_000_000
MS: Final = 10**9
EMPTY: Final[Queue] = (0, 0, RATE, NEVER)
STEPS: Final = 6000 if in_full() else 2500  # events per setting


class CodelEvent(NamedTuple):
    """After `gap` ps, a packet arrives, arrives at a full buffer (`full`), or departs."""

    gap: int
    kind: str
    size: int


def compare_codel(
    laws: Laws,
    options: CodelOptions,
    events: Sequence[CodelEvent],
    later: CodelOptions | None = None,
) -> Counter[str]:
    """CoDel against its oracle until rounding would decide; `later` applies from halfway on.

    Returns:
        How often each branch was taken.
    """
    law, oracle = laws.marking("codel", options.values()), CodelOracle(options)
    assert law.watches_departures() and law.first_timer() == NEVER
    assert law.probability() == 0
    tally: Counter[str] = Counter()
    waiting: list[tuple[int, int, bool, bool]] = []
    now, last = 0, 0
    for i, (gap, kind, size) in enumerate(events):
        now += gap
        if later is not None and i == len(events) // 2:
            law.configure(later.values())
            oracle.configure(later)
        where = f"{options}, event {i} at {now}: {kind} of {size}"
        if kind != "depart":
            packet = (i % 3, size, i % 4 != 0, i % 4 == 1)
            queue = (len(waiting), sum(p[1] for p in waiting), RATE, NEVER)
            waiting.append(packet)
            oracle.enqueue(now)
            got = law.on_arrival(queue, packet, now, [0.5])
            assert got == (PASS, NO_FLOW, 0), f"{where}: {got}"
            if kind == "full":
                waiting.pop()
                oracle.tail_drop()
                law.on_drop(packet, now)
        elif waiting:
            packet = waiting.pop(0)
            left = sum(p[1] for p in waiting)
            expected = oracle.dequeue(now, packet[1], left)
            if expected.doubtful:
                break
            got = law.on_departure((len(waiting), left, RATE, NEVER), packet, now, [0.5])
            agrees(got, expected, where)
            last = expected.action
            tally.update(expected.branches)
        assert law.probability() == float(last == MARK), where
    return tally


def codel_events(options: CodelOptions, count: int, seed: int) -> Iterator[CodelEvent]:
    """Events of a queue that is long, short or empty for some intervals, with gaps of twenty."""
    draw = random.Random(seed)
    interval = whole_ps(options.interval_s)
    mean, waiting, target = interval // 60, 0, 0
    for _ in range(count):
        if draw.random() < 0.005:
            target = draw.choice([0, 1, 3, 40, 40])
        gap = 1 + int(draw.expovariate(1) * mean)
        if draw.random() < 0.1 and target <= 3:
            gap += 30 * mean
        if waiting == 0 and draw.random() < 0.02:
            gap += 20 * interval
        kind = "arrive" if waiting == 0 or (draw.random() < 0.8) == (waiting < target) else "depart"
        if kind == "arrive" and draw.random() < 0.15:
            kind = "full"
        waiting += {"arrive": 1, "full": 0, "depart": -1}[kind]
        yield CodelEvent(gap, kind, draw.choice([40, 576, 1000, 1500]))


def check_codel(laws: Laws) -> None:
    """CoDel agrees near its target, with every way into and out of the dropping state."""
    tally: Counter[str] = Counter()
    settings = [(0.005, 0.1), (0.005, 0.02), (0.001, 0.0303), (0.0123, 0.05)]
    for seed, ((target, interval), change) in enumerate(
        itertools.product(settings, [(1.0, 1.0), (0.5, 0.7), (2.0, 1.3)])
    ):
        options = CodelOptions(target, interval)
        later = CodelOptions(target * change[0], interval * change[1])
        events = list(codel_events(options, STEPS, seed))
        tally += compare_codel(laws, options, events, later)
    reached(tally, "below, small, above, wait, ok, out, leave, hold, next")
    reached(tally, "enter-once, enter-again, enter-late")
    assert tally["next"] > STEPS / 10 and tally["out"] > STEPS, tally


def codel_at(
    law: Marking, now: int, sojourn: int = 10 * MS, left: int = 9000, size: int = 1000
) -> int:
    """CoDel's action on a lone packet that departs at `now` after a wait of `sojourn`."""
    law.on_arrival(EMPTY, (0, size), now - sojourn, [])
    return law.on_departure((9, left, RATE, NEVER), (0, size), now, [])[0]


def check_codel_known_marks(laws: Laws) -> None:
    """A standing queue is marked at 100 ms, 200 ms and then every 100 ms / sqrt(count)."""
    law = laws.marking("codel", [0.005, 0.1])
    marks = [ms for ms in range(540) if codel_at(law, ms * MS) == MARK]
    assert marks == [100, 200, 271, 329, 379, 424, 464, 502, 538], marks


def check_codel_one_mark_a_departure(laws: Laws) -> None:
    """If marks are overdue, each departure carries one of them, and count grows by one."""
    law = laws.marking("codel", [0.005, 0.1])
    assert [codel_at(law, ms * MS) for ms in (0, 100)] == [PASS, MARK]
    # Due at 200, 270.7, 328.4 and 378.4 ms.
    assert [codel_at(law, 330 * MS + i) for i in range(4)] == [MARK, MARK, MARK, PASS]


def check_codel_exact_bounds(laws: Laws) -> None:
    """A wait equal to the target is too long, but not if only one largest packet remains."""
    target = 5 * MS
    for sojourn, left, sizes, marks in (
        (target, 1501, (1500, 1500), True),
        (target - 1, 1501, (1500, 1500), False),
        (target, 1500, (1500, 1500), False),
        (target, 1500, (1500, 40), False),  # the largest so far, not this one
        (target, 1500, (1499, 1499), True),
        (target, 1500, (40, 1500), False),  # this one included
    ):
        for at in (100 * MS - 1, 100 * MS):
            law = laws.marking("codel", [0.005, 0.1])
            first = codel_at(law, 0, target, 9000, sizes[0])
            got = codel_at(law, at, sojourn, left, sizes[1])
            expected = MARK if marks and at == 100 * MS else PASS
            assert (first, got) == (PASS, expected), (sojourn, left, sizes, at, got)


def check_codel_resumes(laws: Laws) -> None:
    """Marking resumes with count - lastcount within 16 intervals of drop_next, later with 1."""
    interval = 100 * MS
    for leave, ahead, resumes in (
        (280, 3, True), (280, -3, False), (220, 3, False), (340, 10**12, True)
    ):  # fmt: skip
        law = laws.marking("codel", [0.005, 0.1])
        marks = sum(codel_at(law, ms * MS) for ms in range(leave))
        assert codel_at(law, leave * MS, sojourn=0) == PASS
        # count is 1 on entry and grows by one with each mark.
        due = 100 * MS + sum(int(interval / math.sqrt(k)) for k in range(1, marks + 1))
        back = due + 16 * interval - ahead
        assert [codel_at(law, back - interval), codel_at(law, back)] == [PASS, MARK]
        count = marks - 1 if resumes else 1
        step = int(interval / math.sqrt(count))
        probes = [codel_at(law, back + step + d) for d in (-3, 3)]
        assert probes == [PASS, MARK], f"left at {leave} ms, {ahead} ps ahead: {probes}"


class PieEvent(NamedTuple):
    """The timer, an arrival, or an arrival at a full buffer (`full`). Arrivals use u."""

    kind: str
    waiting_bytes: int
    u: float
    rate_bps: int = RATE


def compare_pie(
    laws: Laws, options: PieOptions, events: Sequence[PieEvent], later: PieOptions | None = None
) -> Counter[str]:
    """PIE against its oracle until rounding would decide; `later` applies from halfway on.

    Returns:
        How often each branch was taken.
    """
    law, oracle = laws.marking("pie", options.values()), PieOracle(options)
    assert law.first_timer() == oracle.update and not law.watches_departures()
    tally: Counter[str] = Counter()
    now = 0
    for i, (kind, waiting, u, rate) in enumerate(events):
        if later is not None and i == len(events) // 2:
            law.configure(later.values())
            oracle.configure(later)
            tally["configured"] += 1
        where = f"{options}, event {i}: {kind}, {waiting} bytes at {rate} bit/s, u {u}"
        queue: Queue = (-(-waiting // 1000), waiting, rate, NEVER)
        if kind == "timer":
            now += oracle.update
            branches, doubtful = oracle.calculate_drop_prob(queue)
            if doubtful:
                break
            assert law.on_timer(queue, now) == now + oracle.update, where
            tally.update(branches)
        else:
            expected = oracle.enqueue(queue, u)
            if expected.doubtful:
                break
            packet = (0, 1000, i % 4 != 0, i % 4 == 1)
            agrees(law.on_arrival(queue, packet, now + i % 7, [u]), expected, where)
            tally.update(expected.branches)
            if kind == "full":
                oracle.tail_drop()
                law.on_drop(packet, now + i % 7)
        got, p = law.probability(), float(oracle.drop_prob)
        assert math.isclose(got, p, rel_tol=1e-9, abs_tol=1e-13), f"{where}: {got}, {p}"
    return tally


def pie_events(options: PieOptions, count: int, seed: int) -> Iterator[PieEvent]:
    """Events with delays of 0 to many targets, some with uniforms near 1 or a full buffer."""
    draw = random.Random(seed)
    level, stingy, rate = 0.0, False, RATE
    for _ in range(count):
        if draw.random() < (0.004 if level > 5 else 0.012):
            level = draw.choice([0.0, 0.0, 0.3, 0.49, 0.7, 1.0, 1.3, 2.0, 10.0, 40.0])
            stingy = draw.random() < 0.4
            rate = draw.choice([RATE, RATE, 1_000_000])
        near = level * draw.uniform(0.9, 1.1)
        waiting = int(near * options.target_s * rate / 8)
        if draw.random() < 0.05:
            waiting = draw.choice([40, 1999, 2000, 2001])
        kind = draw.choice(["timer", "arrive", "arrive", "arrive", "arrive"])
        if kind == "arrive" and not stingy and draw.random() < 0.1:
            kind = "full"
        yield PieEvent(kind, waiting, draw.uniform(0.97 if stingy else 0.0, 1.0), rate)


def check_pie(laws: Laws) -> None:
    """PIE reaches all steps of its scale, both clamps, the cap, the decay, bursts and outcomes."""
    tally: Counter[str] = Counter()
    settings = [
        PieOptions(),
        PieOptions(mark_p=0.35, max_burst_s=0.03),
        PieOptions(0.02, 0.03, 0.3, 3.1, 0.06, 1.0, 500.0),
        PieOptions(0.005, 0.016, 0.125, 1.25, 0.0501, 0.05, 1500.0),
    ]
    for seed, options in enumerate(settings * 2):
        later = settings[(seed + 1 + seed // 4) % 4] if seed >= 4 else None
        tally += compare_pie(laws, options, list(pie_events(options, STEPS, seed)), later)
    reached(tally, "scale-2048, scale-512, scale-128, scale-32, scale-8, scale-2, scale-1")
    reached(tally, "capped, decay, to-0, to-1, refill, burst, light, few, too-soon, spared")
    reached(tally, "drawn, overdue")
    reached(tally, "mark, drop, configured")
    assert sum(tally.values()) > 7 * STEPS and min(tally["mark"], tally["drop"]) > 100, tally


def check_pie_burst(laws: Laws) -> None:
    """A burst of 150 ms lasts ten updates of 15 ms. Draws begin at the tenth."""
    law, queue = laws.marking("pie", PieOptions().values()), (1500, 1_500_000, RATE, NEVER)
    for k in range(1, 10):
        law.on_timer(queue, k * 15 * MS)
        got = {law.on_arrival(queue, (0, 1000), k * 15 * MS, [0.0]) for _ in range(10)}
        assert got == {(PASS, NO_FLOW, 0)}, (k, got)
    assert law.probability() > 0.2
    law.on_timer(queue, 150 * MS)
    got = {law.on_arrival(queue, (0, 1000), 150 * MS, [0.0]) for _ in range(10)}
    assert got == {(PASS, NO_FLOW, 0), (DROP, NO_FLOW, 1)}, got


def half_pie(laws: Laws) -> Marking:
    """PIE after its burst with a probability of exactly a half, from numbers without rounding."""
    step = 2.0**-6
    law = laws.marking("pie", [step, step, 1.0, 1.0, step, 0.5, 1000.0])
    for at, delay in ((1, 16 + 2.0**-7), (2, 8.49609375)):
        law.on_timer((9, int(delay * 2**20), 2**23, NEVER), at * whole_ps(step))
    assert law.probability() == 0.5
    return law


def check_pie_derandomized(laws: Laws) -> None:
    """At p = 1/2 the first packet passes, then draws decide, and the 17th packet is marked."""
    law, queue = half_pie(laws), (9, 100_000, 2**23, NEVER)

    def meets(u: float) -> tuple[int, int]:
        action, _, used = law.on_arrival(queue, (0, 1000), 2**40, [u])
        return action, used

    spared = [(PASS, 0)] + [(PASS, 1)] * 15
    for _ in range(2):
        assert [meets(0.5) for _ in spared] == spared  # u = p is not below p
        assert meets(0.5) == (MARK, 0)
    assert [meets(0.49) for _ in range(4)] == [(PASS, 0), (MARK, 1)] * 2
    assert [meets(0.99) for _ in spared] == spared
    law.on_drop((0, 1000, True, False), 2**40)
    assert [meets(0.99), meets(0.49)] == [(PASS, 0), (MARK, 1)]


def check_pie_exact_bounds(laws: Laws) -> None:
    """PIE marks at mark_p, not with two mean packets, and half the target is not a low delay."""
    for mark_p, waiting, verdict in (
        (0.5, 2001, MARK), (math.nextafter(0.5, 0), 2001, DROP), (0.5, 2000, PASS)
    ):  # fmt: skip
        law = half_pie(laws)
        law.configure([2.0**-6, 2.0**-6, 1.0, 1.0, 2.0**-6, mark_p, 1000.0])
        queue = (2, waiting, 2**23, NEVER)
        got = [law.on_arrival(queue, (0, 1000), 2**40, [0.1])[0] for _ in range(2)]
        assert got == [PASS, verdict], (mark_p, waiting, got)
    # A target of 2^-6 s is 16384 bytes. A burst restarts if both delays are below half of it.
    for before, meets, renewed in ((8191, 8191, True), (8192, 8191, False), (8191, 8192, False)):
        law = laws.marking("pie", [2.0**-6, 2.0**-6, 0.125, 0.125, 2.0**-5, 1.0, 1000.0])
        for k in (1, 2):  # as long as the first burst
            law.on_timer((9, before, 2**23, NEVER), k * whole_ps(2.0**-6))
        assert law.probability() == 0
        law.on_arrival((9, meets, 2**23, NEVER), (0, 1000), 2**36, [])
        queue = (9, 4000 * 2**20, 2**23, NEVER)
        law.on_timer(queue, 3 * whole_ps(2.0**-6))
        assert law.probability() > 0.4
        used = [law.on_arrival(queue, (0, 1000), 2**37, [0.9])[2] for _ in range(3)]
        assert sum(used) == (0 if renewed else 2), (before, meets, used)


AQM_CHECKS = {
    "codel": [
        check_codel,
        check_codel_exact_bounds,
        check_codel_known_marks,
        check_codel_one_mark_a_departure,
        check_codel_resumes,
    ],
    "pie": [check_pie, check_pie_burst, check_pie_derandomized, check_pie_exact_bounds],
    **BLUE_CHECKS,
    **SFB_CHECKS,
    **CHOKE_CHECKS,
    **SRED_CHECKS,
}
