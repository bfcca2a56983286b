# SPDX-License-Identifier: Apache-2.0
"""The limit for amounts of money, and the price of a classic mark, in micro-units."""

from __future__ import annotations

from typing import Final

__all__ = ["LARGEST_MICRO", "classic_price_micro"]

LARGEST_MICRO: Final = 2**62  # amounts are smaller, so that the sum of two fits an int64


def classic_price_micro(price_micro: int, ratio: float) -> int:
    """Return the price of a mark on an ECT(0) packet, given its price on an ECT(1) packet.

    The price is rounded to micro-units, but a positive price stays positive.
    """
    return max(round(price_micro * ratio), min(price_micro, 1))
