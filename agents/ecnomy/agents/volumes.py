# SPDX-License-Identifier: Apache-2.0
"""Megabytes (10^6 bytes), the unit of data in prices and costs."""

from __future__ import annotations

from typing import Final

__all__ = ["BITS_PER_MB", "BYTES_PER_MB"]

BYTES_PER_MB: Final = 1e6
BITS_PER_MB: Final = 8 * BYTES_PER_MB
