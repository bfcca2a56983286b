# SPDX-License-Identifier: Apache-2.0
"""Money in integers: the micro-unit, and the most that any price, fee or payment may be."""

from __future__ import annotations

from typing import Final

__all__ = ["DEAREST_MICRO", "MICRO"]

MICRO: Final = 10**6  # micro-units of money in one
DEAREST_MICRO: Final = 10**12  # the market takes no more for a mark, a call, or a second
