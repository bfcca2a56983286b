# SPDX-License-Identifier: Apache-2.0
"""The other marking laws against their oracles."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from typing import Final

from law_api import ALL_FLOWS, MARK, NEVER, NO_FLOW, PASS, Laws, Queue
from oracle_marking import Arrival, FluidBuffer, PacketServer, load_probabilities
from tiers import in_full

__all__ = ["MARKING_CHECKS", "compare_load_based", "compare_virtual_queue"]

RATE: Final = 10_000_000
EMPTY: Final[Queue] = (0, 0, RATE, 0)
NEAR: Final = 1e-9
STEPS: Final = 700 if in_full() else 280  # arrivals at a virtual queue per setting
TIES: Final = 20 if in_full() else 7
# 1/64 s is exact in doubles and in picoseconds, so nothing is rounded on this grid.
GRID_PS: Final = 10**12 // 64


def refused(laws: Laws, name: str, values: list[float]) -> bool:
    """Whether a marking law refuses its parameters."""
    try:
        laws.marking(name, values)
    except ValueError:
        return True
    return False


def check_fixed(laws: Laws) -> None:
    """Packets are marked exactly if u < p; a p outside [0, 1] is refused."""
    draw = random.Random(5)
    for p in (0.0, 1e-4, 0.25, 0.5, 1.0):
        law = laws.marking("fixed", [p])
        for u in [p, *(draw.random() for _ in range(500))]:
            action, queued, used = law.on_arrival(EMPTY, (0, 1000), 0, [u])
            assert action == (MARK if u < p else PASS), f"p {p}, u {u}: {action}"
            assert queued == NO_FLOW and (used == 1 or p in (0.0, 1.0))
        assert law.probability() == p
    assert all(refused(laws, "fixed", [p]) for p in (-0.1, 1.5, math.nan, math.inf))


def check_drop_tail(laws: Laws) -> None:
    """Drop-tail passes all packets and never requests a timer."""
    law = laws.marking("drop-tail", [])
    for packets in (0, 10, 10**9):
        assert law.on_arrival((packets, packets, RATE, NEVER), (0, 1), 0, []) == (PASS, NO_FLOW, 0)
    assert law.first_timer() == NEVER and law.probability() == 0.0


def compare_virtual_queue(
    laws: Laws,
    theta: float,
    packets: float,
    mean: float,
    per_overflow: bool,
    rate: int,
    arrivals: Sequence[Arrival],
    by_packet: bool = False,
) -> tuple[int, int]:
    """Runs law and virtual buffer side by side until rounding alone would decide.

    Returns:
        Arrivals compared, and how many of them were marked.
    """
    values = [theta, packets, mean, float(per_overflow), float(by_packet)]
    law = laws.marking("virtual-queue", values)
    buffer = (PacketServer if by_packet else FluidBuffer)(theta, packets, mean, rate)
    marked = 0
    for i, (at, size, _) in enumerate(arrivals):
        lost, marking, doubtful = buffer.arrive(at, size)
        action, queued, used = law.on_arrival((0, 0, rate, NEVER), (0, size), at, [])
        if doubtful:
            return i, marked
        where = f"{values} (theta, B, mean, per overflow, by packet), arrival {i} at {at}"
        assert action == (MARK if (lost if per_overflow else marking) else PASS), where
        assert (queued, used) == (NO_FLOW, 0), where
        content = float(buffer.content(at))
        assert math.isclose(law.measure(), content, rel_tol=1e-6, abs_tol=1e-3), where
        assert law.probability() == (1.0 if marking and not per_overflow else 0.0), where
        marked += action == MARK
    return len(arrivals), marked


def check_virtual_queue(laws: Laws) -> None:
    """Law and oracle agree, with the papers' theta and B and arrivals near the capacity."""
    _virtual_queue_at_random(laws, by_packet=False)


def check_virtual_queue_by_packet(laws: Laws) -> None:
    """Law and oracle also agree for whole packets, served one after another."""
    _virtual_queue_at_random(laws, by_packet=True)


def _virtual_queue_at_random(laws: Laws, by_packet: bool) -> None:
    total = marks = 0
    for seed, (theta, packets, per_overflow) in enumerate(
        itertools.product([0.7, 0.95, 1.0], [0.0, 3.0, 20.0], [False, True])
    ):
        draw, now, arrivals = random.Random(seed), 0, []
        for _ in range(STEPS):
            now += int(draw.expovariate(1.05) * 8e8)
            arrivals.append(Arrival(now, draw.choice([40, 1000, 1000, 1500]), 0.0))
        done, marked = compare_virtual_queue(
            laws, theta, packets, 1000.0, per_overflow, RATE, arrivals, by_packet
        )
        total, marks = total + done, marks + marked
    assert total > 14 * STEPS and 1.4 * STEPS < marks < total, (total, marks)


def check_virtual_queue_ties(laws: Laws) -> None:
    """Law and oracle agree if arrivals fill the virtual buffer exactly, or come as it empties."""
    rate, total = 8 * 64 * 1000, 0  # at theta = 1/2: 500 bytes per grid step
    for per_overflow, by_packet, seed in itertools.product(
        [False, True], [False, True], range(TIES)
    ):
        draw, now, arrivals = random.Random(seed), 0, []
        for _ in range(150):
            now += draw.choice([0, 0, 1, 1, 2, 4]) * GRID_PS
            arrivals.append(Arrival(now, draw.choice([500, 1000]), 0.0))
        total += compare_virtual_queue(
            laws, 0.5, 6, 1000.0, per_overflow, rate, arrivals, by_packet
        )[0]
    assert total == 4 * TIES * 150, "nothing is doubtful on the grid"


def compare_load_based(
    laws: Laws,
    interval_s: float,
    threshold: float,
    slope: float,
    arrivals: Sequence[Arrival],
) -> int:
    """The law with its timer against windows computed from the whole list.

    Returns:
        The number of marked arrivals.
    """
    law = laws.marking("load-based", [interval_s, threshold, slope])
    interval = law.first_timer()
    assert interval == round(interval_s * 1e12)
    windows = arrivals[-1].at // interval + 1
    loads = load_probabilities(arrivals, interval, threshold, slope, RATE, windows)
    timer, p, marked = interval, 0.0, 0
    for i, (at, size, u) in enumerate(arrivals):
        while timer <= at:
            window, following = timer // interval - 1, law.on_timer(EMPTY, timer)
            load, p = (float(x) for x in loads[window])
            where = f"t_avg {interval_s}, rho_0 {threshold}, alpha {slope}, window {window}"
            assert following == timer + interval, where
            assert math.isclose(law.measure(), load, rel_tol=1e-12), where
            assert math.isclose(law.probability(), p, rel_tol=1e-9, abs_tol=1e-12), where
            timer = following
        action, queued, used = law.on_arrival(EMPTY, (0, size), at, [u])
        where = f"t_avg {interval_s}, rho_0 {threshold}, alpha {slope}, arrival {i}, p {p}, u {u}"
        assert abs(u - p) < NEAR or action == (MARK if u < p else PASS), where
        assert queued == NO_FLOW and used == (1 if 0 < p < 1 else used), where
        marked += action == MARK
    return marked


def check_load_based(laws: Laws) -> None:
    """The law agrees with the papers' and steeper parameters, at loads of 0 to 2."""
    marks = 0
    for seed, (interval, threshold, slope) in enumerate(
        [(0.5, 0.6, 0.71), (0.5, 0.7, 2.0), (0.1, 0.3, 5.0), (0.003, 0.0, 1.0), (0.25, 1.0, 100.0)]
    ):
        draw, now, load, arrivals = random.Random(seed), 0, 1.0, []
        for _ in range(3000):
            if draw.random() < 0.01:
                load = draw.choice([0.05, 0.4, 0.65, 0.9, 1.2, 2.0])
            now += int(draw.expovariate(load) * 8e8)
            arrivals.append(Arrival(now, draw.choice([500, 1000, 1500]), draw.random()))
        marks += compare_load_based(laws, interval, threshold, slope, arrivals)
    assert marks > 500


def check_threshold(laws: Laws) -> None:
    """Beyond the threshold, the law marks arrivals, the whole queue or departures, by scope."""
    for limit, scope in itertools.product([0.0, 1.0, 7.0, 7.5], range(3)):
        law = laws.marking("threshold", [limit, float(scope)])
        assert law.first_timer() == NEVER
        for packets in [*range(12), 3, 9, 0]:
            queue, over = (packets, packets * 1000, RATE, NEVER), packets > limit
            arriving = law.on_arrival(queue, (4, 1000), packets, [])
            if scope != 2:
                assert law.probability() == (1.0 if over else 0.0), (limit, scope, packets)
            left = packets // 2
            departing = law.on_departure((left, left * 1000, RATE, NEVER), (4, 1000), packets, [])
            over_left = left > limit
            if scope == 2:
                assert law.probability() == (1.0 if over_left else 0.0), (limit, scope, packets)
            at_arrival = over and scope != 2
            whole = ALL_FLOWS if at_arrival and scope == 1 else NO_FLOW
            where = f"threshold {limit}, scope {scope}, {packets} waiting"
            assert arriving == (MARK if at_arrival else PASS, whole, 0), where
            at_departure = over_left and scope == 2
            assert departing == (MARK if at_departure else PASS, NO_FLOW, 0), where


MARKING_CHECKS = {
    "drop-tail": [check_drop_tail],
    "fixed": [check_fixed],
    "virtual-queue": [
        check_virtual_queue_ties,
        check_virtual_queue,
        check_virtual_queue_by_packet,
    ],
    "load-based": [check_load_based],
    "threshold": [check_threshold],
}
