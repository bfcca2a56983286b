# SPDX-License-Identifier: Apache-2.0
"""The largest amount of money, and the price of a classic mark, in micro-units."""

from __future__ import annotations

from typing import Final

__all__ = ["LARGEST_MICRO", "classic_price_micro"]

LARGEST_MICRO: Final = 2**62  # largest amount, so that the sum of two still fits an int64


def classic_price_micro(price_micro: int, ratio: float) -> int:
    """Return the price of a mark on an ECT(0) packet, given its price on an ECT(1) packet.

    The price is rounded to micro-units, but a positive price stays positive.
    """
    return max(round(price_micro * ratio), min(price_micro, 1))
