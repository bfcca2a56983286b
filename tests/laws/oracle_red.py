# SPDX-License-Identifier: Apache-2.0
"""RED by its paper's pseudo-code, with ns-2's options: the oracle of marking/red.h.

Sources: Floyd and Jacobson 1993, Fig. 2 (every mark, the forced one included, sets the count to
zero); ns-2 red.cc for gentle, wait, count in bytes, the empty-queue rule and the order of tests;
siris2002 section 4.1 for marks at the buffer limit. Unlike the law, the oracle uses lists and
loops.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, NamedTuple

from law_api import DROP, MARK, PASS, Packet, Queue

__all__ = ["BRANCHES", "RedDecision", "RedOptions", "RedOracle"]

NEAR: Final = 1e-9
BRANCHES: Final = frozenset({"below", "empty", "first", "early", "kept", "above", "limit"})


class RedOptions(NamedTuple):
    """RED's parameters in the order of its table; thresholds in packets, or bytes if in_bytes."""

    in_bytes: bool
    min_th: float
    max_th: float
    max_p: float
    weight: float
    gentle: bool = True
    wait: bool = True
    use_count: bool = True
    mark_on_empty: bool = False
    idle_decay: bool = True
    drop_above: bool = False
    mark_p: float = 1.0
    byte_mark: bool = False
    mean_bytes: float = 1000.0
    limit: float = -1.0

    def values(self) -> list[float]:
        """One number per parameter."""
        return [float(v) for v in self]


class RedDecision(NamedTuple):
    """RED's action on an arrival; `doubtful` if rounding may decide otherwise."""

    action: int
    p_b: float
    average: float
    branch: str
    doubtful: bool


def near(a: float, b: float) -> bool:
    """Unequal, yet so close that rounding may put them in either order."""
    return a != b and abs(a - b) <= NEAR * max(1.0, abs(a), abs(b))


class RedOracle:
    """One queue's RED."""

    def __init__(self, options: RedOptions) -> None:
        self.options = options
        self.average = 0.0
        self.old = False  # ns-2's name: avg has been above min_th since the last packet
        self.sizes: list[int] = []  # arrivals since the last mark

    def arrive(self, queue: Queue, packet: Packet, now: int, u: float) -> RedDecision:
        """The verdict on a packet of `packet[1]` bytes that finds `queue`, with the draw u."""
        self.estimate(queue, now)
        return self.judge(queue, packet, u)

    def judge(self, queue: Queue, packet: Packet, u: float) -> RedDecision:
        """Return the verdict with the current average."""
        o = self.options
        size = self._size(queue)
        self.sizes.append(packet[1])
        full = 0 <= o.limit <= size
        top = 2 * o.max_th if o.gentle else o.max_th
        doubtful = near(self.average, o.min_th) or near(self.average, top)
        p_b = 0.0
        if self.average < o.min_th:
            self.old, action, branch = False, PASS, "below"
        elif queue[0] <= 1 and not o.mark_on_empty:
            self.old, action, branch = False, PASS, "empty"
        elif self.average >= top:
            p_b, action, branch = 1.0, DROP if o.drop_above else MARK, "above"
            self.sizes = []
        else:
            p_b = self._linear()
            action, branch, unsure = self._early(packet, p_b, u)
            doubtful = doubtful or (unsure and not full)
        if full:
            action, branch, self.sizes = MARK, "limit", []
        return RedDecision(action, p_b, self.average, branch, doubtful)

    def _size(self, queue: Queue) -> int:
        return queue[1] if self.options.in_bytes else queue[0]

    def estimate(self, queue: Queue, now: int) -> None:
        """Updates the average."""
        o, size = self.options, self._size(queue)
        packets, _, rate, idle_since = queue
        if o.idle_decay and packets == 0 and idle_since >= 0:
            slot = Fraction(o.mean_bytes) * 8 * 10**12 / rate
            end = idle_since + slot
            while end <= now:  # one small packet that could have been sent
                self.average = (1 - o.weight) * self.average
                end += slot
        self.average = (1 - o.weight) * self.average + o.weight * size

    def _linear(self) -> float:
        o = self.options
        if self.average < o.max_th:
            return (self.average - o.min_th) * o.max_p / (o.max_th - o.min_th)
        return (self.average / o.max_th - 1) * (1 - o.max_p) + o.max_p

    def _early(self, packet: Packet, p_b: float, u: float) -> tuple[int, str, bool]:
        if not self.old:
            self.old, self.sizes = True, [packet[1]]
            return PASS, "first", False
        p_a, doubtful = self._spread(packet, p_b)
        doubtful = doubtful or abs(u - p_a) < NEAR
        if not u < p_a:
            return PASS, "kept", doubtful
        self.sizes = []
        doubtful = doubtful or near(p_b, self.options.mark_p)
        return (DROP if p_b > self.options.mark_p else MARK), "early", doubtful

    def _spread(self, packet: Packet, p_b: float) -> tuple[float, bool]:
        """Return the probability with the count, by size in byte_mark, and whether it is
        doubtful."""
        o = self.options
        p_a, doubtful = p_b, False
        if o.use_count:
            k = sum(self.sizes) / o.mean_bytes if o.byte_mark else len(self.sizes)
            x = k * p_b
            doubtful = near(x, 1.0) or near(x, 2.0)
            if o.wait:
                p_a = 0.0 if x < 1 else min(1.0, p_b / (2 - x)) if x < 2 else 1.0
            else:
                p_a = min(1.0, p_b / (1 - x)) if x < 1 else 1.0
        if o.byte_mark and p_a < 1:
            p_a *= packet[1] / o.mean_bytes
        return min(p_a, 1.0), doubtful
