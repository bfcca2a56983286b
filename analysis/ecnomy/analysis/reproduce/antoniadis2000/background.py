# SPDX-License-Identifier: Apache-2.0
"""Section 5, background traffic: the demand for web pages by the price of a mark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from ecnomy.analysis.reproduce.curve_style import band
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_STRATEGY: Final = "market.agents.crowd.strategy"
_PRICE: Final = "market.price_per_mark"
_LABELS: Final = {"": "users who react to the price", "control.": "users who do not"}


def _runs(studies: Studies) -> dict[str, dict[float, Runs]]:
    runs = studies["background"]
    by_prefix: dict[str, dict[float, Runs]] = {}
    for value in runs.values(_STRATEGY):
        own = runs.at({_STRATEGY: value})
        prefix = "control." if msgspec.json.decode(value)["kind"] == "stay" else ""
        by_prefix[prefix] = {price: own.at({_PRICE: price}) for price in sorted(own.values(_PRICE))}
    return by_prefix


def figures(studies: Studies) -> Samples:
    """Return user counts, costs [money/MB] and demands [Mbit/s] by price, and ratios of demands."""
    samples: dict[str, np.ndarray | float] = {}
    for prefix, by_price in _runs(studies).items():
        before = None
        for price, runs in by_price.items():
            offered = runs.sample("offered_mbps")
            samples[f"{prefix}offered.price={price:g}"] = offered
            samples[f"{prefix}users.price={price:g}"] = runs.sample("users")
            samples[f"{prefix}money_per_mb.price={price:g}"] = runs.sample("money_per_mb")
            if before is not None:
                samples[f"{prefix}offered_over_half_price.price={price:g}"] = offered / before
            before = offered
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the requested traffic and the number of participating users against the price."""
    figure.set_size_inches(9, 4.2)
    left, right = figure.subplots(1, 2)
    for index, (prefix, by_price) in enumerate(sorted(_runs(studies).items())):
        prices, runs = list(by_price), list(by_price.values())
        offered = [own.sample("offered_mbps") for own in runs]
        band(left, prices, offered, index, _LABELS[prefix])
        band(right, prices, [own.sample("users") for own in runs], index, _LABELS[prefix])
    for axis, what in ((left, "pages asked for [Mbit/s]"), (right, "users who take part")):
        axis.set(xlabel="price of a mark [money]", ylabel=what, xscale="log")
        axis.set_xticks(prices, [f"{price:g}" for price in prices])
        axis.minorticks_off()
        axis.set_ylim(bottom=0)
    left.legend(loc="center right")
