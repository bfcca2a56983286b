# SPDX-License-Identifier: Apache-2.0
"""Selects the runs of Table 4 by mix and marking threshold, and computes rank correlations."""

from __future__ import annotations

from typing import Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.studies import Runs

__all__ = ["BYTES_15_MS", "WEB_USERS", "columns", "controls", "mixes", "ranks"]

BYTES_15_MS: Final = 40 * 2**20 * 0.015 / 8  # bytes sent in 15 ms; Table 5 says 16 ms
WEB_USERS: Final = {700: 30, 800: 25, 900: 20, 1000: 15, 1100: 10}
_MAX: Final = "network.links.bottleneck.marking.max_threshold"
_VOICE: Final = "sources.voice.count"


def mixes(runs: Runs) -> dict[int, dict[int, Runs]]:
    """Return the runs by number of voice users and largest threshold in packets."""
    by_mix: dict[int, dict[int, Runs]] = {}
    for voice in sorted(runs.values(_VOICE)):
        own = runs.at({_VOICE: voice})
        by_mix[int(voice)] = {int(t): own.at({_MAX: t}) for t in sorted(own.values(_MAX))}
    return by_mix


def columns(mix: dict[int, Runs], column: str) -> Floats:
    """Return a column of a mix as an array of shape [threshold, seed]."""
    return np.array([runs.sample(column) for runs in mix.values()])


def controls(runs: Runs) -> dict[str, Floats]:
    """Return delays, and ratios of marking rates (voice / web), with smaller receive windows."""
    samples: dict[str, Floats] = {}
    for voice, mix in mixes(runs).items():
        for threshold, own in mix.items():
            at = f"{voice}.{threshold}"
            ratio = own.sample("voice_marking") / own.sample("web_marking")
            samples[f"control.ratio.{at}"] = ratio
            for name in ("voice_late", "web_ms"):
                samples[f"control.{name}.{at}"] = own.sample(name)
    return samples


def ranks(x: Floats, y: Floats) -> Floats:
    """Return Spearman's rank correlation per seed, rounded so that equal orders give exactly 1.

    The result is 0 for a seed whose x or y is constant.

    Args:
        x: values of shape [threshold, seed], or [threshold].
        y: values of shape [threshold, seed].
    """
    from scipy.stats import spearmanr

    wide = np.broadcast_to(x if x.ndim == 2 else x[:, None], y.shape)
    correlations = []
    for own, other in zip(wide.T, y.T, strict=True):
        flat = np.ptp(other) == 0 or np.ptp(own) == 0
        correlations.append(0.0 if flat else round(float(spearmanr(own, other).statistic), 12))
    return np.array(correlations)
