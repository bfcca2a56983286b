# SPDX-License-Identifier: Apache-2.0
"""Show the progress of long work on standard error: work done, time elapsed and time left.

On a terminal, one line is rewritten. In a pipe or file, a line is added at most every ten seconds.
The wall clock is read for display only, so results never depend on it.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from collections.abc import Callable
from typing import Final, Protocol, TextIO

from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.support.printable import printable

__all__ = ["ProgressLike", "RunCounter", "RunProgress", "StatusLine", "duration"]

_LINE_S: Final = 10.0  # time between two lines without a terminal
_MOST_LEFT: Final = 1000.0  # largest estimate, as a multiple of the time so far
_WHO: Final = "ecnomy: "
_LIVE_S: Final = 0.1  # time between two updates of the line on a terminal

Clock = Callable[[], float]


class ProgressLike(Protocol):
    """The interface that a run uses to show its progress."""

    def start(self, title: str, duration_ps: int) -> None:
        """Record the start of the run."""

    def at(self, t_ps: int) -> None:
        """Record the current simulated time."""

    def say(self, line: str) -> None:
        """Show a notice to the user."""

    def stop(self) -> None:
        """Record the end of the run, complete or not."""


def duration(seconds: float) -> str:
    """Return a duration with a suitable unit, such as `3.2 s`, `85 s`, `12 min` or `3.4 h`."""
    if seconds < 120:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


class StatusLine:
    """A line that shows the progress of long work.

    Args:
        name: name of the work, which may be "". If a terminal is too narrow, the name is cut.
        stream: stream to which the line is written; None means standard error.
        clock: function that returns the time of the wall clock [s].
    """

    def __init__(
        self, name: str = "", stream: TextIO | None = None, clock: Clock = time.monotonic
    ) -> None:
        self._name = f"{printable(' '.join(name.split()))}: " if name else ""
        self._stream = sys.stderr if stream is None else stream
        self._clock, self._live = clock, self._stream.isatty()
        self._began_s = clock()
        self._said_s = self._began_s - (_LIVE_S if self._live else 0.0)
        self._drawn = self._shown = False

    @property
    def elapsed_s(self) -> float:
        """Return the wall-clock time since the work began [s]."""
        return self._clock() - self._began_s

    def show(self, done: str, left_s: float | None, *, now: bool = False) -> None:
        """Show the progress, unless the last update is too recent.

        Args:
            done: the work done, such as `3 of 8 runs done`.
            left_s: an estimate of the time left [s], or None if unknown. An estimate of 1000 times
                the time so far, or more, is not shown.
            now: whether to show the progress on a terminal even if the last update is recent.
        """
        at_s = self._clock()
        if at_s - self._said_s < (_LIVE_S if self._live else _LINE_S) and not (now and self._live):
            return
        self._said_s, self._shown = at_s, True
        known = left_s is not None and left_s < _MOST_LEFT * self.elapsed_s
        left = f", about {duration(left_s or 0.0)} left" if known else ""
        line = f"{done} in {duration(self.elapsed_s)}{left}"
        if self._live:
            self._write(f"\r\x1b[K{self._fitted(line)}")
            self._drawn = True
        else:
            self._write(f"{self._fitted(line)}\n")

    def say(self, line: str) -> None:
        """Print a permanent line. Progress continues below it."""
        self._erase()
        self._write(f"{_WHO}{printable(line)}\n")

    def end(self, done: str) -> None:
        """If progress was shown, print the work done and the time it took.

        The time of further work is counted from this call.
        """
        self._erase()
        if self._shown:
            line = self._fitted(f"{done} in {duration(self.elapsed_s)}")
            self._write(f"{line}\n")
        self._shown, self._began_s = False, self._clock()

    def _fitted(self, line: str) -> str:
        """Return the complete line, with the name cut to the width of a terminal."""
        if not self._live:
            return f"{_WHO}{self._name}{line}"
        width = shutil.get_terminal_size().columns - 1
        room = max(width - len(_WHO) - len(line), 0)
        name = self._name if len(self._name) <= room else f"{self._name[: max(room - 2, 0)]}: "
        return f"{_WHO}{name}{line}"[:width]

    def _erase(self) -> None:
        if self._drawn:
            self._write("\r\x1b[K")
            self._drawn = False

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError):  # the reader of the stream may be gone
            self._stream.write(text)
            self._stream.flush()


class RunProgress:
    """Shows the progress of one run in simulated time."""

    def __init__(self, stream: TextIO | None = None, clock: Clock = time.monotonic) -> None:
        self._stream, self._clock = stream, clock
        self._line = StatusLine("", stream, clock)
        self._done_s = self._total_s = 0.0

    def start(self, title: str, duration_ps: int) -> None:
        """See ProgressLike."""
        self._line = StatusLine(title, self._stream, self._clock)
        self._done_s, self._total_s = 0.0, duration_ps / PS_PER_S

    def at(self, t_ps: int) -> None:
        """See ProgressLike."""
        self._done_s = t_ps / PS_PER_S
        left_s = None
        if self._done_s > 0:
            left_s = self._line.elapsed_s * max(self._total_s / self._done_s - 1, 0.0)
        done = f"{self._done_s:.{0 if self._total_s >= 100 else 1}f}"
        self._line.show(f"{done} of {self._total_s:g} s simulated", left_s)

    def say(self, line: str) -> None:
        """See ProgressLike."""
        self._line.say(line)

    def stop(self) -> None:
        """See ProgressLike."""
        self._line.end(f"{self._done_s:g} s simulated")


class RunCounter:
    """Shows how many runs of one or more rounds are done.

    Args:
        name: purpose of the runs, which may be "".
        so_far: whether later rounds may request more runs.
        stream: stream to which the line is written; None means standard error.
        clock: function that returns the time of the wall clock [s].
    """

    def __init__(
        self,
        name: str = "",
        *,
        so_far: bool = False,
        stream: TextIO | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        self._line = StatusLine(name, stream, clock)
        self._name = f"{name}: " if name else ""
        self._what = "runs requested so far done" if so_far else "runs done"
        self._earlier = self._made = self._failed = 0

    def begin_round(self) -> None:
        """Begin a round with a count of 0 new runs. The final total includes earlier rounds."""
        self._earlier, self._made = self._earlier + self._made, 0

    def at(self, total: int, present: int, made: int, failed: int = 0) -> None:
        """Show the progress of the round.

        Args:
            total: number of requested runs.
            present: number of requested runs that existed before the round.
            made: number of runs simulated in the round so far, including failed runs.
            failed: number of failed runs among `made`.
        """
        self._made, self._failed = made, failed
        left, all_made = total - present - made, self._earlier + made
        left_s = self._line.elapsed_s / all_made * left if all_made else None
        bad = f", {failed} failed," if failed else ""
        done = f"{present + made - failed} of {total} {self._what}{bad}"
        self._line.show(done, left_s, now=left == 0)

    def say(self, line: str) -> None:
        """Show a notice to the user."""
        self._line.say(f"{self._name}{line}")

    def stop(self) -> None:
        """End the display and, if progress was shown, state the number of new runs."""
        made = self._earlier + self._made
        if made:
            bad = f", {self._failed} of them failed," if self._failed else ""
            self._line.end(f"{made} new run{'' if made == 1 else 's'}{bad}")
            self._earlier = self._made = 0
