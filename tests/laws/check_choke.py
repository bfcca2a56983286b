# SPDX-License-Identifier: Apache-2.0
"""CHOKe against its oracle, packet by packet, and against its paper's rule by hand."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Final, NamedTuple

from law_api import DROP_PAIR, MARK, NEVER, NO_FLOW, PASS, Laws
from oracle_choke import ChokeOptions, ChokeOracle
from tiers import in_full

__all__ = ["CHOKE_CHECKS"]

RATE: Final = 10_000_000
MS: Final = 10**9
STEPS: Final = 4000 if in_full() else 1200


class Step(NamedTuple):
    """After `gap` ps, `served` packets leave. Then a packet of `flow` arrives.

    The link refuses it if its buffer is full (`overflows`).
    """

    gap: int
    served: int
    flow: int
    size: int
    us: tuple[float, float]
    overflows: bool


def steps_of(count: int, seed: int, full: int) -> list[Step]:
    """Flows with unequal shares at a queue that grows up to `full` packets and empties."""
    draw, served = random.Random(seed), [0, 0, 1]
    steps = []
    for _ in range(count):
        if draw.random() < 0.01:
            served = draw.choice([[0, 0, 1], [0, 1, 1, 2], [1, 2, 9], [1]])
        steps.append(
            Step(
                gap=draw.choice([1, MS // 2, 3 * MS]),
                served=draw.choice(served),
                flow=draw.choice([NO_FLOW, 0, 0, 1, 2, 3]),
                size=draw.choice([100, 1000, 1500]),
                us=(draw.random(), draw.random()),
                overflows=draw.random() < full / 100,
            )
        )
    return steps


def compare_choke(
    laws: Laws, options: ChokeOptions, steps: list[Step], later: ChokeOptions | None = None
) -> Counter[str]:
    """Compare law and oracle until rounding would decide; `later` applies from halfway on.

    Returns:
        How often each branch was taken.
    """
    law, oracle = laws.marking("choke", options.values()), ChokeOracle(options, RATE)
    assert law.first_timer() == NEVER and law.watches_departures()
    tally: Counter[str] = Counter()
    now, idle_since = 0, 0
    for i, step in enumerate(steps):
        if later is not None and i == len(steps) // 2:
            law.configure(later.values())
            oracle.configure(later)
        now += step.gap
        for _ in range(min(step.served, len(oracle.queue))):
            left = oracle.queue.pop(0)
            assert law.on_departure(oracle.view(), left, now, []) == (PASS, NO_FLOW, 0)
            idle_since = now - step.gap // 2
        since = NEVER if oracle.queue else idle_since
        view, packet = oracle.view(since), (step.flow, step.size)
        expected = oracle.arrive(packet, now, step.us, since)
        if expected.doubtful:
            break
        got = law.on_arrival(view, packet, now, list(step.us))
        where = f"{options}, step {i}: {step}, {got}, {expected}"
        assert got == (expected.action, expected.waiting, expected.used), where
        tally[expected.branch] += 1
        if expected.action == DROP_PAIR:
            tally["first" if expected.waiting == 0 else "later"] += 1
        elif step.overflows:
            oracle.queue.pop()
            tally["overflow"] += 1
    return tally


def check_choke(laws: Laws) -> None:
    """CHOKe takes every branch, in packets and bytes, with full buffers and new parameters."""
    tally: Counter[str] = Counter()
    for seed, (in_bytes, weight, full, change) in enumerate(
        itertools.product([False, True], [0.02, 0.3, 1.0], [0, 10], [False, True])
    ):
        scale = 900 if in_bytes else 1
        options = ChokeOptions(in_bytes, 2.5 * scale, 8 * scale, 0.2, weight, 900)
        later = ChokeOptions(in_bytes, 1.3 * scale, 5 * scale, 0.5, 0.9 * weight, 500)
        steps = steps_of(STEPS, seed, full)
        tally += compare_choke(laws, options, steps, later if change else None)
    wanted = {"matched", "first", "later", "overflow", "below", "early", "kept", "above"}
    assert min(tally[name] for name in wanted) > 20, tally


def check_choke_by_hand(laws: Laws) -> None:
    """An average above the lower threshold, three waiting packets: the drawn one decides."""
    options = ChokeOptions(False, 1.0, 50.0, 0.0, 1.0)
    law = laws.marking("choke", options.values())
    for waiting, flow in enumerate((7, 8, 9)):
        assert law.on_arrival((waiting, 0, RATE, NEVER), (flow, 1000), 0, [0.99, 0.5])[0] == PASS
    queue = (3, 3000, RATE, NEVER)
    assert law.on_arrival(queue, (8, 1000), 0, [0.5]) == (DROP_PAIR, 1, 1)
    assert law.on_arrival((2, 2000, RATE, NEVER), (8, 1000), 0, [0.99, 0.5])[0] == PASS, "7, 9"
    marking = laws.marking("choke", ChokeOptions(False, 1.0, 2.0, 0.0, 1.0).values())
    for waiting in range(3):
        marking.on_arrival((waiting, 0, RATE, NEVER), (waiting, 1000), 0, [0.0, 0.5])
    assert marking.on_arrival(queue, (5, 1000), 0, [0.0]) == (MARK, NO_FLOW, 1)


CHOKE_CHECKS = {"choke": [check_choke, check_choke_by_hand]}
