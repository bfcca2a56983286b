# SPDX-License-Identifier: Apache-2.0
"""New parameters for a marking law between two packets take effect, and the state is kept.

A market may change the parameters of a link at any epoch (`configure`). Two instances of a law see
the same packets with the same draws; only the history of their parameters differs.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from law_api import MARK, NEVER, PASS, Laws, Marking
from oracle_marking import FluidBuffer, PacketServer

__all__ = ["CONFIGURE_CHECKS"]

RATE: Final = 10_000_000
MS: Final = 10**9
STEPS: Final = 600
# Two settings of a law, which differ in each parameter that is not just an initial value.
SETTINGS: Final[dict[str, tuple[list[float], list[float]]]] = {
    "fixed": ([0.3], [0.6]),
    "threshold": ([3, 0], [5, 1]),
    "load-based": ([0.02, 0.2, 0.5], [0.035, 0.4, 2]),
    "virtual-queue": ([0.7, 6, 1000, 0, 0], [0.5, 4, 700, 1, 0]),
    "adaptive-virtual-queue": ([0.9, 0.5, 9, 1000], [0.7, 2, 5, 600]),
    "adaptive-threshold": ([0.9, 0.5, 9, 1000], [0.7, 2, 5, 600]),
    "red": (
        [0, 2, 7, 0.1, 0.2, 0, 0, 0, 0, 0, 0, 0.5, 0, 1000, -1],
        [1, 1500, 5000, 0.4, 0.5, 1, 1, 1, 1, 1, 1, 0.2, 1, 600, 12000],
    ),
    "self-configuring-red": ([0, 2, 7, 0.1, 0.2, 3, 2, 1000], [1, 900, 5000, 0.1, 0.5, 2, 5, 600]),
    "blue": ([0.02, 0.01, 0.02, -1], [0.05, 0.03, 0.005, 6]),
    "choke": ([0, 2, 7, 0.1, 0.2, 1000], [1, 900, 5000, 0.3, 0.5, 600]),
    # Its bins stay the same, because new ones would begin empty.
    "sfb": ([2, 3, 0.4, 0.1, 1, 9, 50, 2, 0.4, 0.2], [2, 3, 0.6, 0.2, 2, 4, 20, 1, 0.3, 0.1]),
    "sred": ([0.4, 3, 8, 0.5, 1, 12, 1000], [0.8, 2, 8, 0.9, 0, 9, 700]),
    "pi": ([0, 4, 0.02, 0.01, 0.01, 1000], [1, 2500, 0.03, 0.02, 0.017, 700]),
    "pie": (
        [0.004, 0.01, 0.5, 5, 0.02, 0.1, 1000],
        [0.002, 0.017, 5, 20, 0.02, 0.3, 500],
    ),
    "codel": ([0.005, 0.03], [0.001, 0.01]),
    "rem": (
        [2, 1.05, 0.05, 0.1, 1, 0.9, 0.01, 1, 1, 0, 0, 1000],
        [0, 1.2, 0.02, 0.3, 3, 0.7, 0.017, 0.5, 0.4, 1, 1, 600],
    ),
    "flow-projection": ([20, 1000, 10, 0.9, 4, 0], [5, 700, 4, 0.5, 2, 0]),
    "flow-projection-heuristic": (  # its filter stays the same, because a new one would begin empty
        [20, 1000, 10, 0.9, 4, 0, 0.02, 3000, 0, 2, 8],
        [5, 700, 4, 0.5, 2, 0, 0.035, 3000, 0, 2, 8],
    ),
}
Verdict = tuple[object, ...]


def verdicts(
    law: Marking, seed: int, before_step: Callable[[int], object] = lambda step: None
) -> list[Verdict]:
    """Return a law's verdicts on packets at a queue that rises and falls, and at its timers."""
    draw, now, timer, said = random.Random(seed), 0, law.first_timer(), list[Verdict]()
    packets, waiting = 0, list[tuple[int, int]]()
    for step in range(STEPS):
        before_step(step)
        now += int(draw.expovariate(1.2) * MS)
        packets = max(0, min(14, packets + draw.choice([-2, -1, 0, 1, 1, 2])))
        idle = packets == 0 and draw.random() < 0.5
        queue = (packets, packets * 800, RATE, now - 2 * MS if idle and now > 2 * MS else NEVER)
        packet = (draw.randrange(3), draw.choice([500, 1000, 1500]))
        draws = [draw.random(), draw.random()]
        while timer != NEVER and timer <= now:
            timer = law.on_timer(queue, timer)
            said.append(("timer", timer, law.probability()))
        said.append((*law.on_arrival(queue, packet, now, draws), law.probability()))
        if draw.random() < 0.05:
            law.on_drop((*packet, True, False), now)
            continue
        waiting.append(packet)
        while law.watches_departures() and len(waiting) > packets:
            leaves = law.on_departure(queue, waiting.pop(0), now, draws)
            said.append((*leaves, law.probability()))
    return said


def check_new_parameters_count(laws: Laws) -> None:
    """A law changed to another setting equals a law made with that setting."""
    missing = sorted(laws.tables()["marking"].keys() - SETTINGS.keys() - {"drop-tail"})
    assert not missing, f"laws without a line in SETTINGS of check_configure.py: {missing}"
    for name, (first, other) in SETTINGS.items():
        changed, plain = laws.marking(name, first), laws.marking(name, other)
        changed.configure(other)
        expected = verdicts(plain, 1)
        assert verdicts(changed, 1) == expected, name
        assert verdicts(laws.marking(name, first), 1) != expected, f"{name}: settings alike"


def check_state_is_kept(laws: Laws) -> None:
    """Parameters that change and change back between two packets have no effect."""
    for name, (first, other) in SETTINGS.items():
        law = laws.marking(name, first)
        settings = (other, first)

        def there_and_back(
            step: int, law: Marking = law, settings: tuple[list[float], ...] = settings
        ) -> None:
            for values in settings if step % 7 == 3 else ():
                law.configure(values)

        assert verdicts(law, 2, there_and_back) == verdicts(laws.marking(name, first), 2), name


def check_virtual_queue_changes_its_service(laws: Laws) -> None:
    """A change between fluid and whole packets empties the virtual buffer."""
    draw, now, marks = random.Random(3), 0, 0
    law = laws.marking("virtual-queue", [0.9, 4, 1000, 0, 0])
    for part in range(60):
        by_packet, per_overflow = part % 2, part // 2 % 2
        theta, packets = draw.choice([0.5, 0.9]), draw.choice([2, 4])
        law.configure([theta, packets, 1000, per_overflow, by_packet])
        assert (law.measure(), law.probability()) == (0, 0)
        buffer = (PacketServer if by_packet else FluidBuffer)(theta, packets, 1000, RATE)
        for _ in range(draw.randint(1, 12)):
            now += int(draw.expovariate(3.0) * 8e8)
            size = draw.choice([40, 1000, 1500])
            lost, marking, doubtful = buffer.arrive(now, size)
            assert not doubtful
            action, _, _ = law.on_arrival((0, 0, RATE, NEVER), (0, size), now, [])
            assert action == (MARK if (lost if per_overflow else marking) else PASS), (part, now)
            marks += action == MARK
    assert marks > 100, marks


def check_rem_input_rate_is_over_the_time_that_passed(laws: Laws) -> None:
    """A new interval applies from the next update on, which still ends an interval of 10 ms."""
    values = [0, 1.05, 1, 0.1, 0, 0.5, 0.01, 1, 1, 0, 0, 1000]
    law, queue = laws.marking("rem", values), (0, 0, RATE, NEVER)
    for _ in range(20):
        law.on_arrival(queue, (0, 1000), 0, [0.5])
    values[6] = 0.02
    law.configure(values)
    assert law.on_timer(queue, 10 * MS) == 30 * MS
    assert abs(law.measure() - (20 / 0.01 - 625) * 0.02) < 1e-9, law.measure()


def check_load_is_over_the_time_that_passed(laws: Laws) -> None:
    """A new interval applies from the next update on, which still ends an interval of 10 ms."""
    law, queue = laws.marking("load-based", [0.01, 0.5, 1]), (0, 0, RATE, NEVER)
    for ends, begins_next, load in ((10, 30, 1.6), (30, 50, 0.8)):
        for _ in range(20):
            law.on_arrival(queue, (0, 1000), (ends - 5) * MS, [0.5])
        law.configure([0.02, 0.5, 1])
        assert law.on_timer(queue, ends * MS) == begins_next * MS
        assert abs(law.measure() - load) < 1e-9, (ends, law.measure())


CONFIGURE_CHECKS = {
    "configure": [
        check_new_parameters_count,
        check_state_is_kept,
        check_virtual_queue_changes_its_service,
        check_rem_input_rate_is_over_the_time_that_passed,
        check_load_is_over_the_time_that_passed,
    ]
}
