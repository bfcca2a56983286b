# SPDX-License-Identifier: Apache-2.0
"""CUBIC and DCTCP, which observe their path, against their oracles and figures of the RFCs."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence

from check_window import same
from law_api import Laws, PathState, Window, WindowState
from oracle_path import CubicOracle, DctcpOracle

__all__ = ["PATH_CHECKS", "compare_path", "path_events"]

MS = 10**9
PathEvent = tuple[str, PathState, float, int]  # what, the path, packets or what was used, marks
STARTS: Sequence[WindowState] = [
    (10.0, math.inf, 1.0, 1e9),
    (10.0, 0.0, 1.0, 1e9),
    (40.0, 0.0, 1.0, 64.0),
]


def path_events(seed: int, count: int, marked: float) -> Iterator[PathEvent]:
    """ACKs of a flow with some packets in flight, and all other events."""
    draw = random.Random(seed)
    now, acked, sent, limited = 0, 0, 10, False
    for _ in range(count):
        now += draw.choice((1, 10, 40, 2000)) * MS * draw.randint(1, 3) // 2
        n = min(draw.choice((0, 1, 1, 1, 2, 5)), sent - acked)
        acked, sent = acked + n, sent + n + draw.choice((0, 0, 0, 1))
        limited = draw.random() < (0.9 if limited else 0.02)
        path = (now, draw.choice((20, 30, 80)) * MS, 20 * MS, acked, sent, sent - acked, limited)
        kind = draw.choices(("ack", "ece", "loss", "timeout", "begin"), (100, 2, 1, 0.5, 0.2))[0]
        size = float(n) if kind == "ack" else draw.uniform(1.0, 60.0)
        yield kind, path, size, int(draw.random() < marked) * draw.choice((1, 1, 3))


def compare_path(
    laws: Laws, name: str, values: Sequence[float], start: WindowState, events: Sequence[PathEvent]
) -> None:
    """The trajectory of the law against that of its RFC."""
    law, window = laws.window(name, values), start
    oracle = {"cubic": CubicOracle, "dctcp": DctcpOracle}[name](start, *values)
    assert law.per_mark() == (name == "dctcp") and law.halves() == (name == "cubic")
    assert law.recovery() == "all-acked" and not law.every_ack() and law.weight() == 0.0
    law.begin(start)
    acked = 0
    for i, (kind, path, size, marks) in enumerate(events):
        if kind == "begin":
            window = law.begin(window)
            oracle.begin()
        if kind == "ack" and name == "cubic" and path[3] > acked:
            window = law.on_rtt(window, path[1])
            oracle.sample(path[1])
        acked = path[3]
        law.see(path)
        oracle.see(path)
        if kind == "ack" and (size or marks):
            window = law.on_ack(window, int(size), marks)
            oracle.ack(int(size), marks)
        elif kind == "ece":
            window = law.on_congestion(window, size)
            oracle.echo(size)
        elif kind == "loss":
            window = law.on_loss(window, size)
            oracle.loss(size)
        elif kind == "timeout":
            window = law.on_timeout(window, size)
            oracle.timeout(size)
        where = f"{name} {values}, start {start}, event {i} {kind} {size} {marks}"
        same(window, float(oracle.cwnd), float(oracle.ssthresh), where)


def check_cubic(laws: Laws) -> None:
    """CUBIC agrees with usual and unusual constants, wide and tight bounds, and all events."""
    cases = [
        [0.7, 0.4, 1.0, 2.0, 0.0, 0.0],
        [0.5, 4.0, 0.0, 1.0, 0.85, 0.0],
        [0.9, 0.01, 1.0, 8.0, 0.0, 1.0],
    ]
    for seed, (values, start) in enumerate(itertools.product(cases, STARTS)):
        compare_path(laws, "cubic", values, start, list(path_events(seed, 500, 0.0)))


def check_dctcp(laws: Laws) -> None:
    """DCTCP agrees with few and many marks, wide and tight bounds, and all events."""
    cases = [([0.0625, 1.0, 2.0], 0.05), ([0.25, 0.0, 1.0], 0.5), ([1.0, 0.5, 6.0], 0.2)]
    for seed, ((values, marked), start) in enumerate(itertools.product(cases, STARTS)):
        compare_path(laws, "dctcp", values, start, list(path_events(seed, 500, marked)))


def grown(law: Window, window: WindowState, rtt_ms: int, seconds: float) -> WindowState:
    """The window after rounds of full windows of ACKs, spread evenly over each round trip."""
    now, acked = 0, 0
    while now < seconds * 1000 * MS:
        packets = max(1, int(window[0]))
        for _ in range(packets):
            now, acked = now + rtt_ms * MS // packets, acked + 1
            law.see((now, rtt_ms * MS, rtt_ms * MS, acked, acked + packets, packets, False))
            window = law.on_ack(window, 1, 0)
    return window


def slow_start_events(seed: int, count: int) -> Iterator[PathEvent]:
    """ACKs of a flow with about 20 packets; round trips rise, stay for some rounds, or fall."""
    draw = random.Random(seed)
    now, acked, sent, base = 0, 0, 10, draw.choice((8, 20, 60, 200)) * MS
    for _ in range(count):
        n = min(draw.choice((1, 1, 1, 2, 3, 12)), sent - acked)
        acked, now = acked + n, now + MS
        sent = max(sent, acked + draw.randint(8, 25))
        if draw.random() < 0.02:
            base = max(base + draw.choice((-20, -5, -1, 6, 12, 20)) * MS, MS)
        path = (now, base + draw.randint(0, 9) * MS // 9, base, acked, sent, sent - acked, False)
        kind = draw.choices(("ack", "begin", "ece"), (100, 0.5, 0.05))[0]
        yield kind, path, float(n), 0


def check_hystart(laws: Laws) -> None:
    """The first slow start of a connection, with tentative and final ends (RFC 9406)."""
    for seed in range(40):
        start = (2.0, math.inf, 1.0, 1e12)
        values = [0.7, 0.4, 1.0, 2.0, 0.0, 1.0]
        compare_path(laws, "cubic", values, start, list(slow_start_events(seed, 600)))


def check_cubic_comes_back(laws: Laws) -> None:
    """CUBIC regains W_max after K = cbrt(W_max (1 - beta) / C), at any round-trip time (Eq. 2)."""
    k_s = (1000 * 0.3 / 0.4) ** (1 / 3)
    for rtt_ms in (50, 200):
        law = laws.window("cubic", [0.7, 0.4, 1.0, 2.0, 0.0, 0.0])
        window = law.on_congestion((1000.0, 0.0, 1.0, 1e9), 1000.0)
        assert math.isclose(window[0], 700.0)
        back = grown(law, window, rtt_ms, k_s)
        assert math.isclose(back[0], 1000.0, rel_tol=0.01), (rtt_ms, back)


def check_cubic_is_reno_where_reno_is_faster(laws: Laws) -> None:
    """On a short path CUBIC grows by 3 (1 - beta) / (1 + beta) packets per round trip (Eq. 4)."""
    law = laws.window("cubic", [0.7, 0.4, 1.0, 2.0, 0.0, 0.0])
    window = law.on_congestion((100.0, 0.0, 1.0, 1e9), 100.0)
    after = grown(law, window, 1, 0.02)  # 20 round trips of a millisecond
    assert math.isclose(after[0] - window[0], 20 * 0.9 / 1.7, rel_tol=0.05), after


def check_dctcp_alpha(laws: Laws) -> None:
    """If all packets are marked, alpha tends to 1, and a round then halves the window."""
    for marked, left in ((1, 0.5), (0, 1.0)):
        law, window = laws.window("dctcp", [0.0625, 0.5, 1.0]), (64.0, 0.0, 1.0, 64.0)
        acked = 0
        for _ in range(200 * 64):
            acked += 1
            law.see((acked * MS, 20 * MS, 20 * MS, acked, acked + 64, 64, False))
            window = law.on_ack((64.0, 0.0, 1.0, 64.0), 1, marked)
            lowest = window[0] if acked > 150 * 64 and window[0] < 64 else 64 * left
        assert math.isclose(lowest / 64, left, rel_tol=1e-3), (marked, lowest)


PATH_CHECKS = {
    "cubic": [
        check_cubic,
        check_hystart,
        check_cubic_comes_back,
        check_cubic_is_reno_where_reno_is_faster,
    ],
    "dctcp": [check_dctcp, check_dctcp_alpha],
}
