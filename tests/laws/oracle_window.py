# SPDX-License-Identifier: Apache-2.0
"""Oracles of the window laws, the round-trip time and the retransmission timeout.

Sources: siris2002 Eq. 4 to 6 (WTP) with antoniadis2000 4.2 for losses; RFC 5681 section 3.1,
RFC 3168 section 6.1.2 and experiments A7 (Reno); for T_w the definition in round_trip.h; RFC 6298
section 2 and rule 5.5.
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from typing import Final

__all__ = ["CONTEXT", "RenoOracle", "RtoOracle", "WindowOracle", "WtpOracle", "round_trips"]

CONTEXT: Final = Context(prec=40)
BUCKET_PS: Final = 2 * 10**12


class WindowOracle:
    """cwnd in forty digits, bounded after every change."""

    def __init__(self, cwnd: float, ssthresh: float, low: float, high: float) -> None:
        self.low, self.high = Decimal(low), Decimal(high)
        self.cwnd, self.ssthresh = Decimal(cwnd), Decimal(ssthresh)

    def become(self, cwnd: Decimal) -> None:
        """Sets cwnd inside the bounds."""
        self.cwnd = sorted([self.low, cwnd, self.high])[1]


class WtpOracle(WindowOracle):
    """The trajectory of Eq. 5; form 0 is Eq. 4 (w, 1), form 1 is Eq. 6 (1, w), 2 any pair.

    Below one packet Eq. 5 uses 1 + ln cwnd. Eq. 6 holds from a weight of one mark on, Eq. 4 below.
    """

    def __init__(
        self,
        window: tuple[float, float, float, float],
        form: int,
        gain: float,
        w_inc: float,
        w_dec: float,
    ) -> None:
        super().__init__(*window)
        self.form, self.gain, self.ahead = form, Decimal(gain), Decimal(0)
        self.w_inc, self.w_dec = Decimal(w_inc), Decimal(w_dec)
        if form == 1:
            self.inverse(self.w_inc * self.w_dec)

    def inverse(self, w: Decimal) -> None:
        """Eq. 6's pair, or Eq. 4's."""
        self.w_inc, self.w_dec = (Decimal(1), w) if w > 1 else (w, Decimal(1))

    def ack(self, n: int, k: int, trips: float) -> None:
        """n packets newly acknowledged with k new marks; the first mark ends slow start.

        Then a paced flow repays, in each round trip, 1/64 of the excess of its rises over w_inc
        per round trip: at most 32 of them, and never more than the rise.
        """
        if k > 0 and self.cwnd < self.ssthresh:
            self.ssthresh = Decimal(0)
        if self.cwnd < self.ssthresh:
            self.become(self.cwnd + n)
            return
        rise = CONTEXT.divide(n * self.w_inc, self.cwnd)
        if trips >= 0:
            due, before = Decimal(trips) * self.w_inc, self.ahead
            ahead = CONTEXT.divide(before + rise - due, 1 + Decimal(trips) / 64)
            self.ahead = sorted([-32 * self.w_inc, ahead, 32 * self.w_inc])[1]
            rise = max(self.ahead - before + due, Decimal(0))
        rise = CONTEXT.multiply(self.gain, rise)
        fall = CONTEXT.divide(self.gain * k, self.w_dec)
        scale = self.cwnd if self.cwnd > 1 else 1 + CONTEXT.ln(self.cwnd)
        scale = CONTEXT.subtract(CONTEXT.add(scale, rise), fall)
        self.become(scale if scale > 1 else CONTEXT.exp(max(scale, Decimal(-1000)) - 1))

    def loss(self, used: float) -> None:
        """Reno's halving of the window used."""
        self.ssthresh = Decimal(0)
        self.become(Decimal(used) * Decimal("0.5"))

    def timeout(self) -> None:
        """The window is at most one packet."""
        self.ssthresh = Decimal(0)
        self.become(self.cwnd if self.cwnd < 1 else Decimal(1))

    def set_weight(self, w: float) -> None:
        """A new willingness to pay; w_inc w_dec = w afterwards, also for a pair such as (2, w)."""
        if self.form == 1:
            self.inverse(Decimal(w))
        else:
            self.w_inc = CONTEXT.divide(Decimal(w), self.w_dec)


class RenoOracle(WindowOracle):
    """Slow start, congestion avoidance, one reduction per mark or loss, timeout."""

    def __init__(
        self,
        window: tuple[float, float, float, float],
        decrease: float,
        least: float,
        beta_ecn: float,
    ) -> None:
        super().__init__(*window)
        self.decrease, self.least = Decimal(decrease), Decimal(least)
        self.beta_ecn = Decimal(beta_ecn or decrease)

    def ack(self, n: int) -> None:
        """n packets newly acknowledged."""
        slow = self.cwnd < self.ssthresh
        step = Decimal(n) if slow else CONTEXT.divide(Decimal(n), self.cwnd)
        self.become(CONTEXT.add(self.cwnd, step))

    def loss(self, used: float) -> None:
        """Fast retransmit (RFC 5681 Eq. 4)."""
        self._threshold(Decimal(used), self.decrease)
        self.become(self.ssthresh)

    def echo(self, used: float) -> None:
        """An ECE (RFC 3168 section 6.1.2; RFC 8511): the window may fall to one packet."""
        self._threshold(Decimal(used), self.beta_ecn)
        cut = CONTEXT.multiply(self.beta_ecn, Decimal(used))
        self.become(cut if cut > 1 else Decimal(1))

    def timeout(self, used: float) -> None:
        """Set ssthresh by RFC 5681 Eq. 4, and the window to one packet."""
        self._threshold(Decimal(used), self.decrease)
        self.become(Decimal(1))

    def _threshold(self, packets: Decimal, beta: Decimal) -> None:
        cut = CONTEXT.multiply(beta, packets)
        self.ssthresh = CONTEXT.plus(self.least if cut < self.least else cut)


def round_trips(samples: list[tuple[int, int]]) -> tuple[int, int, int, bool]:
    """Smallest RTT, mean, T_w and `saturated` from all samples (time, rtt) so far, in ps.

    The first sample opens the first bucket of 2 s; after a gap with a whole empty bucket
    the past is forgotten, and the next sample opens a new bucket.
    """
    opened, bucket, previous = samples[0][0], list[int](), list[int]()
    for now, rtt in samples:
        late = (now - opened) // BUCKET_PS
        if late == 1:
            previous, bucket, opened = bucket, [], opened + BUCKET_PS
        elif late > 1:
            previous, bucket, opened = [], [], now
        bucket.append(rtt)
    smallest = min(rtt for _, rtt in samples)
    recent = previous + bucket
    mean = Fraction(sum(recent), len(recent))
    whole = mean.numerator // mean.denominator
    return smallest, whole, min(whole, 2 * smallest), whole > 2 * smallest


class RtoOracle:
    """RFC 6298 in exact fractions, clock granularity zero."""

    def __init__(self, initial: int, low: int, high: int) -> None:
        self.low, self.high = Fraction(low), Fraction(high)
        self.rto = Fraction(initial)
        self.srtt: Fraction | None = None
        self.rttvar = Fraction(0)

    def sample(self, rtt: int) -> None:
        """Rules 2.2 and 2.3, then 2.4 and 2.5."""
        alpha, beta, r = Fraction(1, 8), Fraction(1, 4), Fraction(rtt)
        if self.srtt is None:
            self.srtt, self.rttvar = r, r / 2
        else:
            self.rttvar = (1 - beta) * self.rttvar + beta * abs(self.srtt - r)
            self.srtt = (1 - alpha) * self.srtt + alpha * r
            # Fractions of a femtosecond would only cost digits.
            self.rttvar = self.rttvar.limit_denominator(10**6)
            self.srtt = self.srtt.limit_denominator(10**6)
        self.rto = min(self.high, max(self.low, self.srtt + 4 * self.rttvar))

    def timeout(self) -> None:
        """Rule 5.5."""
        self.rto = min(self.high, self.rto * 2)
