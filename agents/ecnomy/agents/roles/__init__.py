# SPDX-License-Identifier: Apache-2.0
"""Roles: an agent's property, sales and purchases, and the methods that its strategy needs.

A role is a class based on `role.Role`. find.py lists the built-in roles with their YAML keys. A
role defines its phase in a meeting. `join` makes its contracts, and `act` takes its turn. `role:`
names one of ROLES or a custom class by its dotted path (`my_lab.roles:RiskBroker`).
"""

from __future__ import annotations

from ecnomy.agents.roles.find import ROLES, find_role, preset_of
from ecnomy.agents.roles.preset import Preset

__all__ = ["ROLES", "Preset", "find_role", "preset_of"]
