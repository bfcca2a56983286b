# SPDX-License-Identifier: Apache-2.0
"""Roles: presets of what an agent owns, sells and buys, and of what its strategy is asked.

A role is a class on `role.Role`, listed in find.py with what its YAML entry may hold. It says in
which phase of a meeting it acts; `join` makes its contracts and `act` is its turn. `role:` names
one of ROLES, or a custom class by dotted path (`my_lab.roles:RiskBroker`).
"""

from __future__ import annotations

from ecnomy.agents.roles.find import ROLES, find_role, preset_of
from ecnomy.agents.roles.preset import Preset

__all__ = ["ROLES", "Preset", "find_role", "preset_of"]
