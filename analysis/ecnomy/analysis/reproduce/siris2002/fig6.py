# SPDX-License-Identifier: Apache-2.0
"""Figure 6: weights in proportion to round trips, so that r is the ratio of payments per second."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.siris2002.laws import by_law
from ecnomy.analysis.reproduce.siris2002.ratios import (
    FIRST,
    LONG,
    least_of,
    per_law,
    ratios_panel,
)
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

PER_R: Final = 1.5  # weight per round trip of the long flows at r = 1: 300 ms / 200 ms


def figures(studies: Studies) -> Samples:
    """Return throughput ratios / r, ratios between laws, and marking on the second link."""
    laws = by_law(studies["fig6"], FIRST)
    curves = per_law(laws, PER_R)
    samples: dict[str, Floats | float] = {}
    for law, curve in curves.items():
        for r, ratio in curve.items():
            size = "small" if r <= 6 else "large"
            samples[f"ratio_over_r.{size}.{law}.r={r:g}"] = ratio / r
            reach = "from_6" if r >= 6 else "below_6"
            second = laws[law].at({LONG: PER_R * r}).sample("second.marking_probability")
            samples[f"second_link.{reach}.{law}.r={r:g}"] = second
        samples[f"equal_weights.{law}"] = curve[1]
    for r, lb in curves["lb"].items():
        reach = "from_6" if r >= 6 else "below_6"
        least = least_of(curves["red"][r], curves["vq"][r])
        samples[f"lb_over_least.{reach}.r={r:g}"] = lb / least
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the throughput ratio against the ratio of willingness to pay per second."""
    figure.set_size_inches(6, 4.5)
    curves = per_law(by_law(studies["fig6"], FIRST), PER_R)
    axis = figure.subplots()
    ratios_panel(axis, curves, 1, "equal ratios", "")
    axis.set(xlabel="ratio of willingness to pay per second, long / short")
