# SPDX-License-Identifier: Apache-2.0
"""Deficit round robin against its definition (Shreedhar and Varghese 1995), packet by packet.

The oracle keeps one list of waiting packets and an account per class since it began to wait: how
many turns it has begun, and how many bytes it has sent. A class's deficit is then turns
times quantum less bytes sent, without any of the law's own book-keeping.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NamedTuple

from law_api import Laws, Scheduler

__all__ = ["ROUND_ROBIN_CHECKS"]

LAW: Final = "deficit-round-robin"
RATE: Final = 8_000_000  # one kilobyte per millisecond
PS: Final = 10**12
MS: Final = 10**9


class Share(NamedTuple):
    """A class: its share, and its limits in packets and bytes (-1: no limit)."""

    share: float
    packets: int = -1
    bytes: int = -1


def law_of(laws: Laws, quantum: float, shares: list[Share], rate: int = RATE) -> Scheduler:
    """The scheduler with these classes."""
    return laws.scheduler([quantum], [[float(v) for v in one] for one in shares], rate, LAW)


class Packet(NamedTuple):
    """A waiting packet."""

    service: int
    size: int
    since: int


@dataclass
class Account:
    """Turns and bytes of a class since it began to wait."""

    turns: int = 0
    sent: int = 0


class Oracle:
    """The packets that are sent and dropped, computed from the whole history."""

    def __init__(self, quantum: int, shares: list[Share]) -> None:
        self.shares = shares
        least = min(Fraction(one.share) for one in shares)
        self.quanta = [round(quantum * Fraction(one.share) / least) for one in shares]
        self.waiting: list[Packet] = []
        self.ring: list[int] = []  # classes that wait, in order of turns
        self.accounts = [Account() for _ in shares]
        self.began = False  # whether the first class's turn has begun

    def of(self, service: int) -> list[Packet]:
        return [packet for packet in self.waiting if packet.service == service]

    def deficit(self, n: int) -> int:
        return self.accounts[n].turns * self.quanta[n] - self.accounts[n].sent

    def arrive(self, packet: Packet, refused: bool, busy: bool) -> bool:
        """Offer a packet. Return whether it is accepted."""
        waiting = [*self.of(packet.service), packet]
        own = self.shares[packet.service]
        fits = (own.packets < 0 or len(waiting) <= own.packets) and (
            own.bytes < 0 or sum(p.size for p in waiting) <= own.bytes
        )
        if refused or (busy and not fits):
            return False
        if len(waiting) == 1:
            self.ring.append(packet.service)
            self.accounts[packet.service] = Account()
        self.waiting.append(packet)
        return True

    def serve(self) -> Packet:
        """Return the packet that is sent next."""
        while True:
            n = self.ring[0]
            if not self.began:
                self.accounts[n].turns += 1
                self.began = True
            head = self.of(n)[0]
            if head.size <= self.deficit(n):
                break
            self.ring = [*self.ring[1:], n]
            self.began = False
        self.waiting.remove(head)
        self.accounts[n].sent += head.size
        if not self.of(n):
            self.ring.remove(n)
            self.accounts[n] = Account()
            self.began = False
        return head


class Run:
    """Law and oracle at one transmitter."""

    def __init__(self, laws: Laws, quantum: int, shares: list[Share]) -> None:
        self.law, self.oracle = law_of(laws, quantum, shares), Oracle(quantum, shares)
        self.free_at, self.idle = 0, [0] * len(shares)
        self.tally: Counter[str] = Counter()

    def serve(self, at: int) -> None:
        packet = self.oracle.serve()
        service, mark, waited = self.law.next(at)
        assert (service, mark, waited) == (packet.service, False, at - packet.since), (at, packet)
        self.free_at = at + packet.size * 8 * PS // RATE
        self.idle[packet.service] = self.free_at
        self.tally["served"] += 1
        self.compare(at)

    def arrive(self, at: int, service: int, size: int, refused: bool) -> None:
        while self.oracle.waiting and self.free_at <= at:
            self.serve(self.free_at)
        busy = self.free_at > at
        self.law.arrive(service, (service, size, True, False), busy, at)
        fits = self.oracle.arrive(Packet(service, size, at), refused, busy)
        victim = self.law.drop(refused, at)
        assert victim == (-1 if fits else service), (at, service, refused)
        assert self.law.drop(True, at) == (-1 if not fits else service)
        if fits:  # the packet was only taken to see that there is one: it comes again
            self.law.arrive(service, (service, size, True, False), busy, at)
        self.law.settle(at)
        assert self.law.drop(True, at) == -1, "what has settled stays"
        self.tally["dropped" if not fits else "let in"] += 1
        self.compare(at)
        if fits and not busy:
            self.serve(at)

    def compare(self, now: int) -> None:
        for n, (packets, size, deficit, quantum, _, _) in enumerate(self.law.classes()):
            mine = self.oracle.of(n)
            assert (packets, size) == (len(mine), sum(p.size for p in mine)), (now, n)
            assert (deficit, quantum) == (self.oracle.deficit(n), self.oracle.quanta[n]), (now, n)
            idle = not mine and self.idle[n] <= now
            assert self.law.idle_since(n, now) == (self.idle[n] if idle else -1), (now, n)


def check_random_classes(laws: Laws) -> None:
    """Turns, drops, deficits and idle times agree at loads from 0.5 to 3."""
    cases = [
        (1500, [Share(0.07, bytes=6000), Share(0.9, packets=9)], (200, 1500)),
        (142, [Share(0.07, packets=20), Share(0.9, bytes=9000)], (142, 1457)),
        (64, [Share(0.2), Share(0.3, 5), Share(0.5, 30, 8000)], (40, 1500)),
        (3000, [Share(1.0, packets=4)], (1000, 1001)),
        (700, [Share(0.111, 12), Share(0.222, 12), Share(0.1, 12), Share(0.5, 12)], (60, 900)),
    ]
    tally: Counter[str] = Counter()
    for seed, (quantum, shares, (least, most)) in enumerate(cases):
        draw = random.Random(seed)
        run, at = Run(laws, quantum, shares), 0
        for _ in range(2500):
            pause = draw.expovariate(1) * (least + most) / 2 * 8 / RATE
            at += round(pause * draw.choice([0.1, 0.5, 2.0]) * PS)
            size = draw.choice([least, most, draw.randint(least, most)])
            run.arrive(at, draw.randrange(len(shares)), size, draw.random() < 0.02)
        tally += run.tally
    assert tally["served"] > 6000 and tally["dropped"] > 1000, tally


def check_turns_by_hand(laws: Laws) -> None:
    """Quanta of 500 and 1,500 bytes serve packets of 400 in turns of 1, 3, 1, 4, 1, 4, 2, ..."""
    law = law_of(laws, 500, [Share(0.25), Share(0.75)])
    for n in (0, 1):
        for _ in range(40):
            law.arrive(n, (n, 400, True, False), True, 0)
            law.settle(0)
    turns = "".join(str(law.next(MS)[0]) for _ in range(20))
    # Deficits before each turn's end: 500-400; 1500-1200; 600-400; 1800-1600; 700-400; 1700-1600;
    # 800-800; 1600-1600; 500-400, ...
    assert turns == "0" + "111" + "0" + "1111" + "0" + "1111" + "00" + "1111", turns


def check_idle_time(laws: Laws) -> None:
    """A class is idle from the end of its last transmission on, even while others send."""
    law = law_of(laws, 1500, [Share(0.5), Share(0.5)])
    for n, size in ((0, 1000), (1, 1500)):
        law.arrive(n, (n, size, True, False), True, 0)
        law.settle(0)
    assert [law.idle_since(n, 0) for n in (0, 1)] == [-1, -1]
    assert law.next(0)[0] == 0 and law.idle_since(0, MS - 1) == -1
    assert law.next(MS)[0] == 1 and law.idle_since(0, MS) == MS and law.idle_since(1, 2 * MS) == -1
    assert law.idle_since(1, 3 * MS) == 5 * MS // 2
    assert [row[4] for row in law.classes()] == [RATE / 2] * 2


def check_busy_period(laws: Laws) -> None:
    """Losses count per busy period of the link, which ends when nothing waits or is sent."""
    law = law_of(laws, 1500, [Share(0.5, packets=1), Share(0.5)])
    for expected in (-1, 0, 0):
        law.arrive(0, (0, 1000, True, False), True, 0)
        assert law.drop(False, 0) == expected
        law.settle(0)
    assert law.classes()[0][5] == 2 / 3
    law.next(0)
    law.arrive(1, (1, 500, True, False), True, MS)
    law.settle(MS)
    assert law.classes()[0][5] == 2 / 3, "the link is busy still"
    law.next(2 * MS)
    law.arrive(1, (1, 500, True, False), False, 5 * MS)
    assert law.classes()[0][5] == 0, "a new busy period"


def check_free_transmitter(laws: Laws) -> None:
    """A packet that is sent at once needs no buffer, but may be refused."""
    law = law_of(laws, 1500, [Share(0.5, packets=0), Share(0.5, bytes=0)])
    for n in (0, 1):
        for refused in (False, True):
            law.arrive(n, (n, 100, True, False), False, 0)
            assert law.drop(refused, 0) == (n if refused else -1)
            law.settle(0)
            if not refused:
                assert law.next(0)[0] == n


def check_weighted_class(laws: Laws) -> None:
    """Buffers are exact to the packet and the byte. The sum of shares is at most 1."""
    room = [Share(0.25, packets=3), Share(0.25, bytes=1500), Share(0.5, 2, 10**6)]
    for n, fits in ((0, 3), (1, 15), (2, 2)):
        law = law_of(laws, 1500, room)
        for sent in range(fits + 3):
            law.arrive(n, (n, 100, True, False), True, 0)
            assert law.drop(False, 0) == (n if sent >= fits else -1), (n, sent)
            law.settle(0)
    law_of(laws, 1500, [Share(0.1)] * 10)
    law_of(laws, 1500, [Share(0.7), Share(0.2), Share(0.1)])
    for shares in ([], [Share(0.6), Share(0.5)], [Share(1.5)], [Share(0.0)]):
        try:
            law_of(laws, 1500, shares)
        except ValueError:
            continue
        raise AssertionError(f"{shares} was let in")


ROUND_ROBIN_CHECKS = {
    LAW: [
        check_turns_by_hand,
        check_idle_time,
        check_busy_period,
        check_free_transmitter,
        check_random_classes,
    ],
    "weighted-class": [check_weighted_class],
}
