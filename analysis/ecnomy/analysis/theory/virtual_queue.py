# SPDX-License-Identifier: Apache-2.0
"""Exact marking probability of a virtual queue with Poisson arrivals of equal packets.

The virtual buffer holds K packets and drains one packet per unit of time. Packets arrive at rate a
(the virtual load). A packet that does not fit entirely is discarded. Level crossing gives the
distribution F of the virtual content v, up to a factor, from F(0) = 1:

    F'(v) = a (F(v) - F(v-1))    for v <= K-1
    F'(v) = a (F(K-1) - F(v-1))  above,          discarded fraction = 1 - F(K-1) / F(K)

A busy cycle has F(K) arrivals. For marking until the end of the busy period, let m(v) be the mean
time to empty from v, and u(v) the mean number of future marks from v before marking begins:

    m' = 1 + a (m(v+1) - m(v)),  u' = a (u(v+1) - u(v))   for v <= K-1
    m' = 1,                      u' = a (1 + a m - u)     above,        m(0) = u(0) = 0

The marked fraction is u(1) / F(K). Laws: Gibbens and Kelly 1999; Antoniadis et al. 2000, 3.2.
"""

from __future__ import annotations

import math

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.errors import InputError

__all__ = ["virtual_queue_probability"]

_STEPS = 200  # grid steps per packet, for an error of the trapezoidal rule of about 1e-5


def virtual_queue_probability(
    load: float, theta: float, buffer_packets: float, *, variant: str = "busy-period"
) -> float:
    """Return the fraction of packets marked at a load of the real link.

    Args:
        load: arrival rate divided by the real link's capacity.
        theta: ratio of virtual to real capacity, and of virtual to real buffer, in (0, 1].
        buffer_packets: the law's real buffer B; the virtual buffer is theta B.
        variant: "busy-period" marks from a virtual overflow until the virtual queue is empty;
            "per-overflow" marks only the packets that overflow.

    Raises:
        InputError: an argument is out of range, or the virtual buffer holds less than one packet or
            more than 1,000.
    """
    if load < 0 or not 0 < theta <= 1:
        raise InputError("the load must not be negative and theta must lie in (0, 1]")
    limit = theta * buffer_packets
    if not 1 <= limit <= 1000:
        raise InputError(f"the virtual buffer must hold 1 to 1,000 packets, got {limit:g}")
    if variant not in ("busy-period", "per-overflow"):
        raise InputError(f"unknown variant {variant!r}")
    if load == 0:
        return 0.0
    a = load / theta
    if variant == "busy-period" and limit < 1 + 1e-9:
        limit = 1 + 1e-9  # an arrival at an empty queue fits
    inner, total = _content(a, limit)
    if variant == "per-overflow":
        return max(1 - inner / total, 0.0)
    return min(max(_marks_per_cycle(a, limit) / total, 0.0), 1.0)


def _delayed(start: float, first: Floats, a: float, drive: float, count: int) -> Floats:
    """Solve G' = drive + a (G(y) - G(y-1)) beyond y = 1 by the trapezoidal rule.

    `first` holds the left limits of G on [0, 1]. `start` is the value of G(0) for the term G(y-1).
    """
    h, half = 1 / _STEPS, a / (2 * _STEPS)
    grid = np.empty(count)
    grid[: _STEPS + 1] = first[: _STEPS + 1]
    lag = grid.copy()
    lag[0] = start
    for i in range(_STEPS, count - 1):
        past = grid[i - _STEPS + 1] + (start if i == _STEPS else grid[i - _STEPS])
        grid[i + 1] = (grid[i] * (1 + half) - half * past + h * drive) / (1 - half)
    return grid


def _points(limit: float) -> tuple[Floats, int]:
    count = max(math.ceil(limit * _STEPS), _STEPS) + 2
    return np.arange(count) / _STEPS, count


def _content(a: float, limit: float) -> tuple[float, float]:
    """Return F(K-1) and F(K) for F(0) = 1."""
    y, count = _points(limit)
    grid = _delayed(1.0, np.exp(a * y[: _STEPS + 1]), a, 0.0, count)
    inner = float(np.interp(limit - 1, y, grid))
    fine = np.linspace(max(limit - 2, 0.0), limit - 1, 4 * _STEPS + 1)
    values = np.interp(fine, y, grid)
    mass = float(((values[1:] + values[:-1]) * np.diff(fine)).sum()) / 2
    # F(v-1) is zero for v < 1, so the integral covers less than a whole packet when K < 2
    return inner, inner + a * (inner - mass)


def _marks_per_cycle(a: float, limit: float) -> float:
    """Return u(1), computed with y = K - v from a full buffer downwards."""
    y, count = _points(limit)
    head = y[: _STEPS + 1]
    shape = _delayed(0.0, -head, a, -1.0, count)
    empty = float(np.interp(limit, y, shape))
    after = 1 + a * (-head - empty)  # future marks after marking has begun, including the first
    # On [0, 1]: u_y = a (u - 1 - a m), solved from u(K) = 0; the homogeneous part is F itself.
    rate = a * after
    decay = np.exp(-a * head)
    inner = np.concatenate(
        ([0.0], np.cumsum((decay[1:] * rate[1:] + decay[:-1] * rate[:-1]) / (2 * _STEPS)))
    )
    particular = _delayed(0.0, -np.exp(a * head) * inner, a, 0.0, count)
    homogeneous = _delayed(1.0, np.exp(a * head), a, 0.0, count)
    scale = -float(np.interp(limit, y, particular)) / float(np.interp(limit, y, homogeneous))
    at_one = np.interp(limit - 1, y, particular) + scale * np.interp(limit - 1, y, homogeneous)
    return float(at_one)
