# SPDX-License-Identifier: Apache-2.0
"""Stochastic Fair Blue against its oracle, packet by packet, and against its paper's claims."""

from __future__ import annotations

import random
from collections import Counter
from typing import Final, NamedTuple

from law_api import DROP, MARK, NEVER, NO_FLOW, PASS, Laws, Marking
from oracle_sfb import SfbOptions, SfbOracle
from tiers import in_full

__all__ = ["SFB_CHECKS", "SfbStep", "compare_sfb"]

RATE: Final = 10_000_000
MS: Final = 10**9
STEPS: Final = 3000 if in_full() else 800


class SfbStep(NamedTuple):
    """After `gap` ms, `served` packets leave. Then a packet of `flow` arrives.

    The link refuses the packet if the buffer is full (`overflows`), or if the packet cannot be
    marked (`refused`).
    """

    gap: int
    served: int
    flow: int
    us: tuple[float, float, float]
    overflows: bool = False
    refused: bool = False


def queue_of(waiting: int) -> tuple[int, int, int, int]:
    """What a packet finds: `waiting` packets of 1000 bytes."""
    return (waiting, 1000 * waiting, RATE, NEVER)


def compare_sfb(
    laws: Laws, options: SfbOptions, steps: list[SfbStep], later: SfbOptions | None = None
) -> Counter[str]:
    """SFB against its oracle in its own queue; `later` applies from halfway on.

    Returns:
        How often each branch was taken.
    """
    law, oracle = laws.marking("sfb", options.values()), SfbOracle(options)
    assert law.first_timer() == NEVER and law.watches_departures()
    tally: Counter[str] = Counter()
    flows, now = list[int](), 0
    for i, step in enumerate(steps):
        if later is not None and i == len(steps) // 2:
            law.configure(later.values())
            oracle.configure(later)
        now += step.gap * MS
        for _ in range(min(step.served, len(flows))):
            left = (flows.pop(0), 1000)
            oracle.waiting.popleft()
            assert law.on_departure(queue_of(len(flows)), left, now, []) == (PASS, NO_FLOW, 0)
        expected = oracle.arrive(step.flow, now, step.us)
        got = law.on_arrival(queue_of(len(flows)), (step.flow, 1000), now, list(step.us))
        where = f"{options}, step {i}: {step}, {got}, {expected}"
        assert got == (expected.action, NO_FLOW, expected.used), where
        assert law.probability() == expected.p, where
        tally.update(expected.branches)
        if expected.action == DROP:
            continue
        if step.overflows or (step.refused and expected.action == MARK):
            oracle.waiting.pop()
            tally["overflow" if step.overflows else "refusal"] += 1
            continue
        flows.append(step.flow)
    return tally


def steps_of(count: int, seed: int) -> list[SfbStep]:
    """Flows with unequal shares at a queue that mostly grows and sometimes empties."""
    draw = random.Random(seed)
    return [
        SfbStep(
            gap=draw.choice([0, 1, 5, 40]),
            served=draw.choice([0, 0, 1, 1, 1, 2, 9]),
            flow=min(draw.randrange(6), draw.randrange(6)),
            us=(draw.random(), draw.random(), draw.random()),
            overflows=draw.random() < 0.05,
            refused=draw.random() < 0.2,
        )
        for _ in range(count)
    ]


BRANCHES: Final = frozenset(
    "rehashed full warmed penalty calm spared marked early overflow refusal".split()
) | {"let through"}


def check_sfb(laws: Laws) -> None:
    """SFB takes every branch, with one level or several, and with and without new hashes."""
    tally: Counter[str] = Counter()
    for seed, (levels, bins, full, most, rehash, warmup) in enumerate(
        [
            (1, 1, 2, 9, 0, 0),
            (2, 3, 2, 5, 2, 1),
            (2, 5, 1, 9, 1, 1),
            (3, 2, 3, 4, 3, 0),
            (8, 16, 2, 9, 2, 0.5),
        ]
    ):
        options = SfbOptions(levels, bins, 0.2, 0.03, full, most, 40, 3, rehash, warmup)
        tally += compare_sfb(laws, options, steps_of(STEPS, seed))
        more = options._replace(increment=0.4, penalty_burst=1, penalty_rate=5, full=1)
        tally += compare_sfb(laws, options, steps_of(STEPS, seed + 50), more)
        other = options._replace(levels=levels + 1, bins=bins + 2, penalty_rate=0)
        slow = options._replace(increment=0.001)
        tally += compare_sfb(laws, slow, steps_of(STEPS, seed + 70))
        tally += compare_sfb(laws, options, steps_of(STEPS, seed + 90), other)
    missed = BRANCHES - tally.keys()
    assert not missed and min(tally[name] for name in BRANCHES) > 10, tally


def arrive(law: Marking, waiting: int, us: list[float]) -> tuple[int, float]:
    """The action for a packet of flow 0 that finds `waiting` packets, and the probability."""
    action, _, used = law.on_arrival(queue_of(waiting), (0, 1000), 0, us)
    assert used == len(us)
    return action, law.probability()


def check_sfb_by_hand(laws: Laws) -> None:
    """By the paper's rules, p moves in steps of 1/4 for one bin that is full from one packet on."""
    options = SfbOptions(1, 1, 0.25, 0.25, 1, 7, 1, 1, 0, 0)
    law = laws.marking("sfb", options.values())
    assert arrive(law, 0, [0.1, 0.2]) == (PASS, 0.0), "two salts, an empty bin"
    assert arrive(law, 1, [0.2]) == (MARK, 0.25)
    assert arrive(law, 2, [0.5]) == (PASS, 0.5), "a mark below p only"
    assert arrive(law, 3, [0.49]) == (DROP, 0.75), "a drop below 2 p - 1"
    assert arrive(law, 3, []) == (PASS, 1.0), "the only token of a flow that does not respond"
    assert arrive(law, 4, []) == (DROP, 1.0)
    for left in (3, 2, 1, 0):
        assert law.on_departure(queue_of(left), (0, 1000), 0, []) == (PASS, NO_FLOW, 0)
    assert arrive(law, 0, [0.5]) == (MARK, 0.75), "an empty bin takes one step back"


def check_sfb_limits_a_flow_that_does_not_respond(laws: Laws) -> None:
    """A flow that sends 300 packets/s into 113 is limited to penalty_rate, and 20 others pass.

    The others send 40 packets/s together. By the paper, a flow is taken for the one that does not
    respond only if it shares all bins with it: with 2 levels of 23 bins 1/23^2 of flows, here none.
    """
    options = SfbOptions(2, 23, 0.005, 0.0, 5, 50, 10, 5, 0, 0)
    law, draw = laws.marking("sfb", options.values()), random.Random(4)
    waiting, entered, offered = list[int](), Counter[int](), Counter[int]()
    for i in range(34_000):
        now = i * 10**12 // 340
        if i % 3 == 0 and waiting:  # 113 packets/s leave
            left = (waiting.pop(0), 1000)
            law.on_departure(queue_of(len(waiting)), left, now, [])
        flow = 0 if draw.random() < 300 / 340 else draw.randrange(1, 21)
        us = [draw.random() for _ in range(3)]
        action, _, _ = law.on_arrival(queue_of(len(waiting)), (flow, 1000), now, us)
        late = int(i >= 17_000)
        offered[min(flow, 1)] += late
        if action != DROP:
            waiting.append(flow)
            entered[min(flow, 1)] += late
    assert 10 * 50 * 0.9 < entered[0] < 10 * 50 * 1.1, entered  # penalty_rate for 50 s
    assert entered[1] == offered[1] > 1500, (entered, offered)


SFB_CHECKS = {"sfb": [check_sfb, check_sfb_by_hand, check_sfb_limits_a_flow_that_does_not_respond]}
