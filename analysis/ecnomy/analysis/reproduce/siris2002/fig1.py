# SPDX-License-Identifier: Apache-2.0
"""Figure 1: convergence and fluctuation of windows, by w_inc and w_dec of a given product."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.siris2002.laws import MARKING
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

STEP_S: Final = 0.5  # step of the courses that are kept


def _pair(studies: Studies, w_inc: float, w_dec: float, marking: str = "red 0.1") -> Runs:
    """Return the runs with w_inc and w_dec; `marking` is `red <max_p>` or `fixed`."""
    runs = studies["fig1"].at(
        {"sources.flows.transport.w_inc": w_inc, "sources.flows.transport.w_dec": w_dec}
    )
    named = {_named(text): text for text in runs.values(MARKING)}
    return runs.at({MARKING: named[marking]})


def _named(text: str) -> str:
    law = msgspec.json.decode(text)
    return f"red {law['max_probability']:g}" if law["law"] == "red" else str(law["law"])


def figures(studies: Studies) -> Samples:
    """Return rise times and deviations of windows, and their ratios between pairs."""
    fast, even, slow = (_pair(studies, *pair) for pair in ((4, 1), (2, 2), (1, 4)))
    samples: dict[str, Floats] = {}
    for name, runs in {"4_1": fast, "2_2": even, "1_4": slow}.items():
        samples[f"rise_s.{name}"] = runs.sample("rise_s")
        samples[f"std.{name}"] = runs.sample("cwnd.std")
    samples["rise.4_1_over_1_4"] = fast.sample("rise_s") / slow.sample("rise_s")
    samples["std.4_1_over_1_4"] = fast.sample("cwnd.std") / slow.sample("cwnd.std")
    samples["mean.4_1_over_1_4"] = fast.sample("cwnd.mean") / slow.sample("cwnd.mean")
    samples["falling_std.2_2_over_4_1"] = even.sample("cwnd.std") / fast.sample("cwnd.std")
    samples["falling_std.1_4_over_2_2"] = slow.sample("cwnd.std") / even.sample("cwnd.std")
    flat, steep = (_pair(studies, 2, 2, f"red {most:g}") for most in (0.05, 0.4))
    samples["steeper.rise"] = steep.sample("rise_s") / flat.sample("rise_s")
    cv = [runs.sample("cwnd.std") / runs.sample("cwnd.mean") for runs in (steep, flat)]
    samples["steeper.cv"] = cv[0] / cv[1]
    return samples | _controls(studies)


def _controls(studies: Studies) -> dict[str, Floats]:
    samples: dict[str, Floats] = {}
    fast, slow = (_pair(studies, *pair, "fixed") for pair in ((4, 1), (1, 4)))
    samples["control.fixed.mean.4_1_over_1_4"] = fast.sample("cwnd.mean") / slow.sample("cwnd.mean")
    for most in (0.05, 0.2, 0.4):
        runs = _pair(studies, 2, 2, f"red {most:g}")
        samples[f"control.p.max_p={most:g}"] = runs.sample("bottleneck.marking_probability")
        cv = runs.sample("cwnd.std") / runs.sample("cwnd.mean")
        samples[f"control.cv.max_p={most:g}"] = cv
        samples[f"control.rise_s.max_p={most:g}"] = runs.sample("rise_s")
    for name, pair in (("4_1", (4, 1)), ("1_4", (1, 4))):
        samples[f"control.load.{name}"] = _pair(studies, *pair).sample("bottleneck.utilization")
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the window of one flow over time, for the first seed and two pairs."""
    axis = figure.subplots()
    for index, (w_inc, w_dec) in enumerate(((4, 1), (1, 4))):
        course = _pair(studies, w_inc, w_dec).row("course")[0]
        style = {**look(index), "marker": "", "linestyle": ("-", "--")[index]}
        at = STEP_S * np.arange(1, len(course) + 1)
        axis.plot(at, course, label=f"w_inc = {w_inc}, w_dec = {w_dec}", **style)
    axis.set(xlabel="time, s", ylabel="congestion window of a flow, packets")
    axis.set_xlim(0, 90)
    axis.legend(loc="lower right")
