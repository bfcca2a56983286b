# SPDX-License-Identifier: Apache-2.0
"""Prague against its oracle, and against the rates in its header and in Linux's source."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from check_path import STARTS, PathEvent, path_events
from check_window import same
from law_api import Laws, WindowState
from oracle_prague import PragueOracle
from tiers import in_full

__all__ = ["PRAGUE_CHECKS", "compare_prague"]

PS: Final = 10**12
LINUX_07: Final = [0.0625, 0.025, 4.0, 0.0, 1.0, 0.0]
LINUX_06: Final = [0.0625, 0.025, 500.0, 1.0, 0.0, 0.0]
PACKET_MBIT: Final = 0.012
TRIPS_MS: Final = (5.0, 10.0, 25.0) if in_full() else (5.0,)
START: Final[WindowState] = (0.01, 0.0, 1e-6, 64.0)


def compare_prague(
    laws: Laws, values: Sequence[float], start: WindowState, events: Sequence[PathEvent]
) -> None:
    """The trajectory of the law against that of Linux."""
    law, oracle, window = laws.window("prague", values), PragueOracle(start, *values), start
    assert law.per_mark() and law.recovery() == "all-acked"
    assert not law.halves() and not law.every_ack() and law.weight() == 0.0
    law.begin(start)
    for i, (kind, path, size, marks) in enumerate(events):
        law.see(path)
        oracle.see(path)
        if kind == "ack" and path[1]:
            window = law.on_rtt(window, path[1])
            oracle.rtt(path[1])
        if kind == "begin":
            window = law.begin(window)
            oracle.begin()
        elif kind == "ack" and (size or marks):
            window = law.on_ack(window, int(size), marks)
            oracle.ack(int(size), marks)
        elif kind == "ece":
            window = law.on_congestion(window, size)
        elif kind == "loss":
            window = law.on_loss(window, size)
            oracle.loss(size)
        elif kind == "timeout":
            window = law.on_timeout(window, size)
            oracle.timeout(size)
        where = f"prague {values}, start {start}, event {i} {kind} {size} {marks}"
        same(window, float(oracle.cwnd), float(oracle.ssthresh), where)
        assert window[2:] == start[2:], where


def fast_events(seed: int, count: int, marked: float, srtt_ms: float) -> Iterator[PathEvent]:
    """ACKs of a flow whose packets in flight follow its round trip, many in a target of 25 ms."""
    draw = random.Random(seed)
    now, acked, sent = 0, 0, 10
    for _ in range(count):
        now += round(draw.expovariate(1) * srtt_ms / 10 * 10**9)
        n = min(draw.choice((0, 1, 1, 1, 2, 4)), sent - acked)
        acked, sent = acked + n, sent + draw.choice((n, n, n, 0, 2 * n))
        sent += 10 * (acked == sent and draw.random() < 0.3)
        srtt = round(srtt_ms * draw.choice((0, 0.9, 1.0, 1.1)) * 10**9)
        path = (now, srtt, srtt, acked, sent, sent - acked, False)
        kind = draw.choices(("ack", "loss", "timeout", "begin"), (300, 1, 0.5, 0.3))[0]
        size = float(n) if kind == "ack" else draw.uniform(1.0, 60.0)
        yield kind, path, size, int(draw.random() < marked) * draw.choice((1, 1, 2))


def check_prague_events(laws: Laws) -> None:
    """Prague agrees in both versions, with wide and tight bounds, and all events of a flow."""
    cases = [
        (LINUX_07, 0.05),
        (LINUX_06, 0.3),
        ([0.25, 0.0, 0.0, 0.5, 1.0, 0.0], 0.2),
        ([0.0625, 0.06, 2.0, 0.0, 1.0, 1.0], 0.1),
        ([1.0, 3.0, 0.0, 0.25, 0.0, 1.0], 0.5),
    ]
    for seed, ((values, marked), start) in enumerate(itertools.product(cases, STARTS)):
        compare_prague(laws, values, start, list(path_events(seed, 500, marked)))


def check_prague_paths(laws: Laws) -> None:
    """Prague follows its oracle at round trips of 1 to 150 ms, many or one per target."""
    cases = itertools.product((1.0, 8.0, 30.0), (0.02, 0.2, 0.7), (LINUX_07, LINUX_06), STARTS)
    for seed, (srtt_ms, marked, values, start) in enumerate(cases):
        own = [*values[:2], (values[2], 0.0, 1.0)[seed % 3], *values[3:]]
        compare_prague(laws, own, start, list(fast_events(seed, 400, marked, srtt_ms)))
    for seed, start in enumerate(STARTS):
        long = [0.0625, 0.3, 1.0, 0.0, 1.0, 0.0]
        compare_prague(laws, long, start, list(fast_events(seed, 400, 0.05, 150.0)))


def queue_events(seed: int, rounds: int, swing_ms: float) -> Iterator[PathEvent]:
    """Round trips of ten packets over a queue that swings between 0 and this delay."""
    draw = random.Random(seed)
    base, now, acked = 20 * 10**9, 0, 0
    for number in range(rounds):
        depth = swing_ms * (number % 8) / 7
        for place in range(10):
            acked += 1
            rtt = base + round((depth + draw.uniform(0, 0.1)) * 10**9)
            now += rtt // 10
            path = (now, rtt, base, acked, acked + 10, 10, False)
            yield "ack", path, 1.0, int(place == 0 and number % 4 == 3)


def check_prague_fallback(laws: Laws) -> None:
    """A queue that swings by 20 ms counts as classic, one by 0.3 ms does not; 3 ms are between.

    Marks of a fortieth of the packets reduce by alpha / 2 = 1.3 % where the queue is one of L4S,
    and by 5 / 16 where it is one of RFC 3168.
    """
    cut = {}
    for seed, swing_ms in enumerate((0.3, 3.0, 20.0)):
        values = [0.0625, 0.0, 0.0, 0.0, 0.0, 1.0]
        events = list(queue_events(seed, 600, swing_ms))
        for start in STARTS:
            compare_prague(laws, values, start, events)
        law, window = laws.window("prague", values), (10.0, 10.0, 2.0, 30.0)
        law.begin(window)
        for _, path, size, marks in events:
            law.see(path)
            window = law.on_rtt(window, path[1])
            before, window = window[0], law.on_ack(window, int(size), marks)
            if marks:
                cut[swing_ms] = 1 - window[0] / before
    assert cut[0.3] < 0.03 and abs(cut[20.0] - 5 / 16) < 0.01, cut


def check_prague_once_per_target(laws: Laws) -> None:
    """At a round trip of 5 ms, a second mark reduces only from T after the first mark on."""
    for apart, left in ((25 * 10**9 - 1, 8.0), (25 * 10**9, 4.0)):
        law, window = (
            laws.window("prague", [0.0625, 0.025, 0.0, 1.0, 0.0, 0.0]),
            (16.0, 0.0, 1.0, 64.0),
        )
        law.begin(window)
        for now, acked in ((PS, 1), (PS + apart, 101)):
            law.see((now, PS // 200, PS // 200, acked, acked + 99, 99, False))
            window = law.on_ack(window, 1, 1)
        assert window[0] == left, (apart, window)


def check_prague_small_windows(laws: Laws) -> None:
    """A window below one packet grows by at most one packet per target for each packet."""
    for rtt_ms, transition, grown in ((5, 0.0, 0.2), (25, 0.0, 1.0), (5, 9.0, 1.0)):
        law, window = laws.window("prague", [0.0625, 0.025, transition, 0.0, 1.0, 0.0]), START
        law.see((PS, 0, 0, 0, 0, 0, False))
        law.begin(window)
        law.see((2 * PS, rtt_ms * 10**9, rtt_ms * 10**9, 1, 2, 1, False))
        window = law.on_ack(window, 1, 0)
        assert math.isclose(window[0], START[0] + grown), (rtt_ms, transition, window)


def rate_mbps(
    laws: Laws, rtt_ms: float, share: float, marked: Callable[[float], bool], packets: int
) -> float:
    """The mean rate over the second half, on a path with a fixed round trip.

    Args:
        share: share of packets marked; the window begins at the value of Linux's formula.
        marked: whether the packet acknowledged at a time (in seconds) is marked.
        packets: number of packets, acknowledged one by one.
    """
    law, rtt_s = laws.window("prague", LINUX_07), rtt_ms / 1000
    cwnd = 2 * (1 - share) / share * rtt_s / 0.025
    window: WindowState = (2 * cwnd, 0.0, 1 / 64, 1e9)  # halved by the first mark
    law.begin(window)
    now_s, half_s, srtt = 0.0, 0.0, round(rtt_s * PS)
    for acked in range(1, packets + 1):
        now_s += rtt_s / window[0]
        flight = max(1, round(window[0]))
        law.see((round(now_s * PS), srtt, srtt, acked, acked + flight, flight, False))
        window = law.on_ack(window, 1, int(marked(now_s)))
        half_s = now_s if acked == packets // 2 else half_s
    return packets / 2 / (now_s - half_s) * PACKET_MBIT


def in_row(share: float, period_s: float) -> Callable[[float], bool]:
    """Mark packets at the beginning of each period."""
    return lambda now_s: now_s % period_s < share * period_s


def at_random(share: float) -> Callable[[float], bool]:
    """Mark packets independently."""
    draw = random.Random(3)
    return lambda _: draw.random() < share


def check_prague_rate(laws: Laws) -> None:
    """With marks in a row once per 5/4 T, r = 5/4 0.96 (1/p - 1) Mbps, at any round trip up to T.

    T is 25 ms; the fast tier uses only 5 ms.
    """
    period_s = 0.025 * 1.25
    for rtt_ms, share in itertools.product(TRIPS_MS, (0.02, 0.05, 0.1, 0.2)):
        packets = round(400 * 2.5 / share)
        rate = rate_mbps(laws, rtt_ms, share, in_row(share, period_s), packets)
        wanted = 1.25 * 0.96 * (1 / share - 1)
        assert math.isclose(rate, wanted, rel_tol=0.04), (rtt_ms, share, rate, wanted)


def check_prague_rate_at_random_marks(laws: Laws) -> None:
    """Independent marks: a reduction waits for T and the next mark, so r is larger by a third.

    With x marks in T the window falls each T (1 + 1 / x), so that x = 2 (1 - p) (1 + 1 / x); the
    formula, 0.96 (1/p - 1) Mbps, is x = 2 (1 - p).
    """
    for rtt_ms, share in itertools.product(TRIPS_MS, (0.05, 0.1)):
        rate = rate_mbps(laws, rtt_ms, share, at_random(share), round(2500 / share))
        q = 1 - share
        wanted = 0.96 * (1 / share - 1) * (q + math.sqrt(q * q + 2 * q)) / (2 * q)
        assert math.isclose(rate, wanted, rel_tol=0.1), (rtt_ms, share, rate, wanted)


PRAGUE_CHECKS = {
    "prague": [
        check_prague_once_per_target,
        check_prague_small_windows,
        check_prague_events,
        check_prague_fallback,
        check_prague_paths,
        check_prague_rate,
        check_prague_rate_at_random_marks,
    ],
}
