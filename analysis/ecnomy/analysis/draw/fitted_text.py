# SPDX-License-Identifier: Apache-2.0
"""Text that fits: cut to a width in points, as the picture's font has its letters."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from matplotlib.textpath import TextToPath

__all__ = ["fitted", "width_of_text"]

FAMILY: Final = "DejaVu Sans"  # comes with matplotlib
_DOTS: Final = "..."
_HINTED: Final = 1.015  # letters on a grid of pixels take a little more than their outlines


@functools.cache
def _measure() -> TextToPath:
    from matplotlib.textpath import TextToPath

    return TextToPath()


def width_of_text(text: str, size: float, bold: bool = False) -> float:
    """How wide a line of text is, points."""
    import warnings

    from matplotlib.font_manager import FontProperties

    look = FontProperties(family=FAMILY, size=size, weight="bold" if bold else "normal")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from ", category=UserWarning)
        wide, _, _ = _measure().get_text_width_height_descent(text, look, ismath=False)
    return _HINTED * float(wide)


def fitted(text: str, width: float, size: float, bold: bool = False) -> str:
    """The text, or as much of its beginning as fits into `width` points with three dots."""
    if width_of_text(text, size, bold) <= width:
        return text
    least, most = 0, len(text)
    while least < most:  # the longest beginning that fits
        middle = (least + most + 1) // 2
        if width_of_text(text[:middle].rstrip() + _DOTS, size, bold) <= width:
            least = middle
        else:
            most = middle - 1
    return text[:least].rstrip() + _DOTS
