# SPDX-License-Identifier: Apache-2.0
"""Outcome columns after a load step: response time of the marking, and largest queue."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.times import PS_PER_S

__all__ = ["STEP_S", "reached_s", "step"]

STEP_S: Final = 100.0


def reached_s(times_s: Floats, p: Floats, share: float = 0.9) -> float:
    """Return the seconds until p first reaches `share` of its mean over the last half."""
    final = p[len(p) // 2 :].mean()
    return float(times_s[int(np.argmax(p >= share * final))] - times_s[0])


def step(results: Path) -> dict[str, float]:
    """Return `response_s`, the response time of p to the load step, and `most_queued` [packets]."""
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    wanted = list(run.plan.record.series)
    link = next(i for i, each in enumerate(run.plan.links) if each.name == "bottleneck")
    table = run.table("series")
    table = table[(table["subject"] == link) & (table["t_ps"] > STEP_S * PS_PER_S)]
    p = table[table["name"] == wanted.index("marking_probability")].sort_values("t_ps")
    queue = table[table["name"] == wanted.index("queue")]
    times_s = p["t_ps"].to_numpy(dtype=np.float64) / PS_PER_S
    return {
        "response_s": reached_s(times_s, p["value"].to_numpy(dtype=np.float64)),
        "most_queued": float(queue["value"].max()),
    }
