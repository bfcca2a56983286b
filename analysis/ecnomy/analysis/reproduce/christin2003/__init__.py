# SPDX-License-Identifier: Apache-2.0
"""Figures of christin2003: marking by projected arrivals, alone and with class guarantees."""

from __future__ import annotations

__all__: list[str] = []
