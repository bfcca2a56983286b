# SPDX-License-Identifier: Apache-2.0
"""The entry `stability`, computed in prose.py."""

from __future__ import annotations

from ecnomy.analysis.reproduce.antoniadis2000.prose import stability as figures

__all__ = ["figures"]
