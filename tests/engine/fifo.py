# SPDX-License-Identifier: Apache-2.0
"""A FIFO link computed in a simple way, event by event: an oracle for the engine's links.

The engine fixes a packet's departure as it arrives. This oracle does not: it keeps a clock, a
waiting list and a server, and calls its law at every arrival and every start of a transmission.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

PS = 10**12


@dataclass
class Fifo:
    """rate in bit/s, limit in waiting packets; a law sees the queue and says whether to mark.

    Packets take `framing` bytes more on the wire, which count towards `limit_bytes` too.
    """

    rate_bps: int
    limit: int
    on_arrival: Callable[[Fifo, int, int], bool] = lambda fifo, now, size: False
    on_start: Callable[[Fifo, int], bool] = lambda fifo, now: False
    framing: int = 0
    limit_bytes: int = 10**9
    waiting: deque[int] = field(default_factory=deque)  # packet numbers
    sizes: dict[int, int] = field(default_factory=dict)
    marked: set[int] = field(default_factory=set)
    dropped: set[int] = field(default_factory=set)
    done_at: dict[int, int] = field(default_factory=dict)
    serving_until: int | None = None
    integral: int = 0
    clock: int = 0
    starting: int = -1  # the packet that on_start considers

    def run_to(self, now: int) -> None:
        """Handle all events up to and including `now`, without arrivals."""
        while self.serving_until is not None and self.serving_until <= now:
            self._tick(self.serving_until)
            self.serving_until = None
            self._serve(self.clock)
        self._tick(now)

    def _tick(self, now: int) -> None:
        self.integral += len(self.waiting) * (now - self.clock)
        self.clock = now

    def _serve(self, now: int) -> None:
        if self.serving_until is not None or not self.waiting:
            return
        number = self.starting = self.waiting.popleft()
        if self.on_start(self, now):
            self.marked.add(number)
        bits = self._wire_bytes(number) * 8
        self.serving_until = now + (bits * PS + self.rate_bps // 2) // self.rate_bps
        self.done_at[number] = self.serving_until

    def _wire_bytes(self, number: int) -> int:
        return self.sizes[number] + self.framing

    def arrive(self, number: int, size: int, now: int) -> None:
        self.run_to(now)
        self.sizes[number] = size
        mark = self.on_arrival(self, now, size)
        waiting_bytes = sum(map(self._wire_bytes, [*self.waiting, number]))
        full = len(self.waiting) >= self.limit or waiting_bytes > self.limit_bytes
        if self.serving_until is not None and full:
            self.dropped.add(number)
            return
        if mark:
            self.marked.add(number)
        self.waiting.append(number)
        self._serve(now)
