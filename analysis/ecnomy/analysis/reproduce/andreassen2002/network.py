# SPDX-License-Identifier: Apache-2.0
"""Figure 1: the effect of a half-duplex line behind the shaper."""

from __future__ import annotations

from typing import Final

import numpy as np

from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

__all__ = ["figures"]

_DUPLEX: Final = "network.links.line.duplex"


def figures(studies: Studies) -> Samples:
    """Return delays and web throughput on each line, and their ratios, half / full duplex."""
    runs = studies["half-duplex"]
    ways = {str(value).lower(): runs.at({_DUPLEX: value}) for value in runs.values(_DUPLEX)}
    half, full = ways["half"], ways["true"]
    samples: dict[str, np.ndarray | float] = {}
    for name in ("voice_late", "web_mbps", "web_late", "voice_ms"):
        samples[f"half.{name}"], samples[f"full.{name}"] = half.sample(name), full.sample(name)
        samples[f"half_over_full.{name}"] = half.sample(name) / full.sample(name)
    return samples
