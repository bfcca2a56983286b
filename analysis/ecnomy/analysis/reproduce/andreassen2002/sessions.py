# SPDX-License-Identifier: Apache-2.0
"""Outcome columns of readers: what they ask for, how long it takes, what they give up."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np

__all__ = ["downloads"]

PS_PER_S: Final = 1e12


def downloads(results: Path) -> Mapping[str, float | None]:
    """Of downloads that begin in the measured window.

    Returns:
        jobs_per_s; download_ms, the mean of whole ones; longest_ms, of all that ended;
        closed_share, of those that ended before they were whole.
    """
    from ecnomy.analysis.results import open_run

    run = open_run(results)
    table = run.table("transfers")
    own = table[table["start_ps"] >= run.measured.from_ps]
    seconds = (run.measured.to_ps - run.measured.from_ps) / PS_PER_S
    ended = own[own["end_ps"] > own["start_ps"]]
    times_ms = (ended["end_ps"] - ended["start_ps"]).to_numpy(dtype=np.float64) / PS_PER_S * 1e3
    whole = (ended["complete"] == 1).to_numpy()
    return {
        "jobs_per_s": len(own) / seconds,
        "download_ms": float(times_ms[whole].mean()) if whole.any() else None,
        "longest_ms": float(times_ms.max()) if len(ended) else None,
        "closed_share": float((~whole).mean()) if len(ended) else None,
    }
