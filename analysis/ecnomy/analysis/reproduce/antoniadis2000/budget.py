# SPDX-License-Identifier: Apache-2.0
"""Section 5, files within a budget: the cost of files, and whether they arrive complete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_STRATEGY: Final = "market.agents.uploaders.strategy"
_CROWD: Final = "sources.background.count"
_SEND: Final = "sources.upload.transport.send"
_STEP_S: Final = 4.0


def _split(studies: Studies) -> tuple[dict[float, Runs], Runs]:
    whole, budgets, without = studies["budget"], {}, None
    runs = whole.at({_CROWD: max(whole.values(_CROWD)), _SEND: "ack-clocked"})
    for value in runs.values(_STRATEGY):
        strategy: dict[str, Any] = msgspec.json.decode(value)
        own = runs.at({_STRATEGY: value})
        if "budget" in strategy:
            budgets[float(str(strategy["budget"]).split()[0])] = own
        else:
            without = own
    assert without is not None
    return budgets, without


def figures(studies: Studies) -> Samples:
    """Return the cost and time of files by budget, and the share of files that arrive complete."""
    budgets, without = _split(studies)
    samples: dict[str, np.ndarray | float] = {}
    for money, runs in budgets.items():
        name = f"budget={money:g}"
        samples[f"most_paid_over_budget.{name}"] = runs.sample("most_paid") / money
        samples[f"complete.{name}"] = runs.sample("complete")
        samples[f"mean_paid.{name}"] = runs.sample("mean_paid")
        samples[f"file_s.{name}"] = runs.sample("file_s")
    samples["control.most_paid_over_least_budget"] = without.sample("most_paid") / min(budgets)
    samples["control.mean_paid"] = without.sample("mean_paid")
    samples["control.file_s"] = without.sample("file_s")
    return samples | _controls(studies["budget"])


def _controls(runs: Runs) -> dict[str, np.ndarray]:
    samples: dict[str, np.ndarray] = {}
    crowds = runs.values(_CROWD)
    places: dict[str, dict[str, Any]] = {
        "no_crowd": {_CROWD: min(crowds), _SEND: "ack-clocked"},
        "small_windows": {_CROWD: max(crowds), _SEND: "paced"},
    }
    for place, columns in places.items():
        at = runs.at(columns)
        for value in at.values(_STRATEGY):
            money = float(str(msgspec.json.decode(value)["budget"]).split()[0])
            own, name = at.at({_STRATEGY: value}), f"control.{place}.budget={money:g}"
            samples[f"{name}.complete"] = own.sample("complete")
            samples[f"{name}.mean_paid"] = own.sample("mean_paid")
            samples[f"{name}.most_paid"] = own.sample("most_paid") / money
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the cost of a file over time, as a mean over files and seeds."""
    figure.set_size_inches(8, 4.5)
    axis = figure.subplots()
    budgets, without = _split(studies)
    for index, (money, runs) in enumerate(sorted(budgets.items())):
        course = runs.row("paid").mean(axis=0)
        style = look(index) | {"markersize": 3}
        axis.plot(_STEP_S * np.arange(len(course)), course, label=f"budget {money:g}", **style)
        axis.axhline(money, color=style["color"], linewidth=0.7, linestyle=":")
    course = without.row("paid").mean(axis=0)
    style = look(len(budgets)) | {"markersize": 3}
    axis.plot(_STEP_S * np.arange(len(course)), course, label="1 money/s", **style)
    axis.axvspan(30, 90, color="0.9", label="twelve more flows")
    axis.set(xlabel="time [s]", ylabel="paid for a file [money]")
    axis.set_ylim(bottom=0)
    axis.legend(fontsize="small")
