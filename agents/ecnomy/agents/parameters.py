# SPDX-License-Identifier: Apache-2.0
"""Parameters of strategies: their units, their alternatives, and how a strategy refuses one.

    patience: Annotated[float, Unit("s")] = 10.0                users write `patience: 10 s`
    utility: Annotated[Mapping[str, object], OneOf(UTILITIES)]  users write `{kind: log, a: ...}`
    prices: Annotated[Mapping[float, float], ByTime("money")]   users write `{60 s: 0.1 money}`

The scenario loader reads the annotation and hands the strategy the number in that unit. A
parameter without a Unit is a plain number, truth value or text. A strategy that raises Refused for
a value has the user told in which line of the scenario it stands.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping

__all__ = ["ByTime", "OneOf", "Refused", "Strategies", "Unit", "positive"]


@dataclasses.dataclass(frozen=True)
class Unit:
    """The unit a strategy wants a parameter in, such as `s` or `money/s`."""

    name: str


@dataclasses.dataclass(frozen=True)
class ByTime:
    """A mapping from times to quantities of this unit, handed over as numbers by seconds."""

    unit: str


@dataclasses.dataclass(frozen=True)
class OneOf:
    """A mapping with `kind`, and the parameters of the dataclass that bears this name.

    With `find`, `kind` may also be what that makes a class of: `module:Class`, an entry point.
    """

    kinds: Mapping[str, type]
    find: Callable[[str], type] | None = None


@dataclasses.dataclass(frozen=True)
class Strategies:
    """A mapping from names to strategies, each with its `kind` and its parameters."""


class Refused(ValueError):
    """A parameter with a value that it cannot have; `key` is its YAML key or dotted path."""

    def __init__(self, key: str, found: str, expected: str) -> None:
        self.key, self.found, self.expected = key, found, expected
        super().__init__(f"{key}: found {found}, expected {expected}")


def positive(key: str, value: float, unit: str = "") -> None:
    """Refuses a parameter that is not above 0 and finite.

    Raises:
        Refused: it is not.
    """
    if not 0 < value < math.inf:
        tail = f" {unit}" if unit else ""
        raise Refused(key, f"{value:g}{tail}", f"a finite value above 0{tail}")
