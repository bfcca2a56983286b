# SPDX-License-Identifier: Apache-2.0
"""Errors on failed runs of a sweep: their number and the first reason, or how to list reasons."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ecnomy.agents.errors import ResultsError
from ecnomy.markets.support.wording import counted

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["no_finished_run", "refuse_failed_runs"]


def no_finished_run(folder: Path) -> ResultsError:
    """Return the error for a sweep in which all runs failed."""
    query = shlex.join(["ecnomy", "query", str(folder), "select reason from runs"])
    return ResultsError(f"{folder}: the sweep has no finished run; for the reasons, run: {query}")


def refuse_failed_runs(
    runs: pd.DataFrame, place: object, name: Callable[[int], str] | None = None
) -> None:
    """Raise ResultsError if a run of a sweep failed.

    Args:
        runs: rows of runs, as in ecnomy.analysis.sweeps.open_sweep.
        place: the file or folder at the start of the message.
        name: returns the name of the run with a given number; None: the message names no run.
    """
    failed = runs[runs["status"] != "done"]
    if failed.empty:
        return
    first = failed.iloc[0]
    named = f" ({name(int(first['number']))})" if name else ""
    which = "" if len(failed) == 1 else "; the first one"
    count = f"{counted(len(failed), 'run')} failed{which}"
    raise ResultsError(f"{place}: {count}{named}: {first['reason']}")
