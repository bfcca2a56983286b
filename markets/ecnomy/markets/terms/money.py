# SPDX-License-Identifier: Apache-2.0
"""The bounds of an amount of money, in micro-units."""

from __future__ import annotations

from typing import Final

__all__ = ["LARGEST_MICRO"]

LARGEST_MICRO: Final = 2**62  # of any amount: the sum of two still fits an int64
