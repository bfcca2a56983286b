# SPDX-License-Identifier: Apache-2.0
"""Oracles of the laws that set a rate or observe delay: the REM source, primal control, Vegas.

Sources: athuraliya2000 Fig. 4 (pseudocode), section I-B (quadratic utility) and II-D (smoothed);
siris2002 Eq. 1; Brakmo and Peterson 1995 section 3. REM and primal control compute in decimals of
50 digits, Vegas in fractions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction

from oracle_window import CONTEXT, WindowOracle

__all__ = ["PrimalOracle", "RemSourceOracle", "VegasOracle"]

PS = Decimal(10) ** 12
WindowTuple = tuple[float, float, float, float]


class RemSourceOracle(WindowOracle):
    """The pseudocode of Fig. 4, one ACK at a time."""

    def __init__(self, window: WindowTuple, values: Sequence[float]) -> None:
        super().__init__(*window)
        utility, w, phi, least, most, samples, fraction, beta, smoothed, step, error, std = values
        self.quadratic, self.smoothed = utility == 1, int(smoothed)
        self.w, self.phi, self.beta, self.step = map(Decimal, (w, phi, beta, step))
        self.min_rate, self.max_rate = Decimal(least), Decimal(most)
        self.error, self.std = Decimal(error), Decimal(std)
        self.samples = int(samples)
        self.initial = round(fraction * self.samples)
        self.begin()

    def begin(self) -> None:
        """Before N ACKs the initial share is used, with marks as even as whole ACKs allow."""
        n, marks = self.samples, self.initial
        # The j-th mark is at the first ACK by which at least j n / marks ACKs have passed.
        at = {-(-j * n // marks) for j in range(1, marks + 1)}
        self.last = deque((i in at for i in range(1, n + 1)), maxlen=n)
        self.rtt: Decimal | None = None
        self.normal = Decimal(0)
        self.answered = 0

    def sample(self, rtt_ps: int) -> None:
        """RTT <- (1 - beta) RTT + beta RTT_of_ACK, in seconds."""
        new = CONTEXT.divide(Decimal(rtt_ps), PS)
        if self.rtt is None:
            self.rtt = new
            return
        kept = CONTEXT.multiply(1 - self.beta, self.rtt)
        self.rtt = CONTEXT.add(kept, CONTEXT.multiply(self.beta, new))

    def rate(self) -> Decimal:
        """Packets per second at the price estimated from the last N ACKs."""
        marks = sum(self.last)
        if marks == 0:
            return self.max_rate
        if marks == self.samples:
            return self.min_rate
        clear = CONTEXT.divide(Decimal(self.samples - marks), Decimal(self.samples))
        price = CONTEXT.divide(-CONTEXT.ln(clear), CONTEXT.ln(self.phi))
        if self.quadratic:
            wanted = self.max_rate - CONTEXT.multiply(self.w, price)
        else:
            wanted = CONTEXT.divide(self.w, price)
        return max(min(wanted, self.max_rate), self.min_rate)

    def target(self) -> Decimal | None:
        """The window before it is rounded up to whole packets; None before the first RTT."""
        if self.rtt is None:
            return None
        believed = self.rtt + self.error + CONTEXT.multiply(self.std, self.normal)
        return CONTEXT.multiply(self.rate(), max(believed, Decimal(0)))

    def ack(self, n: int, k: int) -> None:
        """n packets acknowledged, k of them marked; surplus marks count as packets."""
        n = max(n, k)
        self.last.extend([False] * (n - k) + [True] * k)
        target = self.target()
        if target is None:
            return
        whole = target.to_integral_value(ROUND_CEILING)
        if self.smoothed == 0:
            return self.become(whole)
        self.answered += n
        if self.answered < self.cwnd:
            return None
        self.answered = 0
        step = Decimal(1) if self.smoothed == 1 else CONTEXT.multiply(self.step, self.cwnd)
        if abs(whole - self.cwnd) <= step:
            return self.become(whole)
        return self.become(self.cwnd + step if whole > self.cwnd else self.cwnd - step)


class PrimalOracle(WindowOracle):
    """dx/dt = kappa (w - x f), where an ACK of n packets represents the time n / x.

    Below L = 4 kappa the step moves L ln x instead, as dx/dt = (x / L) kappa (w - x f) does.
    """

    def __init__(self, window: WindowTuple, values: Sequence[float]) -> None:
        super().__init__(*window)
        self.w, self.kappa, initial, self.least, self.most = map(Decimal, values)
        self.x = self.initial = max(self.least, min(self.most, initial))
        self.rtt: Decimal | None = None

    def begin(self) -> None:
        """A new connection begins at the initial rate, without an RTT."""
        self.x, self.rtt = self.initial, None

    def sample(self, rtt_ps: int) -> None:
        """SRTT by RFC 6298, alpha = 1/8."""
        new = CONTEXT.divide(Decimal(rtt_ps), PS)
        self.rtt = new if self.rtt is None else (self.rtt * 7 + new) / 8
        self.move(Decimal(0))

    def ack(self, n: int, k: int) -> None:
        """A rise of kappa w over n / x seconds, and a fall of kappa for each mark."""
        seconds = CONTEXT.divide(Decimal(n), self.x)
        step = CONTEXT.multiply(self.kappa, CONTEXT.multiply(self.w, seconds) - k)
        low = 4 * self.kappa
        if self.x >= low:
            left = step + self.x - low  # beyond L
            after = low + left if left >= 0 else self.shrunk(low, left, low)
        else:
            room = CONTEXT.multiply(low, CONTEXT.ln(CONTEXT.divide(low, self.x)))  # up to L
            after = low + step - room if step >= room else self.shrunk(self.x, step, low)
        self.move(after - self.x)

    @staticmethod
    def shrunk(x: Decimal, step: Decimal, low: Decimal) -> Decimal:
        """The rate after a step on the logarithmic part of the scale."""
        return CONTEXT.multiply(x, CONTEXT.exp(CONTEXT.divide(step, low)))

    def loss(self) -> None:
        """Half the rate."""
        self.ssthresh = Decimal(0)
        self.move(-self.x / 2)

    def timeout(self) -> None:
        """At most one packet per round trip."""
        self.ssthresh = Decimal(0)
        slow = self.x if self.rtt is None else min(self.x, CONTEXT.divide(Decimal(1), self.rtt))
        self.move(slow - self.x)

    def move(self, by: Decimal) -> None:
        """x + by within its bounds; cwnd = x T."""
        self.x = sorted([self.least, CONTEXT.add(self.x, by), self.most])[1]
        if self.rtt is not None:
            self.become(CONTEXT.multiply(self.x, self.rtt))


class VegasOracle:
    """Vegas: the difference of Expected and Actual moves the window once per round trip."""

    def __init__(self, window: WindowTuple, values: Sequence[float]) -> None:
        self.cwnd, self.low, self.high = (Fraction(window[i]) for i in (0, 2, 3))
        self.ssthresh = Fraction(window[1])
        self.alpha, self.beta, self.gamma, self.decrease, self.least = map(Fraction, values)
        self.begin()

    def begin(self) -> None:
        """A new connection: without a round trip, doubling in the first round."""
        self.smallest: int | None = None
        self.doubling = True
        self.new_round()

    def new_round(self) -> None:
        """A new round, without acknowledged packets yet."""
        self.rtts: list[int] = []
        self.sent: Fraction | None = None
        self.acked = 0

    def become(self, packets: Fraction) -> None:
        """Sets the window between its bounds."""
        self.cwnd = sorted([self.low, packets, self.high])[1]

    def sample(self, rtt_ps: int) -> None:
        """BaseRTT is the smallest RTT of all."""
        self.smallest = rtt_ps if self.smallest is None else min(self.smallest, rtt_ps)
        self.rtts.append(rtt_ps)

    def ack(self, n: int) -> None:
        """n packets newly acknowledged; the round ends after a window of them."""
        if self.sent is None:
            self.sent = self.cwnd
        self.acked += n
        slow = self.cwnd < self.ssthresh
        if slow and self.doubling:
            self.become(self.cwnd + n)
        if self.acked >= self.sent and self.rtts:
            self._judge(self.sent, self.cwnd < self.ssthresh)
            self.new_round()

    def _judge(self, window: Fraction, slow: bool) -> None:
        assert self.smallest is not None
        actual = window / Fraction(sum(self.rtts), len(self.rtts))
        expected = window / self.smallest
        queued = (expected - actual) * self.smallest
        if slow:
            self.doubling = not self.doubling
            if queued > self.gamma:
                self.ssthresh = Fraction(0)
        elif queued < self.alpha:
            self.become(self.cwnd + 1)
        elif queued > self.beta:
            self.become(self.cwnd - 1)

    def loss(self, used: float) -> None:
        """Reduce the used window by the decrease."""
        self.ssthresh = max(self.decrease * Fraction(used), self.least)
        self.become(self.ssthresh)
        self.new_round()

    def echo(self, used: float) -> None:
        """The first echo of a round trip; it leaves at least a packet."""
        self.loss(used)
        self.become(max(self.decrease * Fraction(used), Fraction(1)))

    def timeout(self, used: float) -> None:
        """Slow start from one packet to half of the window used."""
        self.ssthresh = max(Fraction(used) / 2, self.least)
        self.become(Fraction(1))
        self.doubling = True
        self.new_round()
