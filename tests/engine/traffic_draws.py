# SPDX-License-Identifier: Apache-2.0
"""A source's traffic drawn in Python from its stream: the engine must send the same.

Streams come from oracle_random (Philox after its paper); the draws and their order follow
the headers in omnet/laws/traffic. Times are whole picoseconds, truncated as in the laws.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from ecnomy.markets.plan import Profile
from oracle_random import stream

PS = 10**12
BRANCHES = ((5.0, 0.44674), (20.0, 0.3), (80.0, 0.20855), (400.0, 0.04471))  # experiments T5


def uniforms(seed: int, source: str, member: int, use: str = "traffic") -> Iterator[float]:
    """The uniforms of a member's stream."""
    for word in stream(seed, f"source/{source}/{member}/{use}"):
        yield ((word >> 12) + 0.5) * 2.0**-52


def exponential_ps(mean_s: float, u: float) -> int:
    return int(-mean_s * PS * math.log1p(-u))


def poisson_times(seed: int, source: str, member: int, mean_s: float) -> Iterator[int]:
    """Times of packets after the start."""
    gaps = (exponential_ps(mean_s, u) for u in uniforms(seed, source, member))
    return itertools.accumulate(gaps)


def calls(
    seed: int,
    source: str,
    member: int,
    idle_s: float,
    call_s: float,
    interval_s: float = 0.1,
) -> Iterator[tuple[int, int, int]]:
    """(idle, holding, phase) of each call of a telephone user with random phases."""
    us = uniforms(seed, source, member)
    while True:
        yield (
            exponential_ps(idle_s, next(us)),
            exponential_ps(call_s, next(us)),
            int(next(us) * round(interval_s * PS)),
        )


def hyper_reading_ps(mean_s: float, us: Iterator[float]) -> int:
    """A reading time of the four branches; mean_s is the mean of the mixture."""
    u, whole = next(us), sum(m * p for m, p in BRANCHES)
    edges = list(itertools.accumulate(p for _, p in BRANCHES[:-1]))
    branch = BRANCHES[bisect_right(edges, u)][0]
    return int(-(mean_s * PS * (branch / whole)) * math.log1p(-next(us)))


def geometric(mean: float, u: float) -> int:
    """The first n of 1, 2, ... with 1 - (1 - 1/mean)^n >= u."""
    n, keep = 1, 1 - 1 / mean
    while 1 - keep**n < u:
        n += 1
    return n


def session_pauses(
    seed: int, source: str, member: int, idle_s: float, pages: float, reading_s: float
) -> Iterator[int]:
    """The pauses before each file (of fixed size) of a web user with sessions."""
    us, first = uniforms(seed, source, member), True
    while True:
        reading = 0 if first else hyper_reading_ps(reading_s, us)
        idle, first = exponential_ps(idle_s, next(us)), False
        count = geometric(pages, next(us))
        yield reading + idle
        for _ in range(count - 1):
            yield hyper_reading_ps(reading_s, us)


def page_files(
    seed: int,
    source: str,
    member: int,
    reading_s: float,
    parse_s: float,
    objects: float,
    sizes: Sequence[tuple[int, float]],
    object_bytes: float,
) -> Iterator[tuple[int, int]]:
    """(pause, bytes) of a web user's pages with listed sizes and objects with exponential sizes.

    Args:
        sizes: (bytes, weight) of pages.
        object_bytes: mean size of an object.
    """
    us, parsed = uniforms(seed, source, member), 0
    while True:
        pause = parsed + hyper_reading_ps(reading_s, us)
        yield pause, listed(sizes, next(us))
        count, parsed = geometric(objects + 1, next(us)) - 1, 0
        parsing = exponential_ps(parse_s, next(us))
        for number in range(count):
            size = max(1, math.floor(0.5 - object_bytes * math.log1p(-next(us))))
            yield 0 if number else parsing, size
        parsed = 0 if count else parsing


def listed(sizes: Sequence[tuple[int, float]], u: float) -> int:
    """The size whose interval of the cumulative weights holds u."""
    whole, upto = sum(weight for _, weight in sizes), 0.0
    for size, weight in sizes:
        upto += weight
        if u * whole < upto:
            return size
    raise AssertionError("u is below 1")


def spurts(
    us: Iterator[float], start: int, end: int, talk_s: float, silence_s: float
) -> Iterator[tuple[int, int]]:
    """(start, end) of the talk spurts of a call."""
    talking, now = next(us) < talk_s / (talk_s + silence_s), start
    while now < end:
        until = now + exponential_ps(talk_s if talking else silence_s, next(us))
        if talking:
            yield now, until
        talking, now = not talking, until


def video_packets(
    seed: int,
    source: str,
    member: int,
    frames: Sequence[tuple[float, float]],
    payload: int,
    *,
    interval_s: float,
    spread: bool,
) -> Iterator[tuple[int, int]]:
    """(time after the start, bytes) of video packets with random phases.

    Args:
        frames: (mean, variation) of each frame of a group.
        payload: bytes in a full packet.
    """
    us, interval = uniforms(seed, source, member), round(interval_s * PS)
    start = int(next(us) * len(frames) * interval)
    for number, (mean, variation) in enumerate(itertools.cycle(frames)):
        u, v = next(us), next(us)
        deviation = math.sqrt(math.log1p(variation**2))
        z = math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * v)
        size = round(mean * math.exp(deviation * z - deviation**2 / 2))
        count = -(-size // payload)
        for k in range(count):
            at = start + number * interval + (k * interval // count if spread else 0)
            yield at, min(payload, size - k * payload)


def operational_ps(profile: Profile, t_ps: int) -> int:
    """The integral of the factor from 0 to t_ps, in millionths of ps."""
    begins = [s.at_ps for s in profile.steps]
    lengths = [b - a for a, b in itertools.pairwise([*begins, profile.period_ps])]
    parts = zip(lengths, profile.steps, strict=True)
    work = [0, *itertools.accumulate(length * step.factor_ppm for length, step in parts)]
    whole, phase = divmod(t_ps, profile.period_ps)
    step = bisect_right(begins, phase) - 1
    within = work[step] + (phase - begins[step]) * profile.steps[step].factor_ppm
    return whole * work[-1] + within
