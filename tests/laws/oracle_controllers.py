# SPDX-License-Identifier: Apache-2.0
"""REM, PI, the adaptive virtual queue and the adaptive threshold, in exact fractions.

Sources: athuraliya2000 Fig. 3 and section II-C.1 (all its quantities are packets and packets per
update period); Hollot et al. 2001 as in christin2003 section 5.1; Kunniyur and Srikant
2001, Fig. 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

__all__ = ["AdaptiveLimit", "Avq", "Period", "RemOptions", "pi_probabilities", "rem_prices"]

PS: Final = 10**12
NEAR_BYTES: Final = Fraction(1, 10**5)


class RemOptions(NamedTuple):
    """REM's parameters in the order of its table."""

    price: int = 2
    phi: float = 1.001
    gamma: float = 0.005
    alpha: float = 0.1
    target: float = 0.0
    capacity_share: float = 1.0
    interval_s: float = 0.002
    input_weight: float = 0.1
    backlog_weight: float = 1.0
    at_arrival: bool = False
    in_bytes: bool = True
    mean_bytes: float = 1000.0

    def values(self) -> list[float]:
        """One number per parameter."""
        return [float(v) for v in self]


class Period(NamedTuple):
    """One update period: the sizes that arrived in it, and the backlog at its end."""

    sizes: tuple[int, ...]
    packets: int
    bytes: int


def rem_prices(options: RemOptions, rate_bps: int, periods: Sequence[Period]) -> list[Fraction]:
    """The price after each period, from the paper's recursion in packets per period."""
    o = options
    mean, gamma = Fraction(o.mean_bytes), Fraction(o.gamma)
    period_s = Fraction(round(o.interval_s * PS), PS)
    capacity = Fraction(o.capacity_share) * rate_bps * period_s / (8 * mean)
    delta, weight = Fraction(o.input_weight), Fraction(o.backlog_weight)
    rate = buffer = price = Fraction(0)
    prices = []
    for sizes, packets, waiting_bytes in periods:
        new_in = sum(sizes) / mean if o.in_bytes else Fraction(len(sizes))
        occupancy = waiting_bytes / mean if o.in_bytes else Fraction(packets)
        rate = (1 - delta) * rate + delta * new_in
        buffer = (1 - weight) * buffer + weight * occupancy
        if o.price == 0:
            price = max(price + gamma * (rate - capacity), Fraction(0))
        elif o.price == 1:
            price = gamma * buffer
        else:
            backlog = Fraction(o.alpha) * (buffer - Fraction(o.target))
            price = max(price + gamma * (backlog + rate - capacity), Fraction(0))
        prices.append(price)
    return prices


def pi_probabilities(
    reference: float, a: float, b: float, queues: Sequence[Fraction]
) -> list[Fraction]:
    """The marking probability after each sample of the queue (in packets, like the reference)."""
    p, before = Fraction(0), Fraction(0)
    out = []
    for q in queues:
        p += Fraction(a) * (q - Fraction(reference)) - Fraction(b) * (before - Fraction(reference))
        p = min(max(p, Fraction(0)), Fraction(1))
        before = q
        out.append(p)
    return out


class Avq:
    """The adaptive virtual queue, in bytes and bytes per second."""

    def __init__(self, gamma: float, alpha: float, limit: float | Fraction, rate_bps: int) -> None:
        self.gamma, self.alpha, self.limit = Fraction(gamma), Fraction(alpha), Fraction(limit)
        self.capacity = Fraction(rate_bps, 8)
        self.virtual = self.capacity
        self.queue = Fraction(0)
        self.at = 0

    def arrive(self, now: int, size: int) -> tuple[bool, bool]:
        """Offers a packet; returns whether it is marked, and whether 1e-5 byte decides that."""
        gap = Fraction(now - self.at, PS)
        self.at = now
        self.queue = max(self.queue - self.virtual * gap, Fraction(0))
        room = self.limit - self.queue - size
        if room >= 0:
            self.queue += size
        bucket = self.virtual + self.alpha * self.gamma * self.capacity * gap
        self.virtual = max(min(bucket, self.capacity) - self.alpha * size, Fraction(0))
        return room < 0, 0 < abs(room) < NEAR_BYTES


class AdaptiveLimit:
    """The adaptive threshold as a bucket of C / alpha bytes, filled at gamma C.

    Each packet takes its bytes, or all that is left. The threshold is the buffer times the level's
    share of the bucket; with alpha = 0 it is the buffer.
    """

    def __init__(self, gamma: float, alpha: float, buffer_bytes: Fraction, rate_bps: int) -> None:
        self.buffer, self.fill = buffer_bytes, Fraction(gamma) * rate_bps / 8
        self.size = Fraction(rate_bps, 8) / Fraction(alpha) if alpha else None
        self.level, self.at = self.size, 0

    def arrive(self, now: int, size: int) -> Fraction:
        """Takes a packet; returns the threshold that applies to it, in bytes."""
        gap, self.at = Fraction(now - self.at, PS), now
        if self.level is None or self.size is None:
            return self.buffer
        full = min(self.level + self.fill * gap, self.size)
        self.level = full - min(full, Fraction(size))
        return self.buffer * self.level / self.size
