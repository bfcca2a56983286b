# SPDX-License-Identifier: Apache-2.0
"""Figures of athuraliya2000: random exponential marking (REM), its sources, and Reno over REM."""

from __future__ import annotations

__all__: list[str] = []
