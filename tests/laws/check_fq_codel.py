# SPDX-License-Identifier: Apache-2.0
"""FQ-CoDel against its oracle, packet by packet, and against RFC 8290 by hand."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Final

from law_api import Laws, Scheduler
from oracle_fq_codel import FqOracle, FqSettings, Packet
from tiers import in_full

__all__ = ["FQ_CODEL_CHECKS"]

LAW: Final = "fq-codel"
RATE: Final = 8_000_000  # one kilobyte per millisecond
PS: Final = 10**12
MS: Final = 10**9
PACKETS: Final = 2500 if in_full() else 1200


def law_of(laws: Laws, settings: FqSettings) -> Scheduler:
    """The scheduler with these parameters."""
    return laws.scheduler(settings.values(), [[]], RATE, LAW)


class FqRun:
    """Law and oracle at one transmitter with a buffer of some packets."""

    def __init__(self, laws: Laws, settings: FqSettings, room: int) -> None:
        self.law, self.oracle = law_of(laws, settings), FqOracle(settings)
        self.room, self.free_at = room, 0
        self.tally: Counter[str] = Counter()
        self.arrived = self.dropped = 0  # bytes of the busy period

    def arrive(self, queue: int, packet: Packet) -> None:
        at = packet.since
        while self.oracle.waiting and self.free_at <= at:
            self.serve(self.free_at)
        busy = self.free_at > at
        if not busy and not self.oracle.waiting:
            self.arrived = self.dropped = 0
        self.law.arrive(queue, (packet.flow, packet.size, packet.ect, False), busy, at)
        self.oracle.enqueue(queue, packet, busy)
        self.arrived += packet.size
        assert self.law.drop(False, at) == -1, "without an overflow it drops nothing"
        full = busy and self.oracle.waiting > self.room
        if full:
            wanted = self.oracle.overflow()
            self.dropped += sum(packet.size for _, packet in wanted)
            drops = [self.law.drop(True, at)] + [self.law.drop(False, at) for _ in wanted[1:]]
            assert drops == [number for number, _ in wanted], (at, drops, wanted)
            assert self.law.drop(False, at) == -1, "half of the queue, or 64 packets"
            self.tally["overflowed"] += 1
            self.tally["a batch"] += len(wanted) == 64
        self.law.settle(at)
        assert self.law.drop(True, at) == -1, "what has settled stays"
        self.compare(at)
        while self.oracle.waiting and self.free_at <= at:
            self.serve(at)

    def serve(self, at: int) -> None:
        wanted = self.oracle.dequeue(at)
        for left in wanted:
            answer = self.law.next(at, [])
            said = (left.queue, left.mark, at - left.packet.since, left.drop, 0)
            assert answer == said, (at, answer, said, left.packet)
            self.tally["dropped" if left.drop else "marked" if left.mark else "passed"] += 1
            if left.drop:
                self.dropped += left.packet.size
            else:
                self.free_at = at + left.packet.size * 8 * PS // RATE
        self.tally["several dropped"] += len(wanted) > 2
        self.compare(at)

    def compare(self, now: int) -> None:
        rows = self.law.classes()
        for flow, (packets, size, deficit, *_) in zip(self.oracle.flows, rows, strict=True):
            assert (packets, size) == (len(flow.packets), flow.size), (now, flow.number)
            if flow in self.oracle.new or flow in self.oracle.old:
                assert deficit == flow.deficit, (now, flow.number)
        assert rows[0][5] == (self.dropped / self.arrived if self.arrived else 0.0), now


def compare_random(laws: Laws, settings: FqSettings, seed: int) -> Counter[str]:
    """Compare both on flows of several rates and sizes, ECN-capable or not, with pauses."""
    draw = random.Random(seed)
    run, at, flows = FqRun(laws, settings, room=draw.choice([12, 60, 400])), 0, 6
    weights, load, size = [1.0] * flows, 1.0, 1500
    for i in range(PACKETS):
        if i % 80 == 0:
            weights = [draw.choice([0.02, 0.2, 1.0, 4.0]) for _ in range(flows)]
            load = draw.choice([0.7, 1.0, 1.3, 2.5])
            at += draw.choice([0, 0, 0, 7, 1500]) * MS
        (flow,) = draw.choices(range(flows), weights)
        size = draw.choice([[1500], [40, 576, 1500], [200, 1001]][flow % 3])
        at += round(draw.expovariate(1) * size * 8 / RATE / load * PS)
        run.arrive(flow % settings.queues, Packet(flow, size, flow not in (0, 4), at))
    return run.tally


def check_fq_codel_random_packets(laws: Laws) -> None:
    """Turns, deficits, marks, drops, overflows and the busy period's loss agree."""
    quick = FqSettings(target_s=0.002, interval_s=0.02, queues=6)
    cases = [
        FqSettings(queues=6),
        quick,
        replace(quick, queues=4),
        replace(quick, quantum=300),
        replace(quick, quantum=9000, interval_s=0.005),
        replace(quick, ce_threshold_s=0.004),
        replace(quick, ce_threshold_s=0.004, ce_for_all=True),
        replace(quick, target_s=0.0005, interval_s=0.002),
    ]
    tally: Counter[str] = Counter()
    for seed, settings in enumerate(cases):
        tally += compare_random(laws, settings, seed)
    names = ("passed", "marked", "dropped", "several dropped", "overflowed")
    assert min(tally[name] for name in names) > 20, tally


def check_fq_codel_batches(laws: Laws) -> None:
    """A flood of small packets loses 64 of them at once from its head, and a thin flow none."""
    run = FqRun(laws, FqSettings(queues=3), room=300)
    for i in range(900):
        run.arrive(i % 90 == 0, Packet(2 * (i % 90 == 0), 100, True, i * 1000))
    assert run.tally["a batch"] > 5 and run.tally["overflowed"] == run.tally["a batch"], run.tally


def check_fq_codel_new_flows_by_hand(laws: Laws) -> None:
    """RFC 8290 section 4.2: a new flow is served first, with a quantum, then joins the old ones."""
    law = law_of(laws, FqSettings(queues=4))
    law.arrive(0, (0, 1500, True, False), False, 0)
    law.settle(0)
    assert law.next(0, [])[0] == 0
    for queue in (1, 1, 1, 2, 2, 2):
        law.arrive(queue, (queue, 1500, True, False), True, 0)
        law.settle(0)
    # 1514 bytes allow two packets of 1500; the third one waits for the next turn
    turns = [law.next(0, [])[0] for _ in range(4)]
    assert turns == [1, 1, 2, 2], turns
    law.arrive(3, (3, 100, True, False), True, MS)
    law.settle(MS)
    assert [law.next(MS, [])[0] for _ in range(3)] == [3, 1, 2], "3 is new"


def queued(law: Scheduler, queue: int, at_ms: float, *sizes: int, ect: bool = False) -> None:
    """Packets that arrive at a busy link at once."""
    for size in sizes:
        law.arrive(queue, (2 * queue, size, ect, False), True, round(at_ms * MS))
        law.settle(round(at_ms * MS))


def fates(law: Scheduler, at_ms: float) -> list[str]:
    """What happens to the packets up to the first that leaves."""
    endings: list[str] = []
    while not endings or endings[-1] == "dropped":
        _, mark, _, drop, _ = law.next(round(at_ms * MS), [])
        endings.append("dropped" if drop else "marked" if mark else "passed")
    return endings


def check_fq_codel_strikes_again_by_hand(laws: Laws) -> None:
    """CoDel strikes at 110, 210 and 280.7 ms, the last time before a packet that hardly waited.

    RFC 8289: a drop moves the next strike only if the packet behind is overdue too. So it stays at
    280.7 ms for drops, and is at 338.4 ms for marks. At 1900 ms, only the latter is less than 16
    intervals ago: marks go on from the count of the last period, and the next one is due in 71 ms.
    """
    for ect, struck, later in (
        (False, ["dropped", "passed"], ["passed"]),
        (True, ["marked"], ["marked"]),
    ):
        law = law_of(laws, FqSettings(queues=2, quantum=10**6))
        queued(law, 0, 0, *[1500] * (4 if ect else 6), ect=ect)
        queued(law, 1, 0, *[1500] * 10)
        endings = [fates(law, at) for at in (10, 110, 210)]
        queued(law, 0, 280, *[1500] * 20, ect=ect)
        endings.append(fates(law, 280.8))
        assert endings == [["passed"], struck, struck, struck], endings
        if ect:
            assert fates(law, 281) == ["passed"]
        endings = [fates(law, at) for at in (1790, 1900, 1980)]
        assert endings == [["passed"], struck, later], endings


def check_fq_codel_overflow_by_hand(laws: Laws) -> None:
    """A first drop at 110 ms sets the next strike to 210 ms, whatever is behind.

    Ten packets dropped by an overflow count as strikes, so the next period begins with count 10.
    """
    law = law_of(laws, FqSettings(queues=2, quantum=10**6))
    queued(law, 0, 0, 1500, 1500)
    queued(law, 1, 0, *[1500] * 5)
    assert fates(law, 10) == ["passed"]
    queued(law, 0, 108, *[1500] * 20)
    assert fates(law, 110) == ["dropped", "passed"]
    law.arrive(0, (0, 1500, False, False), True, 111 * MS)
    drops = [law.drop(True, 111 * MS)] + [law.drop(False, 111 * MS) for _ in range(10)]
    law.settle(111 * MS)
    assert drops == [0] * 10 + [-1], drops
    endings = [fates(law, at) for at in (1590, 1700, 1740)]
    assert endings == [["passed"], ["dropped", "passed"], ["dropped", "passed"]], endings


def check_fq_codel_rest_by_hand(laws: Laws) -> None:
    """A queue that an overflow has emptied is forgotten on an idle link, so its wait restarts."""
    law = law_of(laws, FqSettings(queues=2, quantum=1500))
    queued(law, 0, 0, 1500, 1500)
    queued(law, 1, 0, 100, 100)
    assert fates(law, 10) == ["passed"], "overdue from 110 ms on"
    assert fates(law, 10) == ["passed"]
    law.arrive(1, (2, 100, False, False), True, 10 * MS)
    assert law.drop(True, 10 * MS) == 0
    assert law.drop(False, 10 * MS) == -1
    law.settle(10 * MS)
    assert [law.next(11 * MS, [])[0] for _ in range(2)] == [1, 1]
    assert [row[0] for row in law.classes()] == [0, 0]
    law.arrive(1, (2, 1500, False, False), False, 200 * MS)
    law.settle(200 * MS)
    queued(law, 0, 200, 1500, 1500, 1500)
    assert law.next(206 * MS, [])[0] == 1
    assert fates(law, 206) == ["passed"]


def check_fq_codel_classes(laws: Laws) -> None:
    """Any number of classes other than one is refused."""
    wrong: tuple[list[list[float]], ...] = ([], [[], []])
    for classes in wrong:
        try:
            laws.scheduler(FqSettings().values(), classes, RATE, LAW)
        except ValueError as error:
            assert "needs one class" in str(error)
        else:
            raise AssertionError(f"{len(classes)} classes are accepted")


def check_flow_class(laws: Laws) -> None:
    """Flows spread evenly over queues, differently for each salt, and always the same way."""
    for salt in (0, 1, 2**64 - 1):
        hits = Counter(laws.flow_class(flow, salt, 64) for flow in range(6400))
        assert set(hits) == set(range(64))
        spread = sum((n - 100) ** 2 / 100 for n in hits.values())
        assert 30 < spread < 110, spread  # chi square of 63 degrees of freedom
    first, second = ([laws.flow_class(f, salt, 1024) for f in range(100)] for salt in (5, 6))
    assert first != second and first == [laws.flow_class(f, 5, 1024) for f in range(100)]


FQ_CODEL_CHECKS = {
    LAW: [
        check_fq_codel_random_packets,
        check_fq_codel_batches,
        check_fq_codel_new_flows_by_hand,
        check_fq_codel_strikes_again_by_hand,
        check_fq_codel_overflow_by_hand,
        check_fq_codel_rest_by_hand,
        check_fq_codel_classes,
    ],
    "flow-class": [check_flow_class],
}
