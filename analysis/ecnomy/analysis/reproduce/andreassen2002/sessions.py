# SPDX-License-Identifier: Apache-2.0
"""Outcome columns of readers: their requests, download times and closed downloads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np

from ecnomy.agents.times import PS_PER_S

__all__ = ["BRANCHES", "downloads", "surfers"]

# Means [s] and probabilities of the branches of the reading time (section 2.2.2), which together
# have mean 42.8 s and coefficient of variation 2.9.
BRANCHES: Final = ((5.0, 0.44674), (20.0, 0.3), (80.0, 0.20855), (400.0, 0.04471))
_READINGS: Final = 200  # first readings of each user, so that long readings are not cut off


def surfers(results: Path) -> Mapping[str, float]:
    """Return the idle times, reading times and pages of users who are first idle, then read pages.

    Returns:
        idle_s and idle_cv, the mean and coefficient of variation of users' first idle times;
        reading_s and reading_cv, those of the first 200 reading times of each user; readings, the
        number of these times; reading_distance, the Kolmogorov distance of their distribution from
        that of four branches; and pages_per_user, the pages requested in the measured window.
        `<name>_se` is the standard error of a mean or variation. Every pause between pages counts
        as a reading time, so reading times are valid only if no session ends during the run.
    """
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    table = run.table("transfers").sort_values(["flow", "number"])
    flow = table["flow"].to_numpy()
    start, end = (table[n].to_numpy(dtype=np.float64) / PS_PER_S for n in ("start_ps", "end_ps"))
    first = np.flatnonzero(np.r_[True, flow[1:] != flow[:-1]])
    before = np.arange(len(flow)) - np.repeat(first, np.diff(np.r_[first, len(flow)]))
    read = np.flatnonzero((before >= 1) & (before <= _READINGS))
    readings = start[read] - end[read - 1]
    in_window = start >= run.measured.from_ps / PS_PER_S
    pages = np.bincount(flow[in_window], minlength=run.plan.sources[0].count).astype(np.float64)
    return {
        **_moments("idle", start[first]),
        **_moments("reading", readings),
        "readings": float(len(readings)),
        "reading_distance": _distance(readings),
        "pages_per_user": float(pages.mean()),
        "pages_per_user_se": float(pages.std(ddof=1) / np.sqrt(len(pages))),
    }


def _moments(name: str, sample: np.ndarray) -> dict[str, float]:
    """Return the mean and the coefficient of variation, with standard errors (delta method)."""
    n, mean = len(sample), float(sample.mean())
    apart = sample - mean
    second, third, fourth = (float(np.mean(apart**k)) for k in (2, 3, 4))
    variation = float(np.sqrt(second)) / mean
    spread = (fourth - second**2) / (4 * second * mean**2)
    spread += second**2 / mean**4 - third / mean**3
    return {
        f"{name}_s": mean,
        f"{name}_s_se": float(np.sqrt(second / n)),
        f"{name}_cv": variation,
        f"{name}_cv_se": float(np.sqrt(spread / n)),
    }


def _distance(readings: np.ndarray) -> float:
    """Return the Kolmogorov distance from the mixture of four branches, scaled to mean 42.8 s."""
    scale = 42.8 / sum(mean * share for mean, share in BRANCHES)
    ordered = np.sort(readings)
    parts = [share * -np.expm1(-ordered / (mean * scale)) for mean, share in BRANCHES]
    wanted = np.sum(parts, axis=0)
    steps = np.arange(len(ordered) + 1) / len(ordered)
    return float(max((steps[1:] - wanted).max(), (wanted - steps[:-1]).max()))


def downloads(results: Path) -> Mapping[str, float | None]:
    """Return the rate and times of downloads that begin in the measured window.

    Returns:
        jobs_per_s; download_ms, the mean time of complete downloads; longest_ms, the longest time
        of all that ended; and closed_share, the share of these that readers closed early. Without
        such downloads, a time or share is None.
    """
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
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
