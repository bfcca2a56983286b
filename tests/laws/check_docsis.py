# SPDX-License-Identifier: Apache-2.0
"""DOCSIS's dual queue against its oracle, packet by packet, and against examples by hand."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace
from typing import Final

from law_api import Laws, Scheduler
from oracle_docsis import CableOracle, CableSettings, Packet
from oracle_dualpi2 import CLASSIC, L4S
from tiers import in_full

__all__ = ["DOCSIS_CHECKS"]

LAW: Final = "docsis"
RATE: Final = 8_000_000  # one kilobyte per millisecond
PS: Final = 10**12
MS: Final = 10**9
PACKETS: Final = 2500 if in_full() else 1200
NONE: Final = -1


def law_of(laws: Laws, settings: CableSettings, rate: int = RATE) -> Scheduler:
    """Return the scheduler with these parameters."""
    return laws.scheduler(settings.values(), [[], []], rate, LAW)


class CableRun:
    """Law and oracle at one transmitter with a buffer of some packets."""

    def __init__(self, laws: Laws, settings: CableSettings, room: int, seed: int) -> None:
        self.law, self.oracle = law_of(laws, settings), CableOracle(settings, RATE)
        self.room, self.free_at, self.draw = room, 0, random.Random(seed)
        self.tally: Counter[str] = Counter()

    def arrive(self, packet: Packet) -> None:
        at = packet.since
        while self.oracle.queued and self.free_at <= at:
            self.serve(self.free_at)
        busy, draws = self.free_at > at, [self.draw.random()]
        view = (1, packet.size, packet.service == L4S, False)
        queue, mark, used = self.law.join(
            packet.service, view, view[2], packet.flow, busy, at, draws
        )
        joins, marks, drops, wanted = self.oracle.arrive(packet, busy, draws)
        assert (queue, mark, used) == (joins, marks, wanted), (at, packet, len(self.tally))
        fate = self.law.drop(False, at) if busy else NONE
        assert fate == (joins if drops else NONE), (at, packet)
        overflows = busy and not drops and len(self.oracle.queued) > self.room
        if overflows:
            self.oracle.queued.pop()
            assert self.law.drop(True, at) == joins
        if drops or overflows:
            assert self.law.drop(True, at) == NONE, "one arrival, one drop"
        self.law.settle(at)
        assert self.law.drop(True, at) == NONE, "the arrival has ended"
        self.tally[f"joins {joins}"] += 1
        self.tally["ejected"] += joins != packet.service
        self.tally[f"dropped {joins}"] += drops
        self.tally["marked"] += marks
        self.tally["overflowed"] += overflows
        if not busy:
            self.serve(at)
        self.agree()

    def serve(self, at: int) -> None:
        self.oracle.pass_time(at)
        queue, packet = self.oracle.serve()
        assert self.law.next(at, []) == (queue, False, at - packet.since, False, 0), at
        self.free_at = at + packet.size * 8 * PS // RATE

    def agree(self) -> None:
        rows = self.law.classes()
        for n in (L4S, CLASSIC):
            count = sum(queue == n for queue, _ in self.oracle.queued)
            assert rows[n][:2] == (count, self.oracle.bytes(n))
        close = math.isclose(rows[0][2], self.oracle.drop_prob, rel_tol=1e-9, abs_tol=1e-15)
        assert close, (rows[0][2], self.oracle.drop_prob)
        assert math.isclose(rows[1][2], self.oracle.credit, abs_tol=1e-6)


def compare_random(laws: Laws, settings: CableSettings, seed: int) -> Counter[str]:
    """Compare both on bursts of two classes at loads from 0.5 to 3, with pauses."""
    draw = random.Random(seed)
    run, at = CableRun(laws, settings, draw.choice([25, 60, 400]), seed), 0
    load, share, sizes, flows = 1.0, 0.5, [1500], [1]
    for i in range(PACKETS):
        if i % 60 == 0:
            load, share = draw.choice([0.5, 1.0, 1.5, 3.0]), draw.choice([0.0, 0.2, 0.5, 1.0])
            sizes = draw.choice([[1499], [40, 576, 1499], [201, 1001]])
            flows = [draw.getrandbits(64) for _ in range(draw.choice([1, 3, 50]))]
            at += draw.choice([0, 0, 7, 300, 2500]) * MS
        size = draw.choice(sizes)
        at += round(draw.expovariate(1) * size * 8 / RATE / load * PS)
        service = L4S if draw.random() < share else CLASSIC
        run.arrive(Packet(service, size, draw.choice(flows), at))
    return run.tally


def check_docsis_random_packets(laws: Laws) -> None:
    """Queues, marks, drops, draws, probability and credit agree, with and without protection."""
    short = CableSettings(classic_buffer_s=0.04, target_s=0.004, max_burst_s=0.02)
    cases = [
        CableSettings(),
        short,
        replace(short, alpha=20.0, beta=90.0, update_s=0.0031, mean_packet=300),
        replace(short, protection=False, l4s_buffer_s=0.005, frame=200),
        replace(short, frame=600, critical_score_s=0.0005, aging_bps=1e5, buckets=4, attempts=1),
        replace(short, frame=100, critical_delay_s=0.002, most_score_s=0.006, aging_bps=1e4),
        replace(short, frame=64, coupling=9, buckets=3, attempts=3, aging_bps=2e5, ramp_s=0.004),
    ]
    tally: Counter[str] = Counter()
    for seed, settings in enumerate(cases):
        tally += compare_random(laws, settings, seed)
    names = ["joins 0", "joins 1", "dropped 0", "dropped 1", "ejected", "marked", "overflowed"]
    assert min(tally[name] for name in names) > 8, tally


def offer(
    law: Scheduler, service: int, at: int, size: int = 1000, flow: int = 5, draw: float = 0.0
) -> str:
    """Offers a packet to a busy link; returns its fate."""
    l4s = service == L4S
    queue, mark, _ = law.join(service, (1, size, l4s, False), l4s, flow, True, at, [draw])
    gone = law.drop(False, at) != NONE
    law.settle(at)
    fate = "drop" if gone else "ejected" if queue != service else "queued"
    return f"{fate} CE" if mark else fate


def check_docsis_ramp(laws: Laws) -> None:
    """At 1 Gbps, the marked share rises from 0 at a delay of 475.7 us to 1 at 1 ms."""
    for packets, share in ((59, 0.0), (76, 0.2523), (92, 0.4965), (125, 1.0), (200, 1.0)):
        law, fates = law_of(laws, CableSettings(protection=False), 10**9), Counter[str]()
        for _ in range(packets - 1):
            offer(law, L4S, 0)
        for _ in range(400):  # each is the last of `packets`, of 8 us
            fates[offer(law, L4S, 0)] += 1
            law.next(0, [])
        assert abs(fates["queued CE"] / 400 - share) < 0.005, (packets, fates)


def check_docsis_slow_ramp(laws: Laws) -> None:
    """At 8 Mbps the ramp begins at two frames of 2 kB, and ends 524 us later."""
    law = law_of(laws, CableSettings(protection=False))
    fates = [offer(law, L4S, 0, 500) for _ in range(12)]
    # Delays from 0.5 to 4 ms: none; 4.5 ms: 0.95; 5 ms on: 1, so that the sum first exceeds 1.
    assert fates == ["queued"] * 9 + ["queued CE"] * 3, fates


def check_docsis_ns3(laws: Laws) -> None:
    """The expectations of docsis-ns3's unit tests that apply downstream.

    Source: test/dual-queue-coupled-aqm-test-suite.cc of github.com/cablelabs/docsis-ns3 at 02aa242
    (5 April 2024). At 50 Mbps the ramp of 2^19 ns begins at 640 us with MAXTH 1 ms, because of two
    frames of 2 kB, and at 1,476 us with MAXTH 2 ms. C's buffer is 625,000 bytes by default. Its
    other expectations concern queue sizes given in bytes, service flows and Ethernet padding,
    which the law does not have. Its authors have switched off the virtual queue's expectations.
    """
    rate = 50_000_000
    for max_th_s, min_th_us in ((0.001, 640.0), (0.002, 2000 - 2**19 / 1000)):
        law = law_of(laws, CableSettings(ramp_end_s=max_th_s, protection=False), rate)
        waiting, total, wanted = 0, 0.0, list[bool]()
        fates = list[str]()
        for _ in range(180):  # packets of 100 bytes, 16 us each
            waiting += 100
            total += min(1.0, max(0.0, (waiting * 0.16 - min_th_us) / (2**19 / 1000)))
            wanted.append(total > 1)
            total -= wanted[-1]
            fates.append(offer(law, L4S, 0, 100))
        assert [fate == "queued CE" for fate in fates] == wanted, max_th_s
    law = law_of(laws, CableSettings(), rate)
    fates = [offer(law, CLASSIC, 0) for _ in range(626)]
    assert fates == ["queued"] * 625 + ["drop"]


def check_docsis_protection(laws: Laws) -> None:
    """A packet of 1 kB adds 2.048 ms to the score, and a delay of 1 ms allows a score of 4 ms."""
    every_ms = {0.0: "queued ejected", 1.0: "queued queued ejected", 4.0: "queued " * 6}
    for gap, wanted in every_ms.items():
        law, at = law_of(laws, CableSettings(), 10**9), 0
        offer(law, L4S, 0, 124_900, flow=6)
        fates = list[str]()
        while len(fates) < 6 and "ejected" not in fates:
            fates.append(offer(law, L4S, at).removesuffix(" CE"))
            at += round(gap * MS)
        assert fates == wanted.split(), (gap, fates)
    off = law_of(laws, CableSettings(protection=False), 10**9)
    assert {offer(off, L4S, 0)[:6] for _ in range(1000)} == {"queued"}, "without protection"


def check_docsis_rates(laws: Laws) -> None:
    """C's delay is at the rate that L leaves, where L counts at most its share of 230/256."""
    for sent, left_mbps in ((0, 8.0), (8, 4.0), (16, 8 - 8 * 230 / 256)):
        law = law_of(laws, CableSettings())
        for _ in range(sent):
            offer(law, L4S, 0)
            law.next(0, [])
        for _ in range(20):
            offer(law, CLASSIC, 0)
        law.settle(16 * MS)
        delay_s = 20_000 * 8 / (left_mbps * 1e6)
        wanted = (0.25 * (delay_s - 0.01) + 2.5 * delay_s) / 2048
        assert math.isclose(law.classes()[0][2], wanted, rel_tol=1e-9), (sent, wanted)


def check_docsis_buckets(laws: Laws) -> None:
    """A flow takes the first free bucket of its hash; without one it shares the last bucket."""
    law = law_of(laws, CableSettings(buckets=4), 10**9)
    offer(law, L4S, 0, 124_900, flow=0)  # at most 4 buckets, whose scores end by 6 s
    at, first, second, third = 6 * PS, 1 + 2 * 4, 1 + 1 * 4, 1 + 1 * 4 + 16
    fates = [offer(law, L4S, at, flow=flow).removesuffix(" CE") for flow in (first, second, third)]
    assert fates == ["queued", "queued", "ejected"], "the second and third share one score"


def check_docsis_largest_score(laws: Laws) -> None:
    """A score of at most 3.4 ms ends 3.4 ms after the last packet."""
    law = law_of(laws, CableSettings(most_score_s=0.0034, critical_score_s=0.003), 10**9)
    offer(law, L4S, 0, 124_900, flow=0)
    fates = [offer(law, L4S, at).removesuffix(" CE") for at in [0] * 9 + [round(3.5 * MS)]]
    assert fates == ["queued"] + ["ejected"] * 8 + ["queued"], fates


def drops_at(
    laws: Laws,
    kilobytes: int,
    draw: float = 0.0,
    begin_ms: int = 0,
    *,
    alpha: float = CableSettings.alpha,
    mean_packet: float = CableSettings.mean_packet,
) -> list[int]:
    """Return the ms at which classic packets are dropped while this much waits for 2 s.

    With `begin_ms`, a burst of 40 kB arrives at 0 and leaves at once, and the rest follows then.
    """
    settings = CableSettings(alpha=alpha, mean_packet=mean_packet)
    law, times = law_of(laws, settings), list[int]()
    if begin_ms:
        for _ in range(40):
            offer(law, CLASSIC, 0)
        for _ in range(40):
            law.next(0, [])
    for _ in range(kilobytes):
        offer(law, CLASSIC, begin_ms * MS)
    for ms in range(begin_ms + 1, begin_ms + 2000):
        if offer(law, CLASSIC, ms * MS, draw=draw) == "drop":
            times.append(ms)
        else:
            law.next(ms * MS, [])
    return times


def check_docsis_bursts(laws: Laws) -> None:
    """No drop occurs below a third of the buffer of 100 kB, or within 142 ms after a first drop."""
    assert drops_at(laws, 32) == []
    times = drops_at(laws, 40)
    assert len(times) > 1 and times[1] - times[0] > 142, times
    assert drops_at(laws, 40, mean_packet=25_000, alpha=20.0) == [], "two mean packets wait"
    assert drops_at(laws, 40, draw=0.999, alpha=20.0), "a sum of 8.5 needs no draw"


def check_docsis_burst_ends(laws: Laws) -> None:
    """A burst lasts for 62 calm updates, so that 20 kB suffice for drops; after 63 it is over."""
    assert drops_at(laws, 20, begin_ms=62 * 16 + 8, alpha=20.0)
    assert drops_at(laws, 20, begin_ms=63 * 16 + 8, alpha=20.0) == []


def check_docsis_buffers(laws: Laws) -> None:
    """C holds 100 ms, and L 10 ms or 20 frames of 2 kB, less one frame."""
    for service, rate, room in ((CLASSIC, RATE, 100), (L4S, RATE, 38), (L4S, 10**9, 1248)):
        law = law_of(laws, CableSettings(protection=False), rate)
        fates = [offer(law, service, 0).removesuffix(" CE") for _ in range(room + 2)]
        assert fates == ["queued"] * room + ["drop"] * 2, (service, rate, fates.count("drop"))


def check_docsis_overflows(laws: Laws) -> None:
    """Packets that find the buffer full reset the sum of PIE, so it drops none and p rises."""
    law, probabilities = law_of(laws, CableSettings(alpha=20.0)), list[float]()
    for _ in range(100):
        offer(law, CLASSIC, 0)
    for ms in range(1, 400):
        assert offer(law, CLASSIC, ms * MS) == "drop"
        probabilities.append(law.classes()[0][2])
    assert probabilities == sorted(probabilities) and probabilities[-1] > 0.3, probabilities[-1]


def check_docsis_defaults(laws: Laws) -> None:
    """The defaults are those of the texts, in the units of the law's table."""
    rows = {row[0]: row[2] for row in laws.tables()["scheduling"][LAW]}
    assert list(rows.values()) == CableSettings().values()
    assert 1 - rows["classic_share"] == 230 / 256
    assert rows["ramp_s"] == 2**19 / 1e9
    assert rows["aging_rate_bps"] / 8 * 2**30 / 1e9 == 2**19, "2^19 B in 2^30 ns"


def check_docsis_classes(laws: Laws) -> None:
    """Any number of classes other than two is refused."""
    for count in (0, 1, 3):
        try:
            laws.scheduler(CableSettings().values(), [[]] * count, RATE, LAW)
        except ValueError:
            continue
        raise AssertionError(f"{count} classes were let in")


DOCSIS_CHECKS: Final = {
    LAW: [
        check_docsis_defaults,
        check_docsis_ramp,
        check_docsis_slow_ramp,
        check_docsis_ns3,
        check_docsis_protection,
        check_docsis_buckets,
        check_docsis_largest_score,
        check_docsis_rates,
        check_docsis_bursts,
        check_docsis_burst_ends,
        check_docsis_buffers,
        check_docsis_overflows,
        check_docsis_classes,
        check_docsis_random_packets,
    ]
}
