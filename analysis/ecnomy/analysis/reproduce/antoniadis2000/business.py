# SPDX-License-Identifier: Apache-2.0
"""Section 2: charges and profits when a provider pays for marks, and when users pay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_CROWD: Final = "sources.background.count"
_STEP_S: Final = 2.0


def figures(studies: Studies) -> Samples:
    """Return the variation of charges and the provider's profit divided by its income, by crowd."""
    runs = studies["who-pays"]
    samples: dict[str, np.ndarray | float] = {}
    for count in runs.values(_CROWD):
        own, name = runs.at({_CROWD: count}), f"crowd={count:g}"
        for source in ("resold", "direct"):
            samples[f"charge_cv.{source}.{name}"] = own.sample(f"{source}.charge_cv")
        left = {}
        for phase in ("calm", "crowd"):
            fee, marks = (own.sample(f"resold.{phase}_{what}") for what in ("fee", "marks"))
            left[phase] = 1 - marks / fee
            samples[f"profit_over_income.{phase}.{name}"] = left[phase]
        samples[f"profit_lost.{name}"] = 1 - left["crowd"] / left["calm"]
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the charges and the profit over time with the larger crowd, as means over seeds."""
    figure.set_size_inches(8, 4.5)
    axis = figure.subplots()
    runs = studies["who-pays"]
    own = runs.at({_CROWD: max(runs.values(_CROWD))})
    curves = {
        "resold.charge_course": "customers of the provider",
        "direct.charge_course": "users who pay for marks",
        "resold.profit_course": "profit of the provider",
    }
    for index, (name, label) in enumerate(curves.items()):
        course = own.row(name).mean(axis=0)
        times = _STEP_S * np.arange(len(course)) + 1
        axis.plot(times, course, label=label, **(look(index) | {"markersize": 3}))
    axis.axvspan(60, 120, color="0.9", label="twelve more flows")
    axis.set(xlabel="time [s]", ylabel="four flows together [money/s]")
    axis.set_ylim(bottom=0)
    axis.legend(fontsize="small")
