# SPDX-License-Identifier: Apache-2.0
"""What a source's traffic stream makes it do, drawn in Python: the engine must do the same.

Streams come from oracle_random (Philox after its paper); the draws and their order are those that
the headers in omnet/laws/traffic state. Times are whole picoseconds, cut off as the laws cut them.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections.abc import Iterator

from ecnomy.markets.plan import Profile
from oracle_random import stream

PS = 10**12
BRANCHES = ((5.0, 0.44674), (20.0, 0.3), (80.0, 0.20855), (400.0, 0.04471))  # experiments T5


def uniforms(seed, source, member, use="traffic"):
    """The uniforms of a member's stream."""
    for word in stream(seed, f"source/{source}/{member}/{use}"):
        yield ((word >> 12) + 0.5) * 2.0**-52


def exponential_ps(mean_s, u):
    return int(-mean_s * PS * math.log1p(-u))


def poisson_times(seed, source, member, mean_s) -> Iterator[int]:
    """Times of packets after the start."""
    gaps = (exponential_ps(mean_s, u) for u in uniforms(seed, source, member))
    return itertools.accumulate(gaps)


def calls(seed, source, member, idle_s, call_s, interval_s=0.1):
    """(idle, holding, phase) of each call of a telephone user with random phases."""
    us = uniforms(seed, source, member)
    while True:
        yield (
            exponential_ps(idle_s, next(us)),
            exponential_ps(call_s, next(us)),
            int(next(us) * round(interval_s * PS)),
        )


def hyper_reading_ps(mean_s, us):
    """A reading time of the four branches; mean_s is the mean of the mixture."""
    u, whole = next(us), sum(m * p for m, p in BRANCHES)
    edges = list(itertools.accumulate(p for _, p in BRANCHES[:-1]))
    branch = BRANCHES[bisect_right(edges, u)][0]
    return int(-(mean_s * PS * (branch / whole)) * math.log1p(-next(us)))


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
