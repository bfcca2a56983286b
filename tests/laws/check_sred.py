# SPDX-License-Identifier: Apache-2.0
"""Stabilized RED against its oracle, packet by packet, and against its paper's figures."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from law_api import MARK, NEVER, NO_FLOW, PASS, Laws
from oracle_sred import SredOptions, SredOracle
from tiers import in_full

__all__ = ["SRED_CHECKS", "SredPacket", "compare_sred"]

RATE: Final = 10_000_000
STEPS: Final = 600 if in_full() else 250  # packets per setting


class SredPacket(NamedTuple):
    """A packet of `flow` that finds `waiting_bytes` in the queue. `us` are the draws."""

    flow: int
    waiting_bytes: int
    us: tuple[float, float, float]


def compare_sred(
    laws: Laws,
    options: SredOptions,
    packets: Sequence[SredPacket],
    later: SredOptions | None = None,
) -> Counter[str]:
    """SRED against its oracle; `later` applies from halfway on.

    Returns:
        How often each branch was taken.
    """
    law, oracle = laws.marking("sred", options.values()), SredOracle(options)
    assert law.first_timer() == NEVER and not law.watches_departures()
    tally: Counter[str] = Counter()
    for i, one in enumerate(packets):
        if later is not None and i == len(packets) // 2:
            law.configure(later.values())
            oracle.configure(later)
        expected = oracle.arrive(one.waiting_bytes, one.flow, one.us)
        queue = (one.waiting_bytes // 100, one.waiting_bytes, RATE, NEVER)
        got = law.on_arrival(queue, (one.flow, 1000, i % 4 != 0, i % 4 == 1), i, list(one.us))
        where = f"{options}, packet {i}: {one}, {got}, {expected}"
        assert math.isclose(law.measure(), oracle.frequency, rel_tol=1e-9, abs_tol=1e-15), where
        assert math.isclose(law.probability(), expected.p, rel_tol=1e-9, abs_tol=1e-15), where
        if not expected.doubtful:
            assert got == (expected.action, NO_FLOW, expected.used), where
        tally.update(expected.branches)
    return tally


def packets_of(options: SredOptions, count: int, seed: int) -> list[SredPacket]:
    """Some flows with unequal shares; queues exactly at both thresholds and near them."""
    draw = random.Random(seed)
    size = int(options.buffer_packets * options.mean_bytes)
    at = [0, size // 6 - 1, size // 6, size // 3 - 1, size // 3, size]
    flows = list(range(1 + seed % 6))
    packets = []
    for _ in range(count):
        us = (draw.random(), draw.random(), draw.random() ** draw.choice([1, 6]))
        flow = min(draw.choice(flows), draw.choice(flows))
        packets.append(SredPacket(flow, draw.choice(at), us))
    return packets


def check_sred(laws: Laws) -> None:
    """SRED reaches every branch, full and simple, with lists of 1 to 40 flows."""
    tally: Counter[str] = Counter()
    settings = itertools.product([1, 7, 40], [0.25, 1.0], [False, True], [1.0, 3.0, 50.0])
    for seed, (memory, overwrite, full, flows) in enumerate(settings):
        options = SredOptions(0.3, flows, memory, overwrite, full, 60, 500 + 100 * (seed % 3))
        later = SredOptions(0.8, 2 * flows, 3 + memory // 2, 0.6, not full, 90, 1000)
        packets = packets_of(options, STEPS, seed)
        tally += compare_sred(laws, options, packets, later if seed % 2 else None)
    missed = {"added", "hit", "replaced", "kept", "third", "sixth", "short", "few"} - tally.keys()
    assert not missed and min(tally["marked"], tally["spared"]) > 3 * STEPS / 2, tally


def check_sred_estimates_flows(laws: Laws) -> None:
    """1/P tends to the number of equal flows; in general to 1 / sum of squares of shares."""
    for shares in ([1] * 8, [1] * 20, [6, 1, 1, 1, 1]):
        law, draw = laws.marking("sred", [0.15, 256, 100, 0.25, 1, 60, 1000]), random.Random(3)
        mean, count = 0.0, 60_000
        for i in range(count):
            (flow,) = draw.choices(range(len(shares)), shares)
            us = [draw.random(), draw.random(), 0.5]
            law.on_arrival((0, 0, RATE, NEVER), (flow, 1000), i, us)
            mean += law.measure() / count if i >= count / 2 else 0
        expected = sum((one / sum(shares)) ** 2 for one in shares)
        assert math.isclose(2 * mean, expected, rel_tol=0.08), (shares, 2 * mean, expected)


def check_sred_first_packets(laws: Laws) -> None:
    """Before the first hit, flows count as many. A list of one flow always gives a hit."""
    law = laws.marking("sred", [0.4, 2, 2, 0.5, 1, 6, 1000])
    third, sixth, short = (2, 2000, RATE, NEVER), (1, 1999, RATE, NEVER), (0, 999, RATE, NEVER)
    assert law.on_arrival(third, (7, 1000), 0, [0.39]) == (MARK, NO_FLOW, 1)
    assert law.on_arrival(sixth, (7, 1000), 1, [0.11]) == (PASS, NO_FLOW, 1)
    assert law.probability() == 0.1, "a quarter; the list is full now"
    assert law.on_arrival(short, (8, 1000), 2, [0.9, 0.6]) == (PASS, NO_FLOW, 2)
    assert law.probability() == 0 == law.measure()
    assert law.on_arrival(third, (7, 1000), 3, [0.9, 0.99]) == (MARK, NO_FLOW, 2)
    assert (law.measure(), law.probability()) == (0.25, 1.0), "0.4 (1 + 1 / 0.25), at most 1"


SRED_CHECKS = {"sred": [check_sred, check_sred_estimates_flows, check_sred_first_packets]}
