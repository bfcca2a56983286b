# SPDX-License-Identifier: Apache-2.0
"""Stabilized RED by its paper (Ott, Lakshman and Wong, INFOCOM 1999, sections III to V).

The hit frequency is not updated but summed again from all comparisons: with a = r / M,
P(t) = (1 - a)^(t - s) P(s) + a sum over k of (1 - a)^(t - k) hit(k), where s is the last change of
a.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from law_api import MARK, PASS

__all__ = ["SredOptions", "SredOracle", "SredVerdict"]


class SredOptions(NamedTuple):
    """SRED's parameters in the order of its table."""

    max_p: float = 0.15
    flows: float = 256
    memory: int = 1000
    overwrite: float = 0.25
    full: bool = True
    buffer_packets: float = 60
    mean_bytes: float = 1000

    def values(self) -> list[float]:
        """One number per parameter."""
        return [float(v) for v in self]


class SredVerdict(NamedTuple):
    """The action, the uniforms used, the probability, and the branches taken."""

    action: int
    used: int
    p: float
    branches: tuple[str, ...]
    doubtful: bool


class SredOracle:
    """The zombie list and the two factors of p_zap."""

    def __init__(self, options: SredOptions) -> None:
        self.zombies: list[int] = []
        self.before, self.hits = 0.0, list[bool]()
        self.options = options

    def configure(self, options: SredOptions) -> None:
        """Set new parameters. The list is cut to its new length, and P stays."""
        self.before, self.hits = self.frequency, []
        self.zombies = self.zombies[: options.memory]
        self.options = options

    @property
    def frequency(self) -> float:
        """P(t)."""
        a, t = self.options.overwrite / self.options.memory, len(self.hits)
        weighted_hits = sum((1 - a) ** (t - 1 - k) for k, hit in enumerate(self.hits) if hit)
        return (1 - a) ** t * self.before + a * weighted_hits

    def arrive(self, waiting_bytes: int, flow: int, us: Sequence[float]) -> SredVerdict:
        """Compare a packet of `flow` with the list, and judge it. `us` are the draws in order."""
        o, draws, hit = self.options, list(us), False
        branches: list[str] = []
        if len(self.zombies) < o.memory:
            self.zombies.append(flow)
            branches.append("added")
        else:
            place = int(Fraction(draws.pop(0)) * o.memory)
            hit = self.zombies[place] == flow
            if hit:
                branches.append("hit")
            elif draws.pop(0) < o.overwrite:
                self.zombies[place] = flow
                branches.append("replaced")
            else:
                branches.append("kept")
            self.hits.append(hit)
        size = Fraction(o.buffer_packets) * Fraction(o.mean_bytes)
        third = waiting_bytes >= size / 3
        share = 1.0 if third else 0.25 if waiting_bytes >= size / 6 else 0.0
        branches.append("third" if third else "sixth" if share else "short")
        frequency = self.frequency
        alone = min(1.0, (o.flows * frequency) ** -2) if frequency else 1.0
        more = 1 + hit / frequency if o.full and frequency else 1.0
        if share and alone < 1:
            branches.append("few")
        p = min(1.0, o.max_p * share * alone * more)
        if not p:
            return SredVerdict(PASS, len(us) - len(draws), p, tuple(branches), False)
        u = draws.pop(0)
        branches.append("marked" if u < p else "spared")
        doubtful = abs(u - p) < 1e-9 * p
        return SredVerdict(
            MARK if u < p else PASS, len(us) - len(draws), p, tuple(branches), doubtful
        )
