# SPDX-License-Identifier: Apache-2.0
"""The event list against Python's own heap, on scripts that reach all of its parts.

A script acts like a simulation: it takes the events due before a boundary, one by one, and each
event renews itself or ends, and schedules others. At the boundary more events are scheduled. The
oracle keeps (time, serial) in heapq and writes both the script and the right answers.
"""

from __future__ import annotations

import heapq
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from processes import LIMIT_S
from tiers import full

ENGINE = Path(__file__).parents[2] / "omnet"
DRIVER = Path(__file__).with_name("event_list_driver.cc")

pytestmark = pytest.mark.skipif(
    shutil.which("g++") is None, reason="g++ is not installed (Debian: apt-get install g++)"
)

Delay = Callable[[random.Random], int]
DELAYS: dict[str, Delay] = {
    "a packet's time": lambda draw: 80_000_000,
    "packets and timers": lambda draw: draw.choice((80_000_000, 0, draw.randrange(3 * 10**11))),
    "any scale": lambda draw: int(2 ** draw.uniform(0, 45)) - 1,
    "many at one time": lambda draw: 10**9 * draw.choice((0, 1, 1, 1, 2)),
    "next to each other": lambda draw: draw.randrange(40),
    "bursts far apart": lambda draw: 10**12 * draw.choice((0, 0, 0, 1)) + draw.randrange(10**6),
    "as far as times go": lambda draw: draw.choice((1, 10**9, 2**62)),
}


class Mutation(NamedTuple):
    """A planted fault; `old` stands exactly once in the file."""

    file: str
    old: str
    new: str


MUTATIONS = {
    "ties turned round": Mutation(
        "event_queue.h", "at[-1].time > event.time", "at[-1].time >= event.time"
    ),
    "beyond the horizon": Mutation(
        "event_queue.h",
        "near_[tail_ - 1].time >= horizon_",
        "near_[tail_ - 1].time >= horizon_ - 1",
    ),
    "not sorted": Mutation(
        "event_queue.h", "return std::sort(slot(1), slot(tail_), earlier);", "return;"
    ),
    "no serial": Mutation(
        "event_queue.h", "event.before(near_[at - 1])", "event.time < near_[at - 1].time"
    ),
    "ahead of a boundary": Mutation("event_buckets.h", "if (begin > until) return begin;", ""),
    "a level too low": Mutation("event_buckets.h", "base_ = begin;", "base_ = begin + 1;"),
    "a wrong beginning": Mutation(
        "event_buckets.h", "std::uint64_t{digit} <<", "std::uint64_t{digit + 1} <<"
    ),
    "a lost node": Mutation(
        "event_buckets.h", "free_count_ += bucket.count;", "free_count_ += bucket.count + 1;"
    ),
}


def script(delay: Delay, seed: int, steps: int = 3000) -> tuple[str, str]:
    """A simulation's requests to its event list, and the right answers."""
    draw = random.Random(seed)
    heap: list[tuple[int, int, int]] = []
    commands, answers = [], []
    serial = now = 0

    def push(time: int, subject: int) -> None:
        nonlocal serial
        heapq.heappush(heap, (time, serial, subject))
        serial += 1

    def schedule(many: int) -> None:
        for _ in range(many):
            time, subject = min(now + delay(draw), 2**62), draw.randrange(2**32)
            commands.append(f"push {time} {subject}")
            push(time, subject)

    crowd = draw.choice((12, 60, 400))
    schedule(draw.choice((1, 10, 300)))
    while len(commands) < steps and heap:
        one = heapq.nsmallest(50, heap)[-1][0]
        end = max(now + 1, draw.choice((one, one - 1, (now + heap[0][0]) // 2)))
        commands.append(f"due {end}")
        while heap and heap[0][0] < end:
            now, _, subject = heap[0]
            answers.append(f"{now} {subject}")
            heapq.heappop(heap)
            renewed = min(now + delay(draw), 2**62)
            if draw.random() < (0.7 if len(heap) < crowd else 0.3) and renewed < 2**62:
                commands.append(f"replace {renewed}")
                push(renewed, subject)
            else:
                commands.append("pop")
            schedule(draw.choice((0, 0, 0, 1, 2)) if len(heap) < crowd else 0)
            commands.append(f"due {end}")
        answers.append("none")
        now = end
        schedule(draw.choice((0, 1, 60)))
    return "\n".join(commands) + "\n", "\n".join(answers) + "\n"


def boundary_before_a_crowd() -> tuple[str, str]:
    """Only events due much later remain, and at a boundary many events are scheduled."""
    crowds = {at: [(at + i % 50, i) for i in range(100)] for at in (10**13, 10**11, 10**12)}
    pushed = {at: "".join(f"push {t} {i}\n" for t, i in crowd) for at, crowd in crowds.items()}
    come = {
        at: "".join(f"{t} {i}\n" for t, i in sorted(crowd, key=lambda event: event[0]))
        for at, crowd in crowds.items()
    }
    last, first, middle = crowds
    commands = pushed[last] + pushed[first] + f"due {middle}\npop\n" * 100 + f"due {middle}\n"
    commands += pushed[middle] + f"due {2 * last}\npop\n" * 200
    return commands, come[first] + "none\n" + come[middle] + come[last]


def build(folder: Path, sources: Path) -> Path:
    """Build the driver over the headers of `sources`/engine, with assertions enabled."""
    driver = folder / "driver"
    words = ["g++", "-std=c++20", "-O1", "-D_GLIBCXX_ASSERTIONS"]
    subprocess.run(
        [*words, f"-I{sources}", f"-I{ENGINE}", str(DRIVER), "-o", driver],
        check=True,
        timeout=LIMIT_S,
    )
    return driver


def differs(driver: Path, commands: str, answers: str) -> str:
    """The differences of the driver's answers from the right ones; empty if they agree."""
    try:
        done = subprocess.run(
            [driver], input=commands, capture_output=True, text=True, check=False, timeout=60
        )
    except subprocess.TimeoutExpired:
        return "no end"
    if done.returncode:
        return f"exit {done.returncode} {done.stderr}"
    pairs = zip(done.stdout.splitlines(), answers.splitlines(), strict=False)
    for line, (answer, expected) in enumerate(pairs):
        if answer != expected:
            return f"answer {line}: {answer}, not {expected}"
    return "" if done.stdout == answers else "too few or too many answers"


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("driver"), ENGINE)


@pytest.mark.parametrize("name", DELAYS)
def test_events_come_by_time_and_at_one_time_as_scheduled(driver: Path, name: str) -> None:
    """The order is right for delays of any scale and boundaries at any time."""
    for seed in range(20):
        assert not differs(driver, *script(DELAYS[name], seed)), seed


def test_a_boundary_may_be_long_before_what_is_next(driver: Path) -> None:
    """The list looks ahead only up to the boundary."""
    assert not differs(driver, *boundary_before_a_crowd())


def test_an_event_in_the_past_is_refused(driver: Path) -> None:
    """A time beyond int64 becomes negative, which is an error and not a wrong run."""
    commands = f"push 1000 1\ndue 2000\npop\npush {-(2**63)} 2\n"
    done = subprocess.run(
        [driver], input=commands, capture_output=True, text=True, check=False, timeout=LIMIT_S
    )
    assert done.returncode == 1
    assert "an event in the past" in done.stderr


@full
@pytest.mark.parametrize("name", MUTATIONS)
def test_a_planted_fault_is_seen(tmp_path: Path, name: str) -> None:
    """The scripts reach every part, so each fault makes an answer wrong."""
    mutation = MUTATIONS[name]
    shutil.copytree(ENGINE / "engine", tmp_path / "engine")
    changed = tmp_path / "engine" / mutation.file
    text = changed.read_text()
    assert text.count(mutation.old) == 1
    changed.write_text(text.replace(mutation.old, mutation.new))
    faulty = build(tmp_path, tmp_path)
    scripts = [script(delay, seed) for delay in DELAYS.values() for seed in range(5)]
    assert any(differs(faulty, *one) for one in [*scripts, boundary_before_a_crowd()])
