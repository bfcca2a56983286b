# SPDX-License-Identifier: Apache-2.0
"""Code shared by the entries whose network is the chain of links in Figure 2b."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.curve_style import band, theory_line
from ecnomy.analysis.reproduce.studies import Runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LEAVES", "by_length", "draw_shares", "shares", "slope_of_shares"]

LEAVES: Final = "sources.long.to"


def by_length(runs: Runs) -> dict[int, Runs]:
    """Return the runs by number of links that the long connection crosses."""
    return {int(str(node)[1:]): runs.at({LEAVES: node}) for node in runs.values(LEAVES)}


def shares(runs: Runs, links: int) -> list[Floats]:
    """Return the long connection's share x0 / (x0 + x_i) of each link i, one value per seed."""
    long = runs.sample("long.goodput_bps")
    return [
        np.asarray(long / (long + runs.sample(f"short-{i}.goodput_bps")))
        for i in range(1, links + 1)
    ]


def slope_of_shares(points: Mapping[int, list[Floats]]) -> Floats:
    """Return the least-squares slope of the mean share against the number of links, per seed."""
    from ecnomy.analysis.reproduce.athuraliya2000.laws import slope

    return slope({n: np.asarray(np.mean(own, axis=0)) for n, own in points.items()})


def draw_shares(
    axis: Axes, points: Mapping[int, list[Floats]], theory: Mapping[int, float]
) -> None:
    """Draw the largest, mean and smallest share over all links against the number of links."""
    at = list(points)
    over = {
        "largest over links": [np.max(own, axis=0) for own in points.values()],
        "mean over links": [np.mean(own, axis=0) for own in points.values()],
        "smallest over links": [np.min(own, axis=0) for own in points.values()],
    }
    for index, (name, samples) in enumerate(over.items()):
        band(axis, at, samples, index, name)
    theory_line(axis, list(theory), list(theory.values()), "theory")
    axis.set(xlabel="links of the long connection", ylabel="its share of a link", xticks=at)
    axis.legend()
