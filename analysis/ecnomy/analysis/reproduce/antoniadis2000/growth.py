# SPDX-License-Identifier: Apache-2.0
"""Section 4.1.2: growth of the windows of WTP and of TCP."""

from __future__ import annotations

import msgspec
import numpy as np

from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

__all__ = ["figures"]


def figures(studies: Studies) -> Samples:
    """Return the growth of each window per round trip, and the ratio of WTP's growth to TCP's."""
    runs = studies["growth"]
    own: dict[str, Runs] = {}
    for value in runs.values("sources.light.transport"):
        written = msgspec.json.decode(value)
        every = "tcp.every_other" if "delayed_acks" in written else "tcp.each"
        name = f"gain={written['gain']:g}" if written["law"] == "wtp" else every
        own[name] = runs.at({"sources.light.transport": value})
    grown = {name: run.sample("growth_per_rtt") for name, run in own.items()}
    samples: dict[str, np.ndarray | float] = {f"per_rtt.{name}": v for name, v in grown.items()}
    samples["over_tcp.gain=1"] = grown["gain=1"] / grown["tcp.each"]
    samples["over_tcp.gain=0.5"] = grown["gain=0.5"] / grown["tcp.every_other"]
    return samples
