# SPDX-License-Identifier: Apache-2.0
"""An oracle of DOCSIS's dual queue: RFC 8034 appendix, MULPIv3.1 Annex O, RFC 9957 section 4.

It keeps the names and the order of their pseudocode, one list of waiting packets in order of
arrival, and bytes and bits from the whole list. Time is in picoseconds (T_RES of 1 ps).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import Final, NamedTuple

from oracle_dualpi2 import CLASSIC, L4S, decimal

__all__ = ["CableOracle", "CableSettings", "Packet"]

PS: Final = 10**12
PROB_LOW: Final = 0.85
PROB_HIGH: Final = 8.5
MIN_PKTSIZE: Final = 64
LATENCY_LOW: Final = 0.005
NOBURST, INBURST, PROTECTED = "no burst", "in burst", "protected"


@dataclass(frozen=True)
class CableSettings:
    """The parameters, in the order of the law's table."""

    target_s: float = 0.01
    update_s: float = 0.016
    alpha: float = 0.25
    beta: float = 2.5
    ramp_end_s: float = 0.001
    ramp_s: float = 524288e-9
    coupling: float = 2
    classic_share: float = 26 / 256
    classic_buffer_s: float = 0.1
    l4s_buffer_s: float = 0.01
    max_burst_s: float = 0.142
    mean_packet: float = 1024
    frame: float = 2000
    protection: bool = True
    critical_delay_s: float = 0
    critical_score_s: float = 0.004
    aging_bps: float = 3906250
    most_score_s: float = 5
    buckets: int = 32
    attempts: int = 2

    def values(self) -> list[float]:
        """The values in the form the law takes."""
        return [float(value) for value in astuple(self)]


class Packet(NamedTuple):
    """A packet that arrives: the queue for its codepoint, and a hash of its flow."""

    service: int
    size: int
    flow: int
    since: int


@dataclass
class Bucket:
    """A bucket: the flow that has it, and the time at which its score is 0."""

    id: int = 0
    t_exp: int = 0


class CableOracle:
    """The fate of each packet at a link of `rate` bit/s."""

    def __init__(self, settings: CableSettings, rate: int) -> None:
        self.its, self.rate = settings, rate
        self.interval = round(decimal(settings.update_s) * PS)
        self.queued: list[tuple[int, Packet]] = []  # with the queue that each has joined
        self.updates, self.sent_bits_l = 0, 0
        self.drop_prob = self.qdelay_old = self.accu_prob = 0.0
        self.burst_allowance, self.burst_state, self.burst_reset = 0, NOBURST, 0
        floor = min(0.065535, 2 * settings.frame * 8 / rate)
        self.minth = max(settings.ramp_end_s - settings.ramp_s, floor)
        self.count = self.credit = 0.0
        self.table = [Bucket() for _ in range(settings.buckets + 1)]

    def bytes(self, queue: int) -> int:
        """The bytes in a queue."""
        return sum(packet.size for of, packet in self.queued if of == queue)

    # The classic queue (RFC 8034).

    def pass_time(self, now: int) -> None:
        """Makes all updates up to now; the queues have not changed since the last event."""
        while (self.updates + 1) * self.interval <= now:
            self.updates += 1
            weight = (1 - self.its.classic_share) * self.rate
            r_l = min(self.sent_bits_l * PS / self.interval, weight)
            self.calculate_drop_prob(self.bytes(CLASSIC) * 8 / (self.rate - r_l))
            self.sent_bits_l = 0

    def calculate_drop_prob(self, qdelay: float) -> None:
        """Make one update of the probability."""
        if self.burst_allowance > 0:
            self.drop_prob = 0.0
            self.burst_allowance = max(0, self.burst_allowance - self.interval)
        else:
            p = self.its.alpha * (qdelay - self.its.target_s)
            p += self.its.beta * (qdelay - self.qdelay_old)
            bounds = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, math.inf]
            over = [2048, 512, 128, 32, 8, 2, 0.5, 0.125, 0.03125]
            p /= next(by for bound, by in zip(bounds, over, strict=True) if self.drop_prob < bound)
            if self.drop_prob >= 0.1:
                p = min(p, 0.02)
            self.drop_prob += p
            if qdelay < LATENCY_LOW and self.qdelay_old < LATENCY_LOW:
                self.drop_prob *= 0.98
            elif qdelay > 0.2:
                self.drop_prob += 0.02
            most = PROB_LOW * self.its.mean_packet / MIN_PKTSIZE
            self.drop_prob = min(max(0.0, self.drop_prob), most)
        half = 0.5 * self.its.target_s
        quiet = max(qdelay, self.qdelay_old) < half and self.drop_prob == 0
        if quiet and self.burst_allowance == 0:
            if self.burst_state == PROTECTED:
                self.burst_state, self.burst_reset = INBURST, 0
            elif self.burst_state == INBURST:
                self.burst_reset += 1
                if self.burst_reset > PS // self.interval:
                    self.burst_state, self.burst_reset = NOBURST, 0
        elif self.burst_state == INBURST:
            self.burst_reset = 0
        self.qdelay_old = qdelay

    def drop_early(self, size: int, draws: Iterator[float]) -> bool:
        """Whether the classic queue drops an arriving packet."""
        if self.burst_allowance > 0:
            return False
        if self.drop_prob == 0:
            self.accu_prob = 0.0
        waiting = self.bytes(CLASSIC)
        if self.burst_state == NOBURST:
            if waiting < self.its.classic_buffer_s * self.rate / 8 / 3:
                return False
            self.burst_state = INBURST
        p1 = min(self.drop_prob * size / self.its.mean_packet, PROB_LOW)
        self.accu_prob += p1
        if self.qdelay_old < 0.5 * self.its.target_s and self.drop_prob < 0.2:
            return False
        if waiting <= 2 * self.its.mean_packet or self.accu_prob < PROB_LOW:
            return False
        if self.accu_prob < PROB_HIGH and next(draws) >= p1:
            return False
        self.accu_prob = 0.0
        if self.burst_state == INBURST:
            self.burst_state = PROTECTED
            self.burst_allowance = round(decimal(self.its.max_burst_s) * PS)
        return True

    # The L4S queue (Annex O), and its protection (RFC 9957).

    def pick_bucket(self, uflw: int, now: int) -> Bucket:
        """The bucket of a flow."""
        h, spare = uflw, None
        for _ in range(self.its.attempts):
            bucket = self.table[h % self.its.buckets]
            if bucket.id == uflw:
                bucket.t_exp = max(bucket.t_exp, now)
                return bucket
            if spare is None and bucket.t_exp <= now:
                spare = bucket
            h //= self.its.buckets
        spare = spare or self.table[-1]
        spare.id, spare.t_exp = uflw, max(spare.t_exp, now)
        return spare

    def qprotect(self, packet: Packet, qdelay_s: float, prob_native: float) -> bool:
        """Whether a packet is ejected."""
        bucket = self.pick_bucket(packet.flow, packet.since)
        score = int(prob_native * packet.size * 8 / self.its.aging_bps * PS)
        most = packet.since + round(decimal(self.its.most_score_s) * PS)
        bucket.t_exp = min(bucket.t_exp + score, most)
        critical = self.its.critical_delay_s or self.minth + self.its.ramp_s
        qlscore_s = (bucket.t_exp - packet.since) / PS
        return qdelay_s > critical and qdelay_s * qlscore_s > critical * self.its.critical_score_s

    def arrive(
        self, packet: Packet, busy: bool, draws: Sequence[float]
    ) -> tuple[int, bool, bool, int]:
        """The queue a packet joins, its mark, whether it is dropped, and the draws used."""
        self.pass_time(packet.since)
        if not busy:
            self.credit = 1500 * (2 * self.its.classic_share - 1)
        left, mark, queue = iter(draws), False, packet.service
        if packet.service == L4S:
            qdelay_s = (self.bytes(L4S) + packet.size) * 8 / self.rate
            native = min(1.0, max(0.0, (qdelay_s - self.minth) / self.its.ramp_s))
            self.count += max(native, min(1.0, self.its.coupling * math.sqrt(self.drop_prob)))
            mark = self.count > 1
            self.count -= mark
            if self.its.protection and self.qprotect(packet, qdelay_s, native):
                queue = CLASSIC
        if queue == L4S:
            buffer = max(self.its.l4s_buffer_s * self.rate / 8, 20 * self.its.frame)
            drop = self.bytes(L4S) >= buffer - self.its.frame
        else:
            drop = self.drop_early(packet.size, left)
            full = self.bytes(CLASSIC) + packet.size > self.its.classic_buffer_s * self.rate / 8
            if full and not drop:
                drop, self.accu_prob = True, 0.0
        if not drop:
            self.queued.append((queue, packet))
        return queue, mark, drop, len(draws) - len(list(left))

    def serve(self) -> tuple[int, Packet]:
        """The next packet to leave, and its queue."""
        heads = [next((p for of, p in self.queued if of == n), None) for n in (L4S, CLASSIC)]
        both = None not in heads
        turn = CLASSIC if heads[L4S] is None or (both and self.credit > 0) else L4S
        packet = heads[turn]
        assert packet is not None
        self.queued.remove((turn, packet))
        if both:
            weight = self.its.classic_share - (turn == CLASSIC)
            self.credit += weight * packet.size
        if turn == L4S:
            self.sent_bits_l += packet.size * 8
        return turn, packet
