# SPDX-License-Identifier: Apache-2.0
"""DualPI2 against its oracle, packet by packet, and against RFC 9332 and Linux by hand."""

from __future__ import annotations

import itertools
import math
import random
import time
from collections import Counter
from dataclasses import replace
from typing import Final

from law_api import Laws, Scheduler
from oracle_dualpi2 import CLASSIC, DROP, L4S, MARK, DualOracle, DualSettings, Waiting
from tiers import in_full

__all__ = ["DUALPI2_CHECKS", "DualRun"]

LAW: Final = "dualpi2"
RATE: Final = 8_000_000  # one kilobyte per millisecond
PS: Final = 10**12
MS: Final = 10**9
PACKETS: Final = 1500 if in_full() else 900
TIE_BYTES: Final = 1e-6  # such a small credit may have either sign in floating point


def law_of(laws: Laws, settings: DualSettings) -> Scheduler:
    """The scheduler with these parameters."""
    return laws.scheduler(settings.values(), [[], []], RATE, LAW)


class DualRun:
    """Law and oracle at one transmitter with a buffer of some packets."""

    def __init__(self, laws: Laws, settings: DualSettings, room: int, seed: int) -> None:
        self.law, self.oracle = law_of(laws, settings), DualOracle(settings)
        self.room, self.free_at, self.draw = room, 0, random.Random(seed)
        self.tally: Counter[str] = Counter()

    def arrive(self, packet: Waiting) -> None:
        at = packet.since
        while self.oracle.waiting and self.free_at <= at:
            self.serve(self.free_at)
        busy = self.free_at > at
        self.law.arrive(packet.service, (1, packet.size, packet.ect, False), busy, at)
        self.oracle.arrive(packet, busy)
        full = busy and len(self.oracle.waiting) > self.room
        assert self.law.drop(False, at) == -1, "it drops nothing as a packet arrives"
        assert self.law.drop(full, at) == (packet.service if full else -1), (at, packet)
        if full:
            self.oracle.waiting.pop()
            assert self.law.drop(True, at) == -1, "one arrival, one drop"
        self.law.settle(at)
        assert self.law.drop(True, at) == -1, "what has settled stays"
        self.tally["overflowed" if full else "let in"] += 1
        self.compare(at)
        while self.oracle.waiting and self.free_at <= at:
            self.serve(at)

    def serve(self, at: int) -> None:
        oracle = self.oracle
        oracle.pass_time(at)
        draws = [self.draw.random() for _ in range(3)]
        service, mark, waited, drop, used = self.law.next(at, draws)
        tied = abs(oracle.credit) < TIE_BYTES and all(oracle.of(n) for n in (L4S, CLASSIC))
        assert tied or service == oracle.turn(), (at, service, float(oracle.credit))
        self.tally["tied"] += tied and service != oracle.turn()
        packet, fate, wanted = oracle.serve(service, at, draws)
        said = (mark, drop, waited, used)
        expected = (fate == MARK, fate == DROP, at - packet.since, wanted)
        assert said == expected, (at, packet, said, expected, float(oracle.base))
        self.tally[f"{fate} {packet.service}"] += 1
        self.tally["overload"] += oracle.k * oracle.base > 1
        if fate != DROP:
            self.free_at = at + packet.size * 8 * PS // RATE
        self.compare(at)

    def compare(self, now: int) -> None:
        rows = self.law.classes()
        for n, (packets, size, *_) in enumerate(rows):
            assert (packets, size) == (len(self.oracle.of(n)), self.oracle.bytes(n)), (now, n)
        _, _, base, credit, _, _ = rows[0]
        for law, oracle in ((base, self.oracle.base), (credit, self.oracle.credit)):
            near = math.isclose(law, oracle, rel_tol=1e-9, abs_tol=1e-8)
            assert near, (now, law, float(oracle))


def compare_random(laws: Laws, settings: DualSettings, seed: int) -> Counter[str]:
    """Compare both on bursts of two classes at loads from 0.5 to 3, with pauses."""
    draw = random.Random(seed)
    run, at = DualRun(laws, settings, room=draw.choice([12, 60, 400]), seed=seed), 0
    load, share, sizes = 1.0, 0.5, [1500]
    for i in range(PACKETS):
        if i % 40 == 0:
            load, share = draw.choice([0.5, 1.0, 1.5, 3.0]), draw.choice([0.0, 0.2, 0.5, 1.0])
            sizes = draw.choice([[1500], [40, 576, 1500], [200, 1001]])
            at += draw.choice([0, 0, 7, 300]) * MS
        size = draw.choice(sizes)
        at += round(draw.expovariate(1) * size * 8 / RATE / load * PS)
        service = L4S if draw.random() < share else CLASSIC
        run.arrive(Waiting(service, size, service == L4S or draw.random() < 0.5, at))
    return run.tally


def check_dualpi2_random_packets(laws: Laws) -> None:
    """Services, marks, drops, draws, p' and credit agree in both forms, also in overload."""
    fast = DualSettings(alpha=4.0, beta=30.0, target_s=0.005)
    cases = [
        DualSettings(),
        DualSettings(alpha=2.5, beta=20.0),
        fast,
        replace(fast, drop_overload=False, coupling=3.0),
        replace(fast, classic_share=0.5, mtu=600.0, step_s=0.004, update_s=0.0031),
        replace(fast, coupling=0.5, classic_share=0.0, drop_overload=False),
        replace(fast, step_at_least=2),
    ]
    for rfc in (False, True):
        tally: Counter[str] = Counter()
        for seed, settings in enumerate(cases):
            own = replace(settings, rfc=True, step_s=0.0008) if rfc else settings
            tally += compare_random(laws, own, seed)
        outcomes = [f"{fate} {n}" for fate in ("pass", "mark", "drop") for n in (L4S, CLASSIC)]
        assert min(tally[name] for name in [*outcomes, "overflowed"]) > 8, (rfc, tally)


def fill(law: Scheduler, service: int, at: int, count: int, size: int = 1500) -> None:
    """Queues `count` packets of a class behind one in transmission."""
    for _ in range(count):
        law.arrive(service, (service, size, True, False), True, at)
        law.settle(at)


def base_of(law: Scheduler, at: int) -> float:
    """p' after all updates up to `at`."""
    law.settle(at)
    return law.classes()[0][2]


def check_dualpi2_constant_delay(laws: Laws) -> None:
    """A constant delay changes p' by alpha (D - target) per update. Form rfc uses only C's D."""
    delay, target = 15 * MS, 5 * MS
    for rfc, service in itertools.product((False, True), (L4S, CLASSIC)):
        law = law_of(laws, DualSettings(rfc=rfc, alpha=0.5, beta=2.0, target_s=target / PS))
        gained, previous = list[float](), 0.0
        for update in range(1, 11):
            at = 16 * MS * update
            fill(law, service, at - delay, 1)
            gained.append(base_of(law, at) - previous)
            previous = base_of(law, at)
            law.next(at, [1.0] * 3)
        first, step = 0.5 * 0.01 + 2.0 * 0.015, 0.5 * 0.01
        wanted = [0.0] * 10 if rfc and service == L4S else [first] + [step] * 9
        pairs = zip(gained, wanted, strict=True)
        assert all(math.isclose(g, w, abs_tol=1e-12) for g, w in pairs), (rfc, service, gained)


def check_dualpi2_long_idle_link(laws: Laws) -> None:
    """Four hundred million updates of an idle link, which change nothing, take no time."""
    law = law_of(laws, DualSettings(alpha=0.0, beta=2.0, update_s=1e-6))
    fill(law, L4S, 0, 1)
    law.next(5 * MS, [1.0] * 3)
    begin = time.process_time()
    assert base_of(law, 400 * PS) < 1e-9, "what p' rose by it falls by"
    assert time.process_time() - begin < 0.1


def check_dualpi2_idle_link(laws: Laws) -> None:
    """On an idle link p' stays 0 or falls to 0, and the credit restarts."""
    law = law_of(laws, DualSettings(alpha=0.5, beta=2.0))
    assert base_of(law, 3600 * PS) == 0.0
    begin = 3600 * PS + MS
    law.arrive(L4S, (1, 1500, True, False), False, begin)
    assert law.classes()[0][3] == 1500 * (0.1 - 0.9)
    law.settle(begin)
    law.next(begin, [1.0] * 3)
    fill(law, L4S, begin, 3)
    fill(law, CLASSIC, begin, 3)
    risen = base_of(law, 3600 * PS + 16 * MS)
    assert math.isclose(risen, 2.0 * 0.015, rel_tol=1e-9), "of 15 ms, which is the target"
    for _ in range(6):
        law.next(3600 * PS + 17 * MS, [1.0] * 3)
    law.arrive(CLASSIC, (1, 1500, True, False), True, 3600 * PS + 18 * MS)
    assert law.classes()[0][3] != 1500 * (0.1 - 0.9), "the link is busy still"
    law.settle(3600 * PS + 18 * MS)
    law.next(3600 * PS + 18 * MS, [1.0] * 3)
    assert base_of(law, 3600 * PS + 32 * MS) == 0.0, "beta takes what it gave, alpha the rest"
    law.arrive(CLASSIC, (1, 1500, True, False), False, 3601 * PS)
    assert law.classes()[0][3] == 1500 * (0.1 - 0.9)


def check_dualpi2_turns_by_hand(laws: Laws) -> None:
    """At a share of 0.1, nine MTUs of L raise the credit from -0.8 to 0.1, one of C undoes it."""
    law = law_of(laws, DualSettings())
    law.arrive(L4S, (1, 1500, True, False), False, 0)
    law.settle(0)
    fill(law, L4S, 0, 40)
    fill(law, CLASSIC, 0, 40)
    turns = "".join("LC"[law.next(0, [1.0] * 3)[0]] for _ in range(30))
    assert turns == "LLLLLLLLLC" * 3, turns


def check_dualpi2_weights(laws: Laws) -> None:
    """While both classes wait, C sends its share of the bytes, whatever the packet sizes."""
    for share, (l4s, classic) in itertools.product(
        (0.1, 0.25, 0.5), ((1500, 1500), (300, 1500), (1500, 40))
    ):
        law = law_of(laws, DualSettings(alpha=0, beta=0, classic_share=share))
        for service, size in ((L4S, l4s), (CLASSIC, classic)):
            fill(law, service, 0, 60_000 // size * 10, size)
        sent = [0, 0]
        while all(row[0] for row in law.classes()) and sum(sent) < 500_000:
            service = law.next(MS, [1.0] * 3)[0]
            sent[service] += (l4s, classic)[service]
        assert abs(sent[CLASSIC] - share * sum(sent)) < 1500 + max(l4s, classic), (share, sent)


def at_probability(laws: Laws, settings: DualSettings, base: float) -> Scheduler:
    """Return a law whose p' is set by its first update at 10 s. The next one is at 20 s.

    By then, a packet of the classic queue has waited for a second.
    """
    own = replace(settings, update_s=10.0, alpha=0.0, beta=base)
    law = law_of(laws, own)
    fill(law, CLASSIC, 9 * PS, 1)
    assert math.isclose(base_of(law, 10 * PS), base)
    law.next(10 * PS, [1.0] * 3)
    return law


def shares_of(law: Scheduler, service: int, ect: bool, seed: int) -> tuple[float, float]:
    """The shares of 4,000 packets of one class in a long queue that are marked, and dropped."""
    draw, at, count = random.Random(seed), 10 * PS, 4000
    for _ in range(count + 2):
        law.arrive(service, (1, 1500, ect, False), True, at)
        law.settle(at)
    served = [law.next(at, [draw.random() for _ in range(3)]) for _ in range(count)]
    assert all(one[0] == service for one in served)
    return (sum(one[1] for one in served) / count, sum(one[3] for one in served) / count)


def check_dualpi2_coupling(laws: Laws) -> None:
    """A share k p' of L and p'^2 of C is marked, or dropped if not ECT, without overload."""
    for rfc, base in itertools.product((False, True), (0.05, 0.2, 0.4)):
        slack = 1e-3 if rfc else 0.03
        for seed, (service, ect) in enumerate(((L4S, True), (CLASSIC, True), (CLASSIC, False))):
            law = at_probability(laws, DualSettings(rfc=rfc), base)
            marked, dropped = shares_of(law, service, ect, seed)
            wanted = 2 * base if service == L4S else base**2
            assert abs((marked if ect else dropped) - wanted) < slack, (rfc, base, marked, dropped)
            assert (dropped if ect else marked) == 0.0


def check_dualpi2_overload(laws: Laws) -> None:
    """If p' exceeds 1 / k, C is dropped with p'^2, and L is marked unless dropped."""
    for rfc, base in itertools.product((False, True), (0.55, 0.8)):
        law = at_probability(laws, DualSettings(rfc=rfc), base)
        marked, dropped = shares_of(law, CLASSIC, True, 7)
        assert marked == 0.0 and abs(dropped - base**2) < 0.03, (rfc, base, marked, dropped)
        law = at_probability(laws, DualSettings(rfc=rfc), base)
        marked, dropped = shares_of(law, L4S, True, 8)
        assert abs(marked + dropped - 1) < 1e-3, (rfc, base, marked, dropped)
        # The surplus of k p' over 1 stays in the count that marks and drops of L share (recur).
        square, coupled = base**2, 2 * base
        kept = (square + coupled - 1) / coupled if rfc else square
        assert abs(dropped - kept) < 0.03, (rfc, base, dropped)
    law = at_probability(laws, DualSettings(), 0.8)
    short = [law_fate(law, n, 0.0) for n in (L4S, CLASSIC)]
    assert short == ["pass", "pass"], "two packets of an MTU are not a queue"


def law_fate(law: Scheduler, service: int, draw: float) -> str:
    """The fate of a packet with another packet behind it."""
    fill(law, service, 10 * PS, 2)
    _, mark, _, drop, _ = law.next(10 * PS, [draw] * 3)
    law.next(10 * PS, [1.0] * 3)
    return "drop" if drop else "mark" if mark else "pass"


def check_dualpi2_own_marks(laws: Laws) -> None:
    """L is marked beyond a step of 1 ms even if alone, or along a ramp with two packets behind."""
    for after, mark in ((MS, False), (MS + 1, True)):
        law = law_of(laws, DualSettings())
        fill(law, L4S, 0, 1)
        assert law.next(after, [1.0] * 3)[1] is mark, after
    ramp = DualSettings(rfc=True, step_s=0.0008)
    for waited, share in ((0.8, 0.0), (0.9, 0.25), (1.1, 0.75), (1.2, 1.0), (5, 1.0)):
        for behind, wanted in ((1, 0.0), (2, share)):
            law = law_of(laws, ramp)
            marks = 0
            for _ in range(400):
                fill(law, L4S, 0, behind + 1)
                marks += law.next(round(waited * MS), [])[1]
                for _ in range(behind):
                    law.next(0, [])
            assert abs(marks / 400 - wanted) < 0.01, (waited, behind, marks)


def check_codepoint_class(laws: Laws) -> None:
    """ECT(1) and CE packets are L4S traffic; ECT(0) and not-ECT are not (RFC 9331 section 5.1)."""
    for ect, ce, ect_1 in itertools.product((False, True), repeat=3):
        l4s = ect and (ce or ect_1)
        assert laws.codepoint_class(ect, ce, ect_1) == (L4S if l4s else CLASSIC), (ect, ce, ect_1)


def check_dualpi2_classes(laws: Laws) -> None:
    """Any number of classes other than two is refused."""
    for count in (0, 1, 3):
        try:
            laws.scheduler(DualSettings().values(), [[]] * count, RATE, LAW)
        except ValueError:
            continue
        raise AssertionError(f"{count} classes were let in")


DUALPI2_CHECKS = {
    LAW: [
        check_dualpi2_constant_delay,
        check_dualpi2_idle_link,
        check_dualpi2_long_idle_link,
        check_dualpi2_turns_by_hand,
        check_dualpi2_weights,
        check_dualpi2_coupling,
        check_dualpi2_overload,
        check_dualpi2_own_marks,
        check_dualpi2_classes,
        check_dualpi2_random_packets,
    ],
    "codepoint-class": [check_codepoint_class],
}
