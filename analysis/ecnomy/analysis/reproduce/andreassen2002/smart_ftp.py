# SPDX-License-Identifier: Apache-2.0
"""Section 3.2.5: agents that send at full speed or stop, and a knob for aggressiveness."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples, interval_of
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_MARKING: Final = "network.links.bottleneck.marking"
_HOME, _LAB = "market.agents.home.strategy", "market.agents.lab.strategy"
_FLOWS: Final = "sources.knob.transport.flows"
_WHO: Final = {(False, False): "none", (False, True): "half", (True, True): "all"}


def _agents(studies: Studies) -> dict[tuple[str, str], Runs]:
    runs, by_agent = studies["smart-ftp"], {}
    for value in runs.values(_MARKING):
        threshold = str(msgspec.json.decode(value)["max_threshold"]).split()[0]
        for home, lab in _pairs(runs):
            smart = tuple(msgspec.json.decode(s)["kind"] == "all-or-nothing" for s in (home, lab))
            own = runs.at({_MARKING: value, _HOME: home, _LAB: lab})
            by_agent[_WHO[smart[0], smart[1]], threshold] = own
    return by_agent


def _pairs(runs: Runs) -> list[tuple[str, str]]:
    return list(dict.fromkeys(zip(runs.frame[_HOME], runs.frame[_LAB], strict=True)))


def _knobs(studies: Studies) -> dict[tuple[str, str], Runs]:
    runs, by_knob = studies["knob"], {}
    name = f"{_MARKING}.max_threshold"
    for threshold in runs.values(name):
        for flows in runs.values(_FLOWS):
            who = "before" if float(flows) == 1 else "knob"
            by_knob[who, f"{float(threshold):g}"] = runs.at({name: threshold, _FLOWS: flows})
    return by_knob


def figures(studies: Studies) -> Samples:
    """Return download times with agents or a knob / those without, and voice delay rates."""
    samples: dict[str, np.ndarray | float] = {}
    agents = _agents(studies)
    for (who, threshold), runs in agents.items():
        samples[f"download_ms.{who}.{threshold}"] = runs.sample("all_ms")
        samples[f"voice_late.agents.{who}.{threshold}"] = runs.sample("voice_late")
        samples[f"asked_mbps.{who}.{threshold}"] = runs.sample("all_asked_mbps")
        samples[f"web_marking.{who}.{threshold}"] = runs.sample("all_marking")
        if who == "none":
            continue
        none = agents["none", threshold]
        samples[f"times_over_none.{who}.{threshold}"] = runs.sample("all_ms") / none.sample(
            "all_ms"
        )
        if who == "half":
            for group, name in (("web", "others"), ("knob", "smart")):
                ratio = runs.sample(f"{group}_ms") / none.sample(f"{group}_ms")
                samples[f"times_over_none.half.{name}.{threshold}"] = ratio
    knobs = _knobs(studies)
    for (who, threshold), runs in knobs.items():
        samples[f"voice_late.{who}.{threshold}"] = runs.sample("voice_late")
        for group, name in (("knob", "users"), ("web", "others")):
            samples[f"{who}.{name}_ms.{threshold}"] = runs.sample(f"{group}_ms")
            samples[f"{who}.{name}_mbps.{threshold}"] = runs.sample(f"{group}_mbps")
            if who == "knob":
                before = knobs["before", threshold].sample(f"{group}_ms")
                ratio = runs.sample(f"{group}_ms") / before
                samples[f"knob.{name}_over_before.{threshold}"] = ratio
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw ratios of download times with intervals: agents on the left, the knob on the right."""
    figure.set_size_inches(10, 4.5)
    left, right = figure.subplots(1, 2)
    samples = figures(studies)
    sides = {
        left: {"all": "all have one", "half.smart": "half: who has", "half.others": "half: others"},
        right: {"users": "users of the knob", "others": "others"},
    }
    for axis, names in sides.items():
        for index, threshold in enumerate(("72", "360")):
            keys = [
                f"times_over_none.{n}.{threshold}"
                if axis is left
                else f"knob.{n}_over_before.{threshold}"
                for n in names
            ]
            intervals = [interval_of(samples[key]) for key in keys]
            known = [(x, i) for x, i in enumerate(intervals) if i]
            style = {**look(index), "linestyle": "none", "capsize": 4}
            at = [x + 0.1 * (2 * index - 1) for x, _ in known]
            errors = [i.high - i.mean for _, i in known]
            means = [i.mean for _, i in known]
            axis.errorbar(at, means, yerr=errors, label=f"threshold {threshold} packets", **style)
        axis.axhline(1, color="black", linewidth=0.9, linestyle="--")
        axis.set_xticks(range(len(names)), list(names.values()))
        axis.set_xlim(-0.5, len(names) - 0.5)
    left.set(ylabel="download time over that without", title="full speed or nothing")
    right.set(title="counting for two flows")
    left.legend(fontsize="small")
