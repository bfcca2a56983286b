# SPDX-License-Identifier: Apache-2.0
"""Telephone users, single files, on-off files and the web user's reading times against oracles.

The telephone oracle lays out whole calls first (experiments T4) and lists their packets; the law
steps from packet to packet. Geometric and hyper-exponential draws are compared with theory.
"""

from __future__ import annotations

import math
import random
from typing import Final

from law_api import FARTHEST, NEVER, Laws

__all__ = ["USER_CHECKS", "check_web_hyper"]

PS: Final = 10**12
PAYLOAD: Final = 1000  # native/users.cc
# andreassen2002 2.2.2 as laid out in experiments T5: means and probabilities of four branches.
BRANCHES: Final = ((5.0, 0.44674), (20.0, 0.3), (80.0, 0.20855), (400.0, 0.04471))


def _packets(us: list[float], idle_s: float, call_s: float, gap: int, tick: bool) -> list[int]:
    """Return the times of all packets of the calls from these draws, since the user's start."""
    times, now, draw = list[int](), 0, iter(us)
    per_call = 2 if tick else 3
    for _ in range(len(us) // per_call):
        now += int(-math.log1p(-next(draw)) * idle_s * PS)
        holding = int(-math.log1p(-next(draw)) * call_s * PS)
        offset = 0 if tick else int(next(draw) * gap)
        times += range(now + offset, now + holding, gap)
        now += holding
    return times


def check_voip(laws: Laws) -> None:
    """Every packet of fifty calls has the right time. Some calls have no packet."""
    gap = PS // 10
    for tick, seed, call_s in ((True, 1, 2.0), (False, 2, 2.0), (False, 3, 0.08), (True, 4, 1e-4)):
        draw = random.Random(seed)
        us = [draw.random() for _ in range(150 if not tick else 100)]
        expected = _packets(us, 5.0, call_s, gap, tick)
        law = laws.traffic("voip", [5.0, call_s, 0.1, 0.0 if tick else 1.0, 0.0])
        now, left = 0, list(us)
        for i, t_ps in enumerate(expected):
            step, used = law.first(left) if i == 0 else law.gap(left)
            now, left = now + step, left[used:]
            assert abs(now - t_ps) <= 300, f"packet {i}: {now}, oracle {t_ps}, call {call_s} s"
        assert len(expected) >= 8, len(expected)


def check_voip_statistics(laws: Laws) -> None:
    """With three calls of 3 min per idle hour, the share of time in calls is 0.1304."""
    law, draw = laws.traffic("voip", [1200.0, 180.0, 10.0, 1.0, 0.0]), random.Random(9)
    now = law.first([draw.random() for _ in range(9)])[0]
    packets = 1
    while now < 4_000_000 * PS:
        now += law.gap([draw.random() for _ in range(9)])[0]
        packets += 1
    calls = 4_000_000 / 1380
    # A renewal reward: the packets' variance per call is about twice that of a holding time.
    assert abs(packets * 10 / 4_000_000 / (180 / 1380) - 1) < 4 * 1.5 / math.sqrt(calls)


def check_voip_range(laws: Laws) -> None:
    """Negative, zero or too long times are refused; the largest mean does not overflow."""
    for values in ([0.0, 1, 0.1, 1], [1, 0.0, 0.1, 1], [1, 1, 0.0, 1], [3e5, 1, 0.1, 1]):
        assert _refused(laws, "voip", [*values, 0.0]), values
    assert _refused(laws, "voip", [1, 1, 0.1, 1, -1.0])
    law, largest = laws.traffic("voip", [2e5, 2e5, 0.1, 0.0, 0.0]), 1 - 2.0**-53
    assert law.first([largest] * 2)[0] == FARTHEST
    law = laws.traffic("voip", [1.0, 2e5, 1e6, 1.0, 0.0])
    assert law.first([0.5, largest, 0.999])[0] < 10**6 * PS, "a call is as long as time at most"
    assert law.gap([])[0] == 10**6 * PS


def check_file(laws: Laws) -> None:
    """One file of the stated size begins at once, and no other file follows."""
    for size in (1.0, 1_234_567.0, 1e15):
        law = laws.traffic("file", [size])
        assert law.reading([]) == (0, 0)
        assert law.file_bytes([]) == (int(size), 0)
        assert law.reading([]) == (NEVER, 0) and law.reading([]) == (NEVER, 0)
    assert _refused(laws, "file", [0.5])


def check_on_off(laws: Laws) -> None:
    """The first file has no pause, later ones exponential pauses. Sizes are geometric."""
    draw = random.Random(5)
    for mean in (1.0, 1.5, 300.0):
        law = laws.traffic("on-off", [mean, 2.0, 0])
        assert law.reading([0.3]) == (0, 0)
        for _ in range(200):
            u, v = draw.random(), draw.random()
            pause, used = law.reading([u])
            assert used == 1 and abs(pause + math.log1p(-u) * 2.0 * PS) < 300
            size, _ = law.file_bytes([v])
            packets = size // PAYLOAD
            assert size == packets * PAYLOAD and packets >= 1
            keep = 1 - 1 / mean  # P(N > k) = keep^k, so u lies between F(N - 1) and F(N)
            assert 1 - keep ** (packets - 1) - 1e-12 <= v <= 1 - keep**packets + 1e-12, (mean, v)
    law = laws.traffic("on-off", [300.0, 1.0, 0])
    sizes = [law.file_bytes([draw.random()])[0] / PAYLOAD for _ in range(20_000)]
    assert abs(sum(sizes) / 20_000 - 300) < 4 * 300 / math.sqrt(20_000)
    assert _refused(laws, "on-off", [0.5, 1.0])
    longest = laws.traffic("on-off", [300.0, 2e5, 0])
    assert longest.reading([]) == (0, 0)
    assert longest.reading([1 - 2.0**-53]) == (FARTHEST, 1)


def check_web_hyper(laws: Laws) -> None:
    """Hyper-exponential reading times have the right branches, mean and coefficient."""
    mean = sum(m * p for m, p in BRANCHES)
    law = laws.traffic("web", [mean, 0, 1.0, 1.0, 5e6, 1.2, 1.0, -1.0, 0])
    edge = 0.0
    for branch, probability in BRANCHES:
        for u in (edge + 1e-9, edge + probability / 2, edge + probability - 1e-6):
            value, used = law.reading([u, 0.5])
            assert used == 2
            assert math.isclose(value, math.log(2) * branch * PS, rel_tol=1e-9), (u, value)
        edge += probability
    half = laws.traffic("web", [mean / 2, 0, 1.0, 1.0, 5e6, 1.2, 1.0, -1.0, 0])
    assert abs(2 * half.reading([0.1, 0.5])[0] - law.reading([0.1, 0.5])[0]) <= 2
    draw = random.Random(6)
    times = [law.reading([draw.random(), draw.random()])[0] / PS for _ in range(200_000)]
    average = sum(times) / len(times)
    spread = math.sqrt(sum((t - average) ** 2 for t in times) / len(times))
    assert abs(average - 42.8) < 4 * 2.9 * 42.8 / math.sqrt(len(times))
    assert abs(spread / average - 2.9) < 0.06
    for top in (2e5, 4e5):
        refused = _refused(laws, "web", [5, 0, 1, 1, 5e6, 1.2, 0, top, 0])
        assert refused == (top > 2e5)


def _refused(laws: Laws, name: str, values: list[float]) -> bool:
    try:
        laws.traffic(name, values)
    except ValueError:
        return True
    return False


USER_CHECKS = {
    "voip": [check_voip, check_voip_statistics, check_voip_range],
    "file": [check_file],
    "on-off": [check_on_off],
}
