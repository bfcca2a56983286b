# SPDX-License-Identifier: Apache-2.0
"""When agents act in a meeting of the market: phase by phase, in each as the scenario lists them.

Sellers post before buyers choose: carriers their prices, then providers the fees of their classes,
so that both are known to who chooses. Who serves what was bought follows; last come those who only
look. Requests in mid-epoch are answered as they come.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ecnomy.agents.roles.preset import PHASES
from ecnomy.agents.roles.role import Role

__all__ = ["PHASES", "POST", "in_order", "posting_fees"]

POST: Final = "post"


def in_order(roles: Iterable[Role]) -> dict[str, list[Role]]:
    """Phase -> the agents that act in it."""
    found: dict[str, list[Role]] = {phase: [] for phase in PHASES}
    for role in roles:
        found[role.phase].append(role)
    return found


def posting_fees(roles: Iterable[Role]) -> list[Role]:
    """The agents that post fees at the end of the phase `post`, whichever phase they act in."""
    return [role for role in roles if type(role).post_fees is not Role.post_fees]
