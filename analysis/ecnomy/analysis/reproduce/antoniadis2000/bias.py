# SPDX-License-Identifier: Apache-2.0
"""Section 5: bias of throughput by round trip, with and without weights that correct it."""

from __future__ import annotations

from typing import Final

import numpy as np

from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

__all__ = ["figures"]

_TRIPS: Final = 3.0  # far flows' round trip / near flows'


def figures(studies: Studies) -> Samples:
    """Return near / far throughput, corrected by weights or divided by the ratio of round trips."""
    runs = studies["rtt"]
    samples: dict[str, np.ndarray | float] = {}
    for reference in runs.values("sources.light.transport.reference_rtt"):
        for send, prefix in (("ack-clocked", ""), ("paced", "paced.")):
            own = runs.at(
                {
                    "sources.light.transport.reference_rtt": reference,
                    "sources.light.transport.send": send,
                }
            )
            ratio = own.sample("light.goodput_bps") / own.sample("heavy.goodput_bps")
            corrected = str(reference) not in ("none", "-1")
            name = "corrected.near_over_far" if corrected else "plain.near_over_far_over_trips"
            samples[prefix + name] = ratio if corrected else ratio / _TRIPS
            samples[f"{prefix}{name}.window_near"] = own.sample("light.mean_cwnd")
    return samples
