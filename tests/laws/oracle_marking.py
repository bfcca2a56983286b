# SPDX-License-Identifier: Apache-2.0
"""Oracles of the virtual queue and of load-based marking, in exact fractions.

Sources: antoniadis2000 section 3.2 and siris2002 sections 4.2 and 4.3, with experiments S10
(disjoint windows, load may exceed 1) and S11 (fluid drain, theta B not rounded). Service by the
packet is that of ns-2: a drop-tail queue before a transmitter, whose packet has left the queue.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

__all__ = ["Arrival", "FluidBuffer", "PacketServer", "load_probabilities"]

PS: Final = 10**12
NEAR_BYTES: Final = Fraction(1, 10**5)


class Arrival(NamedTuple):
    """A packet of `size` bytes at `at` picoseconds, with its draw."""

    at: int
    size: int
    u: float


class FluidBuffer:
    """The virtual buffer as events: it empties at a computed time, arrivals fit or overflow."""

    def __init__(self, theta: float, packets: float, mean: float, rate_bps: int) -> None:
        self.size = Fraction(theta) * Fraction(packets) * Fraction(mean)
        self.bytes_per_ps = Fraction(theta) * rate_bps / 8 / PS
        self.busy_until = Fraction(0)  # the time at which the content will have drained
        self.overflowed = False  # lost since the buffer was last empty

    def content(self, now: int) -> Fraction:
        """Bytes in the buffer at `now`."""
        return max(Fraction(0), (self.busy_until - now) * self.bytes_per_ps)

    def arrive(self, now: int, size: int) -> tuple[bool, bool, bool]:
        """Offers a packet.

        Returns:
            Whether it is lost (does not fit), whether it is marked in the busy-period variant, and
            whether the decision depends on less than a hundred-thousandth of a byte.
        """
        content = self.content(now)
        last_gasp = abs((self.busy_until - now) * self.bytes_per_ps)
        if content == 0:
            self.overflowed = False
        gap = content + size - self.size
        doubtful = 0 < abs(gap) < NEAR_BYTES or 0 < last_gasp < NEAR_BYTES
        lost = gap > 0
        if lost:
            self.overflowed = True
        else:
            self.busy_until = max(self.busy_until, Fraction(now)) + size / self.bytes_per_ps
        return lost, self.overflowed, doubtful


class PacketServer:
    """Whole packets served one after another: a clock, a server and a list of waiting packets.

    Nothing is computed ahead: the service of a packet begins when the previous one ends.
    """

    def __init__(self, theta: float, packets: float, mean: float, rate_bps: int) -> None:
        self.size = Fraction(theta) * Fraction(packets) * Fraction(mean)
        self.bytes_per_ps = Fraction(theta) * rate_bps / 8 / PS
        self.waiting: deque[int] = deque()  # sizes
        self.done = Fraction(-1)  # end of the current service; before now: none
        self.serving = False
        self.overflowed = False  # time since the last packet left
        self.served = 0  # in this busy period
        self.whole = True  # all its services so far took whole picoseconds

    def content(self, now: int) -> Fraction:
        """Bytes waiting at `now`, which must not be before the last arrival."""
        return Fraction(sum(self.waiting))

    def _begin(self, size: int, at: Fraction) -> None:
        duration = size / self.bytes_per_ps
        self.serving, self.done = True, at + duration
        self.served += 1
        self.whole = self.whole and duration.denominator == 1

    def arrive(self, now: int, size: int) -> tuple[bool, bool, bool]:
        """Like FluidBuffer.arrive; doubtful if rounding by 1 ps per packet might decide."""
        slack = 0 if self.whole else self.served + len(self.waiting) + 1
        doubtful = False
        while self.serving:
            doubtful = doubtful or 0 < slack >= abs(self.done - now)
            if self.done > now:
                break
            self.serving = False
            if self.waiting:
                self._begin(self.waiting.popleft(), self.done)
        gap = sum(self.waiting) + size - self.size
        doubtful = doubtful or (self.serving and 0 < abs(gap) < NEAR_BYTES)
        lost = self.serving and gap > 0
        if not self.serving:
            self.overflowed, self.served, self.whole = False, 0, True
            self._begin(size, Fraction(now))
        elif lost:
            self.overflowed = True
        else:
            self.waiting.append(size)
        return lost, self.overflowed, doubtful


def load_probabilities(
    arrivals: Sequence[Arrival],
    interval_ps: int,
    threshold: float,
    slope: float,
    rate_bps: int,
    windows: int,
) -> list[tuple[Fraction, Fraction]]:
    """The load in each window and the probability for the next window, computed at once.

    Window k is [k t_avg, (k + 1) t_avg); an arrival at a window's end belongs to the next.
    """
    bits = [0] * windows
    for arrival in arrivals:
        if arrival.at // interval_ps < windows:
            bits[arrival.at // interval_ps] += 8 * arrival.size
    loads = [Fraction(b * PS, rate_bps * interval_ps) for b in bits]
    rho_0, alpha = Fraction(threshold), Fraction(slope)
    return [(r, min(Fraction(1), max(Fraction(0), alpha * (r - rho_0)))) for r in loads]
