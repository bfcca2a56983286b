# SPDX-License-Identifier: Apache-2.0
"""Roles: what an agent owns, sells and buys, and which methods its strategy needs.

A role is a subclass of `role.Role` and defines its phase in a meeting. Its method `join` makes
contracts, and `act` takes the agent's turn. find.py lists the built-in roles with their YAML keys.
In a scenario, `role:` names one of ROLES, a custom class (`my_lab.roles:RiskBroker`) or an entry
point.
"""

from __future__ import annotations

from ecnomy.agents.roles.find import ROLES, find_role, preset_of
from ecnomy.agents.roles.preset import Preset

__all__ = ["ROLES", "Preset", "find_role", "preset_of"]
