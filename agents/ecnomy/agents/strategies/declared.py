# SPDX-License-Identifier: Apache-2.0
"""Which utility a strategy declares: what its users think a rate is worth.

A strategy declares one by an attribute `utility`: a mapping with `kind` and its parameters, as
`elastic-utility` and `best-offer` have, or an object such as those of ecnomy.agents.utilities.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ecnomy.agents.parameters import Refused
from ecnomy.agents.spec import StrategySpec
from ecnomy.agents.strategies.find import make
from ecnomy.agents.utilities import Utility, utility_of

__all__ = ["declared_utility"]

_METHODS: Final = ("value", "slope")


def declared_utility(strategy: StrategySpec | None) -> Utility | None:
    """The utility that a strategy declares, None for one that declares none.

    An attribute of that name which is something else counts as none.

    Raises:
        StrategyError: there is no such strategy here, or it does not take its parameters.
    """
    if strategy is None:
        return None
    told: object = getattr(make(strategy.kind, strategy.params), "utility", None)
    if isinstance(told, Mapping):
        try:
            return utility_of(told)
        except Refused:
            return None
    whole = hasattr(told, "x0") and all(callable(getattr(told, m, None)) for m in _METHODS)
    return told if whole else None  # type: ignore[return-value]
