# SPDX-License-Identifier: Apache-2.0
"""Outcome columns of readers: what they ask for, how long it takes, what they give up."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np

__all__ = ["BRANCHES", "downloads", "surfers"]

PS_PER_S: Final = 1e12
# Means [s] and probabilities of the branches of the reading time (section 2.2.2): 42.8 s and 2.9.
BRANCHES: Final = ((5.0, 0.44674), (20.0, 0.3), (80.0, 0.20855), (400.0, 0.04471))
_READINGS: Final = 200  # of each user: the first ones, so that long ones are not left out


def surfers(results: Path) -> Mapping[str, float]:
    """Of users who are idle first and read between pages.

    Returns:
        idle_s and idle_cv, of each user's first idle time (users: how many had one); pages_per_s,
        asked for in the measured window; reading_s and reading_cv, of each user's first 200
        readings, and reading_distance, the largest distance of their distribution from that of
        four branches (readings: how many there are). Readings are those of whole sessions only
        where none ends.
    """
    from ecnomy.analysis.results import open_run

    run = open_run(results)
    table = run.table("transfers").sort_values(["flow", "number"])
    flow = table["flow"].to_numpy()
    start, end = (table[n].to_numpy(dtype=np.float64) / PS_PER_S for n in ("start_ps", "end_ps"))
    first = np.flatnonzero(np.r_[True, flow[1:] != flow[:-1]])
    idle = start[first]
    before = np.arange(len(flow)) - np.repeat(first, np.diff(np.r_[first, len(flow)]))
    read = (before >= 1) & (before <= _READINGS)
    readings = start[read] - end[np.flatnonzero(read) - 1]
    window = run.measured
    seconds = (window.to_ps - window.from_ps) / PS_PER_S
    asked = (table["start_ps"] >= window.from_ps) & (table["start_ps"] < window.to_ps)
    return {
        "users": float(len(first)),
        "idle_s": float(idle.mean()),
        "idle_cv": float(idle.std(ddof=1) / idle.mean()),
        "pages_per_s": float(asked.sum()) / seconds,
        "readings": float(len(readings)),
        "reading_s": float(readings.mean()),
        "reading_cv": float(readings.std(ddof=1) / readings.mean()),
        "reading_distance": _distance(readings),
    }


def _distance(readings: np.ndarray) -> float:
    """Kolmogorov's distance from the mixture of the four branches, scaled to a mean of 42.8 s."""
    scale = 42.8 / sum(mean * share for mean, share in BRANCHES)
    ordered = np.sort(readings)
    parts = [share * -np.expm1(-ordered / (mean * scale)) for mean, share in BRANCHES]
    wanted = np.sum(parts, axis=0)
    steps = np.arange(len(ordered) + 1) / len(ordered)
    return float(max((steps[1:] - wanted).max(), (wanted - steps[:-1]).max()))


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
