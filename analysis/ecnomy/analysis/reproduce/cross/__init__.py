# SPDX-License-Identifier: Apache-2.0
"""Experiments across papers: all sources over all link algorithms, and comparisons of laws."""

from __future__ import annotations

__all__: list[str] = []
