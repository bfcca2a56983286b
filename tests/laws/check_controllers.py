# SPDX-License-Identifier: Apache-2.0
"""REM, PI, the adaptive virtual queue and threshold against their oracles, event by event."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from law_api import ALL_FLOWS, MARK, NEVER, NO_FLOW, PASS, Laws, Queue
from oracle_controllers import (
    AdaptiveLimit,
    Avq,
    Period,
    RemOptions,
    pi_probabilities,
    rem_prices,
)
from oracle_marking import Arrival
from tiers import in_full

__all__ = ["CONTROLLER_CHECKS", "compare_avq", "compare_pi", "compare_rem"]

RATE: Final = 12_000_000
EMPTY: Final[Queue] = (0, 0, RATE, NEVER)
PS: Final = 10**12
STEPS: Final = 1500 if in_full() else 500  # arrivals or samples per setting


def compare_rem(laws: Laws, options: RemOptions, periods: Sequence[Period], seed: int) -> int:
    """The law with its timer against prices computed from the whole list.

    Packets arrive within each period; a quarter of them are not ECT.

    Returns:
        The number of marked packets.
    """
    law = laws.marking("rem", options.values())
    draw, interval, marked = random.Random(seed), round(options.interval_s * PS), 0
    assert law.first_timer() == interval
    assert law.watches_departures() == (not options.at_arrival)
    m = 0.0
    prices = rem_prices(options, RATE, periods)
    for k, (period, price) in enumerate(zip(periods, prices, strict=True)):
        where = f"{options}, period {k}, m {m}"
        for size in period.sizes:
            u, ect = draw.random(), draw.random() < 0.75
            packet = (1, size, ect, False)
            arriving = law.on_arrival(EMPTY, packet, k * interval, [u])
            departing = law.on_departure(EMPTY, packet, k * interval, [u])
            decides, other = departing, arriving
            if options.at_arrival or not ect:
                decides, other = arriving, departing
            assert other == (PASS, NO_FLOW, 0), where
            assert decides[1:] == (NO_FLOW, 1 if law.probability() > 0 else 0), where
            assert abs(u - m) < 1e-9 or decides[0] == (MARK if u < m else PASS), f"{where}, u {u}"
            marked += decides[0]
        at = (k + 1) * interval
        assert law.on_timer((period.packets, period.bytes, RATE, NEVER), at) == at + interval
        assert math.isclose(law.measure(), float(price), rel_tol=1e-9, abs_tol=1e-9), where
        m = -math.expm1(-float(price) * math.log(options.phi))
        assert math.isclose(law.probability(), m, rel_tol=1e-6, abs_tol=1e-9), where
    return marked


def rem_periods(options: RemOptions, count: int, seed: int) -> Iterator[Period]:
    """Generate periods with loads from 0 to twice the capacity, and an independent backlog."""
    draw = random.Random(seed)
    full = RATE * options.interval_s / (8 * options.mean_bytes)
    load, packets = 1.0, 0
    for _ in range(count):
        if draw.random() < 0.05:
            load = draw.choice([0.0, 0.5, 0.9, 1.0, 1.1, 2.0])
        packets = max(0, packets + draw.choice([-3, -1, 0, 1, 3]))
        sizes = tuple(draw.choice([40, 1000, 1500]) for _ in range(round(load * full)))
        yield Period(sizes, packets, packets * 900)


def check_rem(laws: Laws) -> None:
    """REM follows all price rules, in packets and bytes, with marks at arrival or departure."""
    marks = 0
    for seed, (price, at_arrival, in_bytes) in enumerate(
        itertools.product(range(3), [False, True], [False, True])
    ):
        for options in (
            RemOptions(price, 1.4, 0.005, 0.1, 0, 0.85 if price == 0 else 1.0, 0.008),
            RemOptions(price, 1.001, 0.3, 0.1, 20, 1.0, 0.002, 0.1),
            RemOptions(price, 1.1, 0.05, 1.0, 5, 0.9, 0.004, 0.5, 0.25, mean_bytes=500.0),
        ):
            options = options._replace(at_arrival=at_arrival, in_bytes=in_bytes)
            periods = list(rem_periods(options, STEPS // 5, seed))
            marks += compare_rem(laws, options, periods, seed)
    assert marks > 3 * STEPS, marks


def check_rem_path(laws: Laws) -> None:
    """Two links in a row pass a share phi^-(sum of their prices) unmarked (Eq. 3)."""
    links = []
    for packets in (40, 90):
        law = laws.marking("rem", RemOptions(price=1, phi=1.2, gamma=0.01).values())
        law.on_timer((packets, packets * 1000, RATE, NEVER), 2 * PS // 1000)
        links.append(law)
    through = math.prod(1 - law.probability() for law in links)
    assert math.isclose(through, 1.2 ** -sum(law.measure() for law in links), rel_tol=1e-12)
    assert math.isclose(sum(law.measure() for law in links), 1.3, rel_tol=1e-12)


def compare_pi(
    laws: Laws, reference: float, a: float, b: float, queues: Sequence[int], in_bytes: bool
) -> tuple[int, int]:
    """The controller against its recursion; `queues` in units of its reference.

    Returns:
        How often p was 0, and how often it was 1.
    """
    mean = 500.0 if in_bytes else 1.0
    law = laws.marking("pi", [float(in_bytes), reference, a, b, 1 / 160, 500.0])
    interval = law.first_timer()
    assert interval == 6_250_000_000 and not law.watches_departures()
    lengths = [Fraction(q) / Fraction(mean) for q in queues]
    expected = pi_probabilities(reference / mean, a, b, lengths)
    for k, (queue, p) in enumerate(zip(queues, expected, strict=True)):
        packets, size = (3, queue) if in_bytes else (queue, 7)
        at = (k + 1) * interval
        where = f"q_ref {reference}, a {a}, b {b}, bytes {in_bytes}, sample {k}: {queue}"
        assert law.on_timer((packets, size, RATE, NEVER), at) == at + interval, where
        assert math.isclose(law.probability(), float(p), rel_tol=1e-9, abs_tol=1e-12), where
        for u in (float(p) / 2, (1 + float(p)) / 2):
            action, queued, used = law.on_arrival((9, 9, RATE, NEVER), (0, 1000), at, [u])
            verdict = MARK if u < p else PASS
            assert abs(u - p) < 1e-9 or action == verdict, f"{where}, p {float(p)}, u {u}"
            assert (queued, used) == (NO_FLOW, 1 if law.probability() > 0 else 0), where
    return expected.count(Fraction(0)), expected.count(Fraction(1))


def check_pi(laws: Laws) -> None:
    """PI follows its recursion in christin2003's settings, and a steep one reaches both clamps."""
    zeros = ones = 0
    for seed, (a, b, in_bytes) in enumerate(
        itertools.product([0.2395e-4, 1.643e-4, 2e-2], [1.0, 0.99], [False, True])
    ):
        draw, queue, queues = random.Random(seed), 0, []
        unit = 500 if in_bytes else 1
        for _ in range(STEPS):
            if draw.random() < 0.02:
                queue = draw.choice([0, 100, 200, 300, 2000])
            queue = max(0, queue + draw.choice([-5, -1, 0, 1, 5]))
            queues.append(queue * unit)
        low, high = compare_pi(laws, 200.0 * unit, a, a * b, queues, in_bytes)
        zeros, ones = zeros + low, ones + high
    assert min(zeros, ones) > STEPS / 15, (zeros, ones)


def check_pi_holds(laws: Laws) -> None:
    """Samples at the reference change nothing; a < b is refused."""
    law = laws.marking("pi", [0.0, 200.0, 2e-3, 1e-3, 1 / 160, 1000.0])
    for packets in (900, 200):
        law.on_timer((packets, 0, RATE, NEVER), 0)
    held = law.probability()
    assert 0 < held < 1
    for _ in range(50):
        law.on_timer((200, 0, RATE, NEVER), 0)
    assert law.probability() == held
    try:
        laws.marking("pi", [0.0, 200.0, 1e-3, 2e-3, 1 / 160, 1000.0])
    except ValueError as error:
        assert str(error) == "pi: a is below b"
    else:
        raise AssertionError("a below b is accepted")


def compare_avq(
    laws: Laws, gamma: float, alpha: float, packets: float, rate: int, arrivals: Sequence[Arrival]
) -> tuple[int, int]:
    """Runs law and oracle side by side until rounding alone would decide.

    Returns:
        Arrivals compared, and how many of them were marked.
    """
    law = laws.marking("adaptive-virtual-queue", [gamma, alpha, packets, 1000.0])
    oracle = Avq(gamma, alpha, Fraction(packets) * 1000, rate)
    marked = 0
    for i, (at, size, _) in enumerate(arrivals):
        expected, doubtful = oracle.arrive(at, size)
        if doubtful:
            return i, marked
        got = law.on_arrival((0, 0, rate, NEVER), (0, size), at, [])
        where = f"gamma {gamma}, alpha {alpha}, B {packets}, arrival {i} at {at}"
        assert got == (MARK if expected else PASS, NO_FLOW, 0), where
        share = float(oracle.virtual / oracle.capacity)
        assert math.isclose(law.measure(), share, rel_tol=1e-9, abs_tol=1e-12), where
        marked += expected
    return len(arrivals), marked


def check_avq(laws: Laws) -> None:
    """Loads below and above gamma drive the virtual capacity to both of its bounds."""
    total = marks = 0
    for seed, (gamma, alpha, packets) in enumerate(
        itertools.product([0.98, 0.8], [0.15, 5.0], [0.0, 3.0, 20.0])
    ):
        draw, now, load, arrivals = random.Random(seed), 0, 1.0, []
        for _ in range(1500):
            if draw.random() < 0.01:
                load = draw.choice([0.1, 0.8, 0.95, 1.1, 3.0])
            now += int(draw.expovariate(load) * 8e15 / RATE)
            arrivals.append(Arrival(now, draw.choice([40, 1000, 1500]), 0.0))
        done, marked = compare_avq(laws, gamma, alpha, packets, RATE, arrivals)
        total, marks = total + done, marks + marked
    assert total > 15_000 and 1000 < marks < total, (total, marks)


def check_avq_fills_to_the_last_byte(laws: Laws) -> None:
    """Packets that fill the virtual queue exactly pass; one more byte is marked."""
    law = laws.marking("adaptive-virtual-queue", [0.98, 0.15, 3.0, 1000.0])
    for size, action in ((1500, PASS), (1500, PASS), (1, MARK)):
        assert law.on_arrival((0, 0, RATE, NEVER), (0, size), 0, [])[0] == action, size


def check_avq_rests_at_its_utilization(laws: Laws) -> None:
    """The virtual capacity is constant at load gamma, falls at higher and rises at lower loads."""
    for load in (0.4, 0.5, 0.6):
        law = laws.marking("adaptive-virtual-queue", [0.5, 0.25, 10.0, 1000.0])
        shares = []
        for k in range(2000):
            # At first it is below C, because the initial load lowers it.
            law.on_arrival((0, 0, 8_000_000, NEVER), (0, 1000), int(k * 1e9 / load), [])
            shares.append(law.measure())
        assert (shares[-1] < shares[999]) == (load > 0.5), (load, shares[999], shares[-1])
        drift = (shares[-1] - shares[999]) / (1000 * 1e-3 / load)
        held = 0.0 if load < 0.5 else 0.25 * (0.5 - load)
        assert math.isclose(drift, held, abs_tol=1e-9), (load, drift)


def check_adaptive_threshold(laws: Laws) -> None:
    """At loads near gamma, K reaches both of its bounds, and ties are not marked.

    B changes halfway. The law keeps its state, the share of B.
    """
    total = marks = full = empty = 0
    for seed, (gamma, alpha, packets) in enumerate(
        itertools.product([0.95, 0.8], [0.0, 0.5, 20.0], [0.0, 8.0, 20.0])
    ):
        law = laws.marking("adaptive-threshold", [gamma, alpha, packets, 1000.0])
        oracle = AdaptiveLimit(gamma, alpha, Fraction(packets) * 1000, RATE)
        assert law.first_timer() == NEVER and not law.watches_departures()
        draw, now, load = random.Random(seed), 0, 1.0
        for i in range(STEPS):
            if draw.random() < 0.01:
                load = draw.choice([0.1, 0.8, 0.95, 1.1, 3.0])
            if i == 2 * STEPS // 3:
                law.configure([gamma, alpha, packets / 2, 2500.0])
                oracle.buffer = Fraction(packets) * 1250
            now += int(draw.expovariate(load) * 8e15 / RATE)
            size = draw.choice([40, 1000, 1500])
            limit = oracle.arrive(now, size)
            waiting = max(0, round(limit / 500) * 500 + draw.choice([-500, 0, 500]))
            if 0 < abs(waiting - limit) < Fraction(1, 10**5):
                continue
            got = law.on_arrival((3, waiting, RATE, NEVER), (0, size), now, [])
            where = f"gamma {gamma}, alpha {alpha}, B {packets}, arrival {i} at {now}"
            over = waiting > limit
            assert got == ((MARK, ALL_FLOWS, 0) if over else (PASS, NO_FLOW, 0)), where
            assert law.probability() == float(over), where
            assert math.isclose(law.measure(), float(limit), rel_tol=1e-9, abs_tol=1e-6), where
            total, marks = total + 1, marks + over
            full, empty = full + (limit == oracle.buffer), empty + (limit == 0)
    assert total > 13 * STEPS and 3 * STEPS < marks < total, (total, marks)
    assert min(full, empty) > STEPS / 15, (full, empty)


CONTROLLER_CHECKS = {
    "rem": [check_rem, check_rem_path],
    "pi": [check_pi, check_pi_holds],
    "adaptive-virtual-queue": [
        check_avq,
        check_avq_fills_to_the_last_byte,
        check_avq_rests_at_its_utilization,
    ],
    "adaptive-threshold": [check_adaptive_threshold],
}
