# SPDX-License-Identifier: Apache-2.0
"""Figures of antoniadis2000: TCP/WTP over a virtual buffer, service classes and price handlers."""

from __future__ import annotations

__all__: list[str] = []
