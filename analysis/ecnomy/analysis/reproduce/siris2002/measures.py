# SPDX-License-Identifier: Apache-2.0
"""Outcome columns that siris2002's sweeps need beyond the runner's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from ecnomy.analysis.statistics import dispersion

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["burstiness"]

_MARKS_IN: Final = 5  # intervals of 10 ms that marks are counted in together


def burstiness(results: Path) -> dict[str, float]:
    """How bursty sending and marking are, from counts in 10 ms over the measured window.

    Returns:
        `<source>.sent_cv`, the coefficient of variation of a flow's packets in 10 ms (of the
        source's, times the root of its flows, which is a flow's where flows are independent);
        `bottleneck.marks_dispersion`, variance over mean of marks in 50 ms.
    """
    import pandas as pd

    from ecnomy.analysis.results import open_run

    run = open_run(results)
    counts = pd.read_parquet(results / "counts.parquet")
    counts = counts[counts["t_ps"] > run.measured.from_ps]
    figures: dict[str, float] = {}
    for source in run.plan.sources:
        sent = _counts(counts, "sent", source.name)
        if sent.size > 1 and sent.mean() > 0:
            cv = float(sent.std(ddof=1) / sent.mean())
            figures[f"{source.name}.sent_cv"] = cv * float(np.sqrt(source.count))
    marks = _counts(counts, "marks", "bottleneck")
    whole = marks[: len(marks) // _MARKS_IN * _MARKS_IN].reshape(-1, _MARKS_IN).sum(axis=1)
    if whole.size > 1 and whole.mean() > 0:
        figures["bottleneck.marks_dispersion"] = dispersion(whole)
    return figures


def _counts(counts: pd.DataFrame, name: str, subject: str) -> npt.NDArray[np.float64]:
    own: Any = counts[(counts["name"] == name) & (counts["subject"] == subject)]
    return np.asarray(own.sort_values("t_ps")["count"], dtype=np.float64)
