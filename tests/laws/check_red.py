# SPDX-License-Identifier: Apache-2.0
"""RED against its oracle, arrival by arrival."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from law_api import NEVER, NO_FLOW, Laws, Marking, Packet, Queue
from oracle_red import BRANCHES, RedOptions, RedOracle
from tiers import in_full

__all__ = ["RED_CHECKS", "Step", "compare_red", "red_arrivals"]

RATE_BPS = 10_000_000
STEPS = 200 if in_full() else 80  # for each combination of flags


class Step(NamedTuple):
    """One arrival."""

    queue: Queue
    packet: Packet
    now: int
    u: float


def red_arrivals(options: RedOptions, steps: int, seed: int) -> Iterator[Step]:
    """A queue that passes through all of RED's regions and is idle in between.

    Idle times avoid whole packet times, where division in doubles may differ from the exact one.
    """
    draw = random.Random(seed)
    unit = options.mean_bytes if options.in_bytes else 1.0
    reach = max(3.0, 3 * options.max_th / unit)
    slot_ps = int(options.mean_bytes * 8 * 10**12 / RATE_BPS)
    now, packets, target = 0, 0, reach / 2
    for _ in range(steps):
        if draw.random() < 0.02:
            target = draw.choice([0.0, 0.2, 0.4, 0.7, 1.0]) * reach
        packets += (1 if packets < target else -1) * draw.choice([0, 1, 1, 2])
        packets = max(packets, 0)
        size = draw.choice([40, 576, 1000, 1500])
        idle_since = NEVER
        if packets == 0 and draw.random() < 0.7:
            idle_since = now
            now += int((draw.randrange(6) + draw.uniform(0.1, 0.9)) * slot_ps)
        now += draw.randrange(1, slot_ps)
        if idle_since >= 0:
            now = idle_since + (now - idle_since) // slot_ps * slot_ps + slot_ps // 3
        queue = (packets, packets * int(options.mean_bytes), RATE_BPS, idle_since)
        yield Step(queue, (0, size), now, draw.random())


def compare_red(laws: Laws, options: RedOptions, steps: list[Step]) -> Counter[str]:
    """Run law and oracle side by side, until rounding alone would decide.

    Returns:
        How often each branch was taken.
    """
    law = laws.marking("red", options.values())
    oracle = RedOracle(options)
    tally: Counter[str] = Counter()
    for i, step in enumerate(steps):
        action, queued, used = law.on_arrival(step.queue, step.packet, step.now, [step.u])
        expected = oracle.arrive(*step)
        if expected.doubtful:
            break
        where = f"{options}, arrival {i}: {step}, oracle {expected}"
        assert math.isclose(law.measure(), expected.average, rel_tol=1e-9, abs_tol=1e-12), where
        assert math.isclose(law.probability(), expected.p_b, rel_tol=1e-7, abs_tol=1e-9), where
        assert (action, queued) == (expected.action, NO_FLOW), f"{where}, law says {action}"
        assert used == 1 if expected.branch == "early" else used <= 1, where
        tally[expected.branch] += 1
    return tally


def options_under_test() -> Iterator[RedOptions]:
    """Every combination of the flags, with varied other options."""
    weights = itertools.cycle([1.0, 0.5, 0.1, 0.02])
    max_ps = itertools.cycle([0.1, 0.5, 1.0, 0.02, 0.95])
    mark_ps = itertools.cycle([1.0, 1.0, 0.3])
    limits = itertools.cycle([-1.0, -1.0, -1.0, 14.0, -1.0])
    for flags in itertools.product([False, True], repeat=8):
        in_bytes, gentle, wait, count, on_empty, decay, drop, byte_mark = flags
        unit = 1000.0 if in_bytes else 1.0
        limit = next(limits)
        yield RedOptions(
            in_bytes, 3 * unit, 9 * unit, next(max_ps), next(weights), gentle, wait, count,
            on_empty, decay, drop, next(mark_ps), byte_mark, 1000.0,
            limit * unit if limit >= 0 else -1.0,
        )  # fmt: skip


def check_every_option(laws: Laws) -> None:
    """RED agrees in all 256 combinations of flags, each with a varying queue."""
    tally: Counter[str] = Counter()
    for seed, options in enumerate(options_under_test()):
        tally += compare_red(laws, options, list(red_arrivals(options, STEPS, seed)))
    assert tally.keys() == BRANCHES, f"the queue never reached {BRANCHES - tally.keys()}"
    assert sum(tally.values()) > 0.9 * 256 * STEPS, f"too few arrivals compared: {tally}"


def check_paper_settings(laws: Laws) -> None:
    """Long runs of the settings that siris2002, andreassen2002 and ns-2 use."""
    settings = [
        RedOptions(False, 5, 15, 0.1, 0.002),
        RedOptions(False, 3, 9, 0.95, 0.1, wait=False),
        RedOptions(False, 5, 30, 1.0, 1.0, gentle=False, use_count=False),
        RedOptions(True, 5000, 15000, 0.1, 0.02, byte_mark=True, mean_bytes=500),
        RedOptions(False, 5, 15, 0.1, 0.02, drop_above=True, mark_p=0.05, limit=40),
    ]
    for seed, options in enumerate(settings):
        tally = compare_red(laws, options, list(red_arrivals(options, 20 * STEPS, seed)))
        assert sum(tally.values()) > 10 * STEPS and tally["early"] > 10, f"{options}: {tally}"


def check_exact_ties(laws: Laws) -> None:
    """With w_q = 1 and dyadic numbers, nothing is rounded, and thresholds are met exactly."""
    for wait, gentle, limit in itertools.product([True, False], [True, False], [-1, 6, 14]):
        options = RedOptions(False, 4, 8, 0.5, 1.0, gentle, wait, limit=limit)
        draw = random.Random(3)
        steps = [
            Step((draw.choice([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 14, 15, 16, 17]), 0,
                  RATE_BPS, NEVER), (0, 1000), i, draw.choice([0.0625, 0.125, 0.25, 0.5, 0.75]))
            for i in range(600)
        ]  # fmt: skip
        law, oracle = laws.marking("red", options.values()), RedOracle(options)
        for step in steps:
            expected = oracle.arrive(*step)
            action, _, _ = law.on_arrival(step.queue, step.packet, step.now, [step.u])
            assert law.probability() == expected.p_b, f"{options}: {step}, {expected}"
            assert action == expected.action, f"{options}: {step}, {expected}, law {action}"


def check_forced_mark_restarts_count(laws: Laws) -> None:
    """A forced mark resets the count (Floyd and Jacobson, Fig. 2: count <- 0)."""
    for options, forcing in (
        (RedOptions(False, 4, 12, 0.5, 1.0, gentle=False), 12),
        (RedOptions(False, 4, 12, 0.5, 1.0, limit=11), 11),
    ):
        law = laws.marking("red", options.values())

        def meets(packets: int, red: Marking = law) -> int:
            queue = (packets, 0, RATE_BPS, NEVER)
            return red.on_arrival(queue, (0, 1000), 0, [0.01])[0]

        assert [meets(6), meets(forcing)] == [0, 1], "below the maximum passes, at it is marked"
        # p_b = 1/8 at 6 packets: seven arrivals pass, the eighth may be marked.
        passed = list(itertools.takewhile(lambda a: a == 0, (meets(6) for _ in range(40))))
        assert len(passed) == 7, f"{options}: {len(passed)} passed after a forced mark, expected 7"


def check_idle_whole_packets(laws: Laws) -> None:
    """An idle time of exactly k packet times counts as k steps, not as k - 1 by rounding."""
    options = RedOptions(False, 5, 15, 0.1, 0.125)
    for rate, slot_ps in ((10_000_000, 800_000_000), (100_000_000, 80_000_000)):
        for k in range(1, 100):
            law, oracle = laws.marking("red", options.values()), RedOracle(options)
            for queue, now in (((80, 0, rate, NEVER), 0), ((0, 0, rate, 7), 7 + k * slot_ps)):
                expected = oracle.arrive(queue, (0, 1000), now, 0.5)
                law.on_arrival(queue, (0, 1000), now, [0.5])
            where = f"idle for {k} packet times at {rate} bit/s: {law.measure()}, {expected}"
            assert math.isclose(law.measure(), expected.average, rel_tol=1e-9), where


RED_CHECKS = {
    "red": [
        check_every_option,
        check_exact_ties,
        check_forced_mark_restarts_count,
        check_idle_whole_packets,
        check_paper_settings,
    ],
}
