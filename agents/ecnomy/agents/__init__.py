# SPDX-License-Identifier: Apache-2.0
"""Agents: roles, strategies and what they see and decide. They know prices, not packets.

Importing this package loads nothing heavy; take what you need from its modules.
"""

from __future__ import annotations

__all__: list[str] = []
