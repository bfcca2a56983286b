# SPDX-License-Identifier: Apache-2.0
"""Scenario 1: Gold and Silver before, during and after congestion, and a user who changes class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_CROWD: Final = "sources.background.count"
_CLOCK: Final = "sources.gold.transport.send"
_FEES: Final = {"gold": 1.0, "silver": 0.25}  # money/s, from scenario1.yaml
_STEP_S: Final = 2.0
_PLACES: Final[dict[str, dict[str, float | str]]] = {
    "": {_CROWD: 12, _CLOCK: "ack-clocked"},
    "few.": {_CROWD: 4, _CLOCK: "ack-clocked"},
    "paced.": {_CROWD: 12, _CLOCK: "paced"},
}


def figures(studies: Studies) -> Samples:
    """Return ratios of Gold to Silver by phase, and charges divided by fees, with controls."""
    runs = studies["scenario1"]
    samples: dict[str, np.ndarray | float] = {}
    for prefix, place in _PLACES.items():
        samples |= {prefix + name: v for name, v in _of(runs.at(place)).items()}
    return samples


def _of(runs: Runs) -> dict[str, np.ndarray]:
    ratio = _FEES["gold"] / _FEES["silver"]
    calm = runs.sample("gold.calm_bps") / runs.sample("silver.calm_bps")
    crowd = runs.sample("gold.crowd_bps") / runs.sample("silver.crowd_bps")
    pages = {name: runs.sample(f"{name}.page_crowd_s") for name in _FEES}
    products = {name: pages[name] * runs.sample(f"{name}.crowd_bps") for name in _FEES}
    user = {phase: runs.sample(f"user.{phase}_bps") for phase in ("before", "up", "down")}
    samples = {
        "calm.gold_over_silver": calm,
        "crowd.gold_over_silver_over_fees": crowd / ratio,
        "crowd.pages.gold_over_silver": pages["gold"] / pages["silver"],
        "product.gold_over_silver": products["gold"] / products["silver"],
        "user.up_over_before": user["up"] / user["before"],
        "user.down_over_up": user["down"] / user["up"],
        "marking_probability": runs.sample("bottleneck.marking_probability"),
    }
    for name, fee in _FEES.items():
        samples[f"most_charge_over_fee.{name}"] = runs.sample(f"{name}.most_charge") / fee
        samples[f"crowd.charge_over_fee.{name}"] = runs.sample(f"{name}.crowd_charge") / fee
        samples[f"crowd.rate_mbps.{name}"] = runs.sample(f"{name}.crowd_bps") / 1e6
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the flows' rates against time, as means over seeds."""
    runs = studies["scenario1"]
    own = runs.at(_PLACES[""])
    axis = figure.subplots()
    labels = {"gold": "Gold", "silver": "Silver", "user": "user: Silver, Gold from 80 s to 100 s"}
    for index, (name, label) in enumerate(labels.items()):
        course = own.row(f"{name}.course_mbps").mean(axis=0)
        times = _STEP_S * np.arange(len(course)) + 1
        axis.plot(times, course, label=label, **(look(index) | {"markersize": 3}))
    axis.axvspan(60, 120, color="0.9")
    axis.text(90, 0.02, "twelve more flows", ha="center")
    axis.set(xlabel="time [s]", ylabel="rate of a flow, mean over seeds [Mbps]")
    axis.set_ylim(bottom=0)
    axis.legend(loc="upper left")
