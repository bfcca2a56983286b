# SPDX-License-Identifier: Apache-2.0
"""Common parts of verbs that make many runs: options, progress, and an end that keeps results."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ecnomy.markets.cli.ending import stoppable
from ecnomy.markets.session.progress import RunCounter

if TYPE_CHECKING:
    from ecnomy.markets.sweep.driver import Tally
    from ecnomy.markets.sweep.outcome import RunOutcome

__all__ = ["Observed", "Out", "Quick", "Scheduler", "chosen_options", "command_on", "resumable"]

Out = Annotated[
    Path | None, typer.Option(help="Results folder. Default: results/<name of the sweep file>.")
]
Scheduler = Annotated[
    str, typer.Option(help="Use a running Dask scheduler: tls://HOST:PORT or tcp://HOST:PORT.")
]
Quick = Annotated[
    bool,
    typer.Option("--quick", help="Use the shorter settings that the file defines for quick runs."),
]


def chosen_options(quick: bool, engine: str | None) -> tuple[str, ...]:
    """Return the options that a later command on the same sweep needs."""
    return (*(["--quick"] if quick else []), *(["--engine", engine] if engine else []))


def command_on(verb: str, config: Path, folder: Path, options: Sequence[str]) -> str:
    """Return a command line that runs a verb on a sweep, quoted for a shell."""
    return shlex.join(["ecnomy", verb, str(config), "--out", str(folder), *options])


@contextlib.contextmanager
def resumable() -> Iterator[None]:
    """End with one line on Ctrl-C, SIGTERM or an unwritable folder, and keep finished runs."""
    from ecnomy.markets.sweep.driver import unwritten

    try:
        with stoppable():
            yield
    except OSError as error:
        raise unwritten(error) from error


class Observed:
    """Shows the progress of a sweep, which has several rounds if results determine further runs.

    Args:
        name: purpose of the runs, which may be "".
        so_far: whether later rounds may request more runs.
        outcomes: columns that each run should have. If the first finished run lacks any of them, a
            notice names each missing column.
    """

    def __init__(
        self, name: str = "", *, so_far: bool = False, outcomes: Sequence[str] = ()
    ) -> None:
        self._runs = RunCounter(name, so_far=so_far)
        self._outcomes = tuple(outcomes)

    def begin_round(self) -> None:
        """Begin a round of runs."""
        self._runs.begin_round()

    def at(self, tally: Tally) -> None:
        """See Observer."""
        self._runs.at(tally.total, tally.present, tally.done + tally.failed, tally.failed)

    def ended(self, outcome: RunOutcome) -> None:
        """See Observer."""
        from ecnomy.markets.inputs.reading import known_name

        if outcome.status != "done":
            self._runs.say(f"run failed: {outcome.reason} (point {outcome.point})")
            return
        lacking = [name for name in self._outcomes if name not in outcome.values]
        for name in lacking:
            expected = known_name(name, outcome.values)
            self._runs.say(f"outcomes: found {name!r}, expected a column of the runs ({expected})")
        self._outcomes = ()

    def stop(self) -> None:
        """End the display, even if runs are missing."""
        self._runs.stop()
