# SPDX-License-Identifier: Apache-2.0
"""Figure 4: the windows of a Silver (weight 1) and a Gold (weight 4) flow among ten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_MSS: Final = "sources.light.transport.mss"
_STEP_S: Final = 0.2
_SHOWN_S: Final = 20.0
_WARMUP_S: Final = 20.0


def figures(studies: Studies) -> Samples:
    """Return Gold's mean window / Silver's, and the difference of their standard deviations.

    The prefix `small.` stands for packets of 500 bytes.
    """
    samples: dict[str, np.ndarray | float] = {}
    runs = studies["fig4"]
    for mss, size in zip(sorted(runs.values(_MSS), reverse=True), ("", "small."), strict=True):
        own = runs.at({_MSS: mss})
        light, heavy = own.sample("light.mean_cwnd"), own.sample("heavy.mean_cwnd")
        samples[f"{size}mean.light"], samples[f"{size}mean.heavy"] = light, heavy
        samples[f"{size}mean.heavy_over_light"] = heavy / light
        spread = {name: own.sample(f"{name}.std_cwnd") for name in ("light", "heavy")}
        samples |= {f"{size}std.{name}": values for name, values in spread.items()}
        samples[f"{size}std.heavy_minus_light"] = spread["heavy"] - spread["light"]
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw both windows of the first seed over time."""
    axis = figure.subplots()
    runs = studies["fig4"]
    own = runs.at({_MSS: max(runs.values(_MSS))})
    labels = {"heavy": "Gold, weight 4", "light": "Silver, weight 1"}
    for index, (name, label) in enumerate(labels.items()):
        course = own.row(f"{name}.course")[0]
        times = _WARMUP_S + _STEP_S * np.arange(1, len(course) + 1)
        shown = times <= _WARMUP_S + _SHOWN_S
        style = look(index) | {"marker": None}
        axis.plot(times[shown], course[shown], label=label, **style)
    axis.set(xlabel="time [s]", ylabel="congestion window [packets]")
    axis.set_ylim(bottom=0)
    axis.legend(loc="upper right", ncols=2)
