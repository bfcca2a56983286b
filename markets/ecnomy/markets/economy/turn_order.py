# SPDX-License-Identifier: Apache-2.0
"""Put the decisions at each report in order, by phase and then as in the scenario.

Carriers post prices first, and providers then post the fees of their classes. Buyers therefore know
both when they choose. Next, sellers serve their buyers. Agents that only observe come last.
Requests between reports are answered immediately.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ecnomy.agents.roles.preset import PHASES
from ecnomy.agents.roles.role import Role

__all__ = ["PHASES", "POST", "in_order", "posting_fees"]

POST: Final = "post"


def in_order(roles: Iterable[Role]) -> dict[str, list[Role]]:
    """Return the agents of each phase, in the order in which they act."""
    roles_by_phase: dict[str, list[Role]] = {phase: [] for phase in PHASES}
    for role in roles:
        roles_by_phase[role.phase].append(role)
    return roles_by_phase


def posting_fees(roles: Iterable[Role]) -> list[Role]:
    """Return the agents that post fees, which they do at the end of phase `post`."""
    return [role for role in roles if type(role).post_fees is not Role.post_fees]
