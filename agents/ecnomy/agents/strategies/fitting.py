# SPDX-License-Identifier: Apache-2.0
"""Whether a strategy fits a role, by its methods and the roles that it declares.

A strategy fits each role that needs one of its methods. A class attribute `roles` excludes all
roles that it does not list.
"""

from __future__ import annotations

from ecnomy.agents.strategies.find import BUILT_IN, find

__all__ = ["fits", "listed"]


def fits(strategy: type, role: str, asks: tuple[str, ...]) -> bool:
    """Return whether a strategy class fits a role that needs one of the methods `asks`."""
    able = any(callable(getattr(strategy, method, None)) for method in asks)
    return able and role in getattr(strategy, "roles", (role,))


def listed(role: str, asks: tuple[str, ...]) -> str:
    """Return a list of the built-in and custom strategies that fit a role, for error messages."""
    known = ", ".join(name for name in BUILT_IN if fits(find(name), role, asks))
    return f"{known}, or a custom class with {' or '.join(asks)}"
