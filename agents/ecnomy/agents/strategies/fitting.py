# SPDX-License-Identifier: Apache-2.0
"""The strategies that fit a role: by their methods, and by the roles that they declare.

A strategy may have a class attribute `roles`. Without it, it fits every role whose methods it has.
"""

from __future__ import annotations

from ecnomy.agents.roles.find import preset_of
from ecnomy.agents.roles.preset import with_article
from ecnomy.agents.strategies.find import BUILT_IN, find

__all__ = ["wanted_instead"]


def wanted_instead(kind: str, role: str) -> str:
    """Describe the strategy that a role needs instead of this kind; return "" if this kind fits.

    Raises:
        StrategyError: the strategy or the role does not exist.
    """
    asks = preset_of(role).asks
    if not asks:
        return f"none, because {with_article(role)} takes no strategy"
    if _fits(kind, role, asks):
        return ""
    known = ", ".join(name for name in BUILT_IN if _fits(name, role, asks))
    methods = " or ".join(asks)
    return f"one for {with_article(role)}: {known}, or a custom class with {methods}"


def _fits(kind: str, role: str, asks: tuple[str, ...]) -> bool:
    strategy = find(kind)
    able = any(callable(getattr(strategy, method, None)) for method in asks)
    return able and role in getattr(strategy, "roles", (role,))
