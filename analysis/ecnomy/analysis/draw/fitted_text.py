# SPDX-License-Identifier: Apache-2.0
"""Measures text in the font of the plots, and cuts it to a width in points."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from matplotlib.textpath import TextToPath

__all__ = ["fitted", "width_of_text"]

FAMILY: Final = "DejaVu Sans"  # shipped with matplotlib
_DOTS: Final = "..."
_HINTED: Final = 1.015  # hinted letters are slightly wider than their outlines


@functools.cache
def _measure() -> TextToPath:
    from matplotlib.textpath import TextToPath

    return TextToPath()


def width_of_text(text: str, size: float, bold: bool = False) -> float:
    """Return the width [points] of a line of text."""
    import warnings

    from matplotlib.font_manager import FontProperties

    look = FontProperties(family=FAMILY, size=size, weight="bold" if bold else "normal")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from ", category=UserWarning)
        wide, _, _ = _measure().get_text_width_height_descent(text, look, ismath=False)
    return _HINTED * float(wide)


def fitted(text: str, width: float, size: float, bold: bool = False) -> str:
    """Return the text, cut and ending in three dots if it is wider than `width` points."""
    if width_of_text(text, size, bold) <= width:
        return text
    least, most = 0, len(text)
    while least < most:  # binary search for the longest prefix that fits
        middle = (least + most + 1) // 2
        if width_of_text(text[:middle].rstrip() + _DOTS, size, bold) <= width:
            least = middle
        else:
            most = middle - 1
    return text[:least].rstrip() + _DOTS
