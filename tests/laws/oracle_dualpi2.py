# SPDX-License-Identifier: Apache-2.0
"""An oracle of DualPI2: RFC 9332 appendix A, and sch_dualpi2 of Linux as of 6.17.

It keeps one list of waiting packets in order of arrival, and fractions in place of floats.
`linux` follows must_drop and do_step_aqm; `rfc` follows lines 4a to 16 of dualpi2_dequeue
with overload. In both forms the scheduler follows Linux's dequeue_packet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from fractions import Fraction
from typing import Final, NamedTuple

__all__ = ["CLASSIC", "DROP", "L4S", "MARK", "PASS", "DualOracle", "DualSettings", "Waiting"]

L4S: Final = 0
CLASSIC: Final = 1
PASS, MARK, DROP = "pass", "mark", "drop"
PS: Final = 10**12
TH_LEN: Final = 1  # packets


@dataclass(frozen=True)
class DualSettings:
    """The parameters, in the order of the law's table."""

    rfc: bool = False
    target_s: float = 0.015
    update_s: float = 0.016
    alpha: float = 41 / 256
    beta: float = 819 / 256
    step_s: float = 0.001
    ramp_s: float = 0.0004
    coupling: float = 2
    classic_share: float = 0.1
    drop_overload: bool = True
    mtu: float = 1500
    step_at_least: int = 0

    def values(self) -> list[float]:
        """The values in the form the law takes."""
        return [float(value) for value in astuple(self)]


class Waiting(NamedTuple):
    """A packet in one of the queues."""

    service: int
    size: int
    ect: bool
    since: int
    behind: int = 0  # packets of L that waited when it came


def decimal(value: float) -> Fraction:
    """The exact value of its shortest decimals, because percentages in Linux are exact."""
    return Fraction(repr(float(value)))


class DualOracle:
    """The next packet and its fate, from the whole history."""

    def __init__(self, settings: DualSettings) -> None:
        self.its = settings
        self.period = round(decimal(settings.update_s) * PS)
        self.k = Fraction(settings.coupling)
        self.wc = decimal(settings.classic_share)
        self.waiting: list[Waiting] = []
        self.updates = 0
        self.base = Fraction(0)  # p'
        self.before_s = Fraction(0)
        self.credit = Fraction(0)
        self.counts = {L4S: Fraction(0), CLASSIC: Fraction(0)}

    def of(self, service: int) -> list[Waiting]:
        """A queue, oldest first."""
        return [packet for packet in self.waiting if packet.service == service]

    def bytes(self, service: int) -> int:
        """The bytes in a queue."""
        return sum(packet.size for packet in self.of(service))

    def pass_time(self, now: int) -> None:
        """Makes all updates up to now, with queues unchanged since the last event."""
        while (self.updates + 1) * self.period <= now:
            self.updates += 1
            at = self.updates * self.period
            heads = [self.of(n)[:1] for n in ((CLASSIC,) if self.its.rfc else (L4S, CLASSIC))]
            delay_s = Fraction(max([at - p.since for head in heads for p in head], default=0), PS)
            change = Fraction(self.its.alpha) * (delay_s - decimal(self.its.target_s))
            change += Fraction(self.its.beta) * (delay_s - self.before_s)
            self.before_s = delay_s
            self.base = min(max(self.base + change, Fraction(0)), self.most())

    def most(self) -> Fraction:
        """The maximum of p'. Without drops on overload, it marks all packets of L."""
        held = not self.its.rfc and not self.its.drop_overload
        return min(Fraction(1), 1 / self.k) if held else Fraction(1)

    def arrive(self, packet: Waiting, busy: bool) -> None:
        """A packet arrives; on an idle link the credit restarts."""
        self.pass_time(packet.since)
        if not busy and not self.waiting:
            self.credit = (self.wc - (1 - self.wc)) * Fraction(self.its.mtu)
        self.waiting.append(packet._replace(behind=len(self.of(L4S))))

    def turn(self) -> int:
        """The queue that is served next."""
        empty = [not self.of(n) for n in (L4S, CLASSIC)]
        if any(empty):
            return empty.index(False)
        return CLASSIC if self.credit > 0 else L4S

    def serve(self, service: int, now: int, draws: Sequence[float]) -> tuple[Waiting, str, int]:
        """The oldest packet of a queue, its fate, and the number of draws used."""
        shared = all(self.of(n) for n in (L4S, CLASSIC))
        packet = self.of(service)[0]
        self.waiting.remove(packet)
        left = iter(draws)
        fate = self.rfc(packet, now) if self.its.rfc else self.linux(packet, now, left)
        if shared and fate != DROP:
            weight = self.wc if service == L4S else self.wc - 1
            self.credit += weight * packet.size
        return packet, fate, len(draws) - len(list(left))

    def linux(self, packet: Waiting, now: int, draws: Iterator[float]) -> str:
        """PI2 unless the queues are short, followed by the step."""

        def roll(chance: Fraction) -> bool:
            return Fraction(next(draws)) < chance

        def squared() -> bool:
            return roll(self.base) and roll(self.base)

        short = sum(p.size for p in self.waiting) < 2 * self.its.mtu
        overload = self.k * self.base > 1
        if packet.service == CLASSIC:
            if short or not squared():
                return PASS
            return MARK if packet.ect and not overload else DROP
        if not short and overload:
            return DROP if self.its.drop_overload and squared() else MARK
        if not short and roll(self.k * self.base):
            return MARK
        late = now - packet.since > round(decimal(self.its.step_s) * PS)
        return MARK if late and packet.behind >= self.its.step_at_least else PASS

    def rfc(self, packet: Waiting, now: int) -> str:
        """Lines 4a to 16 of dualpi2_dequeue, without the scheduler."""
        p_c, p_cl = self.base**2, self.k * self.base
        if packet.service == CLASSIC:
            if not self.recur(CLASSIC, p_c):
                return PASS
            ecn_off = p_c >= min(1 / self.k**2, Fraction(1))
            return DROP if ecn_off or not packet.ect else MARK
        if p_cl < 1:
            long = len(self.of(L4S)) > TH_LEN
            own = self.laqm(now - packet.since) if long else Fraction(0)
            return MARK if self.recur(L4S, max(own, p_cl)) else PASS
        if self.recur(L4S, p_c):
            return DROP
        return MARK if self.recur(L4S, p_cl) else PASS

    def laqm(self, waited: int) -> Fraction:
        """The ramp from step_s on."""
        low, width = (decimal(s) * PS for s in (self.its.step_s, self.its.ramp_s))
        return min(max((waited - round(low)) / width, Fraction(0)), Fraction(1))

    def recur(self, service: int, likelihood: Fraction) -> bool:
        """Return whether this packet raises the count of its queue above one."""
        self.counts[service] += likelihood
        over = self.counts[service] > 1
        self.counts[service] -= over
        return over
