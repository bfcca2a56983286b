# SPDX-License-Identifier: Apache-2.0
"""Note 2: compares virtual queues that mark only overflowing packets or whole busy periods."""

from __future__ import annotations

import msgspec

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.siris2002.curves import COUNT
from ecnomy.analysis.reproduce.siris2002.laws import MARKING
from ecnomy.analysis.reproduce.studies import Runs, Studies

__all__ = ["figures"]


def figures(studies: Studies) -> Samples:
    """Return ratios of waits and of loads, marking per overflow / per busy period."""
    variants: dict[str, Runs] = {}
    for value in studies["vq-variant"].values(MARKING):
        variant = msgspec.json.decode(value).get("variant", "busy-period")
        variants[variant] = studies["vq-variant"].at({MARKING: value})
    busy, overflow = variants["busy-period"], variants["per-overflow"]
    samples: dict[str, Floats] = {}
    for n in sorted(busy.values(COUNT)):
        one, other = overflow.at({COUNT: n}), busy.at({COUNT: n})
        for name, column in {
            "std": "wait.std_s",
            "mean": "wait.mean_s",
            "load": "bottleneck.utilization",
        }.items():
            samples[f"{name}.overflow_over_busy.flows={2 * n:g}"] = one.sample(
                column
            ) / other.sample(column)
    return samples
