# SPDX-License-Identifier: Apache-2.0
"""Table 2: delays and rates of voice and web in two classes of one link, for five traffic mixes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.andreassen2002.mixes import WEB_USERS, ranks
from ecnomy.analysis.reproduce.curve_style import band
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures", "rows"]

_VOICE: Final = "sources.voice.count"
_WEB: Final = "sources.web.count"
_QUANTUM: Final = "network.links.bottleneck.scheduler.quantum"
_WINDOW: Final = "sources.web.transport.receiver_window"
_NAMES: Final = ("voice_late", "web_late", "voice_ms", "web_ms", "web_mbps", "download_ms")
_PANELS: Final = {
    "late": "packets lost or later than 16 ms",
    "ms": "mean delay over the router [ms]",
    "mbps": "throughput [2^20 bit/s]",
}


def rows(runs: Runs) -> dict[int, Runs]:
    """Return the runs of each mix, by number of voice users."""
    return {int(voice): runs.at({_VOICE: voice}) for voice in sorted(runs.values(_VOICE))}


def figures(studies: Studies) -> Samples:
    """Return table measures, differences (web - voice), and rank correlations with web users."""
    samples: dict[str, np.ndarray | float] = {}
    mixes = rows(studies["diffserv"])
    for voice, own in mixes.items():
        for name in (*_NAMES, "voice_lost", "web_lost", "voice_longest_ms"):
            samples[f"{name}.{voice}"] = own.sample(name)
        for name in ("late", "ms"):
            difference = own.sample(f"web_{name}") - own.sample(f"voice_{name}")
            samples[f"web_minus_voice.{name}.{voice}"] = difference
    users = np.array([WEB_USERS[voice] for voice in mixes], dtype=np.float64)
    for name in ("web_late", "web_ms"):
        samples[f"rank.{name}"] = ranks(
            users, np.array([own.sample(name) for own in mixes.values()])
        )
    for voice, own in mixes.items():
        samples[f"mbps_per_reader.{voice}"] = own.sample("web_mbps") / WEB_USERS[voice]
    return samples | _controls(studies["diffserv-controls"])


def _controls(runs: Runs) -> dict[str, np.ndarray | float]:
    samples: dict[str, np.ndarray | float] = {}
    for web in sorted(runs.values(_WEB)):
        mix = runs.at({_WEB: web})
        longer = mix.at({_QUANTUM: max(mix.values(_QUANTUM))})
        small = mix.at({_WINDOW: min(mix.values(_WINDOW))})
        counts = mix.values(_VOICE)
        in_step = mix.at({_VOICE: min(counts)})
        for kind, own in (("longer_turns", longer), ("in_step", in_step), ("windows", small)):
            for name in _NAMES:
                samples[f"control.{kind}.{name}.{web:g}"] = own.sample(name)
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw delay rates, mean delays, throughput and download times against the mix."""
    figure.set_size_inches(10, 7)
    axes = figure.subplots(2, 2, sharex=True)
    mixes = rows(studies["diffserv"])
    for axis, (name, label) in zip(axes.flat, _PANELS.items(), strict=False):
        for index, kind in enumerate(("voice", "web")):
            samples = [own.sample(f"{kind}_{name}") for own in mixes.values()]
            band(axis, list(mixes), samples, index, kind)
        axis.set(ylabel=label)
        axis.set_ylim(bottom=0)
    axes[0, 0].set_yscale("symlog", linthresh=1e-5)
    axes[0, 0].legend()
    last = axes[1, 1]
    band(last, list(mixes), [own.sample("download_ms") for own in mixes.values()], 1, "web")
    last.set(ylabel="download time [ms]")
    last.set_ylim(bottom=0)
    for axis in axes[1]:
        axis.set_xlabel("telephone users (web users)")
        axis.set_xticks(list(mixes), [f"{voice}\n({WEB_USERS[voice]})" for voice in mixes])
