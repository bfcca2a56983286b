# SPDX-License-Identifier: Apache-2.0
"""Experiments across the papers: every source over every link algorithm; two laws compared."""

from __future__ import annotations

__all__: list[str] = []
