# SPDX-License-Identifier: Apache-2.0
"""Experiments across papers: every source over every link algorithm, and comparisons of laws."""

from __future__ import annotations

__all__: list[str] = []
