# SPDX-License-Identifier: Apache-2.0
"""CHOKe by its paper (Pan, Prabhakar and Psounis 2000, Fig. 2) and Linux's sch_choke.

The oracle keeps the queue itself. RED's part is that of oracle_red.py: not gentle, no wait.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from law_api import DROP_PAIR, NEVER, NO_FLOW, Packet, Queue
from oracle_red import RedOptions, RedOracle, near

__all__ = ["ChokeOptions", "ChokeOracle", "ChokeVerdict"]


class ChokeOptions(NamedTuple):
    """CHOKe's parameters in the order of its table."""

    in_bytes: bool = False
    min_th: float = 3.0
    max_th: float = 9.0
    max_p: float = 0.1
    weight: float = 0.05
    mean_bytes: float = 1000.0

    def values(self) -> list[float]:
        """One number per parameter."""
        return [float(v) for v in self]

    def red(self) -> RedOptions:
        """The options of its RED."""
        own = (self.in_bytes, self.min_th, self.max_th, self.max_p, self.weight)
        return RedOptions(*own, gentle=False, wait=False, mean_bytes=self.mean_bytes)


class ChokeVerdict(NamedTuple):
    """The action, the position of the waiting packet that is dropped, and the draws used."""

    action: int
    waiting: int
    used: int
    branch: str
    doubtful: bool


class ChokeOracle:
    """The queue [packets of (flow, bytes)] of a link of `rate_bps` and its RED."""

    def __init__(self, options: ChokeOptions, rate_bps: int) -> None:
        self.red = RedOracle(options.red())
        self.rate_bps = rate_bps
        self.queue: list[Packet] = []

    def configure(self, options: ChokeOptions) -> None:
        """New parameters; the state is kept."""
        self.red.options = options.red()

    def view(self, idle_since: int = NEVER) -> Queue:
        """The queue as an arrival finds it."""
        return len(self.queue), sum(p[1] for p in self.queue), self.rate_bps, idle_since

    def arrive(
        self, packet: Packet, now: int, us: Sequence[float], idle_since: int = NEVER
    ) -> ChokeVerdict:
        """Judges a packet; one that is not dropped joins the queue."""
        view = self.view(idle_since)
        self.red.estimate(view, now)
        draws = list(us)
        doubtful = near(self.red.average, self.red.options.min_th)
        if self.red.average > self.red.options.min_th and self.queue:
            at = math.floor(draws.pop(0) * len(self.queue))
            if packet[0] == self.queue[at][0] != NO_FLOW:
                del self.queue[at]
                return ChokeVerdict(DROP_PAIR, at, 1, "matched", doubtful)
        before = len(us) - len(draws)
        verdict = self.red.judge(view, packet, draws[0])
        drawn = verdict.branch in ("early", "kept")
        self.queue.append(packet)
        return ChokeVerdict(
            verdict.action, NO_FLOW, before + drawn, verdict.branch, doubtful or verdict.doubtful
        )
