# SPDX-License-Identifier: Apache-2.0
"""The entry `growth`, computed in prose.py."""

from __future__ import annotations

from ecnomy.analysis.reproduce.antoniadis2000.prose import growth as figures

__all__ = ["figures"]
