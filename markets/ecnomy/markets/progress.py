# SPDX-License-Identifier: Apache-2.0
"""Live progress: simulated time, speed, time left. Shown on a terminal only, on standard error.

The wall clock is read here for display; nothing a run computes depends on it.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Protocol

from ecnomy.agents.times import PS_PER_S

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["Bar", "ProgressLike", "Silent", "progress_for"]


class ProgressLike(Protocol):
    """What a run tells about its progress."""

    def start(self, title: str, duration_ps: int) -> None:
        """The run begins."""

    def at(self, t_ps: int) -> None:
        """Simulated time now."""

    def say(self, line: str) -> None:
        """Something a user should know."""

    def stop(self) -> None:
        """The run is over, however it ended."""


class Silent:
    """Shows no progress; what is said goes to standard error as lines."""

    def start(self, title: str, duration_ps: int) -> None:
        """Nothing."""

    def at(self, t_ps: int) -> None:
        """Nothing."""

    def say(self, line: str) -> None:
        """One line."""
        print(f"ecnomy: {line}", file=sys.stderr)

    def stop(self) -> None:
        """Nothing."""


class Bar:
    """A bar with simulated time, simulated seconds per wall second, and time left."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._began_s = 0.0

    def start(self, title: str, duration_ps: int) -> None:
        """Draw it."""
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.completed:.1f} of {task.total:g} s simulated"),
            TextColumn("{task.fields[speed]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        total_s = duration_ps / PS_PER_S
        self._task = self._progress.add_task(title[:40] or "run", total=total_s, speed="")
        self._began_s = time.monotonic()
        self._progress.start()

    def at(self, t_ps: int) -> None:
        """Move it."""
        if self._progress is None or self._task is None:
            return
        elapsed_s = time.monotonic() - self._began_s
        done_s = t_ps / PS_PER_S
        speed = f"{done_s / elapsed_s:.3g} s/s" if elapsed_s > 0 else ""
        self._progress.update(self._task, completed=done_s, speed=speed)

    def say(self, line: str) -> None:
        """One line above it."""
        if self._progress is not None:
            self._progress.console.print(f"ecnomy: {line}", markup=False, highlight=False)

    def stop(self) -> None:
        """Take it off the screen."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None


def progress_for(stream: object = None) -> ProgressLike:
    """A bar where `stream` (default standard error) is a terminal, else silence."""
    isatty = getattr(stream or sys.stderr, "isatty", None)
    return Bar() if isatty is not None and isatty() else Silent()
