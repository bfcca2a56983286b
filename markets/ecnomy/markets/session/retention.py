# SPDX-License-Identifier: Apache-2.0
"""Keep the outputs of a run: tables, log, machine.json and progress.

When a run ends, its tables are closed and readable, and the manifest states that the run is
complete, or why it is incomplete. The tables stay open only if the process is killed or exits
during a step.
"""

from __future__ import annotations

import datetime
import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ecnomy.markets.economy.market_like import MarketLike
from ecnomy.markets.plan import Plan
from ecnomy.markets.results.in_memory import InMemory
from ecnomy.markets.results.writer import ResultsWriter, ended_by
from ecnomy.markets.session.progress import ProgressLike

__all__ = ["Keeper", "RunVoice", "Writer", "kept"]

Writer = ResultsWriter | InMemory


class RunVoice:
    """Passes the progress of a run to a display, and its warnings also to the log."""

    def __init__(self, writer: Writer, progress: ProgressLike | None) -> None:
        self._writer, self._progress = writer, progress

    def start(self, plan: Plan) -> None:
        """See Voice."""
        if self._progress is not None:
            self._progress.start(plan.title, plan.duration_ps)

    def at(self, t_ps: int) -> None:
        """See Voice."""
        if self._progress is not None:
            self._progress.at(t_ps)

    def warn(self, line: str) -> None:
        """See Voice."""
        self._writer.log(f"warning: {line}")
        if self._progress is not None:
            self._progress.say(f"warning: {line}")

    def stop(self) -> None:
        """End the display of progress."""
        if self._progress is not None:
            self._progress.stop()


class Keeper:
    """Keeps the results of a run, in a folder or in memory, from start to end.

    Attributes:
        sink: the receiver of the run's output.
        say: the observer of progress.
        machine: additional entries of machine.json.
    """

    def __init__(self, writer: Writer, progress: ProgressLike | None) -> None:
        """Record the time at which the run starts."""
        self._writer, self._began_s = writer, time.monotonic()
        self._began = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        self.sink = writer
        self.say = RunVoice(writer, progress)
        self.machine: dict[str, Any] = {}

    def close(self, market: MarketLike, reason: str | None) -> None:
        """Close the results. `reason` states why a run is incomplete, or is None if it is complete.

        Raises:
            OSError: the results cannot be written.
        """
        self.say.stop()
        wall_s = round(time.monotonic() - self._began_s, 3)
        try:
            machine = {**_machine(), "began": self._began, **self.machine, "wall_s": wall_s}
            self._writer.finish(market, machine, reason=reason)
            self._writer.log(reason or "complete")
        finally:
            self._writer.close()


@contextmanager
def kept(
    opened: Callable[[], ResultsWriter], market: MarketLike, progress: ProgressLike | None
) -> Iterator[Keeper]:
    """Open results, and close them when the body of the `with` statement ends or fails."""
    keeper: Keeper | None = None
    reason: str | None = "the run failed"
    try:
        keeper = Keeper(opened(), progress)
        yield keeper
        reason = None
    except BaseException as error:
        reason = ended_by(error)
        raise
    finally:
        if keeper is not None:
            keeper.close(market, reason)


def _machine() -> dict[str, Any]:
    return {
        "host": platform.node(),
        "system": platform.platform(),
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
    }
