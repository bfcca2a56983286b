# SPDX-License-Identifier: Apache-2.0
"""Show the progress of long work on standard error: work done, time elapsed and time left.

On a terminal, one line is rewritten. In a pipe or file, a new line is printed every ten seconds.
The wall clock is read here only for display; results never depend on it.
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

__all__ = ["ProgressLike", "RunProgress", "Runs", "StatusLine", "duration"]

_LINE_S: Final = 10.0  # time between two lines without a terminal
_MOST_LEFT: Final = 1000.0  # largest estimate, as a multiple of the time so far
_WHO: Final = "ecnomy: "
_LIVE_S: Final = 0.1  # time between two updates of the line on a terminal

Clock = Callable[[], float]


class ProgressLike(Protocol):
    """The progress messages of a run."""

    def start(self, title: str, duration_ps: int) -> None:
        """Record the start of the run."""

    def at(self, t_ps: int) -> None:
        """Record the current simulated time."""

    def say(self, line: str) -> None:
        """Show a notice to the user."""

    def stop(self) -> None:
        """Record the end of the run, complete or not."""


def duration(seconds: float) -> str:
    """Return a time of the wall clock in words: `3.2 s`, `85 s`, `12 min`, `3.4 h`."""
    if seconds < 120:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


class StatusLine:
    """A status line of long work.

    Args:
        name: name of the work, which may be ""; cut if a terminal is too narrow.
        stream: stream of the line; None: standard error.
        clock: seconds of the wall clock.
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
        """Return the seconds of the wall clock since the work began."""
        return self._clock() - self._began_s

    def show(self, done: str, left_s: float | None, *, now: bool = False) -> None:
        """Show the progress, unless it was shown a moment ago.

        Args:
            done: the work done, such as `3 of 8 runs done`.
            left_s: an estimate of the seconds left, or None if unknown. An estimate based on less
                than a thousandth of the work is not shown.
            now: whether to show the progress at once on a terminal.
        """
        at_s = self._clock()
        if at_s - self._said_s < (_LIVE_S if self._live else _LINE_S) and not (now and self._live):
            return
        self._said_s, self._shown = at_s, True
        known = left_s is not None and left_s < _MOST_LEFT * self.elapsed_s
        left = f", about {duration(left_s or 0.0)} left" if known else ""
        told = f"{done} in {duration(self.elapsed_s)}{left}"
        if self._live:
            self._write(f"\r\x1b[K{self._fitted(told)}")
            self._drawn = True
        else:
            self._write(f"{self._fitted(told)}\n")

    def say(self, line: str) -> None:
        """Print a permanent line; progress continues below it."""
        self._erase()
        self._write(f"{_WHO}{printable(line)}\n")

    def end(self, done: str) -> None:
        """Print the work done and its time, if progress was shown.

        Further work starts from zero.
        """
        self._erase()
        if self._shown:
            told = self._fitted(f"{done} in {duration(self.elapsed_s)}")
            self._write(f"{told}\n")
        self._shown, self._began_s = False, self._clock()

    def _fitted(self, told: str) -> str:
        """Return the full line. On a terminal, the name is cut so that the line fits."""
        if not self._live:
            return f"{_WHO}{self._name}{told}"
        width = shutil.get_terminal_size().columns - 1
        room = max(width - len(_WHO) - len(told), 0)
        name = self._name if len(self._name) <= room else f"{self._name[: max(room - 2, 0)]}: "
        return f"{_WHO}{name}{told}"[:width]

    def _erase(self) -> None:
        if self._drawn:
            self._write("\r\x1b[K")
            self._drawn = False

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError):  # the reader of the stream may be gone
            self._stream.write(text)
            self._stream.flush()


class RunProgress:
    """Simulated time of one run."""

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


class Runs:
    """Progress of runs, in one round or in several.

    Args:
        name: purpose of the runs, which may be "".
        so_far: whether later rounds may request more runs.
        stream: stream of the line; None: standard error.
        clock: seconds of the wall clock.
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
        """Begin a round, whose count of new runs starts at 0. Earlier rounds stay in the total."""
        self._earlier, self._made = self._earlier + self._made, 0

    def at(self, total: int, present: int, made: int, failed: int = 0) -> None:
        """Show the progress of the round.

        Args:
            total: requested runs.
            present: number of these runs that existed before the round.
            made: number of runs that the round has done, including failed runs.
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
        """Record that the work has ended, early or with all runs done."""
        made = self._earlier + self._made
        if made:
            bad = f", {self._failed} of them failed," if self._failed else ""
            self._line.end(f"{made} new run{'' if made == 1 else 's'}{bad}")
            self._earlier = self._made = 0
