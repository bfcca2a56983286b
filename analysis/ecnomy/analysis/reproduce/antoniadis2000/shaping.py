# SPDX-License-Identifier: Apache-2.0
"""Section 4.1.1: paced and bursty traffic at virtual queues and RED."""

from __future__ import annotations

import msgspec
import numpy as np

from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

__all__ = ["figures"]


def figures(studies: Studies) -> Samples:
    """Return ratios of marking rate and throughput, paced / bursty, by law and number of flows."""
    samples: dict[str, np.ndarray | float] = {}
    runs = studies["shaping"]
    for value in runs.values("network.links.bottleneck.marking"):
        law = "red" if msgspec.json.decode(value)["law"] == "red" else "vq"
        for count, prefix in ((1, ""), (5, "ten.")):
            place = {"network.links.bottleneck.marking": value, "sources.light.count": count}
            own = runs.at(place)
            for column, name in (("marking_rate", "probability"), ("goodput_bps", "throughput")):
                ratio = own.sample(f"heavy.{column}") / own.sample(f"light.{column}")
                samples[f"{prefix}{law}.{name}.paced_over_bursty"] = ratio
    return samples
