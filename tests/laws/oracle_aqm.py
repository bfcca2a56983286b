# SPDX-License-Identifier: Apache-2.0
"""CoDel, PIE, BLUE and self-configuring RED, step by step as in their texts.

Sources: RFC 8289 section 5 (pseudo-code) with ECN marks in place of drops; RFC 8033 appendix A
with sections 5.1, 5.4 and 5.5; Feng et al. 2002, the figure of the BLUE algorithm; Feng et al.
1999, the figure of the adaptive max_p. Whole picoseconds and exact fractions: each oracle says
where rounding in doubles could decide otherwise (`doubtful`).
"""

from __future__ import annotations

from fractions import Fraction
from math import floor, isqrt
from typing import Final, NamedTuple

from law_api import DROP, MARK, NEVER, PASS, Packet, Queue
from oracle_red import RedDecision, RedOptions, RedOracle
from oracle_red import near as near_average

__all__ = [
    "AqmVerdict",
    "BlueOptions",
    "BlueOracle",
    "CodelOptions",
    "CodelOracle",
    "PieOptions",
    "PieOracle",
    "SelfConfiguringOptions",
    "SelfConfiguringOracle",
    "whole_ps",
]

PS: Final = 10**12
NEAR: Final = Fraction(1, 10**9)
TINY: Final = Fraction(1, 10**14)  # a probability that may come from rounding alone


def whole_ps(seconds: float) -> int:
    """A parameter in seconds, in units of the clock; halves are rounded up."""
    return floor(Fraction(seconds) * PS + Fraction(1, 2))


def near(a: Fraction, b: Fraction) -> bool:
    """Unequal, yet so close that rounding may put them in either order."""
    return a != b and abs(a - b) <= NEAR * max(abs(a), abs(b))


class AqmVerdict(NamedTuple):
    """The fate of a packet, the number of uniforms used, and the branches taken."""

    action: int
    used: int
    branches: tuple[str, ...]
    doubtful: bool = False


class CodelOptions(NamedTuple):
    """CoDel's parameters in the order of its table."""

    target_s: float = 0.005
    interval_s: float = 0.1

    def values(self) -> list[float]:
        """One number per parameter."""
        return [float(v) for v in self]


class CodelOracle:
    """RFC 8289's codel_queue_t, with marks for drops and so one packet per dequeue."""

    def __init__(self, options: CodelOptions) -> None:
        self.configure(options)
        self.arrived: list[int] = []
        self.maxpacket = 0
        self.first_above_time: int | None = None
        self.dropping = False
        self.count = self.lastcount = self.drop_next = 0
        self.error = 0  # ps by which drop_next may differ if roots are rounded differently

    def configure(self, options: CodelOptions) -> None:
        """Set new parameters. Times that are already set stay."""
        self.target = whole_ps(options.target_s)
        self.interval = whole_ps(options.interval_s)

    def enqueue(self, now: int) -> None:
        """A packet joins the queue."""
        self.arrived.append(now)

    def tail_drop(self) -> None:
        """Drop the last packet that joined, because the buffer had no room for it."""
        self.arrived.pop()

    def dequeue(self, now: int, size: int, left_bytes: int) -> AqmVerdict:
        """Dequeue the first packet, of `size` bytes, with `left_bytes` behind it."""
        ok_to_drop, branch = self._dodequeue(now, size, left_bytes)
        marked = doubtful = False
        if self.dropping:
            doubtful = ok_to_drop and self._unsure(now - self.drop_next)
            if not ok_to_drop:
                self.dropping, state = False, "leave"
            elif now >= self.drop_next:
                self.count += 1
                marked, state = True, "next"
                self._control_law(self.drop_next)
            else:
                state = "hold"
        elif ok_to_drop:
            marked = self.dropping = True
            delta = self.count - self.lastcount
            since = now - self.drop_next
            doubtful = delta > 1 and self._unsure(since - 16 * self.interval)
            recent = since < 16 * self.interval
            state = "enter-once" if delta <= 1 else "enter-again" if recent else "enter-late"
            self.count = delta if delta > 1 and recent else 1
            self.error = 0
            self._control_law(now)
            self.lastcount = self.count
        else:
            state = "out"
        return AqmVerdict(MARK if marked else PASS, 0, (branch, state), doubtful)

    def _dodequeue(self, now: int, size: int, left_bytes: int) -> tuple[bool, str]:
        sojourn_time = now - self.arrived.pop(0)
        self.maxpacket = max(self.maxpacket, size)
        if sojourn_time < self.target or left_bytes <= self.maxpacket:
            self.first_above_time = None
            return False, "below" if sojourn_time < self.target else "small"
        if self.first_above_time is None:
            self.first_above_time = now + self.interval
            return False, "above"
        ok = now >= self.first_above_time
        return ok, "ok" if ok else "wait"

    def _control_law(self, at: int) -> None:
        self.drop_next = at + isqrt(self.interval**2 // self.count)
        self.error += 0 if self.count == 1 else 1

    def _unsure(self, margin: int) -> bool:
        return self.error > 0 and abs(margin) <= self.error + 1


class PieOptions(NamedTuple):
    """PIE's parameters in the order of its table."""

    target_s: float = 0.015
    update_s: float = 0.015
    alpha: float = 0.125
    beta: float = 1.25
    max_burst_s: float = 0.15
    mark_p: float = 0.1
    mean_bytes: float = 1000.0

    def values(self) -> list[float]:
        """One number per parameter."""
        return [float(v) for v in self]


SCALES: Final = (
    (Fraction(1, 10**6), 2048),
    (Fraction(1, 10**5), 512),
    (Fraction(1, 10**4), 128),
    (Fraction(1, 10**3), 32),
    (Fraction(1, 100), 8),
    (Fraction(1, 10), 2),
)


class PieOracle:
    """RFC 8033's basic PIE with ECN, derandomization and the cap on its steps."""

    def __init__(self, options: PieOptions) -> None:
        self.configure(options)
        self.burst_allowance = self.max_burst
        self.drop_prob = self.accu_prob = self.qdelay_old = Fraction(0)

    def configure(self, options: PieOptions) -> None:
        """Set new parameters. Probability, delays and the rest of the burst stay."""
        self.target, self.alpha = Fraction(options.target_s), Fraction(options.alpha)
        self.beta, self.mark_p = Fraction(options.beta), Fraction(options.mark_p)
        self.mean = Fraction(options.mean_bytes)
        self.update = whole_ps(options.update_s)
        self.max_burst = whole_ps(options.max_burst_s)

    def calculate_drop_prob(self, queue: Queue) -> tuple[tuple[str, ...], bool]:
        """Update p. Return the branches taken, and whether rounding might lead to others."""
        current = Fraction(queue[1] * 8, queue[2])
        p = self.alpha * (current - self.target) + self.beta * (current - self.qdelay_old)
        scale = next((s for below, s in SCALES if self.drop_prob < below), 1)
        doubtful = any(near(self.drop_prob, below) for below, _ in SCALES)
        branches = [f"scale-{scale}"]
        p /= scale
        if self.drop_prob >= Fraction(1, 10):
            doubtful = doubtful or near(p, Fraction(2, 100))
            if p > Fraction(2, 100):
                p = Fraction(2, 100)
                branches.append("capped")
        raw = self.drop_prob + p
        if current == 0 and self.qdelay_old == 0:
            raw *= Fraction(98, 100)
            branches.append("decay")
        doubtful = doubtful or 0 < abs(raw) < TINY or (raw == 0 and self.drop_prob > 0)
        if raw < 0:
            branches.append("to-0")
        if raw > 1:
            branches.append("to-1")
        self.drop_prob = min(max(raw, Fraction(0)), Fraction(1))
        self.qdelay_old = current
        self.burst_allowance = max(0, self.burst_allowance - self.update)
        return tuple(branches), doubtful

    def enqueue(self, queue: Queue, u: float) -> AqmVerdict:
        """Judge a packet that finds `queue`, with a uniform u if it needs one."""
        current, half = Fraction(queue[1] * 8, queue[2]), self.target / 2
        doubtful = near(current, half) or near(self.qdelay_old, half)
        if self.drop_prob == 0 and current < half and self.qdelay_old < half:
            self.burst_allowance = self.max_burst
            if self.max_burst > 0:
                return AqmVerdict(PASS, 0, ("refill",), doubtful)
        if self.burst_allowance > 0:
            return AqmVerdict(PASS, 0, ("burst",), doubtful)
        verdict = self._drop_early(queue, Fraction(u))
        return verdict._replace(doubtful=verdict.doubtful or doubtful)

    def tail_drop(self) -> None:
        """Note that the buffer was full."""
        self.accu_prob = Fraction(0)

    def _drop_early(self, queue: Queue, u: Fraction) -> AqmVerdict:
        p, unsure = self.drop_prob, near(self.drop_prob, Fraction(1, 5))
        if self.qdelay_old < self.target / 2 and p < Fraction(1, 5):
            return AqmVerdict(PASS, 0, ("light",), unsure)
        if queue[1] <= 2 * self.mean:
            return AqmVerdict(PASS, 0, ("few",), unsure)
        if p == 0:
            self.accu_prob = Fraction(0)
        self.accu_prob += p
        low, high = Fraction(85, 100), Fraction(85, 10)
        unsure = unsure or near(self.accu_prob, low) or near(self.accu_prob, high)
        if self.accu_prob < low:
            return AqmVerdict(PASS, 0, ("too-soon",), unsure)
        used, how = 0, "overdue"
        if self.accu_prob < high:
            unsure = unsure or (u != p and abs(u - p) < NEAR)
            if not u < p:
                return AqmVerdict(PASS, 1, ("spared",), unsure)
            used, how = 1, "drawn"
        self.accu_prob = Fraction(0)
        unsure = unsure or near(p, self.mark_p)
        marks = p <= self.mark_p
        return AqmVerdict(MARK if marks else DROP, used, (how, "mark" if marks else "drop"), unsure)


class BlueOptions(NamedTuple):
    """BLUE's parameters in the order of its table."""

    increment: float = 0.02
    decrement: float = 0.002
    freeze_s: float = 0.1
    limit_packets: float = -1.0

    def values(self) -> list[float]:
        """One number per parameter."""
        return [float(v) for v in self]


class BlueOracle:
    """BLUE: a probability that rises at losses and falls when the link is idle."""

    def __init__(self, options: BlueOptions) -> None:
        self.options = options
        self.pm = Fraction(0)
        self.last_update: int | None = None
        self.residue = False  # whether doubles may leave a pm slightly above 0

    def loss(self, now: int) -> str:
        """Raise the probability at a packet loss, or a queue beyond L."""
        if not self._thawed(now):
            return "loss-frozen"
        self.pm = min(Fraction(1), self.pm + Fraction(self.options.increment))
        self.residue = False
        return "loss-to-1" if self.pm == 1 else "loss"

    def idle(self, since: int) -> str:
        """Lower the probability, because the link becomes idle."""
        if not self._thawed(since):
            return "idle-frozen"
        rest = self.pm - Fraction(self.options.decrement)
        self.pm, self.residue = max(Fraction(0), rest), abs(rest) < TINY
        return "idle-to-0" if self.pm == 0 else "idle"

    def enqueue(self, queue: Queue, now: int, u: float) -> AqmVerdict:
        """Judge a packet that finds `queue`; doubtful if the rest of pm may come from rounding."""
        branches = []
        if queue[3] != NEVER:
            branches.append(self.idle(queue[3]))
        if 0 <= self.options.limit_packets < queue[0]:
            branches.append("beyond " + self.loss(now))
        doubtful = self.residue or (self.pm > 0 and abs(Fraction(u) - self.pm) < NEAR)
        marks = Fraction(u) < self.pm
        branches.append("marked" if marks else "spared" if self.pm > 0 else "undrawn")
        return AqmVerdict(
            MARK if marks else PASS, 1 if self.pm > 0 else 0, tuple(branches), doubtful
        )

    def _thawed(self, now: int) -> bool:
        freeze = whole_ps(self.options.freeze_s)
        if self.last_update is not None and not now - self.last_update > freeze:
            return False
        self.last_update = now
        return True


class SelfConfiguringOptions(NamedTuple):
    """Self-configuring RED's parameters in the order of its table."""

    in_bytes: bool
    min_th: float
    max_th: float
    max_p: float = 0.1
    weight: float = 0.002
    decrease: float = 3.0
    increase: float = 2.0
    mean_bytes: float = 1000.0

    def values(self) -> list[float]:
        """One number per parameter."""
        return [float(v) for v in self]

    def red(self, max_p: float) -> RedOptions:
        """The equivalent RED at this max_p."""
        return RedOptions(
            self.in_bytes, self.min_th, self.max_th, max_p, self.weight, mean_bytes=self.mean_bytes
        )


class SelfConfiguringOracle(RedOracle):
    """RED whose max_p is scaled when the average leaves the band between the thresholds."""

    def __init__(self, own: SelfConfiguringOptions) -> None:
        super().__init__(own.red(own.max_p))
        self.own, self.status, self.changes = own, "between", [""]

    def configure(self, own: SelfConfiguringOptions) -> None:
        """Set new parameters. Average and status stay, and so does max_p unless it is changed."""
        changed = own.max_p != self.own.max_p
        self.options = own.red(own.max_p if changed else self.options.max_p)
        self.own = own

    def arrive(self, queue: Queue, packet: Packet, now: int, u: float) -> RedDecision:
        """RED's verdict; also doubtful if the average nearly equals max_threshold."""
        verdict = super().arrive(queue, packet, now, u)
        beside = near_average(self.average, self.own.max_th)
        return verdict._replace(doubtful=verdict.doubtful or beside)

    def estimate(self, queue: Queue, now: int) -> None:
        """Updates the average, and max_p when the average changes sides."""
        super().estimate(queue, now)
        o, max_p, average, status = self.own, self.options.max_p, self.average, self.status
        if o.min_th < average < o.max_th:
            self.status = "between"
        if average < o.min_th and status != "below":
            self.status, max_p = "below", max_p / o.decrease
        if average > o.max_th and status != "above":
            self.status, max_p = "above", min(1.0, max_p * o.increase)
        self.changes.append(f"{status} to {self.status}" if self.status != status else "")
        self.options = self.options._replace(max_p=max_p)
