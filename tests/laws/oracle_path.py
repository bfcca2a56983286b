# SPDX-License-Identifier: Apache-2.0
"""Oracles of the window laws that observe their path: CUBIC (RFC 9438, 9406) and DCTCP (RFC 8257).

Written from the RFCs with forty digits: CUBIC from the equations of section 4, DCTCP from the steps
of section 3.3 over all packets of a window of data.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from law_api import PathState, WindowState
from oracle_window import CONTEXT, WindowOracle

__all__ = ["CubicOracle", "DctcpOracle"]

_PS: Final = Decimal(10**12)


class HyStartOracle:
    """RFC 9406 section 4.2, variable by variable; times in ms."""

    def __init__(self, snd_nxt: int) -> None:
        self.in_css, self.css_rounds = False, 0
        self.last_round_min = self.current_round_min = Decimal("inf")
        self.css_baseline_min = Decimal("inf")
        self.rtt_sample_count = 0
        self.window_end = snd_nxt

    def ack(self, n: int, rtts: list[int], una: int, snd_nxt: int) -> tuple[Decimal, bool]:
        """The growth of cwnd, and whether congestion avoidance begins."""
        grows = Decimal(min(n, 8)) / (4 if self.in_css else 1)
        for rtt in rtts:
            self.current_round_min = min(self.current_round_min, Decimal(rtt) / 10**9)
            self.rtt_sample_count += 1
        if self.rtt_sample_count >= 8 and self.current_round_min.is_finite():
            if self.in_css and self.current_round_min < self.css_baseline_min:
                self.in_css, self.css_rounds = False, 0
                self.css_baseline_min = Decimal("inf")
            elif not self.in_css and self.last_round_min.is_finite():
                eighth = self.last_round_min / 8
                threshold = max(Decimal(4), min(eighth, Decimal(16)))
                if self.current_round_min >= self.last_round_min + threshold:
                    self.in_css = True
                    self.css_baseline_min = self.current_round_min
        over = False
        if una >= self.window_end:  # the round ends
            self.window_end = snd_nxt
            self.last_round_min, self.current_round_min = self.current_round_min, Decimal("inf")
            self.rtt_sample_count = 0
            self.css_rounds += self.in_css
            over = self.css_rounds == 5
        return grows, over


class CubicOracle(WindowOracle):
    """RFC 9438: cubic, Reno-friendly region, fast convergence, timeouts, without idle time.

    `beta_ecn` is as in RFC 8511, and with `hystart` the first slow start as in RFC 9406.
    """

    def __init__(
        self,
        window: WindowState,
        beta: float,
        c: float,
        fast: float,
        least: float,
        beta_ecn: float,
        hystart: float,
    ) -> None:
        super().__init__(*window)
        self.beta, self.c, self.fast, self.least = Decimal(beta), Decimal(c), fast == 1, least
        self.beta_ecn, self.hystart = Decimal(beta_ecn or beta), hystart == 1
        self.acked = self.sent = 0
        self.rtts: list[int] = []
        self.begin()

    def begin(self) -> None:
        """A new connection."""
        self.w_max = self.prior = Decimal(0)
        self.elapsed_s: Decimal | None = None
        self.now, self.rtt_s = 0, Decimal(0)
        self.start = HyStartOracle(self.sent) if self.hystart else None

    def sample(self, rtt: int) -> None:
        """Take a sample of the round-trip time, in ps."""
        self.rtts.append(rtt)

    def see(self, path: PathState) -> None:
        """The cubic's time passes only while the window limits the flow."""
        now, srtt, _, self.acked, self.sent, _, limited = path
        if self.elapsed_s is not None and not limited:
            self.elapsed_s += Decimal(now - self.now) / _PS
        self.now, self.rtt_s = now, Decimal(srtt) / _PS

    def ack(self, n: int, k: int) -> None:
        """Sections 4.2 to 4.5."""
        rtts, self.rtts = self.rtts, []
        if self.cwnd < self.ssthresh:
            if self.start is None:
                self.become(self.cwnd + n)
                return
            grows, over = self.start.ack(n, rtts, self.acked, self.sent)
            self.become(self.cwnd + grows)
            if over:
                self.ssthresh, self.start = self.cwnd, None
            return
        if self.elapsed_s is None:
            self.elapsed_s, self.w_est = Decimal(0), self.cwnd
            self.w_max = max(self.w_max, self.cwnd)
            third = (self.w_max - self.cwnd) / self.c
            self.k_s = CONTEXT.power(third, Decimal(1) / 3) if third else Decimal(0)
        reno = 3 * (1 - self.beta) / (1 + self.beta)
        self.w_est += (1 if self.w_est >= self.prior else reno) * n / self.cwnd
        if self.cubic(self.elapsed_s) < self.w_est:
            self.become(max(self.cwnd, self.w_est))
            return
        ahead = self.cubic(self.elapsed_s + self.rtt_s)
        target = sorted([self.cwnd, ahead, self.cwnd * 3 / 2])[1]
        self.become(self.cwnd + n * (target - self.cwnd) / self.cwnd)

    def cubic(self, t_s: Decimal) -> Decimal:
        """Eq. 1."""
        return self.c * (t_s - self.k_s) ** 3 + self.w_max

    def reduce(self, used: float, beta: Decimal) -> None:
        """Sections 4.6 and 4.7."""
        self.start = None
        self.prior = self.cwnd
        converge = self.fast and self.cwnd < self.w_max
        self.w_max = self.cwnd * (1 + self.beta) / 2 if converge else self.cwnd
        self.ssthresh = max(beta * Decimal(used), Decimal(self.least))
        self.elapsed_s = None

    def echo(self, used: float) -> None:
        """An ECE, after which one packet may be left."""
        self.reduce(used, self.beta_ecn)
        self.become(max(self.beta_ecn * Decimal(used), Decimal(1)))

    def loss(self, used: float) -> None:
        """A fast retransmit."""
        self.reduce(used, self.beta)
        self.become(self.ssthresh)

    def timeout(self, used: float) -> None:
        """Section 4.8."""
        self.reduce(used, self.beta)
        self.w_max = Decimal(0)
        self.become(Decimal(1))


class DctcpOracle(WindowOracle):
    """RFC 8257 section 3.3; a window of data is a list of (packets, marks) per ACK."""

    def __init__(self, window: WindowState, g: float, alpha: float, least: float) -> None:
        super().__init__(*window)
        self.g, self.first, self.least = Decimal(g), Decimal(alpha), Decimal(least)
        self.begin()

    def begin(self) -> None:
        """A new connection."""
        self.alpha, self.acks = self.first, list[list[int]]()
        self.una: int | None = None
        self.window_end, self.recover = -1, -1

    def see(self, path: PathState) -> None:
        """The packets that this ACK acknowledges; closes a window of data that ended before it."""
        self.close()
        acked, self.nxt = path[3], path[4]
        self.acks.append([0 if self.una is None else acked - self.una, 0])
        self.una = acked

    def close(self) -> None:
        """Steps 4 to 7."""
        if self.una is None or self.una <= self.window_end:
            return
        packets, marks = (sum(ack[i] for ack in self.acks) for i in (0, 1))
        self.window_end = self.nxt
        if not packets:
            return
        share = min(Decimal(marks) / packets, Decimal(1))
        self.alpha += self.g * (share - self.alpha)
        self.acks = []

    def ack(self, n: int, k: int) -> None:
        """The reaction to marks, once per window of data, or growth."""
        if k:
            self.acks.append([0, k])
        self.close()
        assert self.una is not None
        if self.una <= self.recover:
            return
        if k:
            self.recover = self.nxt
            self.become(max(self.cwnd - self.cwnd * self.alpha / 2, Decimal(1)))
            self.ssthresh = max(self.cwnd, self.least)
        else:
            self.become(self.cwnd + (n if self.cwnd < self.ssthresh else n / self.cwnd))

    def loss(self, used: float) -> None:
        """Section 3.5: the window is halved."""
        self.ssthresh = max(Decimal(used) / 2, self.least)
        self.become(self.ssthresh)
        self.recover = self.nxt

    def echo(self, used: float) -> None:
        """Nothing happens, because DCTCP learns of marks only from ACKs."""

    def timeout(self, used: float) -> None:
        """As for a loss, then one packet."""
        self.loss(used)
        self.become(Decimal(1))
