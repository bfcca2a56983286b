# SPDX-License-Identifier: Apache-2.0
"""Table 3: compares one marking queue with two classes at the same voice delay rate.

For each seed and mix, this module finds the threshold (the largest, if there are several) at which
voice has the same delay rate as with two classes. It interpolates the logarithm of the rate
linearly between thresholds. It also interpolates the other columns at that threshold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.andreassen2002.diffserv import rows
from ecnomy.analysis.reproduce.andreassen2002.mixes import WEB_USERS, columns, mixes
from ecnomy.analysis.reproduce.curve_style import band, look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures", "matched"]

_RATIOS: Final = {  # name -> columns of one queue and of two classes
    "voice_late": ("voice_late", "voice_late"),
    "voice_ms": ("voice_ms", "voice_host_ms"),
    "voice_mbps": ("voice_mbps", "voice_mbps"),
    "web_late": ("web_late", "web_late"),
    "web_ms": ("web_ms", "web_ms"),
    "web_mbps": ("web_mbps", "web_mbps"),
    "download": ("download_ms", "download_ms"),
}
_PANELS: Final = {
    "voice_late": "voice packets later than 16 ms",
    "voice_ms": "mean voice delay [ms]",
    "web_ms": "mean web delay over the router [ms]",
    "download": "download time [ms]",
}


def matched(thresholds: Floats, rates: Floats, wanted: float) -> float:
    """Return the threshold with the wanted delay rate, by interpolation.

    Rates rise with the threshold. Between two thresholds the logarithm of the rate is linear, or
    the rate itself if the lower rate is 0. If several thresholds fit, the function returns the
    largest. If all rates lie above or all below the wanted rate, it returns the first or last
    threshold.
    """
    below = np.flatnonzero(rates <= wanted)
    if not len(below):
        return float(thresholds[0])
    at = int(below[-1])
    if at == len(rates) - 1 or rates[at] == wanted:
        return float(thresholds[at])
    low, high = rates[at], rates[at + 1]
    logs = low > 0
    part = np.log(wanted / low) / np.log(high / low) if logs else (wanted - low) / (high - low)
    return float(thresholds[at] + part * (thresholds[at + 1] - thresholds[at]))


def _at(mix: dict[int, Runs], column: str, where: Floats) -> Floats:
    """Return a column of a mix, interpolated at the threshold given for each seed."""
    own = columns(mix, column)
    steps = np.array(list(mix), dtype=np.float64)
    return np.array([np.interp(at, steps, seed) for at, seed in zip(where, own.T, strict=True)])


def _matches(mix: dict[int, Runs], classes: Runs) -> Floats:
    steps = np.array(list(mix), dtype=np.float64)
    late, wanted = columns(mix, "voice_late"), classes.sample("voice_late")
    return np.array([matched(steps, *pair) for pair in zip(late.T, wanted, strict=True)])


def figures(studies: Studies) -> Samples:
    """Return measures of one queue / those of two classes at equal voice delay rates, by mix."""
    samples: dict[str, np.ndarray | float] = {}
    downloads: dict[int, np.ndarray] = {}
    classes = rows(studies["diffserv"])
    for voice, mix in mixes(studies["thresholds"]).items():
        own = classes[voice]
        late, wanted = columns(mix, "voice_late"), own.sample("voice_late")
        samples[f"least_minus_classes.{voice}"] = late.min(axis=0) - wanted
        samples[f"most_minus_classes.{voice}"] = late.max(axis=0) - wanted
        where = _matches(mix, own)
        samples[f"threshold.{voice}"] = where
        with np.errstate(divide="ignore", invalid="ignore"):
            for name, (one, two) in _RATIOS.items():
                samples[f"ratio.{name}.{voice}"] = _at(mix, one, where) / own.sample(two)
        samples[f"late.one_queue.{voice}"] = _at(mix, "voice_late", where)
        samples[f"late.classes.{voice}"] = wanted
        samples[f"voice_ms.one_queue.{voice}"] = _at(mix, "voice_ms", where)
        samples[f"voice_ms.classes.{voice}"] = own.sample("voice_host_ms")
        longest = columns(mix, "download_ms")[-1]
        samples[f"control.last_threshold.ratio.download.{voice}"] = longest / own.sample(
            "download_ms"
        )
        downloads[voice] = np.asarray(samples[f"ratio.download.{voice}"])
    samples["ratio.download.many_minus_few"] = downloads[min(downloads)] - downloads[max(downloads)]
    return samples | _controls(studies)


def _controls(studies: Studies) -> dict[str, np.ndarray | float]:
    """Return the voice delay of one queue / that of two classes with a longer quantum, by mix."""
    samples: dict[str, np.ndarray | float] = {}
    classes = rows(studies["diffserv"])
    runs = studies["diffserv-controls"]
    name = "network.links.bottleneck.scheduler.quantum"
    longer = runs.at({name: max(runs.values(name))})
    for voice, own in rows(longer).items():
        mix = mixes(studies["thresholds"])[voice]
        one = _at(mix, "voice_ms", _matches(mix, classes[voice]))
        samples[f"control.longer_turns.ratio.voice_ms.{voice}"] = one / own.sample("voice_host_ms")
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the measures of one queue against its threshold, and those of two classes as lines."""
    figure.set_size_inches(10, 7)
    axes = figure.subplots(2, 2, sharex=True)
    classes = rows(studies["diffserv"])
    for axis, (name, label) in zip(axes.flat, _PANELS.items(), strict=True):
        one, two = _RATIOS[name]
        for index, (voice, mix) in enumerate(mixes(studies["thresholds"]).items()):
            text = f"{voice} voice, {WEB_USERS[voice]} web"
            band(axis, list(mix), list(columns(mix, one)), index, text)
            level = float(classes[voice].sample(two).mean())
            style = look(index) | {"marker": "", "linewidth": 0.8}
            axis.axhline(level, label="two classes" if voice == max(WEB_USERS) else None, **style)
        axis.set(ylabel=label)
        axis.set_ylim(bottom=0)
    axes[0, 0].set_yscale("symlog", linthresh=1e-5)
    axes[0, 0].legend(fontsize="small")
    for axis in axes[1]:
        axis.set_xlabel("largest threshold [packets]")
