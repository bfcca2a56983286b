# SPDX-License-Identifier: Apache-2.0
"""Philox4x32-10, the stream's key and the distributions, in Python.

Sources: Salmon et al. SC 2011 (Philox), Fowler, Noll and Vo (FNV-1a), Steele, Lea and Flood 2014
(SplitMix64). Distributions are given as cumulative functions, not as the inversions that the laws
use.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Final

__all__ = [
    "exponential_cdf",
    "fnv1a",
    "kolmogorov_smirnov",
    "pareto_cdf",
    "pareto_mean",
    "philox",
    "splitmix",
    "stream",
]

M32: Final = 2**32 - 1
M64: Final = 2**64 - 1


def philox(counter: Sequence[int], key: Sequence[int]) -> list[int]:
    """Ten rounds on four 32-bit words."""
    c0, c1, c2, c3 = counter
    for turn in range(10):
        k0 = (key[0] + turn * 0x9E3779B9) & M32
        k1 = (key[1] + turn * 0xBB67AE85) & M32
        high0, low0 = divmod(0xD2511F53 * c0, 2**32)
        high1, low1 = divmod(0xCD9E8D57 * c2, 2**32)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
    return [c0, c1, c2, c3]


def fnv1a(text: str) -> int:
    """FNV-1a of 64 bits over the UTF-8 bytes."""
    value = 14695981039346656037
    for byte in text.encode():
        value = (value ^ byte) * 1099511628211 % 2**64
    return value


def splitmix(state: int) -> int:
    """The next output of SplitMix64 from this `state`."""
    z = (state + 0x9E3779B97F4A7C15) & M64
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        z = (z ^ (z >> shift)) * factor & M64
    return z ^ (z >> 31)


def stream(seed: int, name: str) -> Iterator[int]:
    """The 64-bit numbers of a component's stream."""
    key = splitmix(seed ^ splitmix(fnv1a(name)))
    halves = [key & M32, key >> 32]
    block = 0
    while True:
        a, b, c, d = philox([block & M32, block >> 32, 0, 0], halves)
        yield b << 32 | a
        yield d << 32 | c
        block += 1


def exponential_cdf(x: float, mean: float) -> float:
    """P(X <= x) of an exponential."""
    return -math.expm1(-x / mean) if x > 0 else 0.0


def pareto_cdf(x: float, low: float, high: float, shape: float) -> float:
    """P(X <= x) of a Pareto truncated to [low, high]."""
    if x <= low:
        return 0.0
    return min(1.0, (1 - math.pow(low / x, shape)) / (1 - math.pow(low / high, shape)))


def pareto_mean(low: float, high: float, shape: float, power: int = 1) -> float:
    """E[X^power] of the truncated Pareto, from the integral of x^power times its density."""
    density = shape * math.pow(low, shape) / (1 - math.pow(low / high, shape))
    exponent = power - shape
    return density * (math.pow(high, exponent) - math.pow(low, exponent)) / exponent


def kolmogorov_smirnov(values: Sequence[float], cdf: Callable[[float], float]) -> float:
    """sqrt(n) times the largest distance between the empirical distribution and `cdf`."""
    ordered = sorted(values)
    n = len(ordered)
    distance = 0.0
    for i, value in enumerate(ordered):
        at = cdf(value)
        distance = max(distance, at - i / n, (i + 1) / n - at)
    return distance * math.sqrt(n)
