# SPDX-License-Identifier: Apache-2.0
"""Formats numbers with at least three significant digits, so that small numbers do not read 0."""

from __future__ import annotations

import math
from typing import Final

from ecnomy.agents.money import MICRO

__all__ = ["exact", "significant"]

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
