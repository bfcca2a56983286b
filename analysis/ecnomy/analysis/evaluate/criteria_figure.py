# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of an evaluation as SVG: means with intervals, and verdicts."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any, Final

from ecnomy.analysis.draw.panels import COLOURS, panel_style, svg_of
from ecnomy.analysis.evaluate.verdicts import OutcomeVerdict

__all__ = ["means", "row_label"]

_STYLES: Final = ((COLOURS[5], "D"), (COLOURS[1], "o"), (COLOURS[2], "s"))  # candidate, standards
_WIDTH: Final = 5.6  # inches
_LETTERS: Final = 26  # longest line of a condition's name


def means(verdicts: Sequence[OutcomeVerdict]) -> bytes:
    """Draw the means of one outcome for all laws, with a row and a verdict per condition."""
    from matplotlib.figure import Figure

    figure = verdicts[0].figure
    with panel_style():
        drawing = Figure(figsize=(_WIDTH, 1.15 + 0.5 * len(verdicts)), layout="constrained")
        axis = drawing.subplots()
        for place, law in enumerate(verdicts[0].means):
            colour, marker = _STYLES[place % len(_STYLES)]
            shift = 0.22 * (place - 1)
            rows = [(y, v.means[law]) for y, v in enumerate(verdicts)]
            known = [(y + shift, mean) for y, mean in rows if mean is not None]
            middle = [mean.mean * figure.scale for _, mean in known]
            half = [(mean.high - mean.low) / 2 * figure.scale for _, mean in known]
            axis.errorbar(
                middle, [y for y, _ in known], xerr=half, fmt=marker, color=colour,
                markersize=6, capsize=2.5, linewidth=1.2, label=law,
            )  # fmt: skip
        if figure.at_most is not None:
            axis.axvline(figure.at_most * figure.scale, color="0.3", linestyle="--", linewidth=1)
        labels = [row_label(one) for one in verdicts]
        axis.set_yticks(range(len(verdicts)), labels)
        axis.set_ylim(len(verdicts) - 0.5, -0.5)
        axis.set_xlim(0, 1.05 * axis.get_xlim()[1])
        unit = f"{figure.unit}, " if figure.unit else ""
        axis.set_xlabel(f"{unit}{figure.better} is better")
        bars: Any = axis.get_legend_handles_labels()[0]
        drawing.legend(
            [bar[0] for bar in bars],
            list(verdicts[0].means),
            loc="outside upper left",
            ncols=3,
            frameon=False,
            handletextpad=0.3,
        )
        return svg_of(drawing)


def row_label(one: OutcomeVerdict) -> str:
    """Return the name of the condition, wrapped, and the verdict on a separate line."""
    return f"{textwrap.fill(one.case.label, _LETTERS)}\n{one.verdict}"
