# SPDX-License-Identifier: Apache-2.0
"""Section 7: utilisation by price of a mark at fixed budgets, and with an operator's prices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.curve_style import band, look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.siris2002.curves import differences
from ecnomy.analysis.reproduce.siris2002.steering import CHANGE_S
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_BUDGET: Final = 5.0  # money/s of each flow
_RTT_S: Final = 0.2
_WEIGHT: Final = "sources.light.transport.weight"
_OPERATOR: Final = "market.agents.operator.strategy"
_PRICE: Final = "market.price_per_mark"
_INTERVAL_S: Final = 10.0  # interval of the courses
_TARGET: Final = 0.9  # from price-control-sweep.yaml


def _loads(studies: Studies) -> dict[float, Floats]:
    """Return the utilisation by price in descending order, where weight = budget x T / price."""
    runs = studies["price-target"]
    return {
        _BUDGET * _RTT_S / weight: runs.at({_WEIGHT: weight}).sample("bottleneck.utilization")
        for weight in sorted(runs.values(_WEIGHT))
    }


def figures(studies: Studies) -> Samples:
    """Return utilisation at each price, its rise at the next lower price, and operators' prices."""
    loads = {f"{price:g}": load for price, load in _loads(studies).items()}
    samples = {f"load.price={price}": load for price, load in loads.items()}
    samples |= {f"load_rises.{name}": rise for name, rise in differences(loads).items()}
    for (kind, price), runs in _operators(studies).items():
        ending = f".first={price:g}" if kind == "steered" else ""
        start = "" if kind == "steered" else "control."
        for phase in ("before", "after"):
            samples[f"{start}reached.{phase}{ending}"] = runs.sample(f"utilization_{phase}")
            samples[f"{start}price.{phase}{ending}"] = runs.sample(f"price_{phase}")
            samples[f"{start}settled_s.{phase}{ending}"] = runs.sample(f"settled_s_{phase}")
    return samples


def _operators(studies: Studies) -> dict[tuple[str, float], Runs]:
    runs = studies["price-control"]
    operators: dict[tuple[str, float], Runs] = {}
    for value in runs.values(_OPERATOR):
        own = runs.at({_OPERATOR: value})
        kind = "still" if msgspec.json.decode(value)["kind"] == "stay" else "steered"
        operators |= {(kind, price): own.at({_PRICE: price}) for price in own.values(_PRICE)}
    return operators


def draw(studies: Studies, figure: Figure) -> None:
    """Draw utilisation against price, and over time with an operator that sets the price."""
    figure.set_size_inches(11, 4.5)
    left, right = figure.subplots(1, 2, width_ratios=[1, 1.4])
    loads = _loads(studies)
    band(left, list(loads), list(loads.values()), 0, "load-based marking, 20 flows")
    left.set(xlabel="price of a mark, money", ylabel="utilization", xscale="log")
    left.set_xticks(list(loads), [f"{price:g}" for price in loads])
    left.minorticks_off()
    left.legend()
    for index, ((kind, price), runs) in enumerate(_operators(studies).items()):
        course = runs.row("course").mean(axis=0)
        times = _INTERVAL_S * (np.arange(len(course)) + 1)
        label = (
            f"set by the operator, first {price:g}" if kind == "steered" else f"always {price:g}"
        )
        right.plot(times, course, label=label, **(look(index) | {"markersize": 3}))
    right.axhline(_TARGET, color="black", linewidth=0.9, linestyle=":")
    right.axvspan(CHANGE_S, times[-1], color="0.9", label="40 flows")
    right.set(xlabel="time [s]", ylabel="utilization")
    right.set_ylim(0.6, 1.02)
    right.legend(fontsize="small", loc="lower right")
