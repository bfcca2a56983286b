# SPDX-License-Identifier: Apache-2.0
"""The rate profile against its definition: integrals of the factor as plain sums.

The oracle has f and its integral G from 0, but no inverse. It checks the law's D by its definition,
G(now + D) - G(now) <= P < G(now + D + 1) - G(now), and steps picosecond by picosecond through
profiles of a few picoseconds. All numbers are integers (picoseconds times millionths).
"""

from __future__ import annotations

import random
from typing import Final

from law_api import FARTHEST, NEVER, Laws

__all__ = ["PROFILE_CHECKS"]

PS: Final = 10**12
HOUR: Final = 3600 * PS
ONE: Final = 10**6
Steps = list[tuple[int, int]]
DAY: Final[Steps] = [(0, 300_000), (8 * HOUR, ONE), (12 * HOUR, 1_300_000), (18 * HOUR, 800_000)]
NIGHTS_OFF: Final[Steps] = [
    (0, 0),
    (7 * HOUR, 500_000),
    (8 * HOUR, 1),
    (9 * HOUR, 0),
    (20 * HOUR, ONE),
]


def factor(period: int, steps: Steps, t: int) -> int:
    """f in millionths."""
    return [ppm for at, ppm in steps if at <= t % period][-1]


def integral(period: int, steps: Steps, t: int) -> int:
    """The integral of f from 0 to t."""

    def within(phase: int) -> int:
        ends = [at for at, _ in steps[1:]] + [period]
        pairs = zip(steps, ends, strict=True)
        return sum(ppm * (min(end, phase) - at) for (at, ppm), end in pairs if at < phase)

    whole, phase = divmod(t, period)
    return whole * within(period) + within(phase)


def check_profile_by_picoseconds(laws: Laws) -> None:
    """In tiny profiles, the pause is used up picosecond by picosecond."""
    draw = random.Random(1)
    for _ in range(60):
        period = draw.randint(1, 12)
        begins = [0, *sorted(draw.sample(range(1, period), draw.randint(0, (period - 1) // 2)))]
        steps = [(at, draw.choice((0, 1, 250_000, ONE, 3_000_001))) for at in begins]
        steps[-1] = (steps[-1][0], draw.choice((400_000, ONE, 7 * ONE)))
        law = laws.profile(period, steps)
        for now in range(2 * period):
            pause = draw.randint(0, 30)
            worn, d = factor(period, steps, now), 0
            while worn <= pause * ONE:
                d += 1
                worn += factor(period, steps, now + d)
            assert law.stretch(now, pause) == d, (period, steps, now, pause)


def check_profile_by_integral(laws: Laws) -> None:
    """Over whole days, the pause lies between the integrals to D and to D + 1."""
    draw = random.Random(2)
    for steps in (DAY, NIGHTS_OFF, [(0, 1)], [(0, 1000 * ONE)]):
        law = laws.profile(24 * HOUR, steps)
        for _ in range(400):
            now = draw.randrange(5 * 24) * HOUR + draw.choice((-1, 0, 1, draw.randrange(HOUR)))
            now = max(now, 0)
            pause = round(10 ** draw.uniform(0, 17.5)) if draw.random() < 0.9 else 0
            d, begin = law.stretch(now, pause), integral(24 * HOUR, steps, now)
            if d == FARTHEST:
                assert integral(24 * HOUR, steps, now + d) - begin <= pause * ONE
                continue
            upto = [integral(24 * HOUR, steps, now + x) - begin for x in (d, d + 1)]
            assert upto[0] <= pause * ONE < upto[1], (steps, now, pause, d)
            assert factor(24 * HOUR, steps, now + d) > 0


def check_profile_steps(laws: Laws) -> None:
    """The factor at any time and the start of the next one; a factor of 1 changes no pause."""
    for steps in (DAY, NIGHTS_OFF):
        law = laws.profile(24 * HOUR, steps)
        begins = [day * 24 * HOUR + at for day in range(3) for at, _ in steps]
        for now in {t + d for t in begins for d in (-1, 0, 1)} - {-1}:
            assert law.at(now) == factor(24 * HOUR, steps, now) / ONE
            assert law.next_step(now) == min(t for t in [*begins, 3 * 24 * HOUR] if t > now)
    for law in (laws.profile(HOUR, [(0, ONE)]), laws.profile(-1, [])):
        for now, pause in ((0, 0), (5, 1), (HOUR - 1, 10 * HOUR), (10**18, 4 * 10**18)):
            assert law.stretch(now, pause) == pause and law.at(now) == 1.0
            assert law.on(now, 6, 7)
    assert laws.profile(-1, []).next_step(5) == NEVER


def check_profile_members(laws: Laws) -> None:
    """The first round(N f / max f) of N members are on, with halves rounded down."""
    law, largest = laws.profile(24 * HOUR, DAY), 1_300_000
    for count in (1, 2, 13, 65, 1_000_000):
        for at, ppm in DAY:
            on = [law.on(at, i, count) for i in range(min(count, 2000))]
            expected = -((largest - 2 * count * ppm) // (2 * largest))
            assert sum(on) == min(expected, 2000) and on == sorted(on, reverse=True)
    assert [laws.profile(2, [(0, 0), (1, ONE)]).on(t, 0, 5) for t in (0, 1)] == [False, True]


def check_profile_range(laws: Laws) -> None:
    """Malformed profiles are refused, and the longest pauses end at the end of time."""
    fine = [(0, ONE), (5, 0)]
    laws.profile(10, fine)
    bad: list[tuple[int, Steps]] = [
        (0, fine), (5, fine), (10, []), (10, [(1, ONE)]), (10, [(0, 0), (5, 0)]),
        (10, [(0, ONE), (5, 1), (5, 2)]), (10, [(0, ONE), (7, 1), (5, 2)]),
        (10, [(0, -1), (5, 1)]), (10, [(0, 1000 * ONE + 1)]), (2**62 + 1, fine),
    ]  # fmt: skip
    for period, steps in bad:
        try:
            laws.profile(period, steps)
        except ValueError:
            continue
        raise AssertionError(f"{period}, {steps} is accepted")
    for period, steps in ((2**62, [(0, 1), (1, 0)]), (10, [(0, 1), (1, 0)]), (HOUR, [(0, 1)])):
        assert laws.profile(period, steps).stretch(2**62, 2**63 - 1) == FARTHEST
    for now, pause in ((0, 2**63 - 1), (2**62 - 1, 2**62 + 1), (2**62, 2**62)):
        assert laws.profile(-1, []).stretch(now, pause) == FARTHEST
    assert laws.profile(2**62, [(0, 1), (1, 0)]).next_step(2**62 + 5) == FARTHEST


PROFILE_CHECKS = {
    "profile": [
        check_profile_by_picoseconds,
        check_profile_by_integral,
        check_profile_steps,
        check_profile_members,
        check_profile_range,
    ]
}
