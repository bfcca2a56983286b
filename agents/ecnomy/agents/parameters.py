# SPDX-License-Identifier: Apache-2.0
"""Annotations of strategies' parameters, and the error with which a strategy refuses a value.

    patience: Annotated[float, Unit("s")] = 10.0                users write `patience: 10 s`
    utility: Annotated[Mapping[str, object], OneOf(UTILITIES)]  users write `{kind: log, a: ...}`
    prices: Annotated[Mapping[float, float], ByTime("money")]   users write `{60 s: 0.1 money}`

The scenario loader reads the annotation and passes the number in its unit to the strategy. A
parameter without an annotation is a plain number, a Boolean or text. The docstring of the strategy
states the range of a plain number, as in `[from 0 to 1]`. If a strategy raises Refused for a value,
the error message gives the value's line in the scenario.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping

__all__ = ["ByTime", "OneOf", "Refused", "Strategies", "Unit", "positive"]


@dataclasses.dataclass(frozen=True)
class Unit:
    """The unit of a strategy's parameter, such as `s` or `money/s`."""

    name: str


@dataclasses.dataclass(frozen=True)
class ByTime:
    """A mapping from times to quantities, passed as numbers: times in seconds, others in `unit`."""

    unit: str


@dataclasses.dataclass(frozen=True)
class OneOf:
    """A mapping with the key `kind`, which names a dataclass, and the parameters of this dataclass.

    With `find`, `kind` may also be a name that `find` resolves: `module:Class` or an entry point.
    """

    kinds: Mapping[str, type]
    find: Callable[[str], type] | None = None


@dataclasses.dataclass(frozen=True)
class Strategies:
    """A mapping from names to strategies, each with its `kind` and its parameters."""


class Refused(ValueError):
    """The value of a parameter is invalid; `key` is its YAML key or dotted path."""

    def __init__(self, key: str, found: str, expected: str) -> None:
        self.key, self.found, self.expected = key, found, expected
        super().__init__(f"{key}: found {found}, expected {expected}")


def positive(key: str, value: float, unit: str = "") -> None:
    """Check that a parameter is finite and above 0.

    Raises:
        Refused: the value is 0, negative or not finite.
    """
    if not 0 < value < math.inf:
        tail = f" {unit}" if unit else ""
        raise Refused(key, f"{value:g}{tail}", f"a finite value above 0{tail}")
