# SPDX-License-Identifier: Apache-2.0
"""Progress on standard error: one line on a terminal, and rare lines in a pipe."""

from __future__ import annotations

import errno
import io

import pytest

from ecnomy.markets.session.progress import RunCounter, RunProgress, duration

PS = 10**12


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        """Claim to be a terminal."""
        return True


class Hand:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        """Return the time of the clock."""
        return self.now_s


@pytest.fixture
def clock() -> Hand:
    """A clock for one test."""
    return Hand()


def on_screen(written: str) -> str:
    """The last line as a terminal shows it."""
    return written.rpartition("\x1b[K")[2]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.04, "0.0 s"), (9.94, "9.9 s"), (9.96, "10 s"), (119, "119 s"), (300, "5 min")]
    + [(7199, "120 min"), (9000, "2.5 h")],
)
def test_times_have_two_or_three_digits(seconds: float, words: str) -> None:
    """Times are in seconds up to two minutes, and in minutes up to two hours."""
    assert duration(seconds) == words


def test_a_pipe_gets_a_line_every_ten_seconds(clock: Hand) -> None:
    """A line shows the runs done, the time taken and the time left, without terminal codes."""
    stream = io.StringIO()
    runs = RunCounter("pricing", stream=stream, clock=clock)
    for made in range(1, 41):
        clock.now_s += 1
        runs.at(60, 20, made, failed=min(made, 2))
    runs.stop()
    assert stream.getvalue().splitlines() == [
        "ecnomy: pricing: 28 of 60 runs done, 2 failed, in 10 s, about 30 s left",
        "ecnomy: pricing: 38 of 60 runs done, 2 failed, in 20 s, about 20 s left",
        "ecnomy: pricing: 48 of 60 runs done, 2 failed, in 30 s, about 10 s left",
        "ecnomy: pricing: 58 of 60 runs done, 2 failed, in 40 s, about 0.0 s left",
        "ecnomy: pricing: 40 new runs, 2 of them failed, in 40 s",
    ]


def test_short_work_says_nothing_in_a_pipe(clock: Hand) -> None:
    """Short work prints nothing, with many runs or with one."""
    stream = io.StringIO()
    runs, run = RunCounter(stream=stream, clock=clock), RunProgress(stream, clock)
    run.start("scene", 60 * PS)
    for second in range(9):
        clock.now_s += 1
        runs.at(9, 0, second)
        run.at(second * PS)
    runs.stop()
    run.stop()
    assert stream.getvalue() == ""


def test_a_terminal_has_one_line_that_fits(clock: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line is rewritten and cut to the width. Lasting lines appear above it."""
    monkeypatch.setenv("COLUMNS", "80")
    stream = Terminal()
    run = RunProgress(stream, clock)
    run.start("A title that is far too long for one line", 180 * PS)
    clock.now_s += 4
    run.at(60 * PS)
    line = "ecnomy: A title that is far t: 60 of 180 s simulated in 4.0 s, about 8.0 s left"
    assert on_screen(stream.getvalue()) == line and len(line) == 79
    monkeypatch.setenv("COLUMNS", "120")
    run.start("gold", 180 * PS)
    clock.now_s += 4
    run.at(60 * PS)
    line = "ecnomy: gold: 60 of 180 s simulated in 4.0 s, about 8.0 s left"
    assert on_screen(stream.getvalue()) == line
    assert "\n" not in stream.getvalue()
    run.say("warning: a price moved")
    assert on_screen(stream.getvalue()) == "ecnomy: warning: a price moved\n"
    clock.now_s += 6
    run.at(180 * PS)
    run.stop()
    assert on_screen(stream.getvalue()) == "ecnomy: gold: 180 s simulated in 10 s\n"


def test_rounds_count_the_time_of_all(clock: Hand) -> None:
    """A search that adds runs continues the count, and says that more may be added."""
    stream = Terminal()
    runs = RunCounter(so_far=True, stream=stream, clock=clock)
    for total, there in ((10, 0), (30, 10)):
        runs.begin_round()
        for made in range(1, total - there + 1):
            clock.now_s += 1
            runs.at(total, there, made)
            if (total, made) == (30, 10):
                line = "ecnomy: 20 of 30 runs requested so far done in 20 s, about 10 s left"
                assert on_screen(stream.getvalue()) == line
    runs.stop()
    assert on_screen(stream.getvalue()) == "ecnomy: 30 new runs in 30 s\n"


class HungUp(Terminal):
    """A terminal whose window has been closed."""

    def write(self, text: str) -> int:
        """Fails as on Linux."""
        raise OSError(errno.EIO, "Input/output error")


def test_a_terminal_that_is_gone_stops_nothing() -> None:
    """A run whose terminal is closed still closes its results."""
    progress = RunProgress(HungUp())
    progress.start("a run", 10 * PS)
    progress.at(PS)
    progress.say("warning")
    progress.stop()


def test_the_time_left_is_not_guessed_from_almost_nothing(clock: Hand) -> None:
    """No time left is shown while an engine waits for a user and has simulated almost nothing."""
    stream = Terminal()
    progress = RunProgress(stream, clock)
    progress.start("waits", 120 * PS)
    clock.now_s += 45
    progress.at(PS // 1000)
    assert "0 of 120 s" in on_screen(stream.getvalue())
    assert "left" not in on_screen(stream.getvalue())
    progress.at(2 * PS)
    clock.now_s += 1
    progress.at(3 * PS)
    assert on_screen(stream.getvalue()).endswith("about 30 min left")
