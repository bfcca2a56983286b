# SPDX-License-Identifier: Apache-2.0
"""Finds the strategies that fit a role, and the roles that a strategy fits."""

from __future__ import annotations

from ecnomy.agents.roles.find import ROLES, preset_of
from ecnomy.agents.roles.preset import with_article
from ecnomy.agents.strategies.find import find
from ecnomy.agents.strategies.fitting import fits, listed

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
    if fits(find(kind), role, asks):
        return ""
    return f"a strategy for {with_article(role)}: {listed(role, asks)}"


def roles_of(strategy: type) -> tuple[str, ...]:
    """Return the built-in roles that a strategy class fits."""
    return tuple(role for role, preset in ROLES.items() if fits(strategy, role, preset.asks))
