# SPDX-License-Identifier: Apache-2.0
"""Errors about failed runs of a sweep, with a reason or with the query that lists reasons."""

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
    """Return the error for a sweep without a completed run."""
    query = shlex.join(["ecnomy", "query", str(folder), "select reason from runs"])
    return ResultsError(
        f"{folder}: the sweep has no finished run; to see the reasons, run: {query}"
    )


def refuse_failed_runs(
    runs: pd.DataFrame, place: object, name: Callable[[int], str] | None = None
) -> None:
    """Raise ResultsError if any run failed.

    Args:
        runs: rows of the sweep's table (ecnomy.analysis.sweeps.open_sweep).
        place: the file or folder that the message begins with.
        name: function that names the run with a given number; None to name no run.
    """
    failed = runs[runs["status"] != "done"]
    if failed.empty:
        return
    first = failed.iloc[0]
    named = f" ({name(int(first['number']))})" if name else ""
    which = "" if len(failed) == 1 else "; the first one"
    count = f"{counted(len(failed), 'run')} failed{which}"
    raise ResultsError(f"{place}: {count}{named}: {first['reason']}")
