# SPDX-License-Identifier: Apache-2.0
"""SCReAM 2 against its oracle, and against closed forms of its draft's rules."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from typing import Final

from check_path import STARTS, PathEvent, path_events
from check_window import same
from law_api import Laws, Window, WindowState
from oracle_scream import ScreamOracle

__all__ = ["SCREAM_CHECKS", "compare_scream"]

PS: Final = 10**12
MS: Final = 10**9
DRAFT: Final = [0.0, 0.7, 0.8, 0.06, 0.025, 0.02, 100.0, 3.0]
CLASSIC: Final = [1.0, *DRAFT[1:]]
WIDE: Final[WindowState] = (15.0, 0.0, 1e-6, 1e9)


def compare_scream(
    laws: Laws, values: Sequence[float], start: WindowState, events: Sequence[PathEvent]
) -> None:
    """The trajectory of the law, and its rate, against the draft's pseudocode."""
    law, oracle = laws.window("scream", values), ScreamOracle(start, *values)
    assert law.per_mark() and law.every_ack() and law.recovery() == "all-acked"
    assert not law.halves() and law.weight() == 0.0
    window = law.begin(start)
    for i, (kind, path, size, marks) in enumerate(events):
        law.see(path)
        oracle.see(path)
        if kind == "ack" and path[1]:
            sample = path[2] + (path[1] - path[2]) * (1 + i % 3) // 2
            window = law.on_rtt(window, sample)
            oracle.rtt(sample)
        if kind == "begin":
            oracle.begin(window[0])
            window = law.begin(window)
        elif kind == "ack" and (size or marks):
            window = law.on_ack(window, int(size), marks)
            oracle.ack(int(size), marks)
        elif kind == "ece":
            window = law.on_congestion(window, size)
        elif kind == "loss":
            window = law.on_loss(window, size)
            oracle.loss()
        elif kind == "timeout":
            window = law.on_timeout(window, size)
            oracle.timeout()
        where = f"scream {values}, start {start}, event {i} {kind} {size} {marks}"
        same(window, oracle.cwnd, 0.0, where)
        assert math.isclose(law.send_rate(), oracle.target(), rel_tol=1e-9), where
    assert oracle.settled()


def media_events(seed: int, count: int, marked: float, base_ms: float) -> Iterator[PathEvent]:
    """ACKs of a flow whose queueing delay wanders between 0 and 90 ms, with calm periods."""
    draw = random.Random(seed)
    now, acked, sent, delay_ms = 0, 0, 12, 0.0
    calm = False
    for i in range(count):
        if i % 100 == 0:
            calm = draw.random() < 0.4
        now += round(draw.expovariate(1) * base_ms / 8 * MS)
        now += 12 * PS * (draw.random() < 0.01)
        delay_ms = min(90.0, max(0.0, delay_ms + draw.uniform(-4.0, 3.0 if calm else 4.4)))
        n = min(draw.choice((0, 1, 1, 1, 2, 4)), sent - acked)
        acked, sent = acked + n, sent + draw.choice((n, n, n, 0, 2 * n))
        sent += 10 * (acked == sent and draw.random() < 0.3)
        srtt = round((base_ms + delay_ms) * MS)
        path = (now, srtt, round(base_ms * MS), acked, sent, sent - acked, False)
        kind = draw.choices(("ack", "loss", "timeout", "begin"), (300, 1, 0.3, 0.3))[0]
        marks = int(not calm and draw.random() < marked) * draw.choice((1, 1, 2))
        yield kind, path, float(n) if kind == "ack" else 1.0, marks


def check_scream_events(laws: Laws) -> None:
    """SCReAM agrees in both responses to marks, with wide and tight bounds, and all events."""
    cases = [
        (DRAFT, 0.05),
        (CLASSIC, 0.02),
        ([0.0, 0.5, 0.9, 0.02, 0.1, 0.2, 4.0, 1.0], 0.2),
        ([0.0, 0.85, 0.8, 0.2, 0.005, 0.0, 1.0, 0.5], 0.6),
    ]
    for seed, ((values, marked), start) in enumerate(itertools.product(cases, STARTS)):
        compare_scream(laws, values, start, list(path_events(seed, 500, marked)))


def check_scream_media(laws: Laws) -> None:
    """SCReAM follows its oracle below, at and above V, with marks, delay and losses in turn."""
    cases = itertools.product((4.0, 25.0, 90.0), (0.0, 0.05, 0.5), (DRAFT, CLASSIC), STARTS)
    for seed, (base_ms, marked, values, start) in enumerate(cases):
        compare_scream(laws, values, start, list(media_events(seed, 600, marked, base_ms)))


def began(laws: Laws, packets: float) -> tuple[Window, WindowState]:
    """A law whose connection begins at 1 s with a reference window of so many packets."""
    law = laws.window("scream", DRAFT)
    law.see((PS, 0, 0, 0, 0, 0, False))
    return law, law.begin((packets, *WIDE[1:]))


def check_scream_rate(laws: Laws) -> None:
    """The media rate is W / (1.2 T), and a tenth or a fifth lower where few packets fit."""
    for packets, scale in ((20.0, 1.0), (5.0, 0.9), (3.0, 0.8)):
        law, _ = began(laws, packets)
        law.see((PS, 40 * MS, 40 * MS, 0, 0, 0, False))
        assert math.isclose(law.send_rate(), scale * packets / 0.048), packets


def check_scream_growth(laws: Laws) -> None:
    """Right after a mark W grows by T / V a round trip; post_congestion trips later by 2 % more.

    At W = 100 packets of 1,000 the multiplicative part is 1 + 0.02 100 = 3.
    """
    for rtt_ms, later, wanted in ((5, 0, 0.2), (50, 0, 1.0), (5, 2500, 0.6), (5, 1250, 0.4)):
        law, window = began(laws, 100.0)
        now = PS + later * MS
        for acked in (100, 200):
            law.see((now, rtt_ms * MS, rtt_ms * MS, acked, acked + 100, 100, False))
            before, window = window[0], law.on_ack(window, 100 if acked == 200 else 0, 0)
        assert math.isclose((window[0] - before) / 1.5, wanted, rel_tol=1e-9), (rtt_ms, later)


def check_scream_delay(laws: Laws) -> None:
    """At a constant queueing delay q, W falls once per V by half of c = 2 q_avg / D - 1, at most 1.

    The average is q (1 - 0.75^k) after k times V.
    """
    for q_ms in (20, 30, 40, 60, 200):
        law, window = began(laws, 1e8)
        wanted = 1e8
        for k in range(1, 41):
            law.see((PS + 25 * k * MS, 25 * MS, 5 * MS, 0, 10, 10, False))
            law.on_rtt(window, (5 + q_ms) * MS)
            window = law.on_ack(window, 0, 0)
            excess = 2 * q_ms * (1 - 0.75**k) / 60 - 1
            wanted = max(wanted * (1 - min(1.0, max(0.0, excess)) / 2), 3.0)
            assert math.isclose(window[0], 1.5 * wanted, rel_tol=1e-9), (q_ms, k)


def marks_per_target(laws: Laws, rtt_ms: float, share: float) -> float:
    """Mean number of marks per max(V, T) in equilibrium with independent marks."""
    law, window = began(laws, 2 / share * min(1.0, rtt_ms / 25))
    draw, now_s, marks = random.Random(5), 1.0, 0
    srtt, packets = round(rtt_ms * MS), round(3000 / share)
    for acked in range(1, packets + 1):
        reference = window[0] / 1.5
        now_s += rtt_ms / 1000 / reference
        flight = max(1, round(reference))
        law.see((round(now_s * PS), srtt, srtt, acked, acked + flight, flight, False))
        mark = draw.random() < share
        window = law.on_ack(window, 1, int(mark))
        if acked == packets // 2:
            half_s = now_s
        marks += mark and acked > packets // 2
    return marks / (now_s - half_s) * max(0.025, rtt_ms / 1000)


def check_scream_marks(laws: Laws) -> None:
    """With independent marks a flow receives 1 to 2 of them in max(V, T), at any rate."""
    for rtt_ms in (5.0, 25.0, 100.0):
        few, many = (marks_per_target(laws, rtt_ms, share) for share in (0.02, 0.1))
        assert 0.9 < few < 2.1 and math.isclose(few, many, rel_tol=0.15), (rtt_ms, few, many)


SCREAM_CHECKS = {
    "scream": [
        check_scream_events,
        check_scream_media,
        check_scream_rate,
        check_scream_growth,
        check_scream_delay,
        check_scream_marks,
    ],
}
