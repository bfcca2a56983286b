# SPDX-License-Identifier: Apache-2.0
"""Numbers as tables print them: three significant digits at least, so that small is not 0."""

from __future__ import annotations

import math
from typing import Final

__all__ = ["exact", "significant"]

_DIGITS: Final = 3
_MOST_DECIMALS: Final = 12


def significant(value: float, decimals: int = 2, sign: str = "") -> str:
    """A number with `decimals` decimals, or more where it takes more to show three digits of it.

    Args:
        value: NaN gives "-", and what is 0 never has a minus.
        decimals: at least so many.
        sign: "+" to have one before positive numbers too.
    """
    if math.isnan(value):
        return "-"
    if abs(value) < 10.0**-_MOST_DECIMALS:
        value = 0.0
    else:
        first = int(f"{value:.{_DIGITS - 1}e}".split("e")[1])  # of what is left after rounding
        decimals = max(decimals, min(_DIGITS - 1 - first, _MOST_DECIMALS))
    return f"{value:{sign},.{decimals}f}"


def exact(micro: int) -> str:
    """An amount to the micro-unit, with its sign."""
    whole, part = divmod(abs(micro), 10**6)
    return f"{'-' if micro < 0 else '+'}{whole:,}.{part:06d}"
