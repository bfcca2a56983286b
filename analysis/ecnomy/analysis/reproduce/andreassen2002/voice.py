# SPDX-License-Identifier: Apache-2.0
"""Figure 2: idle and holding times of telephone users, and the load they offer."""

from __future__ import annotations

from typing import Final

import numpy as np

from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

__all__ = ["figures"]

_VOICE: Final = "sources.voice.count"
_IDLE_S: Final = 1200.0
_CALL_S: Final = 180.0
_BYTES: Final = 128


def figures(studies: Studies) -> Samples:
    """Return errors of mean times and load, in standard errors, and statistics of busy users."""
    samples: dict[str, np.ndarray | float] = {}
    runs = studies["voice"]
    for voice in sorted(runs.values(_VOICE)):
        own = runs.at({_VOICE: voice})
        for name, mean_s in (("idle", _IDLE_S), ("holding", _CALL_S)):
            values, errors = own.sample(f"{name}_s"), own.sample(f"{name}_se_s")
            pooled = float(np.sqrt((errors**2).sum())) / len(values)
            off = (float(values.mean()) - mean_s) / pooled
            samples[f"errors_off.{name}.{voice:g}"] = off
        samples[f"pps.{voice:g}"] = own.sample("call_pps")
        samples[f"packet_bytes.{voice:g}"] = own.sample("packet_bytes")
        offered = own.sample("offered_mbps")
        wanted = voice * _CALL_S / (_IDLE_S + _CALL_S) * 10 * _BYTES * 8 / 1e6
        error = float(offered.std(ddof=1)) / np.sqrt(len(offered))
        samples[f"errors_off.offered.{voice:g}"] = (float(offered.mean()) - wanted) / error
        samples[f"busy.mean_over_binomial.{voice:g}"] = own.sample("busy_over_binomial")
        variance = own.sample("busy_variance_over_binomial")
        samples[f"busy.variance_over_binomial.{voice:g}"] = variance
    return samples
