# SPDX-License-Identifier: Apache-2.0
"""Building blocks for the sections of a sweep's page: scales, cells and plots."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from ecnomy.analysis.draw.panels import svg_of
from ecnomy.analysis.pages.parts import Cell, Picture
from ecnomy.analysis.sweep_report.points import Swept
from ecnomy.analysis.sweep_report.scales import OutcomeScale, scale_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["MOST_ROWS", "OF", "picture_of", "scales_of", "text_cell"]

OF: Final = "the sweep's runs"
MOST_ROWS: Final = 200


def scales_of(swept: Swept) -> dict[str, OutcomeScale]:
    """Return the scale on which each outcome is shown."""
    return {name: scale_of(name, swept.of(name)) for name in swept.outcomes}


def text_cell(text: str, value: Any = None) -> Cell:
    """Return a cell with a text; the CSV contains the unrounded `value`, if finite."""
    known = value is not None and math.isfinite(float(value))
    return Cell(text, value=float(value) if known else None)


def picture_of(name: str, caption: str, alt: str, figure: Figure, head: Sequence[str],
             rows: Sequence[Sequence[Any]]) -> Picture:  # fmt: skip
    """Return a plot, with its values as CSV."""
    plain_rows = tuple(tuple(row) for row in rows)
    return Picture(name, caption, alt, OF, svg_of(figure), tuple(head), plain_rows)
