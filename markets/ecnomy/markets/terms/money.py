# SPDX-License-Identifier: Apache-2.0
"""The bounds of an amount of money, and the price of a classic mark, in micro-units."""

from __future__ import annotations

from typing import Final

__all__ = ["LARGEST_MICRO", "classic_price_micro"]

LARGEST_MICRO: Final = 2**62  # of any amount: the sum of two still fits an int64


def classic_price_micro(price_micro: int, ratio: float) -> int:
    """Return the price of a mark on an ECT(0) packet, given that of one on an ECT(1) packet.

    It is rounded to micro-units; a price above 0 stays above 0.
    """
    return max(round(price_micro * ratio), min(price_micro, 1))
