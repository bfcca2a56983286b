# SPDX-License-Identifier: Apache-2.0
"""Finds the strategies that fit a role, by their methods and the roles that they declare.

A strategy fits each role that needs one of its methods. A class attribute `roles` excludes all
roles that it does not list.
"""

from __future__ import annotations

from ecnomy.agents.roles.find import ROLES, preset_of
from ecnomy.agents.roles.preset import with_article
from ecnomy.agents.strategies.find import BUILT_IN, find

__all__ = ["roles_of", "wanted_instead"]


def wanted_instead(kind: str, role: str) -> str:
    """Describe the strategy that a role needs instead of this kind, or return "" if it fits.

    Raises:
        StrategyError: the strategy does not exist.
        InputError: the role does not exist.
    """
    asks = preset_of(role).asks
    if not asks:
        return f"none, because {with_article(role)} takes no strategy"
    if _fits(find(kind), role, asks):
        return ""
    known = ", ".join(name for name in BUILT_IN if _fits(find(name), role, asks))
    methods = " or ".join(asks)
    return f"a strategy for {with_article(role)}: {known}, or a custom class with {methods}"


def roles_of(strategy: type) -> tuple[str, ...]:
    """Return the built-in roles that a strategy class fits."""
    return tuple(role for role, preset in ROLES.items() if _fits(strategy, role, preset.asks))


def _fits(strategy: type, role: str, asks: tuple[str, ...]) -> bool:
    able = any(callable(getattr(strategy, method, None)) for method in asks)
    return able and role in getattr(strategy, "roles", (role,))
