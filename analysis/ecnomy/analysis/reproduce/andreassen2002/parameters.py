# SPDX-License-Identifier: Apache-2.0
"""Table 1: buffers and thresholds of the two DiffServ classes, and their shares of the link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.draw.panels import COLOURS
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_LINK_BPS: Final = 40_000_000
_BUFFER_MS: Final = 50
_CLASSES: Final = {"voice": (7, 142), "web": (90, 1457)}  # per cent of the link, packet bytes
_VOICE: Final = "sources.voice.traffic.rate"
_STOP: Final = "sources.web.stop"
_WEB_THRESHOLDS: Final = (77, 154)  # packets, as in the table


def figures(studies: Studies) -> Samples:
    """Return class buffers of 50 ms, ratios of web's thresholds, and shares of the link by load."""
    samples: dict[str, np.ndarray | float] = {}
    packets: dict[str, int] = {}
    for name, (percent, packet_bytes) in _CLASSES.items():
        buffer_bytes = _LINK_BPS * percent * _BUFFER_MS // (100 * 1000 * 8)
        samples[f"buffer_bytes.{name}"] = float(buffer_bytes)
        packets[name] = buffer_bytes // packet_bytes
        samples[f"buffer_packets.{name}"] = float(packets[name])
    least, most = _WEB_THRESHOLDS
    samples["max_threshold_over_buffer.web"] = most / packets["web"]
    samples["min_over_max_threshold.web"] = least / most
    for load, runs in _loads(studies["overload"]).items():
        for name in _CLASSES:
            samples[f"share.{load}.{name}"] = runs.sample(f"{name}_share")
    return samples


def _loads(runs: Runs) -> dict[str, Runs]:
    """Return the runs by load: overload by both classes, or by one while the other is idle."""
    much, little = runs.values(_VOICE)
    never, early = runs.values(_STOP)
    return {
        "both": runs.at({_VOICE: much, _STOP: never}),
        "voice_idle": runs.at({_VOICE: little}),
        "web_idle": runs.at({_STOP: early}),
    }


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the share of each class under overload, and its promised share as a dashed line."""
    axis = figure.subplots()
    loads = _loads(studies["overload"])
    places = np.arange(len(loads), dtype=np.float64)
    for index, (name, (percent, _)) in enumerate(_CLASSES.items()):
        got = [float(runs.sample(f"{name}_share").mean()) for runs in loads.values()]
        colour = COLOURS[index]
        left = places + 0.4 * (index - 0.5)
        hatch = "" if index == 0 else "//"
        axis.bar(left, got, 0.36, color=colour, hatch=hatch, edgecolor="white", label=name)
        for place, value in zip(left, got, strict=True):
            axis.text(place, value, f"{value:.3f}", ha="center", va="bottom", fontsize="small")
        axis.axhline(
            percent / 100, color=colour, linestyle="--", linewidth=1, label=f"promised to {name}"
        )
    axis.set(ylabel="share of the link", ylim=(0, 1.1))
    axis.set_xticks(places, ["overload of both", "no voice", "no web"])
    axis.legend(loc="center left", bbox_to_anchor=(1, 0.5))
