# SPDX-License-Identifier: Apache-2.0
"""Table 3 as a search: the marking threshold that gives voice the same delay rate as two classes.

Calls are `independent`, send packets at fixed times after their start (`tick`), or are a fixed
number of synchronised endless calls (`step`). Mixes are named by the paper's number of telephone
users.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.calibrate.search import SearchResult
from ecnomy.analysis.reproduce.andreassen2002.mixes import WEB_USERS
from ecnomy.analysis.reproduce.calibrations import search_results_of
from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies
from ecnomy.analysis.statistics.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PHASES", "draw", "figures", "phase_of"]

PHASES: Final = ("independent", "tick", "step")
_TRAFFIC: Final = "sources.voice.traffic"
_VOICE: Final = "sources.voice.count"
_WEB: Final = "sources.web.count"
_MIX: Final = {web: voice for voice, web in WEB_USERS.items()}
_LABELS: Final = {
    "independent": "calls independent",
    "tick": "calls run from their start",
    "step": "endless calls in step",
}


def phase_of(traffic: str) -> str:
    """Return the phase of calls (`independent`, `tick` or `step`), given their traffic as JSON."""
    given = json.loads(traffic)
    if given["kind"] == "cbr":
        return "step"
    return "tick" if given.get("phase") == "tick" else "independent"


def _named(result: SearchResult) -> tuple[str, int]:
    params = result.params
    return phase_of(str(params[_TRAFFIC])), _MIX[int(params[_WEB])]


def figures(studies: Studies) -> Samples:
    """Return each search's outcome by call phase and mix, and the delay rates of two classes."""
    samples: dict[str, np.ndarray | float | Interval] = {}
    for each in search_results_of(studies, "calibration"):
        phase, mix = _named(each)
        at = f"{phase}.{mix}"
        samples[f"reachable.{at}"] = float(each.verdict != "not reachable")
        samples[f"held.{at}"] = float(each.verdict == "found")
        samples[f"threshold.{at}"] = each.interval or float("nan")
        samples[f"tried_at.{at}"] = each.value
        samples[f"late.{at}"] = each.figure
        samples[f"late_over_target.{at}"] = _over(each.figure, each.target)
    classes = studies["diffserv"]
    for voice in sorted(classes.values(_VOICE)):
        late = classes.at({_VOICE: voice}).sample("voice_late")
        samples[f"classes.independent.{voice:g}"] = late
    phases = studies["phases"]
    for traffic in phases.values(_TRAFFIC):
        own = phases.at({_TRAFFIC: traffic})
        for web in own.values(_WEB):
            name = f"classes.{phase_of(str(traffic))}.{_MIX[int(web)]}"
            samples[name] = own.at({_WEB: web}).sample("voice_late")
    return samples


def _over(figure: Interval, target: float) -> Interval:
    low, mean, high = (value / target for value in (figure.low, figure.mean, figure.high))
    return Interval(mean, low, high, figure.level, figure.n)


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the thresholds found, by mix, and delay rates at the thresholds tried, with targets."""
    figure.set_size_inches(10, 4.6)
    left, right = figure.subplots(1, 2)
    shown: set[str] = set()
    for each in search_results_of(studies, "calibration"):
        phase, mix = _named(each)
        index = PHASES.index(phase)
        label = _LABELS[phase] if phase not in shown else None
        shown.add(phase)
        if each.interval:
            style = look(index) | {"linestyle": "none"}
            reach = [[max(each.value - each.interval.low, 0.0)],
                     [max(each.interval.high - each.value, 0.0)]]  # fmt: skip
            left.errorbar([mix + 12 * (index - 1)], [each.value], yerr=reach, capsize=3,
                          label=label, **style)  # fmt: skip
        if phase == "independent":
            order = np.argsort(each.tried)
            style = look(list(WEB_USERS).index(mix))
            right.plot(np.array(each.tried)[order], np.array(each.means)[order],
                       label=f"{mix} voice, {WEB_USERS[mix]} web", **style)  # fmt: skip
            right.plot([each.value], [each.target], marker="x", color="black", linestyle="none")
    left.set(xlabel="telephone users", ylabel="threshold found [packets]")
    left.set_ylim(bottom=0)
    left.legend(fontsize="small")
    right.set(xlabel="largest threshold [packets]", ylabel="voice packets later than 16 ms")
    right.set_xscale("log")
    right.set_yscale("symlog", linthresh=1e-5)
    right.set_ylim(bottom=0)
    right.legend(fontsize="small")
