# SPDX-License-Identifier: Apache-2.0
"""When agents act in a meeting of the market: phase by phase, in each as the scenario lists them.

Sellers post before buyers choose; who serves what was bought follows; last come those who only
look. Requests in mid-epoch are answered as they come.
"""

from __future__ import annotations

from collections.abc import Iterable

from ecnomy.agents.roles.find import PHASES
from ecnomy.agents.roles.role import Role

__all__ = ["PHASES", "in_order"]


def in_order(roles: Iterable[Role]) -> dict[str, list[Role]]:
    """Phase -> the agents that act in it."""
    found: dict[str, list[Role]] = {phase: [] for phase in PHASES}
    for role in roles:
        found[role.phase].append(role)
    return found
