# SPDX-License-Identifier: Apache-2.0
"""The legend of a network map, and the colours and widths of lines that it explains."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from ecnomy.analysis.draw.fitted_text import fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["HALO", "SHADES", "draw_legend", "width_of"]

# One hue from light to dark, and orange for congestion, are legible in grey and to colour-blind
# readers.
SHADES: Final = ("#BDD3E6", "#5B9BCB", "#0B5394", "#052A4F")
HALO: Final = "#E69F00"

_SIZE: Final = 8.0  # font size, points
_WIDEST: Final = 6.5  # width of the busiest line, points
_THINNEST: Final = 1.0


def width_of(used_bps: float, most_bps: float) -> float:
    """Return the width of a line in points: a minimum plus a part proportional to the rate."""
    return _THINNEST + (_WIDEST - _THINNEST) * used_bps / most_bps


def draw_legend(axis: Axes, most_bps: float, priced: bool) -> None:
    """Draw a legend for the colours, widths, rims and sides of lines, on an axis in points."""
    wide, high = axis.get_xlim()[1], axis.get_ylim()[1]
    axis.axhline(high - 4, 0.01, 0.99, color="0.8", linewidth=0.8)
    _draw_use(axis, 10)
    _draw_width(axis, 205, most_bps)
    x, y = 390, 48
    axis.plot([x, x + 34], [y, y], color=HALO, linewidth=10, solid_capstyle="butt")
    axis.plot([x, x + 34], [y, y], color=SHADES[2], linewidth=5, solid_capstyle="butt")
    beside = "congested: packets are marked, lost or kept waiting (the list says which)"
    axis.text(x + 42, y, fitted(beside, wide - x - 50, _SIZE), va="center", fontsize=_SIZE)
    words = ["each line is one direction of a link, drawn on its right-hand side"]
    if priced:
        words.append("price of a Mbit = its marks x the price of a mark, on average")
    for line in words:
        y -= 19
        axis.text(x, y, fitted(line, wide - x - 8, _SIZE), va="center", fontsize=_SIZE)


def _draw_use(axis: Axes, x: float) -> None:
    import numpy as np
    from matplotlib.colors import LinearSegmentedColormap

    shades = LinearSegmentedColormap.from_list("use", SHADES)
    ramp = np.linspace(0, 1, 128)[None, :]
    limits = axis.get_xlim(), axis.get_ylim()
    axis.imshow(ramp, extent=(x, x + 160, 32, 44), aspect="auto", cmap=shades)
    axis.set_xlim(limits[0])
    axis.set_ylim(limits[1])
    for share in (0, 50, 100):
        axis.text(x + 1.6 * share, 23, f"{share}", ha="center", va="center", fontsize=7.5)
    axis.text(x, 9, "colour: utilisation of a link [%]", va="center", fontsize=8)


def _draw_width(axis: Axes, x: float, most_bps: float) -> None:
    step = 10.0 ** math.floor(math.log10(most_bps))
    largest = step * max(k for k in (1, 2, 5) if k * step <= most_bps)
    for i, share in enumerate((0.1, 0.5, 1.0)):
        left = x + 56 * i
        width = width_of(share * largest, most_bps)
        axis.plot([left, left + 40], [38, 38], color="0.35", lw=width, solid_capstyle="butt")
        text = f"{share * largest / 1e6:.3g}"
        axis.text(left + 20, 23, text, ha="center", va="center", fontsize=7.5)
    axis.text(x, 9, "width: carried, with headers [Mbps]", va="center", fontsize=8)
