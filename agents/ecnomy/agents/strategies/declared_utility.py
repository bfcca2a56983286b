# SPDX-License-Identifier: Apache-2.0
"""Reads the utility that a strategy declares: the worth of a rate to the users.

A strategy declares its utility with the attribute `utility`. The attribute is a mapping with `kind`
and parameters, as in `elastic-utility` and `best-offer`, or an object with `x0`, `value` and
`slope`, like those of ecnomy.agents.utilities.
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
    """Return the utility that a strategy declares, or None if it declares no utility.

    An attribute `utility` with any other content is ignored.

    Raises:
        StrategyError: the strategy is not installed, or does not accept its parameters.
    """
    if strategy is None:
        return None
    utility: object = getattr(make(strategy.kind, strategy.params), "utility", None)
    if isinstance(utility, Mapping):
        try:
            return utility_of(utility)
        except Refused:
            return None
    whole = hasattr(utility, "x0") and all(callable(getattr(utility, m, None)) for m in _METHODS)
    return utility if whole else None  # type: ignore[return-value]
