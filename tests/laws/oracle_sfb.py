# SPDX-License-Identifier: Apache-2.0
"""Stochastic Fair Blue by its paper (Feng, Kandlur, Saha and Shin, INFOCOM 2001) and Linux.

A bin's queue is not counted up and down: the packets that wait are listed with their bins, and a
bin's queue is the number of packets that list it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final, NamedTuple

from law_api import DROP, MARK, PASS
from oracle_random import splitmix

__all__ = ["SfbOptions", "SfbOracle", "SfbVerdict"]

PS: Final = 10**12


class SfbOptions(NamedTuple):
    """SFB's parameters in the order of its table."""

    levels: int = 2
    bins: int = 4
    increment: float = 0.1
    decrement: float = 0.05
    full: float = 2
    most: float = 6
    penalty_rate: float = 10
    penalty_burst: float = 2
    rehash_s: float = 600
    warmup_s: float = 60

    def values(self) -> list[float]:
        """One number per parameter."""
        return [float(v) for v in self]


class SfbVerdict(NamedTuple):
    """The action, the uniforms used, the probability, and the branches taken."""

    action: int
    used: int
    p: float
    branches: tuple[str, ...]


Bin = tuple[int, int, int]  # hash function, level, number


class SfbOracle:
    """The bins of two hash functions, and the packets that wait."""

    def __init__(self, options: SfbOptions) -> None:
        self.options = options
        self.p: dict[Bin, float] = {}
        self.waiting: deque[list[Bin]] = deque()
        self.salts: list[int] = []
        self.active, self.since, self.tokens, self.refilled = 0, 0, 0.0, 0

    def configure(self, options: SfbOptions) -> None:
        """New parameters; other numbers of bins forget all queues and probabilities."""
        if options[:2] != self.options[:2]:
            self.p = {}
            self.waiting = deque([] for _ in self.waiting)
        self.options = options

    def bins(self, flow: int, function: int) -> list[Bin]:
        """The bins of a flow by one hash function."""
        own = splitmix(self.salts[function] ^ splitmix(flow)) or 1
        return [
            (function, level, splitmix((own + level) % 2**64) % self.options.bins)
            for level in range(self.options.levels)
        ]

    def queue(self, one: Bin) -> int:
        """The packets that wait in a bin."""
        return sum(one in listed for listed in self.waiting)

    def touch(self, bins: list[Bin]) -> None:
        """Changes the probabilities of bins that a packet finds empty or full."""
        for one in bins:
            p, waiting = self.p.get(one, 0.0), self.queue(one)
            if waiting == 0:
                p = max(0.0, p - self.options.decrement)
            elif waiting >= self.options.full:
                p = min(1.0, p + self.options.increment)
            self.p[one] = p

    def arrive(self, flow: int, now: int, us: Sequence[float]) -> SfbVerdict:
        """Judges a packet of `flow` at `now` [ps]; `us` are the draws in order."""
        o, draws, branches = self.options, list(us), list[str]()
        if not self.salts:
            self.salts = [int(draws.pop(0) * 2**53) for _ in range(2)]
            self.since = self.refilled = now
            self.tokens = o.penalty_burst
        elif o.rehash_s and now - self.since > o.rehash_s * PS:
            self.salts[self.active] = int(draws.pop(0) * 2**53)
            self.active, self.since = 1 - self.active, now
            branches.append("rehashed")
        mine = self.bins(flow, self.active)
        self.touch(mine)
        p = min(self.p[one] for one in mine)
        entered, action = list(mine), PASS
        if min(self.queue(one) for one in mine) >= o.most:
            action = DROP
            branches.append("full")
        elif p == 1.0:
            if o.rehash_s and o.warmup_s and now - self.since > (o.rehash_s - o.warmup_s) * PS:
                other = self.bins(flow, 1 - self.active)
                self.touch(other)
                entered += other
                branches.append("warmed")
            action = PASS if self.token(now) else DROP
            branches.append("penalty" if action == DROP else "let through")
        elif p > 0:
            u = draws.pop(0)
            action = DROP if u < 2 * p - 1 else MARK if u < p else PASS
            branches.append(("spared", "marked", "early")[action])
        else:
            branches.append("calm")
        if action != DROP:
            self.waiting.append(entered)
        return SfbVerdict(action, len(us) - len(draws), p, tuple(branches))

    def token(self, now: int) -> bool:
        """Whether a packet of a flow that does not respond may enter."""
        o = self.options
        if not o.penalty_rate or not o.penalty_burst:
            return False
        if self.tokens < 1:
            made = int(min(10.0, (now - self.refilled) / PS) * o.penalty_rate)
            if not made:
                return False
            self.tokens, self.refilled = min(float(made), o.penalty_burst), now
        self.tokens -= 1
        return True
