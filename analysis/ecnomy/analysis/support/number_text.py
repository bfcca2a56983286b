# SPDX-License-Identifier: Apache-2.0
"""Formats numbers, shares and money, so that small numbers do not read 0."""

from __future__ import annotations

import math
from typing import Final

from ecnomy.agents.money import MICRO

__all__ = ["exact", "minus", "percent", "significant"]

_DIGITS: Final = 3
_MOST_DECIMALS: Final = 12


def significant(value: float, decimals: int = 2, sign: str = "") -> str:
    """Return a number with `decimals` decimals, or more if needed to show three digits.

    Args:
        value: the number; NaN gives "-", and 0 has no minus sign.
        decimals: smallest number of decimals.
        sign: "+" to put a sign before positive numbers and 0 too.
    """
    if math.isnan(value):
        return "-"
    if abs(value) < 10.0**-_MOST_DECIMALS:
        value = 0.0
    else:
        first = int(f"{value:.{_DIGITS - 1}e}".split("e")[1])  # digits after rounding
        decimals = max(decimals, min(_DIGITS - 1 - first, _MOST_DECIMALS))
    return f"{value:{sign},.{decimals}f}"


def exact(micro: int) -> str:
    """Return an amount of money with its sign and all six decimals."""
    whole, part = divmod(abs(micro), MICRO)
    return f"{'-' if micro < 0 else '+'}{whole:,}.{part:06d}"


def percent(share: float, decimals: int = 1) -> str:
    """Return a share in percent; "-" for NaN."""
    return "-" if math.isnan(share) else f"{100 * share:.{decimals}f} %"


def minus(text: str) -> str:
    """Replace the hyphens of numbers with real minus signs; "-" alone, for no value, stays."""
    return text if text == "-" else text.replace("-", "\u2212")
