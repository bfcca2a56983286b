# SPDX-License-Identifier: Apache-2.0
"""Constants of integer money: the micro-unit, and the largest price, fee or payment."""

from __future__ import annotations

from typing import Final

__all__ = ["DEAREST_MICRO", "MICRO"]

MICRO: Final = 10**6  # micro-units in a unit of money
DEAREST_MICRO: Final = 10**12  # the largest price of a mark, a call or a second
