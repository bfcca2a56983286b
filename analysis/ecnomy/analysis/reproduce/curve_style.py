# SPDX-License-Identifier: Apache-2.0
"""The style of curves in figures of entries, with lines that also differ in grey.

Means have bands of 90 % intervals. Theory is a thin black line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from ecnomy.analysis.draw.panels import COLOURS
from ecnomy.analysis.reproduce.judge import interval_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["band", "look", "theory_line"]

_MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X")
_STYLES: Final = ("-", "--", "-.", ":")


def look(index: int) -> dict[str, Any]:
    """Return the colour, marker and line style of curve `index`; curves also differ in grey."""
    return {
        "color": COLOURS[index % len(COLOURS)],
        "marker": _MARKERS[index % len(_MARKERS)],
        "linestyle": _STYLES[index % len(_STYLES)],
        "markersize": 4,
        "linewidth": 1.3,
    }


def band(axis: Axes, x: Sequence[float], samples: Sequence[Any], index: int, label: str) -> None:
    """Draw a curve of means with a band of their intervals.

    Args:
        axis: the axes to draw on.
        x: position of each point.
        samples: for each point, one value per seed or batch.
        index: number of the curve in the figure.
        label: label in the legend.
    """
    intervals = [interval_of(sample) for sample in samples]
    known = [(at, interval) for at, interval in zip(x, intervals, strict=True) if interval]
    at = [place for place, _ in known]
    style = look(index)
    axis.plot(at, [interval.mean for _, interval in known], label=label, **style)
    low, high = [i.low for _, i in known], [i.high for _, i in known]
    axis.fill_between(at, low, high, color=style["color"], alpha=0.2, linewidth=0)


def theory_line(axis: Axes, x: Any, y: Any, label: str) -> None:
    """Draw a theoretical curve as a thin black line."""
    axis.plot(x, y, color="black", linewidth=0.9, linestyle=(0, (5, 2)), label=label)
