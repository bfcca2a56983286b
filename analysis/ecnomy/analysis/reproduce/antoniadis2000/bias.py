# SPDX-License-Identifier: Apache-2.0
"""The entry `bias`, computed in prose.py."""

from __future__ import annotations

from ecnomy.analysis.reproduce.antoniadis2000.prose import bias as figures

__all__ = ["figures"]
