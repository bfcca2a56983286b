# SPDX-License-Identifier: Apache-2.0
"""Section 7: utilization by the price of a mark, budgets fixed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.pictures import band
from ecnomy.analysis.reproduce.siris2002.curves import differences
from ecnomy.analysis.reproduce.siris2002.ratios import Floats
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_BUDGET: Final = 5.0  # money a second of each flow
_RTT_S: Final = 0.2
_WEIGHT: Final = "sources.light.transport.weight"


def _loads(studies: Studies) -> dict[float, Floats]:
    """By price, the highest first: the weight is budget x T / price."""
    runs = studies["price-target"]
    return {
        _BUDGET * _RTT_S / weight: runs.at({_WEIGHT: weight}).sample("bottleneck.utilization")
        for weight in sorted(runs.values(_WEIGHT))
    }


def figures(studies: Studies) -> Samples:
    """Utilization at each price, and its rise from one to the next lower one."""
    loads = {f"{price:g}": load for price, load in _loads(studies).items()}
    found = {f"load.price={price}": load for price, load in loads.items()}
    return found | {f"load_rises.{name}": rise for name, rise in differences(loads).items()}


def draw(studies: Studies, figure: Figure) -> None:
    """Utilization against price."""
    figure.set_size_inches(6, 4.5)
    axis = figure.subplots()
    loads = _loads(studies)
    band(axis, list(loads), list(loads.values()), 0, "load-based marking, 20 flows")
    axis.set(xlabel="price of a mark, money", ylabel="utilization", xscale="log")
    axis.set_xticks(list(loads), [f"{price:g}" for price in loads])
    axis.minorticks_off()
    axis.legend()
