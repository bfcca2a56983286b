# SPDX-License-Identifier: Apache-2.0
"""Figure 1: w_inc and w_dec of one product: speed of convergence against fluctuation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.pictures import look
from ecnomy.analysis.reproduce.siris2002.ratios import Floats
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

STEP_S: Final = 0.5  # of the courses that are kept


def _pair(studies: Studies, w_inc: float, w_dec: float, max_probability: float = 0.1) -> Runs:
    return studies["fig1"].at(
        {
            "sources.flows.transport.w_inc": w_inc,
            "sources.flows.transport.w_dec": w_dec,
            "network.links.bottleneck.marking.max_probability": max_probability,
        }
    )


def figures(studies: Studies) -> Samples:
    """Rise times, deviations and means of the windows, one pair over another."""
    fast, even, slow = (_pair(studies, *pair) for pair in ((4, 1), (2, 2), (1, 4)))
    found: dict[str, Floats] = {}
    for name, runs in {"4_1": fast, "2_2": even, "1_4": slow}.items():
        found[f"rise_s.{name}"] = runs.sample("rise_s")
        found[f"std.{name}"] = runs.sample("cwnd.std")
    found["rise.4_1_over_1_4"] = fast.sample("rise_s") / slow.sample("rise_s")
    found["std.4_1_over_1_4"] = fast.sample("cwnd.std") / slow.sample("cwnd.std")
    found["mean.4_1_over_1_4"] = fast.sample("cwnd.mean") / slow.sample("cwnd.mean")
    found["falling_std.2_2_over_4_1"] = even.sample("cwnd.std") / fast.sample("cwnd.std")
    found["falling_std.1_4_over_2_2"] = slow.sample("cwnd.std") / even.sample("cwnd.std")
    flat, steep = (_pair(studies, 2, 2, most) for most in (0.05, 0.4))
    found["steeper.rise"] = steep.sample("rise_s") / flat.sample("rise_s")
    cv = [runs.sample("cwnd.std") / runs.sample("cwnd.mean") for runs in (steep, flat)]
    found["steeper.cv"] = cv[0] / cv[1]
    return found


def draw(studies: Studies, figure: Figure) -> None:
    """The window of one flow over time, of the first seed."""
    axis = figure.subplots()
    for index, (w_inc, w_dec) in enumerate(((4, 1), (1, 4))):
        course = _pair(studies, w_inc, w_dec).row("course")[0]
        style = {**look(index), "marker": "", "linestyle": ("-", "--")[index]}
        at = STEP_S * np.arange(1, len(course) + 1)
        axis.plot(at, course, label=f"w_inc = {w_inc}, w_dec = {w_dec}", **style)
    axis.set(xlabel="time, s", ylabel="congestion window of a flow, packets")
    axis.set_xlim(0, 90)
    axis.legend(loc="lower right")
