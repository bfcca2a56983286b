# SPDX-License-Identifier: Apache-2.0
"""Figure 5: short and long flows share one link, and long flows also cross a second link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.siris2002.laws import by_law
from ecnomy.analysis.reproduce.siris2002.ratios import (
    FIRST,
    LONG,
    cases,
    least_of,
    per_law,
    ratios_panel,
    spread,
)
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["SHORT_OVER_LONG", "draw", "figures"]

SHORT_OVER_LONG: Final = {"a": 200 / 300, "b": 100 / 200}  # round trips without queues


def figures(studies: Studies) -> Samples:
    """Return throughput ratios divided by r and by theory, and marking on the second link."""
    samples: dict[str, Floats | float] = {}
    for case, runs in cases(studies["fig5"]).items():
        laws = by_law(runs, FIRST)
        curves = per_law(laws)
        for law, curve in curves.items():
            for r, ratio in curve.items():
                size = "small" if r <= 6 else "large"
                theory = r * SHORT_OVER_LONG[case]
                samples[f"{case}.over_theory.{size}.{law}.r={r:g}"] = ratio / theory
                if r > 1:
                    samples[f"{case}.over_r.{law}.r={r:g}"] = ratio / r
                second = laws[law].at({LONG: r}).sample("second.marking_probability")
                reach = "from_7" if r >= 7 else "below_7"
                samples[f"{case}.second_link.{reach}.{law}.r={r:g}"] = second
        for r in curves["lb"]:
            red, vq, lb = (curves[law][r] for law in ("red", "vq", "lb"))
            reach = "to_4" if r <= 4 else "beyond_4"
            samples[f"{case}.spread.{reach}.r={r:g}"] = spread([red, vq, lb])
            reach = "to_3" if r <= 3 else "from_8" if r >= 8 else "between"
            samples[f"{case}.lb_over_least.{reach}.r={r:g}"] = lb / least_of(red, vq)
            samples[f"{case}.vq_over_red.r={r:g}"] = vq / red
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw throughput ratios for round trips of (a) 200 and 300 ms and (b) 100 and 200 ms."""
    axes = figure.subplots(1, 2)
    for axis, (case, runs) in zip(axes, cases(studies["fig5"]).items(), strict=True):
        slope = SHORT_OVER_LONG[case]
        curves = per_law(by_law(runs, FIRST))
        ratios_panel(axis, curves, slope, f"{slope:.2g} r, first link alone marks", f"({case})")
