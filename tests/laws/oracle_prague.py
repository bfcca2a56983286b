# SPDX-License-Identifier: Apache-2.0
"""An oracle of Prague: the window of Linux's tcp_prague 0.7, in forty digits.

Counters only grow, as in a Linux socket: a round trip, a reduction and alpha are differences
from their former values. Where the law's header says that it
differs, the oracle follows the header.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final, NamedTuple

from law_api import PathState, WindowState
from oracle_window import WindowOracle

__all__ = ["PragueOracle"]

_PS: Final = 10**12
MAX_SCALED: Final = 10**11  # ps: a longer round trip is not scaled


class Counters(NamedTuple):
    """Packets delivered, marks among them, and the packet that ends this round."""

    delivered: int
    marks: int
    ends: int


class Pace:
    """Linux's slow RTT estimator, whose results are in microseconds, and classic_ecn."""

    def __init__(self) -> None:
        self.srtt, self.mdev, self.shift = Decimal(0), Decimal(1), 18
        self.classic_ecn = Decimal(0)

    def sample(self, rtt_ps: int) -> None:
        """prague_rtt_estimator."""
        m = Decimal(rtt_ps) / 10**6
        if self.srtt:
            m -= self.srtt
            self.srtt += m / 2**self.shift
            self.mdev += (abs(m) - self.mdev) / 2 ** (self.shift + 1)
        else:
            self.srtt = m

    def detect(self, min_rtt_ps: int) -> None:
        """prague_classic_ecn_detection, with V = D = 1/2, V0 = 750 us and D0 = 2 ms."""
        if not self.srtt or not min_rtt_ps:
            return
        added = lg(max(self.mdev, Decimal(1))) - lg(Decimal(750))
        depth = self.srtt - Decimal(min_rtt_ps) / 10**6
        if depth > 0:
            added += max(lg(depth) - lg(Decimal(2000)), Decimal(0))
        self.classic_ecn = min(max(self.classic_ecn + added / 2, Decimal(0)), Decimal(17))

    def scale(self, ssthresh: Decimal) -> None:
        """prague_update_rtt_scaling."""
        whole = max(int(ssthresh), 1).bit_length() - 1
        self.shift = min(whole + (whole >> 1) + 1, 18)

    def fallback(self, alpha: Decimal) -> Decimal:
        """prague_classic_ecn_fallback."""
        if self.classic_ecn <= 8:
            return alpha
        c = min(self.classic_ecn, Decimal(9)) - 8
        return max(alpha, c / 2 + c / 8)


def lg(value: Decimal) -> Decimal:
    """The logarithm to base 2."""
    return value.ln() / Decimal(2).ln()


class PragueOracle(WindowOracle):
    """The window of one flow."""

    def __init__(
        self,
        window: WindowState,
        g: float,
        target_s: float,
        transition: float,
        first_alpha: float,
        first_halves: float,
        fallback: float = 0.0,
    ) -> None:
        super().__init__(*window)
        self.falls_back, self.min_rtt = fallback == 1, 0
        self.g, self.target = Decimal(g), round(Decimal(repr(target_s)) * _PS)
        self.transition, self.first_alpha = transition, Decimal(first_alpha)
        self.first_halves = first_halves == 1
        self.marks = self.now = self.una = self.nxt = self.srtt = 0
        self.begin()

    def begin(self) -> None:
        """A new connection."""
        self.alpha, self.saw_mark, self.rounds = self.first_alpha, False, 0
        self.cwr_ends, self.cwr_at, self.alpha_at = -1, -(10**30), self.now
        self.round = Counters(self.una, self.marks, self.nxt)
        self.pace = Pace()

    def see(self, path: PathState) -> None:
        """The counters after this ACK."""
        self.now, self.srtt, self.min_rtt, self.una, self.nxt, *_ = path

    def rtt(self, sample: int) -> None:
        """A sample of data."""
        self.pace.sample(sample)

    def set_scale(self) -> None:
        """prague_ssthresh. Without slow start, ssthresh begins at Linux's largest value."""
        largest = Decimal(2**31)
        self.pace.scale(min(self.ssthresh or largest, largest))

    def independent(self) -> bool:
        """Whether the rate is independent of the round trip, which then counts as the target."""
        slow_start = self.cwnd < self.ssthresh
        return self.target > 0 and self.rounds >= self.transition and not slow_start

    def due(self, last: int) -> bool:
        """Whether a target has passed since `last`, if that matters."""
        return not self.independent() or self.now - last >= self.target

    def ack(self, n: int, k: int) -> None:
        """tcp_ack: congestion window reduced, then cong_control."""
        self.marks += k
        before = self.cwnd
        if k:
            self.enter_cwr()
            if not self.saw_mark and self.first_halves:
                self.become(self.cwnd / 2)
            self.saw_mark = True
        if self.cwnd < before:
            self.ssthresh = self.cwnd
        self.grow(max(n - k, 0))
        if self.una >= self.round.ends and self.due(self.alpha_at):
            self.end_round(self.round)

    def enter_cwr(self) -> None:
        """prague_enter_cwr, only from the open state."""
        if self.una <= self.cwr_ends:
            return
        self.cwr_ends = self.nxt
        self.set_scale()
        if self.due(self.cwr_at):
            self.cwr_at = self.now
            alpha = self.pace.fallback(self.alpha) if self.falls_back else self.alpha
            self.become(self.cwnd - self.cwnd * alpha / 2)

    def grow(self, packets: int) -> None:
        """prague_update_cwnd for packets without a mark."""
        left = Decimal(packets)
        if self.cwnd < self.ssthresh:
            room = min(left, self.ssthresh - self.cwnd)
            self.become(self.cwnd + room)
            left -= room
        if left:
            own = self.of_target()
            self.become(self.cwnd + own**2 * left / max(self.cwnd, own))

    def of_target(self) -> Decimal:
        """The root of prague_rate_scaled_ai_ack_increase: a packet of Linux's rate in a target."""
        long = self.srtt > MAX_SCALED
        if self.target == 0 or self.rounds < self.transition or self.srtt == 0 or long:
            return Decimal(1)
        return min(Decimal(1), Decimal(self.srtt) / Decimal(self.target))

    def end_round(self, began: Counters) -> None:
        """prague_update_alpha and prague_new_round."""
        acked = self.una - began.delivered
        if self.saw_mark:
            self.pace.detect(self.min_rtt)
            share = Decimal(self.marks - began.marks) / max(acked, 1)
            self.alpha = min((1 - self.g) * self.alpha + self.g * share, Decimal(1))
            self.alpha_at = self.now
        self.round = Counters(self.una, self.marks, self.nxt)
        self.rounds += self.cwnd >= self.ssthresh

    def loss(self, _used: float) -> None:
        """prague_enter_loss: half the window, and no other reduction until it is repaired."""
        self.set_scale()
        self.become(self.cwnd / 2)
        self.ssthresh = self.cwnd
        self.cwr_ends = self.nxt

    def timeout(self, used: float) -> None:
        """As for a loss, then one packet."""
        self.loss(used)
        self.become(Decimal(1))
