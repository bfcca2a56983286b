# SPDX-License-Identifier: Apache-2.0
"""Oracles of the window laws that answer marks once per round trip: Tahoe, MulTCP, sender-only WTP.

Sources: Tahoe from Jacobson 1988 as in antoniadis2000 section 4.1 and RFC 3168 section 6.1.2;
MulTCP from Crowcroft and Oechslin 1998 and siris2002 section 5.5, with either decrease; sender-only
WTP from antoniadis2000 section 3.1, where ACKs with an echo, except the first of a round, change
nothing.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Protocol

from oracle_window import CONTEXT, RenoOracle, WindowOracle

__all__ = ["MulTcpOracle", "OncePerRound", "TahoeOracle", "WtpSenderOracle", "wtp_marked_half"]


class OncePerRound(Protocol):
    """The common parts of the three laws."""

    cwnd: Decimal
    ssthresh: Decimal

    @property
    def weight(self) -> Decimal:
        """The target of marks per round trip, or 0 for a law without a target."""

    def ack(self, n: int, /) -> None:
        """n packets newly acknowledged, no echo."""

    def echo(self, used: float, /) -> None:
        """The first echo of a round trip."""

    def loss(self, used: float, /) -> None:
        """Three duplicate ACKs."""

    def timeout(self, used: float, /) -> None:
        """The retransmission timer expires with `used` packets in flight."""

    def set_weight(self, w: float, /) -> None:
        """A new willingness to pay."""


class TahoeOracle(RenoOracle):
    """Reno, except that a lost packet leaves a window of one."""

    weight = Decimal(0)

    def loss(self, used: float) -> None:
        """ssthresh = decrease used, cwnd = 1."""
        cut = CONTEXT.multiply(self.decrease, Decimal(used))
        self.ssthresh = max(self.least, cut)
        self.become(Decimal(1))

    def set_weight(self, w: float) -> None:
        """Tahoe has no weight."""


class MulTcpOracle(WindowOracle):
    """w Reno flows as one: ACKs grow its window w times as much. One flow or all reduce."""

    weight = Decimal(0)

    def __init__(
        self, window: tuple[float, float, float, float], flows: float, halve: bool, least: float
    ) -> None:
        super().__init__(*window)
        self.flows, self.least = Decimal(flows), Decimal(least)
        cut = Decimal(1) if halve else CONTEXT.divide(Decimal(1), self.flows)
        self.given_up = CONTEXT.divide(cut, Decimal(2))

    def ack(self, n: int) -> None:
        """Growth by n packets in slow start, afterwards by w packets per window of ACKs."""
        if self.cwnd < self.ssthresh:
            self.become(CONTEXT.add(self.cwnd, Decimal(n)))
            return
        windows = CONTEXT.divide(Decimal(n), self.cwnd)
        self.become(CONTEXT.add(self.cwnd, CONTEXT.multiply(windows, self.flows)))

    def echo(self, used: float) -> None:
        """One flow halves its part of the window. At least one packet is left."""
        self.loss(used)
        self.become(self._after_cut(Decimal(used), Decimal(1)))

    def loss(self, used: float) -> None:
        """Like a mark, but with another minimum."""
        self.ssthresh = self._after_cut(Decimal(used), self.least)
        self.become(self.ssthresh)

    def timeout(self, used: float) -> None:
        """The window is one packet, and the threshold is the reduced flight."""
        self.ssthresh = self._after_cut(Decimal(used), self.least)
        self.become(Decimal(1))

    def set_weight(self, w: float) -> None:
        """The number of flows is not a willingness to pay."""

    def _after_cut(self, packets: Decimal, least: Decimal) -> Decimal:
        lost = CONTEXT.multiply(packets, self.given_up)
        return max(least, CONTEXT.subtract(packets, lost))


class WtpSenderOracle(WindowOracle):
    """The sender's half of antoniadis2000 section 3.1."""

    def __init__(
        self, window: tuple[float, float, float, float], gain: float, w: float, only_down: bool
    ) -> None:
        super().__init__(*window)
        self.gain, self.weight, self.only_down = Decimal(gain), Decimal(w), only_down

    def ack(self, n: int) -> None:
        """Eq. 1 with f = 0 for each of n packets; in slow start one packet each."""
        step = Decimal(1)
        if self.cwnd >= self.ssthresh:
            step = CONTEXT.divide(CONTEXT.multiply(self.gain, self.weight), self.cwnd)
        self.become(CONTEXT.add(self.cwnd, CONTEXT.multiply(Decimal(n), step)))

    def echo(self, used: float) -> None:
        """k (w - cwnd) / 2; with only_down it never raises the window."""
        self.ssthresh = Decimal(0)
        if self.only_down and self.cwnd <= self.weight:
            return
        way = CONTEXT.subtract(self.weight, self.cwnd)
        half = CONTEXT.divide(CONTEXT.multiply(self.gain, way), Decimal(2))
        self.become(CONTEXT.add(self.cwnd, half))

    def loss(self, used: float) -> None:
        """Reno's halving (section 4.2) of the window used."""
        self.ssthresh = Decimal(0)
        self.become(CONTEXT.divide(Decimal(used), Decimal(2)))

    def timeout(self, used: float) -> None:
        """The window is one packet, whatever was in flight."""
        self.ssthresh = Decimal(0)
        self.become(Decimal(1))

    def set_weight(self, w: float) -> None:
        """A new willingness to pay."""
        self.weight = Decimal(w)


def wtp_marked_half(cwnd: int, gain: Fraction, w: Fraction) -> Fraction:
    """Change of a WTP window by the marked half of a round's ACKs (Eq. 1 with f = 1), cwnd held."""
    return sum((gain * (w / cwnd - 1) for _ in range(cwnd // 2)), Fraction(0))
