# SPDX-License-Identifier: Apache-2.0
"""Figures of siris2002: weighted windows over RED, virtual queues and load-based marking."""

from __future__ import annotations

__all__: list[str] = []
