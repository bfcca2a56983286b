# SPDX-License-Identifier: Apache-2.0
"""Which strategies a role can hold: those with its methods, and those that say they are for it.

A strategy may have a class attribute `roles`; without one it fits every role whose methods it has.
"""

from __future__ import annotations

from typing import Final

from ecnomy.agents.strategies.find import BUILT_IN, find

__all__ = ["wanted_instead"]

_FOR_FLOWS: Final = ("decide", "decide_many")
_METHODS: Final = {
    "connectivity-provider": ("post_price",),
    "application-provider": _FOR_FLOWS,
    "customer": _FOR_FLOWS,
    "price-handler": _FOR_FLOWS,
    "guaranteed-stream-provider": ("admit",),
}


def wanted_instead(kind: str, role: str) -> str:
    """What a role needs in place of a strategy of this kind, in words; "" where it fits.

    Raises:
        StrategyError: there is no such strategy (see find).
    """
    if _fits(kind, role):
        return ""
    known = ", ".join(name for name in BUILT_IN if _fits(name, role))
    methods = " or ".join(_METHODS[role])
    return f"one for a {role}: {known}, or a class of your own with {methods}"


def _fits(kind: str, role: str) -> bool:
    if role not in _METHODS:
        return True
    strategy = find(kind)
    able = any(callable(getattr(strategy, method, None)) for method in _METHODS[role])
    return able and role in getattr(strategy, "roles", (role,))
