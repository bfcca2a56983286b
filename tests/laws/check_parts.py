# SPDX-License-Identifier: Apache-2.0
"""Sessions, pages, talk spurts, lists of sizes and video against oracles of whole units.

The laws proceed by file and by packet. The oracles take the draws in the order
that the headers state, and lay out whole sessions, pages, calls and groups of pictures at once.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from law_api import FARTHEST, Laws, Traffic
from tiers import in_full

__all__ = ["PART_CHECKS"]

PS: Final = 10**12
READING_S: Final = 5.0  # native/parts.cc
FILE_BYTES: Final = 1000
PAYLOAD: Final = 1000
TICK: Final = PS // 10
GEOMETRIC_SLACK: Final = 1e-12


class Draws:
    """Uniforms that are recorded when they are taken."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.taken: list[float] = []

    def __call__(self) -> float:
        self.taken.append(self._random.random() or 0.5)
        return self.taken[-1]

    def exponential(self, mean_s: float) -> float:
        """An exponential time in ps, without the laws' limit."""
        return -math.log1p(-self()) * mean_s * PS

    def geometric(self, mean: float) -> int:
        """The first n of 1, 2, ... with 1 - (1 - 1/mean)^n >= u, by counting."""
        u, keep = self(), 1 - 1 / mean
        n = 1
        while 1 - keep**n < u:
            n += 1
        return n


def _walk(user: Traffic, draws: list[float], files: int) -> list[tuple[int, int]]:
    """(pause, bytes) of the first files of a user."""
    left, pairs = list(draws), []
    for _ in range(files):
        pause, used = user.reading(left)
        left = left[used:]
        size, used = user.file_bytes(left)
        left = left[used:]
        pairs.append((pause, size))
    return pairs


def _agree(files: list[tuple[int, int]], expected: list[tuple[float, int]]) -> None:
    for number, ((pause, size), (oracle, bytes_)) in enumerate(zip(files, expected, strict=True)):
        assert abs(pause - oracle) <= 4 + 1e-12 * oracle, f"file {number}: {pause}, {oracle}"
        assert size == bytes_, f"file {number}: {size} bytes, oracle {bytes_}"


def _sessions(draws: Draws, idle_s: float, pages: float, count: int) -> list[tuple[float, int]]:
    """Files of whole sessions: idle, a page, read, a page, ... read, idle."""
    files: list[tuple[float, int]] = []
    for session in range(count):
        reading = draws.exponential(READING_S) if session else 0.0
        idle = draws.exponential(idle_s)
        pauses = [reading + idle]
        pauses += [draws.exponential(READING_S) for _ in range(_pages(draws, pages) - 1)]
        files += [(pause, FILE_BYTES) for pause in pauses]
    return files


def _pages(draws: Draws, mean: float) -> int:
    return draws.geometric(mean) if mean > 1 else int(draws() >= 0)


def check_sessions(laws: Laws) -> None:
    """A session is an idle time, then as many pages as drawn, with a reading time after each."""
    for seed, (idle_s, pages) in enumerate([(1800.0, 10.0), (20.0, 1.5), (3.0, 1.0)]):
        draws = Draws(seed)
        expected = _sessions(draws, idle_s, pages, 40)
        user = laws.part("sessions", [idle_s, pages])
        _agree(_walk(user, draws.taken, len(expected)), expected)


def check_sessions_statistics(laws: Laws) -> None:
    """A tenth of 20,000 pages begin a session; the sum of idle times fits an exponential."""
    draw, pages = random.Random(11), 20_000
    user = laws.part("sessions", [1800.0, 10.0])
    begun, waited = 0, 0.0
    for _ in range(pages):
        pause, used = user.reading([draw.random() for _ in range(3)])
        begun += used > 1
        waited += pause / PS
    assert abs(begun - pages / 10) < 4 * math.sqrt(pages / 10 * 0.9)
    # A session's pause is idle and reading: the variances of both, and of their number.
    mean = pages / 10 * 1800 + pages * READING_S
    spread = math.sqrt(pages / 10 * 1800**2 * (2 - 0.1) + pages * READING_S**2)
    assert abs(waited - mean) < 4 * spread


def check_sessions_range(laws: Laws) -> None:
    """Fewer than one page or no idle time is refused; the largest draw does not overflow."""
    for values in ([0.0, 10.0], [1800.0, 0.5], [3e5, 10.0], [1800.0, math.nan]):
        assert _refused(laws, "sessions", values), values
    largest = 1 - 2.0**-53
    assert laws.part("sessions", [2e5, 1e6]).reading([largest] * 3)[0] == FARTHEST


def _page(draws: Draws, parse_s: float, objects: float, mean: float) -> list[tuple[float, int]]:
    """A page and its objects, without the reading time before the next page."""
    page = [(draws.exponential(READING_S), FILE_BYTES)]
    count = draws.geometric(objects + 1) - 1 if objects > 0 else 0
    parse = draws.exponential(parse_s)
    for number in range(count):
        size = max(1, math.floor(-math.log1p(-draws()) * mean + 0.5))
        page.append((0.0 if number else parse, size))
    return page if count else [*page, (parse, -1)]


def check_page(laws: Laws) -> None:
    """A page is followed by a parsing time, its objects in a row, and a reading time."""
    for seed, (parse_s, objects, mean) in enumerate([(0.1, 3.0, 8000.0), (2.0, 0.5, 70.0)]):
        draws, expected, parsed = Draws(seed), list[tuple[float, int]](), 0.0
        for _ in range(60):
            (pause, size), *rest = _page(draws, parse_s, objects, mean)
            expected.append((pause + parsed, size))
            parsed = rest[0][0] if rest[0][1] < 0 else 0.0  # pages without objects are parsed, too
            expected += [file for file in rest if file[1] >= 0]
        user = laws.part("page", [parse_s, objects, 1, mean, 1, 5e6, 1.2])
        _agree(_walk(user, draws.taken, len(expected)), expected)


def check_page_given_up(laws: Laws) -> None:
    """A user who gives up a page or an object reads next, without draws for the page's rest."""
    for stop in (1, 2, 4):
        user = laws.part("page", [0.1, 1e5, 0, 500, 1, 5e6, 1.2])
        assert _walk(user, [0.5] * (stop + 3), stop)[-1][1] == (FILE_BYTES if stop == 1 else 500)
        user.give_up()
        pause, used = user.reading([0.5])
        assert (used, user.file_bytes([])) == (1, (FILE_BYTES, 0))
        assert abs(pause - math.log(2) * READING_S * PS) < 10, pause


def check_page_statistics(laws: Laws) -> None:
    """The number of objects of a page is geometric from 0, with mean m and variance m (1 + m)."""
    draw, mean, pages = random.Random(12), 3.0, 20_000
    user = laws.part("page", [0.1, mean, 0, 500, 1, 5e6, 1.2])
    counts, fetched = list[int](), 0
    while len(counts) < pages:
        user.reading([draw.random() for _ in range(4)])
        if user.file_bytes([])[0] == FILE_BYTES:
            counts.append(0)
        else:
            counts[-1] += 1
        fetched += 1
    variance = mean * (1 + mean)
    average = sum(counts[:-1]) / (pages - 1)
    assert abs(average - mean) < 4 * math.sqrt(variance / pages), average
    none = counts[:-1].count(0) / (pages - 1)
    assert abs(none - 1 / (1 + mean)) < 4 * math.sqrt(3 / 16 / pages), none


def check_page_range(laws: Laws) -> None:
    """A negative number of objects, time or size is refused."""
    for values in ([-0.1, 3], [0.1, -1], [0.1, math.inf]):
        assert _refused(laws, "page", [*values, 1, 8000, 1, 5e6, 1.2]), values
    assert _refused(laws, "page", [0.1, 3, 1, 0, 1, 5e6, 1.2])


def _spurts(draws: Draws, talk_s: float, silence_s: float, end: int) -> list[tuple[int, int]]:
    """(start, end) of the talk spurts of a call."""
    talking, now, spurts = draws() < talk_s / (talk_s + silence_s), 0, list[tuple[int, int]]()
    while now < end:
        until = now + int(draws.exponential(talk_s if talking else silence_s))
        if talking:
            spurts.append((now, until))
        talking, now = not talking, until
    return spurts


def check_speech(laws: Laws) -> None:
    """Packets are sent at exactly the ticks in a spurt, including its start but not its end."""
    for seed, (talk_s, silence_s) in enumerate([(1.004, 1.587), (0.05, 0.3), (3.0, 0.02)] * 3):
        draws = Draws(seed)
        spurts = _spurts(draws, talk_s, silence_s, 200 * PS)
        ticks = range(0, spurts[-1][0], TICK)
        expected = [t for t in ticks if any(a <= t < b for a, b in spurts)]
        law = laws.part("speech", [talk_s, silence_s])
        left, now, sent = list(draws.taken), 0, list[int]()
        while not sent or now < expected[-1]:
            step, used = law.gap(left) if sent else law.first(left)
            now, left = now + step, left[used:]
            sent.append(now)
        assert sent == expected, f"{talk_s} s and {silence_s} s"


def check_speech_edges(laws: Laws) -> None:
    """A call begins in a spurt for draws below talk / (talk + silence); parameters have limits."""
    second = 1 - math.exp(-1.0)  # the draw for which an exponential is its mean
    talk = laws.part("speech", [1.0, 3.0])
    assert talk.first([0.249, second]) == (0, 2)
    silent = laws.part("speech", [1.0, 3.0])
    at, used = silent.first([0.251, second, second])
    assert (used, at % TICK) == (3, 0) and abs(at - 3 * PS) <= TICK
    for values in ([0.0, 1.0], [1.0, 0.0], [3e5, 1.0]):
        assert _refused(laws, "speech", values), values


def check_speech_statistics(laws: Laws) -> None:
    """Over several hours, the share of ticks sent equals the share of talk."""
    draw, talk_s, silence_s = random.Random(13), 1.004, 1.587
    hours = 20 if in_full() else 5
    law = laws.part("speech", [talk_s, silence_s])
    now, sent = law.first([draw.random() for _ in range(12)])[0], 1
    while now < hours * 3600 * PS:
        now += law.gap([draw.random() for _ in range(12)])[0]
        sent += 1
    share, cycle_s = talk_s / (talk_s + silence_s), talk_s + silence_s
    # An alternating renewal process: the time's variance is 2 (talk silence)^2 / cycle^3 a second.
    spread = math.sqrt(2 * (talk_s * silence_s) ** 2 / cycle_s**3 * hours * 3600) * 10
    assert abs(sent - share * hours * 36_000) < 4 * spread, sent


def check_sizes(laws: Laws) -> None:
    """A draw selects the size whose interval of weight contains it, equally for equal weights."""
    sizes, weights = [700, 20, 10**12, 5], [1.0, 0.5, 2.0, 0.25]
    edges = list(itertools.accumulate(Fraction(w) / Fraction(sum(weights)) for w in weights))
    draw = random.Random(14)
    us = [2.0**-53, 1 - 2.0**-53, *(draw.random() or 0.5 for _ in range(2000))]
    us += [float(edge) + sign * 1e-12 for edge in edges[:-1] for sign in (-1, 1)]
    expected = [sizes[next(i for i, edge in enumerate(edges) if u < edge)] for u in us]
    assert laws.sizes(sizes, weights, us) == expected
    many = list(range(1, 10_001))
    assert laws.sizes(many, [1.0] * 10_000, us) == [many[int(u * 10_000)] for u in us]
    assert laws.sizes([3], [1e12], us) == [3] * len(us)


def check_sizes_range(laws: Laws) -> None:
    """Empty or too long lists, missing weights, and sizes or weights <= 0 are refused."""
    bad: list[tuple[list[int], list[float]]] = [([], []), ([1], []), ([0], [1.0]), ([1], [0.0])]
    bad += [([1], [-1.0]), ([1], [math.nan]), ([10**12 + 1], [1.0]), ([1] * 10_001, [1.0] * 10_001)]
    for sizes, weights in bad:
        try:
            laws.sizes(sizes, weights, [0.5])
        except ValueError:
            continue
        raise AssertionError(f"{sizes[:3]} with {weights[:3]} was taken")


GROUP: Final = dict(
    interval_s=0.04, group=12, anchors=3, i=15e3, i_cv=0.25, p=7e3, p_cv=0.5, b=3e3, b_cv=0.4
)


def _frames(draws: Draws, group: dict[str, float]) -> Iterator[int]:
    """The bytes of successive frames: Box and Muller, then the lognormal's median and deviation."""
    for number in itertools.count():
        place = number % int(group["group"])
        kind = "i" if place == 0 else "p" if place % int(group["anchors"]) == 0 else "b"
        u, v = draws(), draws()
        normal = math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * v)
        sigma = math.sqrt(math.log(1 + group[f"{kind}_cv"] ** 2))
        median = group[kind] * math.exp(-(sigma**2) / 2)
        yield max(1, math.floor(median * math.exp(sigma * normal) + 0.5))


def check_video(laws: Laws) -> None:
    """All packets of sixty frames have the right times and sizes, sent at once or spread."""
    wide = GROUP | dict(group=5, anchors=2, i=40.0, p=2.0, b=1.0, b_cv=10.0)
    for seed, (group, spread, phase) in enumerate(
        [(GROUP, 0, 1), (GROUP, 1, 0), (GROUP | dict(group=1), 1, 1), (wide, 1, 1)]
    ):
        draws, interval = Draws(seed), round(group["interval_s"] * PS)
        start = int(draws() * group["group"] * interval) if phase else 0
        expected = []
        for number, size in enumerate(itertools.islice(_frames(draws, group), 60)):
            packets = -(-size // PAYLOAD)
            for k in range(packets):
                at = start + number * interval + spread * (k * interval // packets)
                expected.append((at, min(PAYLOAD, size - k * PAYLOAD)))
        law = laws.traffic("video", [*group.values(), spread, phase])
        left, now = list(draws.taken), 0
        for number, (at, size) in enumerate(expected):
            step, used = law.gap(left) if number else law.first(left)
            now, left = now + step, left[used:]
            assert abs(now - at) <= 1, f"packet {number}: {now}, oracle {at}"
            assert law.payload_bytes() == size, f"packet {number}: {law.payload_bytes()}, {size}"
        assert not left


def check_video_statistics(laws: Laws) -> None:
    """Frames of 4,000 groups have the means and coefficients of variation of their types."""
    law, draw, groups = laws.traffic("video", [*GROUP.values(), 0, 0]), random.Random(15), 4000
    law.first([draw.random() for _ in range(2)])
    frames = [0]
    while len(frames) <= 12 * groups:
        frames[-1] += law.payload_bytes()
        if law.gap([draw.random() for _ in range(2)])[0] > 0:
            frames.append(0)
    for kind, places in (("i", [0]), ("p", [3, 6, 9]), ("b", [1, 2, 4, 5, 7, 8, 10, 11])):
        sizes = [frames[12 * g + place] for g in range(groups) for place in places]
        mean = sum(sizes) / len(sizes)
        cv = math.sqrt(sum((s - mean) ** 2 for s in sizes) / len(sizes)) / mean
        wanted, variation = GROUP[kind], GROUP[f"{kind}_cv"]
        assert abs(mean / wanted - 1) < 4 * variation / math.sqrt(len(sizes)), (kind, mean)
        assert abs(cv / variation - 1) < 0.06, (kind, cv)


def check_video_range(laws: Laws) -> None:
    """A group of no frames or half a frame, an empty frame and a negative variation are refused."""
    for name, value in dict(interval_s=0.0, group=0, anchors=0.5, i=0.0, b_cv=-0.1).items():
        assert _refused(laws, "video", [*(GROUP | {name: value}).values(), 0, 1]), name
    assert _refused(laws, "video", [*(GROUP | dict(group=2.5)).values(), 0, 1])
    vast = laws.traffic("video", [*(GROUP | dict(i=1e8, i_cv=10.0)).values(), 1, 0])
    assert vast.first([1e-300, 1e-9]) == (0, 2), "a frame has 10^9 bytes at most"
    assert vast.gap([]) == (round(0.04 * PS) // 10**6, 0)


def _refused(laws: Laws, name: str, values: list[float]) -> bool:
    try:
        (laws.traffic if name == "video" else laws.part)(name, values)
    except ValueError:
        return True
    return False


PART_CHECKS = {
    "sessions": [check_sessions, check_sessions_statistics, check_sessions_range],
    "page": [check_page, check_page_given_up, check_page_statistics, check_page_range],
    "speech": [check_speech, check_speech_edges, check_speech_statistics],
    "sizes": [check_sizes, check_sizes_range],
    "video": [check_video, check_video_statistics, check_video_range],
}
