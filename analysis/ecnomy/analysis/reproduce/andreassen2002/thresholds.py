# SPDX-License-Identifier: Apache-2.0
"""Table 4: delays, rates and marks of voice and web by marking threshold, for five mixes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ecnomy.analysis.reproduce.andreassen2002.mixes import (
    WEB_USERS,
    columns,
    controls,
    mixes,
    ranks,
)
from ecnomy.analysis.reproduce.curve_style import band
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_UP = ("voice_late", "web_late", "voice_ms", "web_ms")
_DOWN = ("voice_marking", "web_marking")


def figures(studies: Studies) -> Samples:
    """Return the table's measures, rank correlations with the threshold, and variation of rates."""
    samples: dict[str, np.ndarray | float] = {}
    download: dict[int, np.ndarray] = {}
    means: dict[str, list[np.ndarray]] = {}
    spreads: dict[str, list[np.ndarray]] = {}
    for voice, mix in mixes(studies["thresholds"]).items():
        thresholds = np.array(list(mix), dtype=np.float64)
        for name in (*_UP, *_DOWN):
            way = "up" if name in _UP else "down"
            samples[f"rank.{way}.{name}.{voice}"] = ranks(thresholds, columns(mix, name))
        download[voice] = ranks(thresholds, columns(mix, "download_ms"))
        size = "many" if WEB_USERS[voice] >= 25 else "few"
        samples[f"rank.download.{size}.{voice}"] = download[voice]
        for name in ("voice_mbps", "web_mbps"):
            rates = columns(mix, name)[1:]
            samples[f"variation.{name}.{voice}"] = rates.std(axis=0, ddof=1) / rates.mean(axis=0)
            means.setdefault(name, []).append(rates.mean(axis=0))
            spreads.setdefault(name, []).append(rates.std(axis=0, ddof=1))
        samples[f"lowest.voice_late.{voice}"] = columns(mix, "voice_late")[0]
        for threshold, runs in mix.items():
            for name in ("voice_late", "voice_marking", "web_ms"):
                samples[f"{name}.{voice}.{threshold}"] = runs.sample(name)
    samples["rank.download.few_minus_many"] = download[max(download)] - download[min(download)]
    for name, own in means.items():
        between = np.array(own).std(axis=0, ddof=1)
        samples[f"between_over_within.{name}"] = between / np.mean(spreads[name], axis=0)
    samples |= controls(studies["windows"])
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw voice delay rates, web delays, voice marks and web throughput against the threshold."""
    figure.set_size_inches(10, 7)
    axes = figure.subplots(2, 2, sharex=True)
    shown = {
        "voice_late": ("voice packets later than 16 ms", "log"),
        "web_ms": ("web packets over the router [ms]", "linear"),
        "voice_marking": ("voice packets marked", "log"),
        "web_mbps": ("web throughput [2^20 bit/s]", "linear"),
    }
    for axis, (name, (label, scale)) in zip(axes.flat, shown.items(), strict=True):
        for index, (voice, mix) in enumerate(mixes(studies["thresholds"]).items()):
            rows = columns(mix, name)
            band(axis, list(mix), list(rows), index, f"{voice} voice, {WEB_USERS[voice]} web")
        axis.set_yscale("symlog" if name == "voice_late" else scale, **_linear_to(name))
        axis.set_ylabel(label)
        if scale == "linear":
            axis.set_ylim(bottom=0)
    for axis in axes[1]:
        axis.set_xlabel("largest threshold [packets]")
    axes[0, 0].legend(fontsize="small")


def _linear_to(name: str) -> dict[str, float]:
    return {"linthresh": 1e-5} if name == "voice_late" else {}
