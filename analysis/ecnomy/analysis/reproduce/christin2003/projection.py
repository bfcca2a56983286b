# SPDX-License-Identifier: Apache-2.0
"""Section 2.1 on the trace of one flow: when the reference should mark, and which packets.

Let R be the estimate of the round-trip time, W the number of packets in this round so far, s the
beginning of the round, tau the time left until s + R (at least 0), and Q the bytes waiting,
including the packet itself. The link has rate C and buffer B. On an arrival, a mark is due if no
packet of the flow was marked or lost since s and (Eq. 5 to 7)

    Q + MSS (W + 1) - C tau > B

The packet at the head of the queue gets the mark. This code is independent of the law's code.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ecnomy.agents.arrays import Integers
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.reproduce.christin2003.traces import DROP, ENQUEUE, MARK, Bottleneck

__all__ = ["Due", "begin_times", "due_marks", "waiting_bytes"]

_FORGET_RTTS: float = 4.0


class Due(NamedTuple):
    """A due mark: time of the decision, round, and the packet's index among accepted packets."""

    decided_ps: int
    round: int
    packet: int


def begin_times(arrived_ps: Integers, sizes: Integers, rate_bps: int) -> Integers:
    """Return the times at which a FIFO link begins to send each packet that it accepted."""
    begins = np.empty(len(arrived_ps), dtype=np.int64)
    free = 0
    for index, (at, size) in enumerate(zip(arrived_ps.tolist(), sizes.tolist(), strict=True)):
        begins[index] = max(at, free)
        free = int(begins[index]) + size * 8 * PS_PER_S // rate_bps
    return begins


def waiting_bytes(begins: Integers, sizes: Integers, at_ps: int, upto: int) -> tuple[int, int]:
    """Return the index of the queue's head at a time, and the bytes waiting before `upto`."""
    head = int(np.searchsorted(begins[:upto], at_ps, "right"))
    return head, int(sizes[head:upto].sum())


def due_marks(trace: Bottleneck, k: float, alpha: float) -> list[Due]:
    """Return the marks due on packets of the only flow, in order, given K and alpha."""
    arrivals = np.flatnonzero(trace.event != MARK)
    taken = arrivals[trace.event[arrivals] == ENQUEUE]
    begins = begin_times(trace.t_ps[taken], trace.bytes[taken], trace.rate_bps)
    sizes = trace.bytes[taken]
    per_ps = trace.rate_bps / 8 / PS_PER_S
    due: list[Due] = []
    rtt, start, window, previous, number, last = 0.0, 0, 0, 0, 0, -1
    accepted, mss, hit = 0, 0, False
    for index in arrivals.tolist():
        now, size = int(trace.t_ps[index]), int(trace.bytes[index])
        gap = now - last
        if last >= 0:
            silent = gap > rtt / k
            if window and not silent and (previous == 0 or window <= previous):
                window += 1
            else:
                rtt = alpha * rtt + (1 - alpha) * (now - start) if window else float(gap)
                start, previous, window, hit = now, window, 1, False
                number += 1
        last, mss = now, max(mss, size)
        lost = trace.event[index] == DROP
        head, waiting = waiting_bytes(begins, sizes, now, accepted)
        tau = max(start + rtt - now, 0.0)
        excess = waiting + size + mss * (window + 1) - per_ps * tau - trace.buffer_bytes
        if window and not hit and excess > 0:
            due.append(Due(now, number, head))
            hit = True
        hit = hit or bool(lost)
        accepted += not lost
    return due
