# SPDX-License-Identifier: Apache-2.0
"""Figure 7: how the gain determines the convergence and fluctuation of eleven windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Sample, Samples
from ecnomy.analysis.reproduce.ranks import rank_correlation
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["GAIN", "by_gain", "draw", "figures"]

GAIN: Final = "sources.light.transport.gain"
MSS: Final = "sources.light.transport.mss"
_MOST_SHOWN: Final = (0.05, 0.2, 1.0)
_STEP_S: Final = 0.5
_COLUMNS: Final = (
    *("settled_s", "settled_2_s", "std_cwnd", "std_mean_cwnd", "peak", "peak_of_mean"),
)


def by_gain(runs: Runs, *, least: float = 0.05, packets: int = 0) -> dict[float, Runs]:
    """Return the runs by gain, from `least` on.

    `packets` is 0 for the largest packet size and 1 for the next smaller size.
    """
    size = sorted(runs.values(MSS), reverse=True)[packets]
    gains = [gain for gain in sorted(runs.values(GAIN)) if gain >= least]
    return {gain: runs.at({GAIN: gain, MSS: size}) for gain in gains}


def figures(studies: Studies) -> Samples:
    """Return settling times, fluctuations and peaks by gain, with their rank correlations.

    The prefix `small.` stands for packets of 500 bytes.
    """
    figures_by_name: dict[str, Sample] = {}
    for packets, size in enumerate(("", "small.")):
        own = by_gain(studies["fig7"], packets=packets)
        for column in _COLUMNS:
            samples = {gain: runs.sample(column) for gain, runs in own.items()}
            figures_by_name[f"{size}rank_correlation.{column}"] = rank_correlation(samples)
            for gain, values in samples.items():
                part = "large" if gain >= 0.5 else "small"
                figures_by_name[f"{size}{column}.{part}.gain={gain:g}"] = values
    tiny = by_gain(studies["fig7"], least=0.0)
    least = min(tiny)
    figures_by_name[f"settled_s.tiny.gain={least:g}"] = tiny[least].sample("settled_s")
    step = studies["fig7-step"]
    after = {g: step.at({GAIN: g}).sample("settled_s") for g in sorted(step.values(GAIN))}
    figures_by_name["step.rank_correlation.settled_s"] = rank_correlation(after)
    figures_by_name |= {f"step.settled_s.gain={gain:g}": values for gain, values in after.items()}
    return figures_by_name


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the mean window over time, one panel per gain."""
    own = by_gain(studies["fig7"])
    axes = figure.subplots(len(_MOST_SHOWN), 1, sharex=True, sharey=True)
    for index, (axis, gain) in enumerate(zip(axes, _MOST_SHOWN, strict=True)):
        course = own[gain].row("course")[0]
        times = _STEP_S * np.arange(1, len(course) + 1)
        style = look(index) | {"marker": None, "linestyle": "-"}
        axis.plot(times, course, label=f"gain {gain:g}", **style)
        axis.axvline(float(own[gain].sample("settled_s")[0]), color="black", linestyle=":")
        axis.legend(loc="lower right")
    axes[0].set_ylim(bottom=0)
    axes[0].set_title("eleven flows; dotted: within 10 % of the final value from here on")
    axes[1].set_ylabel("mean window [packets]")
    axes[-1].set_xlabel("time [s]")
